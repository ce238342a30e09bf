#!/bin/sh
# Install Swell from the tarball of a release: the program, its manual and completions, below a folder of the user.
# Usage: install.sh [--to DIR] [--from URL|DIR] [--version VERSION]
#   --to DIR           default ~/.local: the program is DIR/bin/swell
#   --from URL|DIR     where the release is; default: the releases of the project
#   --version VERSION  default: the version that this script was released with
# Nothing is written before the tarball is there and its checksum is right. Needs curl or wget, tar, gzip and sha256sum.
set -eu

version=@VERSION@
repository=@REPOSITORY@
oldest_glibc=@GLIBC@
to=${HOME:-}/.local
from=

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    [ -z "${2:-}" ] || printf 'hint: %s\n' "$2" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || fail "$1 needs a value" "install.sh [--to DIR] [--from URL|DIR] [--version VERSION]"
    case $1 in
        --to) to=$2 ;;
        --from) from=${2%/} ;;
        --version) version=${2#v} ;;
        *) fail "unknown option $1" "install.sh [--to DIR] [--from URL|DIR] [--version VERSION]" ;;
    esac
    shift 2
done
[ -n "$from" ] || from=$repository/releases/download/v$version

for tool in tar gzip sha256sum uname; do
    command -v "$tool" >/dev/null 2>&1 || fail "$tool is not installed" "install it with the package manager of this system"
done

[ "$(uname -s)" = Linux ] || fail "Swell runs on Linux, and this is $(uname -s)" \
    "run it in a container (docker run -it --rm debian) or, on Windows, in WSL2 (wsl --install)"
processor=$(uname -m)
case $processor in
    x86_64 | aarch64) ;;
    *) fail "there is no program for the processor $processor, only for x86_64 and aarch64" "build it from source: cargo install --path crates/swell --locked" ;;
esac

# The oldest of two versions.
oldest() { printf '%s\n%s\n' "$1" "$2" | sort -t . -k 1,1n -k 2,2n | head -n 1; }

# The program for glibc can load a JVM; the static one runs on every Linux.
target=$processor-unknown-linux-musl
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p')
if [ -n "$glibc" ] && [ "$(oldest "$glibc" "$oldest_glibc")" = "$oldest_glibc" ]; then
    target=$processor-unknown-linux-gnu
elif [ -n "$glibc" ]; then
    echo "glibc $glibc is older than $oldest_glibc: installing the static program, which cannot load a JVM" >&2
else
    echo "no glibc here: installing the static program, which cannot load a JVM" >&2
fi

mkdir -p "$to/bin" 2>/dev/null || fail "cannot make the folder '$to/bin'" "name another one with --to DIR"
[ -w "$to/bin" ] || fail "cannot write to the folder '$to/bin'" "name another one with --to DIR"

name=swell-$version-$target
work=$(mktemp -d) || fail "cannot make a temporary folder" "set TMPDIR to a folder that this user may write to"
trap 'rm -rf "$work"' EXIT INT TERM

get() {
    if [ -d "$from" ]; then
        cp "$from/$1" "$work/$1" 2>/dev/null || fail "there is no $1 in $from" "check --from and --version"
    elif command -v curl >/dev/null 2>&1; then
        curl -fsSL --connect-timeout 20 --retry 2 -o "$work/$1" "$from/$1" || fail "cannot fetch $from/$1" \
            "check the network, the proxy (https_proxy) and --version; --from DIR installs from a folder"
    elif command -v wget >/dev/null 2>&1; then
        wget -q --timeout=20 -O "$work/$1" "$from/$1" || fail "cannot fetch $from/$1" \
            "check the network, the proxy (https_proxy) and --version; --from DIR installs from a folder"
    else
        fail "neither curl nor wget is installed" "install one of them, or download the release and name its folder: --from DIR"
    fi
}

get SHA256SUMS
get "$name.tar.gz"
grep " \*\{0,1\}\(\./\)\{0,1\}$name.tar.gz\$" "$work/SHA256SUMS" >"$work/sum" || fail "SHA256SUMS has no line for $name.tar.gz" "take another release"
(cd "$work" && sha256sum -c sum >/dev/null 2>&1) || fail "the checksum of $name.tar.gz is wrong" "fetch it again; if it stays wrong, do not use it"
gzip -dc "$work/$name.tar.gz" | tar -xf - -C "$work" || fail "cannot unpack $name.tar.gz" "check the free space of ${TMPDIR:-/tmp}"
"$work/$name/bin/swell" --version >/dev/null || fail "the program does not run on this system" "its message is above"
# A program that runs cannot be written over, and can be replaced.
{ cp "$work/$name/bin/swell" "$to/bin/.swell.new" && mv -f "$to/bin/.swell.new" "$to/bin/swell" && cp -R "$work/$name/share" "$to/"; } ||
    fail "cannot write to '$to'" "check its free space and its owner, or name another folder with --to DIR"

echo "installed $("$to/bin/swell" --version | head -n 1) in $to/bin/swell"
case ":$PATH:" in
    *":$to/bin:"*) ;;
    *) echo "add it to the path: export PATH=\"$to/bin:\$PATH\"" ;;
esac
