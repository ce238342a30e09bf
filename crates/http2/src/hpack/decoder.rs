//! From a block to fields (RFC 7541 §6).

use std::error::Error;
use std::fmt;
use std::ops::ControlFlow;

use super::integer;
use super::table::{STATIC_COUNT, Table, static_entry};
use super::{FIELD_OVERHEAD, TABLE_DEFAULT, huffman};

/// Name and value.
pub(crate) type DecodedField = (Vec<u8>, Vec<u8>);

/// A block that cannot be decoded. The connection has to end: the table is unknown from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError(pub(crate) &'static str);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for DecodeError {}

/// Why decoding a block ended before the block did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListEnd {
    Invalid(DecodeError),
    /// The caller wanted no more.
    Stopped,
}

impl From<DecodeError> for ListEnd {
    fn from(error: DecodeError) -> Self {
        Self::Invalid(error)
    }
}

/// Where a decoded field is in the text: its name, then `: `, then its value to the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldAt {
    pub(crate) start: usize,
    pub(crate) name_end: usize,
    pub(crate) source: NameSource,
}

/// Where the name of a field, or the whole field, came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameSource {
    Block,
    /// It needs no check.
    StaticTable,
    DynamicTable,
}

/// What a block did with the dynamic table, so that the same block can do it again.
#[derive(Debug, Default)]
pub(crate) struct TableUse {
    /// Fields that were inserted.
    pub(crate) inserts: Vec<Inserted>,
    /// The block reads the table, resizes it, or inserts what is not in the text.
    pub(crate) is_other: bool,
}

/// Where an inserted field is in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inserted {
    field: FieldAt,
    end: usize,
}

impl FieldAt {
    /// What is between a name and its value.
    const COLON: &'static [u8] = b": ";

    pub(crate) fn name(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.name_end]
    }

    pub(crate) fn value(self, text: &[u8]) -> &[u8] {
        &text[self.name_end + Self::COLON.len()..]
    }
}

/// Decodes the blocks of one direction of a connection.
#[derive(Debug)]
pub struct Decoder {
    table: Table,
    /// The largest table that the peer may ask for.
    size_limit: usize,
}

impl Decoder {
    /// A decoder whose peer may fill a table of this size, at most 65,535 bytes.
    #[must_use]
    pub fn new(size: u32) -> Self {
        let default = TABLE_DEFAULT as usize;
        // Until the peer has acknowledged a smaller table it may use the default.
        Self { table: Table::new(default), size_limit: (size as usize).clamp(default, u16::MAX.into()) }
    }

    /// The peer has acknowledged the table size.
    pub(crate) fn acknowledged(&mut self, size: u32) {
        self.size_limit = (size as usize).min(u16::MAX.into());
    }

    /// Decodes a block to name and value pairs that count at most `list_max`, names and values and
    /// 32 bytes each. For tests: a session decodes to text.
    ///
    /// # Errors
    /// The block is invalid, or longer than that.
    pub fn decode_list(&mut self, block: &[u8], list_max: usize) -> Result<Vec<DecodedField>, DecodeError> {
        let mut list = Vec::new();
        let mut size = 0;
        let decoded = self.decode(block, &mut Vec::new(), &mut TableUse::default(), |text, field| {
            let name = field.name(text);
            let value = field.value(text);
            size += FIELD_OVERHEAD + name.len() + value.len();
            if size > list_max {
                return ControlFlow::Break(());
            }
            list.push((name.to_vec(), value.to_vec()));
            text.clear();
            ControlFlow::Continue(())
        });
        match decoded {
            Ok(()) => Ok(list),
            Err(ListEnd::Invalid(error)) => Err(error),
            Err(ListEnd::Stopped) => Err(DecodeError("the list of fields is too long")),
        }
    }

    /// Decodes a block. Each field is appended to `text`, then `each` is called, which may take it
    /// away again.
    pub(crate) fn decode(
        &mut self,
        block: &[u8],
        text: &mut Vec<u8>,
        table_use: &mut TableUse,
        mut each: impl FnMut(&mut Vec<u8>, FieldAt) -> ControlFlow<()>,
    ) -> Result<(), ListEnd> {
        table_use.inserts.clear();
        table_use.is_other = false;
        let mut input = block;
        let mut has_fields = false;
        while let Some(first) = input.first() {
            let field = if first & 0x80 != 0 {
                self.indexed(&mut input, text)?
            } else if first & 0xe0 == 0x20 {
                if has_fields {
                    return Err(DecodeError("a change of the table size within a head").into());
                }
                self.resize(&mut input)?;
                table_use.is_other = true;
                continue;
            } else {
                self.literal(*first, &mut input, text)?
            };
            has_fields = true;
            table_use.is_other |= field.source == NameSource::DynamicTable;
            let end = text.len();
            if each(text, field).is_break() {
                return Err(ListEnd::Stopped);
            }
            if first & 0xc0 == 0x40 {
                table_use.inserts.push(Inserted { field, end });
                table_use.is_other |= text.len() < end;
            }
        }
        Ok(())
    }

    /// Does again what a block did that inserts and does nothing else with the table.
    pub(crate) fn repeat(&mut self, inserts: &[Inserted], text: &[u8]) {
        for Inserted { field, end } in inserts {
            self.table.insert(field.name(text), field.value(&text[..*end]));
        }
    }

    fn resize(&mut self, input: &mut &[u8]) -> Result<(), DecodeError> {
        let size = integer::read(input, 5).ok_or(INTEGER)?;
        if size > self.size_limit {
            return Err(DecodeError("a table larger than was announced"));
        }
        self.table.resize(size);
        Ok(())
    }

    /// Appends name and value.
    fn indexed(&self, input: &mut &[u8], text: &mut Vec<u8>) -> Result<FieldAt, DecodeError> {
        let index = integer::read(input, 7).ok_or(INTEGER)?;
        let field = self.name(index, text)?;
        if index <= STATIC_COUNT {
            text.extend_from_slice(static_entry(index).1);
        } else {
            self.table.append_value(index - STATIC_COUNT - 1, text);
        }
        Ok(field)
    }

    /// Appends the name with that index and the colon.
    fn name(&self, index: usize, text: &mut Vec<u8>) -> Result<FieldAt, DecodeError> {
        let start = text.len();
        let source = match index {
            0 => return Err(DecodeError("index 0")),
            1..=STATIC_COUNT => {
                text.extend_from_slice(static_entry(index).0);
                NameSource::StaticTable
            }
            _ => {
                if !self.table.append_name(index - STATIC_COUNT - 1, text) {
                    return Err(DecodeError("an index beyond the table"));
                }
                NameSource::DynamicTable
            }
        };
        let name_end = text.len();
        text.extend_from_slice(FieldAt::COLON);
        Ok(FieldAt { start, name_end, source })
    }

    fn literal(&mut self, first: u8, input: &mut &[u8], text: &mut Vec<u8>) -> Result<FieldAt, DecodeError> {
        let is_inserted = first & 0x40 != 0;
        let index = integer::read(input, if is_inserted { 6 } else { 4 }).ok_or(INTEGER)?;
        let field = if index == 0 {
            let start = text.len();
            string(input, text)?;
            let name_end = text.len();
            text.extend_from_slice(FieldAt::COLON);
            FieldAt { start, name_end, source: NameSource::Block }
        } else {
            self.name(index, text)?
        };
        string(input, text)?;
        if is_inserted {
            self.table.insert(field.name(text), field.value(text));
        }
        Ok(field)
    }
}

const INTEGER: DecodeError = DecodeError("an integer that is cut off or too large");

/// Appends a string literal (RFC 7541 §5.2).
fn string(input: &mut &[u8], text: &mut Vec<u8>) -> Result<(), DecodeError> {
    let is_coded = input.first().is_some_and(|first| first & 0x80 != 0);
    let length = integer::read(input, 7).ok_or(INTEGER)?;
    let (bytes, rest) = input.split_at_checked(length).ok_or(DecodeError("a string that is cut off"))?;
    *input = rest;
    if !is_coded {
        text.extend_from_slice(bytes);
    } else if !huffman::decode(bytes, text) {
        return Err(DecodeError("an invalid Huffman code"));
    }
    Ok(())
}

#[cfg(test)]
#[path = "decoder/tests.rs"]
mod tests;
