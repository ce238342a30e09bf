# Flags that make the bytes of a program depend only on the commit and the compilers: paths are remapped, times are those of the
# commit. Source this file in the root of the repository.
# shellcheck shell=bash
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH CARGO_INCREMENTAL=0
mkdir -p "${CARGO_TARGET_DIR:-target}"
built=$(realpath "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$built
cargo_home=${CARGO_HOME:-$HOME/.cargo}

reproducible_flags() {
  # The last matching entry counts.
  RUSTFLAGS="--remap-path-prefix=$PWD=/swell --remap-path-prefix=$built=/target --remap-path-prefix=$cargo_home=/cargo"
  # Build scripts of libraries compile C code.
  CFLAGS="-ffile-prefix-map=$PWD=/swell -ffile-prefix-map=$built=/target -ffile-prefix-map=$cargo_home=/cargo"
  export RUSTFLAGS CFLAGS
  # Parts of SQLite that the history of runs does not use: full text search, trees of boxes, loaded extensions.
  local part unused=
  for part in FTS3 FTS3_PARENTHESIS FTS5 RTREE STAT4 LOAD_EXTENSION DBSTAT_VTAB; do unused+=" -USQLITE_ENABLE_$part"; done
  export LIBSQLITE3_FLAGS=$unused
}

# What zig needs. $1: the target.
zig_flags() {
  local sysroot host
  sysroot=$(rustc --print sysroot)
  host=$(rustc -vV | sed -n 's/^host: //p')
  # dist/link-folded.sh uses these.
  export RUST_LLD=$sysroot/lib/rustlib/$host/bin/rust-lld
  [ -x "$RUST_LLD" ] || { echo "Rust has no linker at $RUST_LLD" >&2; exit 1; }
  ZIG_LINKER_VARIABLE=CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<<"$1")_LINKER
  export ZIG_LINKER_VARIABLE
  RUSTFLAGS+=" -Clinker=$PWD/dist/link-folded.sh -Clinker-flavor=gcc"
  # zig switches off a feature (evex512) without which its compiler refuses libdeflate's checksums by AVX-512; those by AVX2 and PCLMUL stay.
  CFLAGS+=" -DLIBDEFLATE_ASSEMBLER_DOES_NOT_SUPPORT_AVX512VNNI -DLIBDEFLATE_ASSEMBLER_DOES_NOT_SUPPORT_VPCLMULQDQ"
}
