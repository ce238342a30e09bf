//! From fields to a block (RFC 7541 §6).

use super::table::{STATIC_COUNT, Table, static_field, static_name};
use super::{FIELD_OVERHEAD, TABLE_DEFAULT, huffman, integer};
use crate::fields::Fields;

/// How a field is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Inserted into the table at its first use, then sent as an index.
    Insert,
    /// As it is: it changes with each head.
    Literal,
    /// As it is, and no proxy may insert it either: credentials (RFC 7541 §7.1.3).
    Never,
}

/// A field whose place in the static table is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) value: &'a [u8],
    pub(crate) class: Class,
    /// Static index of the name; 0: none.
    pub(crate) name_index: usize,
    /// Static index of name and value; 0: none.
    pub(crate) field_index: usize,
}

/// Encodes the heads of one direction of a connection.
///
/// An entry never leaves the table to make room for another: fields that come when it is full are
/// sent as they are. So the indices of the first fields stay valid, and the block of fields that
/// many heads share is encoded once and then copied.
#[derive(Debug)]
pub struct Encoder {
    table: Table,
    /// Counts changes of the table: a block of indices is valid in the generation it was made in.
    generation: u32,
    /// Table sizes that the peer has to be told: the smallest since the last head, and the last.
    resize: Option<(usize, usize)>,
    blocks: Vec<Block>,
}

/// The block of fields that many heads share.
#[derive(Debug)]
struct Block {
    key: u64,
    generation: u32,
    bytes: Vec<u8>,
}

/// Most blocks that a connection remembers.
const BLOCKS_MAX: usize = 16;

impl Default for Encoder {
    fn default() -> Self {
        let table = Table::new(TABLE_DEFAULT as usize);
        Self { table, generation: 0, resize: None, blocks: Vec::new() }
    }
}

impl Encoder {
    /// The peer announced a table of that size.
    pub(crate) fn peer_table(&mut self, size: u32) {
        let size = size.min(TABLE_DEFAULT) as usize;
        if size == self.table.size_max() {
            return;
        }
        let lowest = self.resize.map_or(size, |(lowest, _)| lowest.min(size));
        self.resize = Some((lowest, size));
        self.table.resize(size);
        self.generation = self.generation.wrapping_add(1);
    }

    /// Begins a head.
    pub(crate) fn begin(&mut self, out: &mut Vec<u8>) {
        if let Some((lowest, last)) = self.resize.take() {
            if lowest < last {
                integer::write(0x20, 5, lowest, out);
            }
            integer::write(0x20, 5, last, out);
        }
    }

    /// Encodes a head of name and value pairs, with all of them inserted that are not credentials.
    /// For tests: a session encodes what it is given in other forms.
    pub fn encode_list<'a>(
        &mut self,
        list: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
        out: &mut Vec<u8>,
    ) {
        self.begin(out);
        for (name, value) in list {
            self.field(name, value, Class::of(name, Class::Insert), out);
        }
    }

    /// Encodes fields that many heads share.
    #[inline]
    pub(crate) fn constant(&mut self, fields: &Fields, out: &mut Vec<u8>) {
        let is_it = |block: &&Block| block.key == fields.key() && block.generation == self.generation;
        match self.blocks.iter().find(is_it) {
            Some(block) => out.extend_from_slice(&block.bytes),
            None => self.new_constant(fields, out),
        }
    }

    #[cold]
    fn new_constant(&mut self, fields: &Fields, out: &mut Vec<u8>) {
        let generation = self.generation;
        let start = out.len();
        for field in fields.iter() {
            self.known(field, out);
        }
        // With insertions it is not a block that can be sent again.
        if generation != self.generation || fields.is_empty() {
            return;
        }
        let key = fields.key();
        let block = Block { key, generation, bytes: out[start..].to_vec() };
        let is_stale = |old: &Block| old.key == key || old.generation != generation;
        match self.blocks.iter().position(is_stale) {
            Some(place) => self.blocks[place] = block,
            None if self.blocks.len() < BLOCKS_MAX => self.blocks.push(block),
            None => self.blocks[key as usize % BLOCKS_MAX] = block,
        }
    }

    /// Encodes a field.
    pub(crate) fn field(&mut self, name: &[u8], value: &[u8], class: Class, out: &mut Vec<u8>) {
        let name_index = static_name(name);
        let field_index = if class == Class::Insert { static_field(name, value) } else { 0 };
        self.known(Known { name, value, class, name_index, field_index }, out);
    }

    /// Encodes a field whose place in the static table is known.
    pub(crate) fn known(&mut self, field: Known<'_>, out: &mut Vec<u8>) {
        let Known { name, value, class, name_index, field_index } = field;
        if field_index > 0 {
            return integer::write(0x80, 7, field_index, out);
        }
        if class == Class::Insert {
            if let Some(at) = self.table.find(name, value) {
                return integer::write(0x80, 7, STATIC_COUNT + 1 + at, out);
            }
            let is_small = FIELD_OVERHEAD + name.len() + value.len() <= self.table.size_max() / 4;
            if is_small && self.table.has_room(name, value) {
                integer::write(0x40, 6, name_index, out);
                if name_index == 0 {
                    compressed(name, out);
                }
                compressed(value, out);
                self.table.insert(name, value);
                self.generation = self.generation.wrapping_add(1);
                return;
            }
        }
        integer::write(if class == Class::Never { 0x10 } else { 0 }, 4, name_index, out);
        if name_index == 0 {
            plain(name, out);
        }
        plain(value, out);
    }
}

impl Class {
    /// The class of a field by its name: credentials are never inserted.
    pub(crate) fn of(name: &[u8], usual: Self) -> Self {
        match name {
            b"authorization" | b"proxy-authorization" | b"cookie" | b"set-cookie" => Self::Never,
            _ => usual,
        }
    }
}

/// Appends a string as it is: it is sent once, and coding it would take longer than sending it.
fn plain(bytes: &[u8], out: &mut Vec<u8>) {
    integer::write(0, 7, bytes.len(), out);
    out.extend_from_slice(bytes);
}

/// Appends a string in the Huffman code, if that is shorter.
fn compressed(bytes: &[u8], out: &mut Vec<u8>) {
    let coded = huffman::coded_bytes(bytes);
    if coded >= bytes.len() {
        return plain(bytes, out);
    }
    integer::write(0x80, 7, coded, out);
    huffman::encode(bytes, out);
}

#[cfg(test)]
#[path = "encoder/tests.rs"]
mod tests;
