//! The text of a page while it is read (`Lexer.lexbuf`): nodes are ranges of it. It is written over where a tag has been, and
//! what stands behind its end is read now and then; both are seen in what JTidy finds.

use std::borrow::Cow;

const FIRST: usize = 8192;

#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// Where the next byte goes.
    pub(super) end: usize,
}

impl Buffer {
    pub(super) fn push(&mut self, byte: u8) {
        if self.end + 1 >= self.bytes.len() {
            let length = self.bytes.len().max(FIRST / 2) * 2;
            self.bytes.resize(length.max(self.end + 2), 0);
        }
        self.bytes[self.end] = byte;
        self.end += 1;
        self.bytes[self.end] = 0;
    }

    /// A byte, 0 where there is none.
    pub(super) fn at(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, at: usize, byte: u8) {
        if let Some(place) = self.bytes.get_mut(at) {
            *place = byte;
        }
    }

    /// Bytes there are, written or not.
    pub(super) fn capacity(&self) -> usize {
        self.bytes.len()
    }

    /// The text ends here.
    pub(super) fn terminate(&mut self) {
        self.set(self.end, 0);
    }

    /// So many bytes from a place on.
    pub(super) fn slice(&self, start: usize, length: usize) -> &[u8] {
        let end = (start + length).min(self.bytes.len());
        &self.bytes[start.min(end)..end]
    }

    pub(super) fn text(&self, start: usize, length: usize) -> Cow<'_, str> {
        String::from_utf8_lossy(self.slice(start, length))
    }

    /// Makes place for one byte, as `getCDATA` does.
    pub(super) fn insert(&mut self, at: usize, byte: u8) {
        let last = self.at(self.end.saturating_sub(1));
        self.push(last);
        let end = self.end;
        if at < end {
            self.bytes.copy_within(at..end - 1, at + 1);
        }
        self.set(at, byte);
    }
}
