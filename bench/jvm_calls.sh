#!/bin/sh
# Measure the CPU time of a call to the embedded JVM (whole process, warmed up) and the time to the first script.
# Needs Java and JMeter: `swell jvm install`, which also makes the class-data archive that shortens the start.
# Usage: jvm_calls.sh [CALLS]
set -eu
cd "$(dirname -- "$0")/.."
exec "${CARGO:-cargo}" run --quiet --locked --profile profiling -p swell-jvm --example calls -- "$@"
