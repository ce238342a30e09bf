#!/bin/sh
# What a call of the embedded JVM costs, and how long it takes to the first script: CPU of the whole process, warm. Needs Java and
# JMeter: `swell jvm install`, which also makes the class-data archive that shortens the start. Usage: jvm_calls.sh [CALLS]
set -eu
cd "$(dirname -- "$0")/.."
exec "${CARGO:-cargo}" run --quiet --locked --profile profiling -p swell-jvm --example calls -- "$@"
