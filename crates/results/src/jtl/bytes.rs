//! Reads the bytes of a file in large pieces.

use std::io::{self, Read};

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// Bytes that were read but not used yet.
pub(super) struct Input<R> {
    source: R,
    buffer: Vec<u8>,
    from: usize,
    to: usize,
}

impl<R: Read> Input<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, buffer: Vec::new(), from: 0, to: 0 }
    }

    pub(super) fn unread(&self) -> &[u8] {
        &self.buffer[self.from..self.to]
    }

    /// The first bytes were used.
    pub(super) fn consume(&mut self, count: usize) {
        self.from = (self.from + count).min(self.to);
    }

    /// Reads on behind what is unread; false at the end.
    pub(super) fn more(&mut self) -> io::Result<bool> {
        self.buffer.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, self.to - self.from);
        if self.buffer.len() < self.to + PIECE {
            self.buffer.resize(self.to + PIECE, 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.to..]) {
                Ok(read) => {
                    self.to += read;
                    return Ok(read > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.from == self.to && !self.more()? {
            return Ok(0);
        }
        let count = into.len().min(self.to - self.from);
        into[..count].copy_from_slice(&self.unread()[..count]);
        self.consume(count);
        Ok(count)
    }
}
