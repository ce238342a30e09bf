#!/usr/bin/env bash
# Run all benchmarks that the README quotes; takes about ten minutes. Output is written to bench/results/.
set -euo pipefail
swell=$(realpath "${1:?usage: bench/run.sh PATH-TO-SWELL}")
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
mkdir -p results
./cpu_per_request.py --swell "$swell" --out results/cpu_per_request.json | tee results/cpu_per_request.md
./startup.py --swell "$swell"
./memory.py --swell "$swell"
./flood.py --swell "$swell"
