#!/usr/bin/env bash
# Install tools that make packages, with fixed versions, in the user's cache, and print the folder of their programs.
# Usage: tools.sh TOOL...     maturin, zig, nfpm, cargo-about, actionlint
# Needs Python 3.8 for maturin and zig, Go 1.24 for nfpm and actionlint, Rust for cargo-about. Tools that are there already are kept.
set -euo pipefail

tools=${SWELL_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/swell/packaging}
mkdir -p "$tools/bin"
tools=$(realpath "$tools")

need() { command -v "$1" >/dev/null || { echo "no ${tool}: $1 is not installed" >&2; exit 3; }; }

# One virtual environment a tool and version, so that a new version does not meet the rest of an old one.
python_tool() {
  local package=$1 version=$2 program=$3 venv="$tools/$1-$2"
  need python3
  if [ ! -e "$venv/installed" ]; then
    echo "installing $package $version ..." >&2
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$package==$version" >&2
    touch "$venv/installed"
  fi
  [ -z "$program" ] || ln -sfn "$venv/bin/$program" "$tools/bin/$program"
}

go_tool() {
  local module=$1 version=$2 program=${1##*/}
  if [ ! -e "$tools/$program-$version" ]; then
    need go
    echo "installing $program $version ..." >&2
    GOBIN=$tools/bin GOFLAGS=-trimpath CGO_ENABLED=0 go install "$module@v$version" >&2
    touch "$tools/$program-$version"
  fi
}

cargo_tool() {
  local package=$1 version=$2
  shift 2
  if [ ! -e "$tools/$package-$version" ]; then
    echo "installing $package $version ..." >&2
    # Flags and targets of the program are not those of a tool.
    env -u RUSTFLAGS -u CFLAGS -u CARGO_TARGET_DIR "${CARGO:-cargo}" install --quiet --locked --root "$tools" "$package@$version" "$@" >&2
    [ -x "$tools/bin/$package" ] || { echo "no $package: cargo installed it without its program" >&2; exit 3; }
    touch "$tools/$package-$version"
  fi
}

for tool in "$@"; do
  case $tool in
    maturin) python_tool maturin 1.16.0 maturin ;;
    zig)
      python_tool ziglang 0.15.2 ""
      # maturin and cargo-zigbuild look for this name where the package cannot be imported.
      printf '#!/bin/sh\nexec "%s" -m ziglang "$@"\n' "$tools/ziglang-0.15.2/bin/python" >"$tools/bin/zig"
      chmod 755 "$tools/bin/zig"
      ;;
    nfpm) go_tool github.com/goreleaser/nfpm/v2/cmd/nfpm 2.45.2 ;;
    actionlint) go_tool github.com/rhysd/actionlint/cmd/actionlint 1.7.12 ;;
    cargo-about)
      # Little optimised, since it runs once and takes minutes to compile.
      CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off cargo_tool cargo-about 0.9.3 --features cli ;;
    *) echo "unknown tool $tool" >&2; exit 2 ;;
  esac
done
echo "$tools/bin"
