#!/usr/bin/env bash
# Runs the plan. The exit status is an output, since later steps keep the results of a failed run, too.
set -euo pipefail
out=swell-$NAME
mkdir -p "$out"
printf '%s\n' "$THRESHOLDS" >"$out/thresholds"
more=()
while IFS= read -r line; do
  if [ -n "$line" ]; then more+=("$line"); fi
done <<<"$OPTIONS"
status=0
swell run "$PLAN" -f -l "$out/results.jtl" -e -o "$out/report" --run-dir "$out/run" --summary "$out/summary.json" \
  --junit "$out/junit.xml" --thresholds "$out/thresholds" "${more[@]}" || status=$?
echo "status=$status" >>"$GITHUB_OUTPUT"
