#!/usr/bin/env bash
# Parse each file of fill.sh with the program that reads it, if that is installed.
# Usage: check.sh [DIR]      without DIR, the files are filled with made-up checksums
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -gt 0 ]; then
  folder=$1
else
  folder=$work/filled
  for processor in x86_64 aarch64; do
    printf '%s  swell-1.2.3-%s-unknown-linux-gnu.tar.gz\n' "$(sha256sum <<<"$processor" | cut -d ' ' -f 1)" "$processor"
  done >"$work/sums"
  "$here/fill.sh" 1.2.3 https://git.example/owner/swell "$work/sums" "$folder"
  # A release without one of the processors is refused.
  head -1 "$work/sums" >"$work/half"
  ! "$here/fill.sh" 1.2.3 https://git.example/owner/swell "$work/half" "$work/none" 2>/dev/null || { echo "fill.sh takes half a release" >&2; exit 1; }
fi
has() { command -v "$1" >/dev/null || { echo "not parsed, $1 is not installed: $2"; return 1; }; }

sh -n "$folder/install.sh"
bash -n "$folder/PKGBUILD"
# What makepkg takes from it.
# shellcheck disable=SC2016
bash -uc '. "$1"; for processor in "${arch[@]}"; do
  source=source_$processor[0] sum=sha256sums_$processor[0]
  [[ ${!source} == https://*/v$pkgver/swell-$pkgver-$processor-unknown-linux-gnu.tar.gz && ${!sum} =~ ^[0-9a-f]{64}$ ]] || { echo "PKGBUILD: $processor" >&2; exit 1; }
done; declare -F package >/dev/null' - "$folder/PKGBUILD"
if has ruby swell.rb; then ruby -c "$folder/swell.rb" >/dev/null; fi
if has nix-instantiate flake.nix; then nix-instantiate --parse "$folder/flake.nix" >/dev/null; fi
# The same addresses and checksums in all of them.
for file in swell.rb PKGBUILD flake.nix; do
  [ "$(grep -oE '\b[0-9a-f]{64}\b' "$folder/$file" | sort)" = "$(grep -oE '\b[0-9a-f]{64}\b' "$folder/PKGBUILD" | sort)" ] ||
    { echo "$file has other checksums than PKGBUILD" >&2; exit 1; }
done
echo "channels: the files are well-formed"
