#!/usr/bin/env bash
# Install the files of build.sh as users do, each in an empty folder, and run the commands of the README there: a server, a test of it,
# a plan, a report. Usage: try.sh [DIR]      default dist-out
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
. dist/glibc.sh
out=$(realpath "${1:-dist-out}")
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
work=$(mktemp -d)
site=
trap '[ -z "$site" ] || kill "$site" 2>/dev/null || true; rm -rf "$work"' EXIT
export SWELL_RUNS=$work/runs HOME=$work

fail() { echo "try.sh: $*" >&2; exit 1; }

# The commands of the README in $folder, with a program: use WAY COMMAND...
use() {
  local way=$1
  shift
  local swell=("$@")
  cd "$folder"
  "${swell[@]}" --version | head -1 | grep -qx "swell $version" || fail "${swell[*]} is another version"
  mkfifo until
  "${swell[@]}" target --port 0 --until-stdin-ends <until >site.log 2>&1 &
  site=$!
  exec 3>until
  local address=
  for _ in $(seq 200); do
    address=$(grep -o 'http://[0-9.:]*' site.log | head -1) && break
    kill -0 "$site" 2>/dev/null || break
    sleep 0.05
  done
  [ -n "$address" ] || fail "the server does not start: $(cat site.log)"
  timeout 60 "${swell[@]}" hit "$address/" -c 5 -n 500 >hit.txt 2>&1 || fail "hit: $(cat hit.txt)"
  timeout 120 "${swell[@]}" run "$root/examples/first.jmx" --with-target -l results.jtl >run.txt 2>&1 || fail "run: $(cat run.txt)"
  timeout 60 "${swell[@]}" report results.jtl -o report.html >report.txt 2>&1 || fail "report: $(cat report.txt)"
  grep -q '<script' report.html || fail "report.html is not the page"
  exec 3>&-
  wait "$site" || fail "the server ended with an error: $(cat site.log)"
  site=
  echo "$way: fine"
  cd "$root"
}

new_folder() { folder=$work/$1; mkdir -p "$folder"; }

try_tarball() {
  new_folder tarball
  tar -xzf "$out"/swell-*.tar.gz -C "$folder"
  use tarball "$folder"/swell-*/bin/swell
}

try_pip() {
  command -v python3 >/dev/null || { echo "not tried, python3 is not installed: pip"; return 0; }
  new_folder pip
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$out"/swell-*.whl
  use pip "$folder/venv/bin/swell"
}

try_npm() {
  command -v npm >/dev/null || { echo "not tried, npm is not installed: npm"; return 0; }
  new_folder npm
  echo '{ "private": true }' >"$folder/package.json"
  # Both from their files, as npm would take them from the registry; what is for another platform is not there and is left out.
  (cd "$folder" && npm install --offline --no-audit --no-fund --loglevel=error "$out"/swell-load-linux-*.tgz "$out/swell-load-$version.tgz" >npm.log 2>&1) || fail "npm: $(cat "$folder/npm.log")"
  use npm npx --no-install swell
  local status=0
  (cd "$folder" && npx --no-install swell run no-such-plan.jmx >/dev/null 2>&1) || status=$?
  [ "$status" = 104 ] || fail "npm changes the exit status 104 to $status"
  # On another system, and without the package of the platform.
  echo 'Object.defineProperty(process, "platform", { value: "darwin" });' >"$folder/mac.js"
  local launcher=$folder/node_modules/swell-load/bin/swell.js
  if node --require "$folder/mac.js" "$launcher" >"$folder/mac.txt" 2>&1; then fail "npm starts a program on macOS"; fi
  grep -q "^swell: there is no program for darwin " "$folder/mac.txt" || fail "npm on macOS: $(cat "$folder/mac.txt")"
  rm -r "$folder"/node_modules/swell-load-linux-*
  if node "$launcher" >"$folder/none.txt" 2>&1; then fail "npm starts a program that is not there"; fi
  grep -q "^swell: the package swell-load-linux-[a-z0-9]* is not installed" "$folder/none.txt" || fail "npm: $(cat "$folder/none.txt")"
}

# The installer as a release publishes it.
fill_installer() {
  sed -e "s|@VERSION@|$version|; s|@REPOSITORY@|http://127.0.0.1:9|; s|@GLIBC@|$OLDEST_GLIBC|" dist/install.sh >"$folder/install.sh"
}

try_installer() {
  new_folder installer
  fill_installer
  # The tarball of this platform has to be in the folder.
  sh "$folder/install.sh" --from "$out" --to "$folder/local" >"$folder/log" 2>&1 || fail "install.sh: $(cat "$folder/log")"
  use installer "$folder/local/bin/swell"
}

# One clear line for what can be wrong with a machine; nothing is written then.
try_mistakes() {
  new_folder mistakes
  fill_installer
  mkdir "$folder/bin" "$folder/bad"
  # Runs the installer on a machine whose PROGRAM is another script: mistake PROGRAM SCRIPT EXPECTED [OPTION...]
  mistake() {
    local program=$1 answer=$2 expected=$3
    shift 3
    rm -f "$folder"/bin/*
    [ -z "$program" ] || { printf '#!/bin/sh\n%s\n' "$answer" >"$folder/bin/$program"; chmod 755 "$folder/bin/$program"; }
    if PATH=$folder/bin:$PATH timeout 60 sh "$folder/install.sh" --to "$folder/to" "$@" >"$folder/log" 2>&1; then
      fail "install.sh succeeds in spite of: $expected"
    fi
    grep -q "^install.sh: .*$expected" "$folder/log" || fail "install.sh does not say \"$expected\": $(cat "$folder/log")"
    grep -q '^hint: ' "$folder/log" || fail "install.sh gives no hint: $(cat "$folder/log")"
    [ ! -e "$folder/to/bin/swell" ] || fail "install.sh wrote a program in spite of: $expected"
  }
  # shellcheck disable=SC2016
  mistake uname '[ "$1" = -s ] && echo Darwin || echo arm64' "runs on Linux, and this is Darwin" --from "$out"
  # shellcheck disable=SC2016
  mistake uname '[ "$1" = -s ] && echo Linux || echo riscv64' "no program for the processor riscv64" --from "$out"
  mistake getconf 'echo glibc 2.12' "there is no swell-$version-.*-musl.tar.gz" --from "$out"
  mistake getconf 'exit 1' "there is no swell-$version-.*-musl.tar.gz" --from "$out"
  mistake "" "" "cannot fetch http://127.0.0.1:9/"
  mistake "" "" "cannot make the folder '/proc/swell/bin'" --from "$out" --to /proc/swell
  mistake "" "" "needs a value" --from
  mistake "" "" "unknown option --form" --form "$out"
  cp "$out"/swell-*.tar.gz "$out/SHA256SUMS" "$folder/bad/"
  printf x >>"$(echo "$folder"/bad/*.tar.gz)"
  mistake "" "" "the checksum of swell-.* is wrong" --from "$folder/bad"
  grep -v 'tar.gz' "$out/SHA256SUMS" >"$folder/bad/SHA256SUMS"
  mistake "" "" "SHA256SUMS has no line for swell-" --from "$folder/bad"
  echo "mistakes: fine"
}

try_tarball
try_pip
try_npm
try_installer
try_mistakes
echo "dist: every way of installing works"
