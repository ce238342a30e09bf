//! The text of rows, with placeholders for large bodies. The thread that writes the file writes
//! these bodies directly, so their text is never in memory as a whole.

use std::io::{self, Write};
use std::ops::{Deref, DerefMut};

use swell_api::{Bodies, Body, BodyText};
use swell_secrets::{without_protected, without_protected_bytes};

use crate::xml_text::escaped;

/// Bytes of a body that are escaped at a time.
const PIECE: usize = 64 * 1024;

/// Rows, without their large bodies.
#[derive(Debug, Default)]
pub(crate) struct RowText {
    bytes: Vec<u8>,
    /// Where in `bytes` a body stands, in their order.
    bodies: Vec<(usize, Large)>,
}

/// A large body.
#[derive(Debug)]
pub(crate) enum Large {
    /// As text in an element of XML.
    Xml(BodyText),
    /// As it is.
    Plain(Body),
}

impl Deref for RowText {
    type Target = Vec<u8>;
    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for RowText {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

impl From<Vec<u8>> for RowText {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, bodies: Vec::new() }
    }
}

impl RowText {
    /// Whether a body is large: making text of it takes time that others of the worker wait.
    pub(crate) fn is_large(body: &Body) -> bool {
        body.len() > Bodies::FREE
    }

    /// Gives a large body its place, here.
    pub(crate) fn push_body(&mut self, body: Large) {
        self.bodies.push((self.bytes.len(), body));
    }

    /// Whether bodies have places in it.
    pub(crate) fn has_bodies(&self) -> bool {
        !self.bodies.is_empty()
    }

    /// What it takes, with its bodies, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len() + self.bodies.iter().map(|(_, body)| body.len()).sum::<usize>()
    }

    /// Forgets all rows, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.bodies.clear();
    }

    /// Masks secrets. `row_ends`: where each row ends, which changes with it.
    pub(crate) fn mask(&mut self, row_ends: &mut [u32]) {
        let mut masked = Vec::with_capacity(self.bytes.len());
        let mut ends = row_ends.iter_mut().peekable();
        let mut bodies = self.bodies.iter_mut().peekable();
        let mut from = 0;
        // Rows and bodies bound the pieces, so a row stays one whatever is in it.
        loop {
            let next_end = ends.peek().map(|end| **end as usize);
            let next_body = bodies.peek().map(|(place, _)| *place);
            let Some(to) = next_end.into_iter().chain(next_body).min() else { break };
            let piece = &self.bytes[from..to];
            masked.extend_from_slice(without_protected_bytes(piece).as_deref().unwrap_or(piece));
            from = to;
            while let Some(end) = ends.next_if(|end| **end as usize == to) {
                *end = masked.len() as u32;
            }
            while let Some((place, _)) = bodies.next_if(|(place, _)| *place == to) {
                *place = masked.len();
            }
        }
        let piece = &self.bytes[from..];
        masked.extend_from_slice(without_protected_bytes(piece).as_deref().unwrap_or(piece));
        self.bytes = masked;
    }

    /// Writes what stands after a place in the bytes, and all bodies, which stand there.
    pub(crate) fn write_from(&self, from: usize, out: &mut impl Write) -> io::Result<()> {
        let mut at = from;
        for (place, body) in &self.bodies {
            out.write_all(&self.bytes[at..*place])?;
            body.write(out)?;
            at = *place;
        }
        out.write_all(&self.bytes[at..])
    }

    /// All of it in one text.
    pub(crate) fn whole(self) -> Vec<u8> {
        if self.bodies.is_empty() {
            return self.bytes;
        }
        let mut whole = Vec::new();
        self.write_from(0, &mut whole).expect("a Vec takes all");
        whole
    }
}

impl Large {
    /// Bytes of the body that it holds.
    fn len(&self) -> usize {
        match self {
            Self::Plain(body) => body.len(),
            Self::Xml(body) => body.body_len(),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let text = match self {
            Self::Plain(body) => {
                return out.write_all(without_protected_bytes(body).as_deref().unwrap_or(body));
            }
            Self::Xml(body) => body.text(),
        };
        let text = without_protected(&text);
        let mut rest = &*text;
        let mut out_of_piece = Vec::new();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
            out_of_piece.clear();
            escaped(&mut out_of_piece, piece, false);
            out.write_all(&out_of_piece)?;
            rest = after;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_rows_end_where_they_did() {
        swell_secrets::protect("a-secret-of-rows");
        let mut rows = RowText::from(b"1,a-secret-of-rows,2\n3,4\n<a>a-secret-of-rows".to_vec());
        let mut ends = [21, 25];
        assert_eq!(rows[21..25], *b"3,4\n");
        rows.push_body(Large::Plain("body a-secret-of-rows".into()));
        rows.extend_from_slice(b"</a>");
        rows.mask(&mut ends);
        assert_eq!(
            (&rows[..ends[0] as usize], &rows[..ends[1] as usize]),
            (&b"1,***,2\n"[..], &b"1,***,2\n3,4\n"[..])
        );
        assert_eq!(rows.whole(), b"1,***,2\n3,4\n<a>***body ***</a>");
    }

    #[test]
    fn bodies_stand_in_their_places() {
        let mut rows = RowText::from(b"plain\n".to_vec());
        rows.push_body(Large::Plain("one".into()));
        rows.push_body(Large::Plain("two".into()));
        rows.extend_from_slice(b"</a>");
        rows.push_body(Large::Plain("three".into()));
        let mut row = Vec::new();
        rows.write_from(6, &mut row).unwrap();
        assert_eq!(row, b"onetwo</a>three");
        assert_eq!(rows.whole(), b"plain\nonetwo</a>three");
    }
}
