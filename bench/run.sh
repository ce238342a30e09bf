#!/usr/bin/env bash
# All benchmarks that the README quotes. Raw output is kept under bench/results/.
set -euo pipefail
swell=${1:?usage: bench/run.sh PATH-TO-SWELL}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$here/results"
"$here/cpu_per_request.py" --swell "$swell" --out "$here/results/cpu_per_request.json" | tee "$here/results/cpu_per_request.md"
