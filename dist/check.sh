#!/usr/bin/env bash
# Unpack and check each file that build.sh made.
# Usage: check.sh [DIR]      default dist-out
#   ANY_GLIBC=1   the program may need the C library of this machine, and be large: it is from a test build
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath "${1:-dist-out}")
# shellcheck source=glibc.sh
. dist/glibc.sh
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
most_bytes=$((25 * 1000 * 1000))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0

fail() { echo "check.sh: $*" >&2; exit 1; }
has() { [ -e "$1/$2" ] || fail "$1 has no $2: $(cd "$1" && find . | head -40)"; checks=$((checks + 1)); }
# The one file of this form.
only() {
  local files
  mapfile -t files < <(find "$out" -maxdepth 1 -type f -name "$1")
  [ ${#files[@]} -eq 1 ] || fail "$out has ${#files[@]} files $1, and needs one: ${files[*]}"
  echo "${files[0]}"
}
newest() { sort -V | tail -1; }

# The program: size, symbols of glibc, libraries, no path of the machine that built it.
program() {
  local file=$1
  [ -x "$file" ] || fail "$file is not executable"
  if [ -z "${ANY_GLIBC:-}" ]; then
    [ "$(stat -c %s "$file")" -le "$most_bytes" ] || fail "$file has $(stat -c %s "$file") bytes, more than $most_bytes"
    local glibc
    glibc=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | newest)
    [ "$(printf '%s\n%s\n' "$glibc" "$OLDEST_GLIBC" | newest)" = "$OLDEST_GLIBC" ] || fail "$file needs glibc $glibc, newer than $OLDEST_GLIBC"
    local others
    others=$(objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }' | grep -vxE 'lib(c|m|dl|rt|pthread|util)\.so\.[0-9]+|ld-linux-[a-z0-9-]+\.so\.[0-9]+' || true)
    [ -z "$others" ] || fail "$file needs libraries besides glibc: $others"
    ! objdump -h "$file" | grep -q ' \.debug_' || fail "$file has debugging information"
    local path
    for path in "$PWD/" "${CARGO_HOME:-$HOME/.cargo}/"; do
      ! grep -qaF "$path" "$file" || fail "$file holds the path $path"
    done
    checks=$((checks + 5))
  fi
  "$file" --version | head -1 | grep -qx "swell $version" || fail "$file is not swell $version"
  ! "$file" --version | grep -q "built without" || fail "$file lacks a part: $("$file" --version)"
  checks=$((checks + 3))
}

# What a tarball and the packages have.
tree() {
  local root=$1
  program "$root/bin/swell"
  for file in README.md CHANGELOG.md LICENSE THIRD-PARTY.txt examples/first.jmx; do has "$root" "share/doc/swell/$file"; done
  for file in bash-completion/completions/swell zsh/site-functions/_swell fish/vendor_completions.d/swell.fish; do has "$root" "share/$file"; done
  for page in swell swell-run swell-hit swell-report; do
    has "$root" "share/man/man1/$page.1.gz"
    gzip -dc "$root/share/man/man1/$page.1.gz" | grep -q '^\.TH' || fail "$page.1.gz is not a manual page"
  done
  cmp "$root/share/java/$(basename "$engine")" "$engine" || fail "the engine for jmeter-java-dsl of $root is another"
  cmp "$root/bin/swell" "$work/program" || fail "the program of $root is not that of the wheel"
}

check_wheel() {
  local wheel
  wheel=$(only '*.whl')
  python3 -m zipfile -e "$wheel" "$work/wheel"
  mv "$work/wheel/swell-$version.data/scripts/swell" "$work/program"
  chmod 755 "$work/program"
  program "$work/program"
  grep -qx "Version: $version" "$work/wheel/swell-$version.dist-info/METADATA" || fail "$wheel has another version"
}

check_tarball() {
  local file
  file=$(only '*.tar.gz')
  tar -tvzf "$file" | awk '$2 != "0/0" { print; wrong = 1 } END { exit wrong }' || fail "$file has files of an owner"
  mkdir "$work/tar"
  tar -xzf "$file" -C "$work/tar" --strip-components=1
  tree "$work/tar"
}

check_deb() {
  command -v dpkg-deb >/dev/null || { echo "not checked, dpkg-deb is not installed: the Debian package"; return 0; }
  local file
  file=$(only '*.deb')
  [ "$(dpkg-deb -f "$file" Package Version | paste -sd ' ')" = "Package: swell Version: $version-1" ] || fail "$file: $(dpkg-deb -f "$file")"
  dpkg-deb -f "$file" Depends | grep -q "libc6 (>= $OLDEST_GLIBC)" || fail "$file does not name the glibc that it needs"
  dpkg-deb -x "$file" "$work/deb"
  tree "$work/deb/usr"
}

check_rpm() {
  { command -v rpm2cpio && command -v cpio; } >/dev/null || { echo "not checked, rpm2cpio or cpio is not installed: the Red Hat package"; return 0; }
  local file
  file=$(only '*.rpm')
  mkdir "$work/rpm"
  # The names in the package are absolute. Debian's rpm2cpio ends with status 1 also when it has written everything; what is missing
  # then is found below.
  rpm2cpio "$file" >"$work/rpm.cpio" || true
  (cd "$work/rpm" && cpio -idm --quiet --no-absolute-filenames <"$work/rpm.cpio" 2>"$work/cpio.log") ||
    fail "$file cannot be unpacked: $(cat "$work/cpio.log")"
  tree "$work/rpm/usr"
}

check_npm() {
  command -v npm >/dev/null || { echo "not checked, npm is not installed: the npm packages"; return 0; }
  mkdir -p "$work/npm/main" "$work/npm/program"
  tar -xzf "$(only "swell-load-$version.tgz")" -C "$work/npm/main" --strip-components=1
  tar -xzf "$(only "swell-load-linux-*-$version.tgz")" -C "$work/npm/program" --strip-components=1
  has "$work/npm/main" bin/swell.js
  has "$work/npm/main" LICENSE
  has "$work/npm/program" THIRD-PARTY.txt
  cmp "$work/npm/program/bin/swell" "$work/program" || fail "the program of npm is not that of the wheel"
  for file in program/bin/swell main/bin/swell.js; do
    [ -x "$work/npm/$file" ] || fail "the file $file of npm is not executable"
  done
}

# The jar names its version, by which Maven installs it.
check_engine() {
  engine=$(only 'jmeter-java-dsl-swell-*.jar')
  python3 -m zipfile -e "$engine" "$work/engine"
  has "$work/engine" swell/dsl/SwellEngine.class
  grep -qx "version=$version" "$work/engine/META-INF/maven/swell/jmeter-java-dsl-swell/pom.properties" || fail "$engine has another version"
}

check_lists() {
  local crates=(serde rustls ratatui async-nats rusqlite)
  for crate in "${crates[@]}"; do
    grep -q "\"name\": *\"$crate\"" "$(only '*.cyclonedx.json')" || fail "the bill of materials has no $crate"
    grep -q "^  $crate " "$out/THIRD-PARTY.txt" || fail "THIRD-PARTY.txt has no $crate"
  done
  ! grep -q "file://$PWD" "$(only '*.cyclonedx.json')" || fail "the bill of materials names the folder $PWD"
  for other in uPlot SQLite mimalloc; do grep -q "$other" "$out/THIRD-PARTY.txt" || fail "THIRD-PARTY.txt has no $other"; done
  (cd "$out" && sha256sum --quiet -c SHA256SUMS) || fail "a checksum is wrong"
  local listed found
  listed=$(awk '{ print $2 }' "$out/SHA256SUMS" | sort)
  found=$(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort)
  [ "$listed" = "$found" ] || fail "SHA256SUMS lists other files than there are"
  checks=$((checks + 14))
}

check_engine
check_wheel
check_tarball
check_deb
check_rpm
check_npm
check_lists
echo "dist: $checks checks of $(awk 'END { print NR }' "$out/SHA256SUMS") files passed"
