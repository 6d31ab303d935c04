#!/usr/bin/env bash
# clang-format and clang-tidy over the C++ sources; fails on the first kind of finding. A source that was clean is not looked at again until
# what it consists of after preprocessing changes.
#   scripts/lint.sh                  all sources
#   scripts/lint.sh --changed [REF]  sources that differ from REF (default: HEAD)
#   scripts/lint.sh FILE...          these
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  sed -n '2,6s/^# \?//p' "$0"
  exit 0
fi
scripts/bootstrap.sh --dev

patterns=('*.h' '*.cpp')
if [[ ${1:-} == --changed ]]; then
  mapfile -t files < <(git diff --name-only --diff-filter=d "${2:-HEAD}" -- "${patterns[@]}"; git ls-files -o --exclude-standard -- "${patterns[@]}")
elif (($#)); then
  files=("$@")
else
  mapfile -t files < <(git ls-files -- "${patterns[@]}")
fi
((${#files[@]})) || exit 0

echo "clang-format: ${#files[@]} files" >&2
clang-format-16 --dry-run -Werror "${files[@]}"

# clang reads neither GCC's precompiled headers nor its flags, so that linting has a configuration of its own; nothing is built in it.
mkdir -p build
cmake -S . -B build/lint -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-16 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >build/lint.log 2>&1 ||
  { cat build/lint.log >&2; exit 1; }
exec python3 scripts/tidy.py build/lint "${files[@]}"
