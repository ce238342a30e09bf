#!/usr/bin/env bash
# Link a release: as zig does, for an old glibc, but with identical functions folded, which zig's own linker cannot do. The program gets 5 %
# smaller. Rust calls this as its linker.
#   ZIG_LINKER_VARIABLE   name of the variable with the linker that maturin made; it calls zig
#   RUST_LLD              Rust's copy of the linker that zig contains
set -euo pipefail
linker=${!ZIG_LINKER_VARIABLE}
messages=$(ZIG_VERBOSE_LINK=1 "$linker" "$@" 2>&1) || { printf '%s\n' "$messages" >&2; exit 1; }
# zig says how it called its linker, on one line each: before the program it may make parts of the C library.
call=$(grep '^ld\.lld ' <<<"$messages" | tail -n1) || { echo "zig did not say how it linked: $messages" >&2; exit 1; }
# Neither the folders of a build nor those of a cache have blanks in their names; the linker names a file that is not there.
read -ra arguments <<<"${call#ld.lld }"
exec "$RUST_LLD" -flavor gnu --icf=all "${arguments[@]}"
