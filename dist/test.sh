#!/usr/bin/env bash
# Test the scripts that make and install packages, with a debug program: the files are checked and installed as for a release, but they are
# large and only for the glibc of this machine. If a tool is not installed, the script says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=${SWELL_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/swell/packaging}/bin
for tool in maturin nfpm cargo-about; do
  if [ ! -x "$tools/$tool" ]; then
    echo "packages: skipped, $tool is not installed (dist/tools.sh maturin nfpm cargo-about)"
    exit 0
  fi
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
PROFILE=dev ZIG=0 OUT=$out dist/build.sh >/dev/null
ANY_GLIBC=1 dist/check.sh "$out"
dist/try.sh "$out"
