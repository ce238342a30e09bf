#!/usr/bin/env bash
# Print the section of CHANGELOG.md on a version, for the notes of its release. Usage: notes.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?usage: notes.sh VERSION}
notes=$(awk -v want="$version" '/^## /{ show = $2 == want; next } show' CHANGELOG.md)
[ -n "$(tr -d '[:space:]' <<<"$notes")" ] || { echo "notes.sh: CHANGELOG.md has no section on $version" >&2; exit 1; }
printf '%s\n' "$notes" | sed '/./,$!d'
