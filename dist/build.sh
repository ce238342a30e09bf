#!/usr/bin/env bash
# Build the release files: a stripped program in a tarball and, if dpkg-deb is installed, a Debian package, with checksums.
# Usage: build.sh [TARGET]     output in dist-out/
#
# Without TARGET, builds a static program with musl if Rust's library for it and musl-gcc are installed (rustup target add
# x86_64-unknown-linux-musl; apt install musl-tools), and otherwise a program that needs glibc.
#
# The same commit gives the same bytes on machines with the same Rust and C compilers: paths are remapped, times are those of
# the commit, owners are 0, names are sorted.
#
# With glibc, everything else is linked statically. glibc itself is not, because its getaddrinfo() loads the modules that
# /etc/nsswitch.conf names, so a static program would load modules of another glibc. musl has no such modules: it resolves
# names with /etc/hosts and the servers in /etc/resolv.conf.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}

default_target() {
  local static=${host%-gnu}-musl
  if [ -d "$(rustc --print sysroot)/lib/rustlib/$static/lib" ] && command -v musl-gcc >/dev/null; then
    echo "$static"
  else
    echo "not static: the Rust target $static or musl-gcc is not installed" >&2
    echo "$host"
  fi
}

host=$(rustc -vV | sed -n 's/^host: //p')
target=${1:-$(default_target)}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
profile=${PROFILE:-release}
out=dist-out
name=swell-$version-$target
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

build() {
  local home=${CARGO_HOME:-$HOME/.cargo}
  local built
  mkdir -p "${CARGO_TARGET_DIR:-target}"
  built=$(realpath "${CARGO_TARGET_DIR:-target}")
  # The last matching entry counts.
  local flags="--remap-path-prefix=$PWD=/swell --remap-path-prefix=$built=/target --remap-path-prefix=$home=/cargo"
  case $target in
    *-gnu) flags+=" -C link-arg=-static-libgcc" ;;
    *-musl) export "CC_${target//-/_}=musl-gcc" ;;
  esac
  # Build scripts of libraries compile C code.
  export CFLAGS="-ffile-prefix-map=$PWD=/swell -ffile-prefix-map=$built=/target -ffile-prefix-map=$home=/cargo" CARGO_INCREMENTAL=0
  RUSTFLAGS="$flags" "$cargo" build --locked --profile "$profile" --target "$target" -p swell
}

# The contents of a package, by path below /usr.
stage() {
  local root=$1 binary=${CARGO_TARGET_DIR:-target}/$target/$profile/swell
  install -Dm755 "$binary" "$root/bin/swell"
  for file in README.md CHANGELOG.md LICENSE; do install -Dm644 "$file" "$root/share/doc/swell/$file"; done
  find examples -type f | while read -r file; do
    local mode=644
    [ -x "$file" ] && mode=755
    install -Dm"$mode" "$file" "$root/share/doc/swell/$file"
  done
  # A program for another processor cannot run here to print its manual.
  if "$binary" --version >/dev/null 2>&1; then
    write "$root/share/bash-completion/completions/swell" "$binary" completions bash
    write "$root/share/zsh/site-functions/_swell" "$binary" completions zsh
    write "$root/share/fish/vendor_completions.d/swell.fish" "$binary" completions fish
    write "$root/share/man/man1/swell.1" "$binary" man
    # Every page that the first one names, such as `swell\-run(1)`.
    sed -n 's/^swell\\-\([a-z]*\)(1)$/\1/p' "$root/share/man/man1/swell.1" | while read -r command; do
      write "$root/share/man/man1/swell-$command.1" "$binary" man "$command"
    done
    gzip -9n "$root"/share/man/man1/*.1
  fi
}

write() {
  local to=$1
  shift
  mkdir -p "$(dirname "$to")"
  "$@" >"$to"
  chmod 644 "$to"
}

tarball() {
  local root=$1
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar \
    --transform="s,^\.,$name," -C "$root" -cf - . | gzip -9n >"$out/$name.tar.gz"
}

# Print the oldest glibc that has all symbols the program uses.
glibc() {
  objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -1
}

debian() {
  local staged=$1 root arch needs=""
  case $target in
    x86_64-*) arch=amd64 ;;
    aarch64-*) arch=arm64 ;;
    *) echo "no Debian package for $target" >&2; return 0 ;;
  esac
  if ! command -v dpkg-deb >/dev/null; then
    echo "no Debian package: dpkg-deb is not installed" >&2
    return 0
  fi
  root=$(mktemp -d)
  mkdir -p "$root/DEBIAN" "$root/usr"
  cp -a "$staged/." "$root/usr/"
  case $target in *-gnu) needs="libc6 (>= $(glibc "$staged/bin/swell"))" ;; esac
  cat >"$root/DEBIAN/control" <<CONTROL
Package: swell
Version: $version
Architecture: $arch
Maintainer: Swell maintainers <maintainers@swell.invalid>
${needs:+Depends: $needs
}Section: net
Priority: optional
Description: load testing with JMeter plans and honest numbers
 Runs Apache JMeter test plans unchanged, at the CPU cost per request of the
 fastest C tools, and states its own error and a verdict with each result.
CONTROL
  chmod -R u=rwX,go=rX "$root"
  find "$root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz --build "$root" "$out/swell_${version}_$arch.deb" >/dev/null
  rm -rf "$root"
}

umask 022
mkdir -p "$out"
build
staged=$(mktemp -d)
chmod 755 "$staged"
trap 'rm -rf "$staged"' EXIT
stage "$staged"
tarball "$staged"
debian "$staged"
(cd "$out" && sha256sum ./*.tar.gz ./*.deb 2>/dev/null >SHA256SUMS; cat SHA256SUMS)
