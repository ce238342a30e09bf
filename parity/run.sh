#!/bin/sh
# Compare Swell with JMeter's recorded results of each case, and, if Java and Maven are installed, JMeter itself with them.
# Then run the plans in the folder PLANS, as far as Swell supports them natively, through both.
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
    "$here/jmeter/batch.sh" "$jmeter" || echo "JMeter's batch plans with servers are skipped." >&2
    parity jmeter --jmeter "$jmeter" || status=1
    if [ -d "$plans" ]; then parity run --native --jmeter "$jmeter" "$plans" || status=1; fi
else
    echo "JMeter is not run; its recorded results are used instead." >&2
fi
parity swell || status=1
exit $status
