#!/usr/bin/env bash
# Measures this machine: the kernels one by one (Google Benchmark), then SmolLM2 as a whole. Let nothing else run meanwhile.
#   scripts/bench.sh [FILTER]    FILTER picks benchmarks by regular expression and leaves the model out
set -euo pipefail
cd "$(dirname "$0")/.."

make --no-print-directory build
for program in build/release/bench/*_bench; do
  [[ -x $program ]] || continue
  echo "== ${program##*/}"
  "$program" --benchmark_filter="${1:-.}"
done
[[ -z ${1:-} ]] || exit 0
model=$(scripts/get-model.sh smollm2)
echo "== hyalite benchmark smollm2"
build/release/hyalite benchmark "$model" --prompt-tokens 256 --decode-tokens 32 --warmup 1 --repeats 5
