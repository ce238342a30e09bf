#!/usr/bin/env bash
# What is checked by tools that a machine may lack: licences and sources of the dependencies, shell scripts, workflows. Says what
# it left out. Tables of documents are checked for cells that no terminal can show. Advisories are checked where cargo-deny has its database already: it is not a package of a registry.
set -euo pipefail
cd "$(dirname "$0")/.."
has() { command -v "$1" >/dev/null || { echo "not checked, $1 is not installed: $2"; return 1; }; }

if has cargo-deny "licences, sources and advisories of the dependencies"; then
  cargo deny --log-level error check licenses bans sources
  # Where it could not be fetched, its folder has a lock and nothing else.
  if compgen -G "${CARGO_HOME:-$HOME/.cargo}/advisory-db*/*/crates" >/dev/null; then
    cargo deny --log-level error --offline check advisories
  else
    echo "not checked, there is no advisory database: advisories of the dependencies"
  fi
fi
if has shellcheck "shell scripts"; then
  git ls-files '*.sh' .ci/run | xargs shellcheck
fi
if has actionlint "workflows"; then
  actionlint
fi

# A table stays readable in a terminal: no cell of more than 120 characters. Raw output of benchmarks is what it is.
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
