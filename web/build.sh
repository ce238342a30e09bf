#!/usr/bin/env bash
# Builds the page into crates/report/page, which the program embeds, with the digests of its sources. Needs Node 18 or later and,
# for the first time, a network. With --packages it only fetches npm's packages, which the tests of the page need, too.
set -euo pipefail
cd "$(dirname "$0")"

fail() {
  echo "cannot build the page of web/: $1" >&2
  exit 1
}

{ command -v node && command -v npm; } >/dev/null || fail "install Node 18 or later and npm"
version=$(node --version)
major=${version#v}
[ "${major%%.*}" -ge 18 ] || fail "Node $version is too old: install 18 or later"
if [ ! -d node_modules ] || [ package-lock.json -nt node_modules ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || fail "npm could not fetch its packages"
  touch node_modules
fi
[ "${1:-}" = --packages ] && exit 0
./node_modules/.bin/tsc --noEmit
node build.mjs ../crates/report/page
cd ..
page=crates/report/page
find web/build.mjs web/package-lock.json web/src "$page"/{app,runs,trace}.{css,js} -type f | LC_ALL=C sort | xargs sha256sum >"$page"/app.sources
echo "$page: $(cat "$page"/app.js "$page"/app.css | gzip -9 | wc -c) bytes compressed" >&2
