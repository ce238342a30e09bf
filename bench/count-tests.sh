#!/usr/bin/env bash
# Run a `cargo test` command, show its output, and end with one line that counts the tests of all crates.
# The exit status is that of the command, or 1 if no test ran.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
counts=$(awk '/^test result:/ { passed += $4; failed += $6; skipped += $8 } END { print passed + 0, failed + 0, skipped + 0 }' "$log")
read -r passed failed skipped <<<"$counts"
echo "$passed passed, $failed failed, $skipped skipped"
if [ "$status" -eq 0 ] && [ "$passed" -eq 0 ]; then
  echo "no test ran" >&2
  exit 1
fi
exit "$status"
