//! Compression of heads (HPACK, RFC 7541).

mod decoder;
mod encoder;
mod huffman;
mod integer;
mod table;

pub use decoder::{DecodeError, Decoder};
pub use encoder::Encoder;

pub(crate) use decoder::{FieldAt, Inserted, ListEnd, NameSource, TableUse};
pub(crate) use encoder::{Class, Known};
pub(crate) use table::{static_field, static_name};

/// Bytes of a table before anything is said (RFC 9113 §6.5.2).
pub(crate) const TABLE_DEFAULT: u32 = 4_096;
/// What a field counts in a table and in a list beyond its bytes (RFC 7541 §4.1).
pub(crate) const FIELD_OVERHEAD: usize = 32;
