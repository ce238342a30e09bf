#!/usr/bin/env bash
# Compile the program with cargo and the C compiler of this machine, reproducibly, and print its path. Images use it; build.sh makes the
# packages.
# Usage: compile.sh [TARGET]     default: the target of this machine. A -musl target needs musl-gcc.
#
# With glibc, everything else is linked statically. glibc itself is not, because its getaddrinfo() loads the modules that
# /etc/nsswitch.conf names, so a static program would load modules of another glibc. musl has no such modules: it resolves
# names with /etc/hosts and the servers in /etc/resolv.conf.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-$(rustc -vV | sed -n 's/^host: //p')}
profile=${PROFILE:-release}
# shellcheck source=flags.sh
. dist/flags.sh
reproducible_flags
case $target in
  *-gnu) RUSTFLAGS+=" -C link-arg=-static-libgcc" ;;
  *-musl) export "CC_${target//-/_}=musl-gcc" ;;
esac
"${CARGO:-cargo}" build --locked --profile "$profile" --target "$target" -p swell
echo "$CARGO_TARGET_DIR/$target/$profile/swell"
