#!/usr/bin/env bash
# Compares the run with the baseline, if there are both. Status 99 is an output: something is significantly worse.
set -euo pipefail
out=swell-$NAME
status=0
if [ ! -d "swell-baseline-$NAME" ]; then
  echo "No run of the default branch yet to compare with." >"$out/compare.md"
elif [ ! -d "$out/run" ]; then
  echo "The run ended before it began; the log has the reason." >"$out/compare.md"
else
  swell compare "swell-baseline-$NAME" "$out/run" --markdown --fail-on-worse >"$out/compare.md" || status=$?
fi
cat "$out/compare.md" >>"$GITHUB_STEP_SUMMARY"
echo "status=$status" >>"$GITHUB_OUTPUT"
