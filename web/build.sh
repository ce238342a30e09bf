#!/usr/bin/env bash
# Builds the page into web/dist, which the program embeds. Without Node, or without its packages and a network to fetch them, it says so
# and goes on: the program then writes plain pages. With --required that is an error.
set -euo pipefail
cd "$(dirname "$0")"

without() {
  echo "the page of web/ is not built: $1; reports are plain pages, and there is no live page" >&2
  [ "${required:-}" ] && exit 1
  exit 0
}

[ "${1:-}" = --required ] && required=1
if [ -f dist/app.js ] && [ -f dist/app.css ] && [ -z "$(find src build.mjs build.sh package-lock.json -newer dist/app.js -print -quit)" ]; then
  exit 0
fi
if ! { command -v node && command -v npm; } >/dev/null; then
  without "Node 18 or later and npm are not installed"
fi
version=$(node --version)
major=${version#v}
[ "${major%%.*}" -ge 18 ] || without "Node $version is too old, 18 or later is needed"
if [ ! -d node_modules ] || [ package-lock.json -nt node_modules ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || without "npm could not fetch its packages"
  touch node_modules
fi
./node_modules/.bin/tsc --noEmit
node build.mjs
echo "web/dist: $(cat dist/app.js dist/app.css | gzip -9 | wc -c) bytes compressed" >&2
