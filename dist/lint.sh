#!/usr/bin/env bash
# What is checked by tools that a machine may lack: licences and sources of the dependencies, shell scripts, workflows. Says what
# it left out. Advisories are checked where cargo-deny has its database already: it is not a package of a registry.
set -euo pipefail
cd "$(dirname "$0")/.."
has() { command -v "$1" >/dev/null || { echo "not checked, $1 is not installed: $2"; return 1; }; }

if has cargo-deny "licences, sources and advisories of the dependencies"; then
  cargo deny --log-level error check licenses bans sources
  if compgen -G "${CARGO_HOME:-$HOME/.cargo}/advisory-db*/*" >/dev/null; then
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
