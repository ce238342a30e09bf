#!/usr/bin/env bash
# Run checks with tools that a machine may lack: licences and sources of dependencies, shell scripts, workflows. Prints which
# checks were skipped. Also checks that no table in the documents has a cell too wide for a terminal. Advisories are checked
# only if cargo-deny already has its database, because no package registry provides it.
set -euo pipefail
cd "$(dirname "$0")/.."
has() { command -v "$1" >/dev/null || { echo "not checked, $1 is not installed: $2"; return 1; }; }

if has cargo-deny "licences, sources and advisories of the dependencies"; then
  cargo deny --log-level error check licenses bans sources
  # After a failed download, the folder contains only a lock.
  if compgen -G "${CARGO_HOME:-$HOME/.cargo}/advisory-db*/*/crates" >/dev/null; then
    cargo deny --log-level error --offline check advisories
  else
    echo "not checked, no advisory database: advisories of the dependencies"
  fi
fi
if has shellcheck "shell scripts"; then
  git ls-files '*.sh' .ci/run | xargs shellcheck --external-sources --source-path=SCRIPTDIR
fi
actionlint=$(command -v actionlint || dist/tools.sh actionlint 2>/dev/null | sed 's,$,/actionlint,') || true
if [ -x "$actionlint" ]; then
  "$actionlint"
else
  echo "not checked, actionlint and Go are not installed: workflows"
fi
dist/channels/check.sh

# What is simulated is for tests: the program must not have it.
if cargo tree --locked -p swell -e normal,features | grep -E 'swell-world|feature "simulated"'; then
  echo "the program depends on simulated parts (see above): only dev-dependencies may" >&2
  exit 1
fi

# A table must be readable in a terminal: at most 120 characters per cell. Raw output of benchmarks is exempt.
# shellcheck disable=SC2016
git ls-files '*.md' ':!bench/results' | xargs awk -F '|' '
  /^[|]/ {
    for (i = 2; i < NF; i++) {
      cell = $i
      gsub(/^ +| +$/, "", cell)
      if (length(cell) > 120) { printf "%s:%d: a cell of %d characters (at most 120)\n", FILENAME, FNR, length(cell); wrong = 1 }
    }
  }
  END { exit wrong }
'
