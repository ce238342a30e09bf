#!/bin/sh
# Compares Swell with what JMeter made of each case, and JMeter with it where there is Java and Maven; then both with plans of
# others, from the folder PLANS, as far as Swell calls them native.
# Usage: run.sh [SWELL_BINARY]
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
jmeter=${JMETER_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/swell/jmeter-5.6.3}
cargo=${CARGO:-cargo}
plans=${PLANS:-$here/../../shared/plans}
if [ $# -gt 0 ]; then SWELL_BIN=$1; export SWELL_BIN; fi
parity() { "$cargo" run --quiet --locked --manifest-path "$here/Cargo.toml" -- "$@"; }
status=0
if "$here/jmeter/assemble.sh" "$jmeter"; then
    "$here/jmeter/batch.sh" "$jmeter" || echo "JMeter's batch plans with servers are not run." >&2
    parity jmeter --jmeter "$jmeter" || status=1
    if [ -d "$plans" ]; then parity run --native --jmeter "$jmeter" "$plans" || status=1; fi
else
    echo "JMeter itself is not run; the golden files stand for it." >&2
fi
parity swell || status=1
exit $status
