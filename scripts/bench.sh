#!/usr/bin/env bash
# Measures this machine: the kernels one by one (Google Benchmark), then whole models for ten minutes, beside the peers that are at hand. Let
# nothing else run meanwhile; docs/performance.md says where peers are looked for and how to read it.
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
echo "== hyalite and its peers in turns"
exec bench/peers.py --rounds 3 --minutes 10
