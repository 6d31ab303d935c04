#!/usr/bin/env bash
# From a bare machine to an answer that has been looked into: builds Hyalite, gets SmolLM2, compiles it in the open, and asks it something.
set -euo pipefail
cd "$(dirname "$0")/.."
exec 2>&1  # the speed of the answer belongs to what is shown, also in a file

title() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
[[ -t 1 && -z ${NO_COLOR:-} ]] || title() { printf '\n== %s\n' "$*"; }
show() {
  echo "\$ ${*/#$model/smollm2.gguf}"
  "$@"
}
# The first $1 lines of what the command prints; it is read to its end, so that it never meets a closed pipe.
first() {
  local lines=$1
  shift
  show "$@" | awk -v lines="$lines" 'NR <= lines + 1 { print } END { if (NR > lines + 1) print "... " NR - lines - 1 " more lines" }'
}

title "Build"
scripts/bootstrap.sh
cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
rm -f build-configure.log
cmake --build --preset release --target hyalite

title "Model"
model=$(scripts/get-model.sh smollm2)
echo "$model"

hyalite=build/release/hyalite
artifact=build/demo/smollm2

title "Compile: every rewrite is a pass, with its diff"
rm -rf "$artifact"
mkdir -p build/demo
show "$hyalite" compile "$model" --output "$artifact"

title "Look into it: what runs, and why it was chosen"
first 24 "$hyalite" inspect "$artifact" --mode decode --schedule

title "Take it with you: graph, passes, memory map and schedule in one HTML file"
show "$hyalite" export "$artifact" build/demo/smollm2.html --mode decode --format html

title "Ask it"
show "$hyalite" run "$artifact" --chat --prompt "Explain in two sentences what a compiler does." --max-new-tokens 80
