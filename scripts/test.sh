#!/usr/bin/env bash
# Everything a change has to pass, from a bare machine; ends with "N passed, N failed" and fails if any did.
#   scripts/test.sh            all of the steps below, in this order
#   scripts/test.sh STEP...    only these:
#     rules   house rules, and the tests of the scripts in tools/
#     unit    release build and every C++ test
#     cli     the binary as people use it
#     asan    the same C++ tests and the fuzz targets' corpora and a few seconds of mutation, under ASan and UBSan
#     tsan    the thread pool and what runs on it, under TSan
# A real model that can be neither found nor fetched is a failure as well, but
#   scripts/test.sh --offline [STEP...]    skips the tests of such models
set -euo pipefail
cd "$(dirname "$0")/.."

steps=(rules unit cli asan tsan)
fuzz_seconds=4
offline=

case "${1:-}" in
  -h | --help)
    sed -n '2,11s/^# \?//p' "$0"
    exit 0
    ;;
  --offline)
    offline=yes
    shift
    ;;
esac
(($# == 0)) || steps=("$@")

results=build/test-results
rm -rf "$results"
mkdir -p "$results"

# record NAME COMMAND... : a check that is passed or failed as a whole.
record() {
  local name=$1 state=passed
  shift
  "$@" || state=failed
  echo "$state $name" >>"$results/checks"
  [[ $state == passed ]] || echo "FAILED: $name" >&2
}

python_tests() { # NAME FOLDER
  echo "== python tests in $2"
  PYTHONDONTWRITEBYTECODE=1 python3 scripts/unittest_json.py "$2" "$results/$1.json" || true
  [[ -f $results/$1.json ]] || record "$1 tests ran" false
}

cpp_tests() { # PRESET [CTEST ARGUMENTS]
  local preset=$1
  shift
  echo "== C++ tests, $preset"
  mkdir -p "$results/$preset"
  GTEST_OUTPUT="json:$PWD/$results/$preset/" GTEST_BRIEF=1 ctest --test-dir "build/$preset" --output-on-failure --no-tests=error \
    --output-junit "$PWD/$results/$preset.xml" -j "$(nproc)" "$@" || true
  [[ -f $results/$preset.xml ]] || record "$preset tests ran" false
}

configure() {
  cmake --preset "$1" >"$results/configure.log" || { cat "$results/configure.log"; return 1; }
}

build_target() { # PRESET TARGET...
  configure "$1" && cmake --build --preset "$1" --target "${@:2}"
}

# Tests of a real model skip themselves where its path is not in their variable.
real_model() { # NAME VARIABLE
  local path
  if path=$(scripts/get-model.sh "$1"); then
    export "$2=$path"
  elif [[ $offline ]]; then
    echo "no $1; its tests are skipped" >&2
  else
    record "$1 can be had (--offline skips its tests)" false
  fi
}

real_models() {
  [[ ${models_sought:-} ]] && return
  models_sought=yes
  real_model smollm2 HYALITE_TEST_MODEL
  real_model gemma3-270m HYALITE_TEST_GEMMA3
  real_model qwen2.5-coder-1.5b HYALITE_TEST_QWEN2
}

step_rules() {
  record "house rules" python3 tools/check_house_rules.py
  python_tests tools tests/tools
}

step_unit() {
  real_models
  record "release build" build_target release all
  cpp_tests release
}

step_cli() {
  real_models
  record "binary" build_target release hyalite
  HYALITE=$PWD/build/release/hyalite python_tests cli tests/cli
}

step_asan() {
  real_models
  record "asan build" build_target asan tests/all fuzz/all
  cpp_tests asan
  local program name
  for program in build/asan/fuzz/fuzz_*; do
    [[ -f $program && -x $program ]] || continue
    name=${program##*/fuzz_}
    echo "== fuzz $name"
    record "fuzz $name" "$program" --seconds "$fuzz_seconds" "fuzz/corpus/$name"
  done
}

step_tsan() {
  record "tsan build" build_target tsan test_base test_runtime
  cpp_tests tsan -R '^(base|runtime)$'
}

scripts/bootstrap.sh
for step in "${steps[@]}"; do
  declare -F "step_$step" >/dev/null || { echo "test.sh: no step is called $step" >&2; exit 2; }
  SECONDS=0
  "step_$step"
  echo "== $step took $SECONDS s"
done
exec python3 scripts/summarize_tests.py "$results"
