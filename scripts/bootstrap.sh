#!/usr/bin/env bash
# Installs what Hyalite is built with (Debian 12, root or sudo). Does nothing, quickly, where all of it is there.
#   scripts/bootstrap.sh         compiler, CMake, libraries, and what scripts/get-model.sh needs
#   scripts/bootstrap.sh --dev   the same, and clang for `make format`, `make lint` and the `fuzz` preset
set -euo pipefail

build=(g++ make cmake ninja-build ccache pkg-config git unzip python3 python3-pip
  nlohmann-json3-dev libcli11-dev libfmt-dev libpcre2-dev libutf8proc-dev libxxhash-dev libhwloc-dev
  libgtest-dev libbenchmark-dev zlib1g-dev)
dev=(clang-16 clang-format-16 clang-tidy-16 libclang-rt-16-dev)

wanted=("${build[@]}")
case "${1:-}" in
  "") ;;
  --dev) wanted+=("${dev[@]}") ;;
  -h | --help)
    sed -n '2,4s/^# \?//p' "$0"
    exit 0
    ;;
  *)
    echo "bootstrap.sh: unknown argument $1 (only --dev is known)" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "bootstrap.sh: only Debian and its relatives are served; install by hand: ${wanted[*]}" >&2
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=absent
  [[ $state == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || { echo "bootstrap.sh: needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
  root=(sudo)
fi
echo "installing ${missing[*]}" >&2
"${root[@]}" apt-get update -q >&2
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >&2
