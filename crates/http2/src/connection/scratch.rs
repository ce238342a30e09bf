//! Buffers that sessions share, and the last response head.

use crate::hpack::{Decoder, Inserted, TableUse};

use super::head::HeadFacts;

/// Buffers that all sessions of a thread share, so that an idle session holds none.
///
/// They also hold the last response head, decoded. Some servers, nginx among them, send the same
/// bytes for each response of a second, on all connections: such a head is copied. A request and a
/// response of nginx then take 2,800 instructions instead of 6,200.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Fields as text.
    pub(super) text: Vec<u8>,
    /// Values of pseudo-header fields.
    pub(super) pseudo: Vec<u8>,
    pub(super) table_use: TableUse,
    last: LastHead,
}

/// A response head whose bytes mean the same on every connection.
#[derive(Debug, Default)]
struct LastHead {
    block: Vec<u8>,
    text: Vec<u8>,
    inserts: Vec<Inserted>,
    facts: HeadFacts,
    /// What the fields count together.
    size: usize,
}

/// Longest block that is remembered.
const BLOCK_MAX: usize = 512;

impl Scratch {
    /// Decodes a block that is the last one again.
    pub(super) fn repeat(&mut self, block: &[u8], list_max: u32, decoder: &mut Decoder) -> Option<HeadFacts> {
        let last = &self.last;
        if block != last.block || block.is_empty() || last.size > list_max as usize {
            return None;
        }
        self.text.clear();
        self.text.extend_from_slice(&last.text);
        decoder.repeat(&last.inserts, &last.text);
        Some(last.facts.clone())
    }

    /// Remembers the head that was decoded to `text`, if its block needs no table.
    pub(super) fn remember(&mut self, block: &[u8], facts: &HeadFacts, size: usize) {
        if self.table_use.is_other || block.len() > BLOCK_MAX {
            return;
        }
        let last = &mut self.last;
        last.block.clear();
        last.block.extend_from_slice(block);
        last.text.clear();
        last.text.extend_from_slice(&self.text);
        std::mem::swap(&mut last.inserts, &mut self.table_use.inserts);
        last.facts.clone_from(facts);
        last.size = size;
    }
}
