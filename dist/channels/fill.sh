#!/usr/bin/env bash
# Write the files of other package managers, and install.sh, for a release.
# Usage: fill.sh VERSION REPOSITORY SHA256SUMS OUT
# SHA256SUMS: those of the release; both processors have to be in it. REPOSITORY: the address of the project.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 4 ] || { sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2; }
version=$1 repository=${2%/} sums=$3 out=$4

sum_of() {
  local name=swell-$version-$1-unknown-linux-gnu.tar.gz
  awk -v name="$name" '{ sub(/^[*]/, "", $2); sub(/^[.][/]/, "", $2) } $2 == name { print $1; found = 1 } END { exit !found }' "$sums" ||
    { echo "fill.sh: $sums has no line for $name" >&2; exit 1; }
}

sum_x86_64=$(sum_of x86_64)
sum_aarch64=$(sum_of aarch64)
# shellcheck source=../glibc.sh
. "$here/../glibc.sh"
mkdir -p "$out"
for file in "$here"/*.in "$here/../install.sh"; do
  name=$(basename "${file%.in}")
  sed -e "s|@VERSION@|$version|g" -e "s|@REPOSITORY@|$repository|g" -e "s|@SHA256_X86_64@|$sum_x86_64|g" \
    -e "s|@SHA256_AARCH64@|$sum_aarch64|g" -e "s|@GLIBC@|$OLDEST_GLIBC|g" "$file" >"$out/$name"
  ! grep -n '@[A-Z_0-9]*@' "$out/$name" >&2 || { echo "fill.sh: $name has a place that nothing fills" >&2; exit 1; }
done
chmod 755 "$out/install.sh"
