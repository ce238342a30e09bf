#!/usr/bin/env bash
# Fuzz all targets for MINUTES in total (first argument; default 60). A failing input goes to fuzz/failures/ with the
# command that repeats it, and the exit status is 1. With a C++ compiler, libFuzzer is guided by coverage, and what it
# finds is stored in target/fuzz/corpus for the next run. Without one, seeds are changed at random. Both work with stable
# Rust.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
minutes=${1:-60}
case $minutes in
  '' | *[!0-9]* | 0) echo "fuzz/run.sh: MINUTES is a whole number from 1, not '$minutes'" >&2; exit 2 ;;
esac
cargo=${CARGO:-cargo}
folder=${CARGO_TARGET_DIR:-target}/fuzz
$cargo build --profile profiling --locked -p swell-fuzz || exit
program=${CARGO_TARGET_DIR:-target}/profiling/swell-fuzz
targets=$("$program" list) jobs=$(nproc)
seconds=$((minutes * 60 * jobs / $(wc -l <<<"$targets")))
[ "$seconds" -gt 0 ] || seconds=1

if ! command -v c++ >/dev/null; then
  echo "No C++ compiler found: inputs are not guided by coverage."
  xargs -P "$jobs" -I{} "$program" run {} --seconds "$seconds" --seed "$(date +%s)" <<<"$targets"
  exit
fi

# The flags that `cargo fuzz` sets, except the sanitizer, which needs nightly. Naming a target leaves build scripts alone.
host=$(rustc -vV | sed -n 's/^host: //p')
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
flags+=" -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
RUSTFLAGS="$flags" $cargo build --profile profiling --locked -p swell-fuzz --features guided --bin swell-fuzz-guided \
  --target "$host" --target-dir "$folder/build" || exit
export GUIDED=$folder/build/$host/profiling/swell-fuzz-guided FOLDER=$folder SECONDS_EACH=$seconds

# Run one target; libFuzzer's progress goes to a file.
guided() {
  target=$1
  mkdir -p "$FOLDER/corpus/$target" fuzz/failures
  if SWELL_FUZZ_TARGET=$target "$GUIDED" -max_total_time="$SECONDS_EACH" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="fuzz/failures/$target-" "$FOLDER/corpus/$target" "fuzz/corpus/$target" >"$FOLDER/$target.log" 2>&1; then
    echo "$target: $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$FOLDER/$target.log") inputs, no failures"
  else
    grep -aE -A 3 'panicked at|ERROR:|Test unit written' "$FOLDER/$target.log" | cut -c1-300
    file=$(sed -n 's/.*Test unit written to //p' "$FOLDER/$target.log")
    echo "$target: FAILED; to repeat: cargo run -p swell-fuzz -- repeat $target ${file:-(see $FOLDER/$target.log)}"
    return 1
  fi
}
export -f guided
xargs -P "$jobs" -I{} bash -c 'guided {}' <<<"$targets"
