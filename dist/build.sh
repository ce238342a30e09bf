#!/usr/bin/env bash
# Build the release files of a target in dist-out/: wheel, tarball, packages for Debian and Red Hat, npm packages, the engine for jmeter-java-dsl,
# licences of all compiled-in libraries, a bill of materials (SBOM), and checksums.
# Usage: build.sh [TARGET]
#   TARGET   default: this processor's -unknown-linux-gnu, for any glibc from 2.17 on; -unknown-linux-musl gives a static program
#            without a JVM (Rust's library for the target has to be installed: rustup target add).
#   OUT      folder of the output (dist-out)
#   PROFILE  release; `demo` and `dev` are for tests of these scripts
#   ZIG=0    link for the C library of this machine
#
# maturin compiles once, with zig as C compiler and linker, and checks that the program uses no newer glibc. All other files are packed
# from that program. The same commit gives the same bytes, with the tools of tools.sh and the same Rust.
set -euo pipefail
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
target=${1:-${host%-*}-gnu}
profile=${PROFILE:-release}
zig=${ZIG:-1}
out=${OUT:-dist-out}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
repository=$(sed -n 's/^repository = "\([^"]*\)".*/\1/p' Cargo.toml)
name=swell-$version-$target
engine=jmeter-java-dsl-swell-$version.jar
# shellcheck source=flags.sh
. dist/flags.sh
# shellcheck source=glibc.sh
. dist/glibc.sh
umask 022
export TZ=UTC LC_ALL=C

needed=(maturin nfpm cargo-about)
[ "$zig" = 0 ] || needed+=(zig)
tools=$(dist/tools.sh "${needed[@]}")
export PATH=$tools:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
out=$(realpath "$out")

wheel() {
  local options=(--locked --profile "$profile" --out "$work/wheel")
  case $zig-$target in
    0-*) options+=(--compatibility linux) ;;
    1-*-gnu) options+=(--zig --target "$target" --compatibility "manylinux_${OLDEST_GLIBC/./_}") ;;
    1-*-musl) options+=(--zig --target "$target" --compatibility musllinux_1_2) ;;
  esac
  # Without zig this is a test, which uses what other tests have built.
  if [ "$zig" = 1 ]; then
    reproducible_flags
    zig_flags "$target"
  fi
  (cd dist/pypi && maturin build "${options[@]}")
  python3 dist/pypi/relocate.py "$work"/wheel/*.whl "$PWD" "$out"
  mkdir "$work/unpacked"
  python3 -m zipfile -e "$out/$(basename "$work"/wheel/*.whl)" "$work/unpacked"
  program=$(echo "$work"/unpacked/swell-*.data/scripts/swell)
  chmod 755 "$program"
}

# One file with all licences that ask for it: those of crates, and of what is not one.
licences() {
  cargo about generate --locked --fail --manifest-path crates/swell/Cargo.toml -c dist/licences/about.toml dist/licences/about.hbs >"$work/THIRD-PARTY.txt"
  cat dist/licences/besides.txt >>"$work/THIRD-PARTY.txt"
  cp "$work/THIRD-PARTY.txt" "$out/"
}

# The jar is in the repository, so that a release needs no Java compiler. It contains no library.
engine_for_java() {
  install -m644 jvm/dsl/jmeter-java-dsl-swell.jar "$out/$engine"
}

bill_of_materials() {
  cp "$work"/unpacked/*.dist-info/sboms/*.cyclonedx.json "$out/$name.cyclonedx.json"
}

# What a package holds, by its place below /usr.
stage() {
  local root=$1
  install -Dm755 "$program" "$root/bin/swell"
  for file in README.md CHANGELOG.md LICENSE "$work/THIRD-PARTY.txt"; do
    install -Dm644 "$file" "$root/share/doc/swell/$(basename "$file")"
  done
  find examples -type f | while read -r file; do
    local mode=644
    [ -x "$file" ] && mode=755
    install -Dm"$mode" "$file" "$root/share/doc/swell/$file"
  done
  install -Dm644 "$out/$engine" "$root/share/java/$engine"
  # A program for another processor cannot print its own manual here.
  if "$program" --version >/dev/null 2>&1; then
    write "$root/share/bash-completion/completions/swell" "$program" completions bash
    write "$root/share/zsh/site-functions/_swell" "$program" completions zsh
    write "$root/share/fish/vendor_completions.d/swell.fish" "$program" completions fish
    write "$root/share/man/man1/swell.1" "$program" man
    # All pages that the first one names, as `swell\-run(1)`.
    sed -n 's/^swell\\-\([a-z]*\)(1)$/\1/p' "$root/share/man/man1/swell.1" | while read -r command; do
      write "$root/share/man/man1/swell-$command.1" "$program" man "$command"
    done
    gzip -9n "$root"/share/man/man1/*.1
  else
    echo "no manual and no completions: a program for $target does not run here" >&2
  fi
  find "$root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
}

write() {
  local to=$1
  shift
  mkdir -p "$(dirname "$to")"
  "$@" >"$to"
  chmod 644 "$to"
}

tarball() {
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar \
    --transform="s,^\.,$name," -C "$1" -cf - . | gzip -9n >"$out/$name.tar.gz"
}

# Packages for Debian and Red Hat, both by nfpm.
packages() {
  local staged=$1 arch compression=xz
  # Tests pack a large program several times.
  [ "$profile" = release ] || compression=gzip
  case $target in
    x86_64-*-gnu) arch=amd64 ;;
    aarch64-*-gnu) arch=arm64 ;;
    *) echo "no packages for Debian and Red Hat: they are made for glibc" >&2; return 0 ;;
  esac
  sed -e "s|@VERSION@|$version|g" -e "s|@ARCH@|$arch|g" -e "s|@STAGED@|$staged|g" -e "s|@GLIBC@|$OLDEST_GLIBC|g" \
    -e "s|@COMPRESSION@|$compression|g" \
    -e "s|@TIME@|$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)|g" dist/nfpm.yaml.in >"$work/nfpm.yaml"
  for format in deb rpm; do
    nfpm package --config "$work/nfpm.yaml" --packager "$format" --target "$out/" >/dev/null
  done
}

npm_packages() {
  local processor
  case $target in
    x86_64-*-gnu) processor=x64 ;;
    aarch64-*-gnu) processor=arm64 ;;
    *) echo "no npm packages: they are made for glibc" >&2; return 0 ;;
  esac
  if ! command -v npm >/dev/null; then
    echo "no npm packages: npm is not installed" >&2
    return 0
  fi
  SWELL_REPOSITORY=$repository SWELL_LICENCES=$work/THIRD-PARTY.txt node dist/npm/pack.mjs "$version" "$program" "$processor" "$out"
}

wheel
licences
bill_of_materials
engine_for_java
stage "$work/staged"
tarball "$work/staged"
packages "$work/staged"
npm_packages
(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort | xargs sha256sum) >"$work/SHA256SUMS"
cp "$work/SHA256SUMS" "$out/"
cat "$out/SHA256SUMS"
