#!/usr/bin/env bash
# Measures this machine: the kernels one by one (Google Benchmark), then whole models against llama.cpp where its llama-bench is at hand (in
# the folder $LLAMA_BIN, or on $PATH), else SmolLM2 alone. Let nothing else run meanwhile; docs/performance.md says how to read it.
#   scripts/bench.sh [FILTER]    FILTER picks benchmarks by regular expression and leaves the models out
set -euo pipefail
cd "$(dirname "$0")/.."

make --no-print-directory build
for program in build/release/bench/*_bench; do
  [[ -x $program ]] || continue
  echo "== ${program##*/}"
  "$program" --benchmark_filter="${1:-.}"
done
[[ -z ${1:-} ]] || exit 0
if PATH=${LLAMA_BIN:-$PATH} type -P llama-bench >/dev/null; then
  echo "== hyalite and llama.cpp in turns"
  exec bench/peers.py
fi
model=$(scripts/get-model.sh smollm2)
echo "== hyalite benchmark smollm2"
build/release/hyalite benchmark "$model" --prompt-tokens 256 --decode-tokens 32 --warmup 1 --repeats 5
