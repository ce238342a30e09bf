//! Finds the end of a body: one decoder for both directions.

use crate::chunked::{ChunkRules, Chunked};
use crate::error::WireError;

/// How the end of a body is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// No body.
    None,
    /// That many bytes.
    Length(u64),
    /// Chunks.
    Chunked,
    /// Until the connection ends; only responses have it.
    UntilClose,
}

/// Finds the end of a body that arrives in pieces, and decodes its transfer coding.
#[derive(Debug)]
pub struct BodyDecoder(State);

#[derive(Debug)]
enum State {
    Length { left: u64, length: u64 },
    Chunked(Chunked),
    UntilClose,
    Done,
}

impl BodyDecoder {
    /// Before the first byte of a body.
    pub fn new(framing: Framing) -> Self {
        Self(match framing {
            Framing::None | Framing::Length(0) => State::Done,
            Framing::Length(length) => State::Length { left: length, length },
            Framing::Chunked => State::Chunked(Chunked::default()),
            Framing::UntilClose => State::UntilClose,
        })
    }

    /// The body is complete.
    #[inline]
    pub fn is_done(&self) -> bool {
        matches!(self.0, State::Done)
    }

    /// Takes bytes of the stream and hands the content in them to `data`, never an empty piece.
    /// Returns how many bytes belong to the body, and whether it is complete.
    ///
    /// # Errors
    /// The chunks are broken.
    #[inline]
    pub fn feed(
        &mut self,
        bytes: &[u8],
        rules: ChunkRules,
        mut data: impl FnMut(&[u8]),
    ) -> Result<(usize, bool), WireError> {
        let (used, done) = match &mut self.0 {
            State::Length { left, .. } => {
                let used = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= used as u64;
                if used > 0 {
                    data(&bytes[..used]);
                }
                (used, *left == 0)
            }
            State::Chunked(chunked) => chunked.feed(bytes, rules, data)?,
            State::UntilClose => {
                if !bytes.is_empty() {
                    data(bytes);
                }
                (bytes.len(), false)
            }
            State::Done => (0, true),
        };
        if done {
            self.0 = State::Done;
        }
        Ok((used, done))
    }

    /// How many bytes are still to come, where that is known: at least one.
    pub(crate) fn left(&self) -> Option<u64> {
        match self.0 {
            State::Length { left, .. } => Some(left),
            _ => None,
        }
    }

    /// Bytes came that are not looked at, fewer than [`Self::left`].
    pub(crate) fn skip(&mut self, bytes: u64) {
        if let State::Length { left, .. } = &mut self.0 {
            *left = left.saturating_sub(bytes).max(1);
        }
    }

    /// The connection has ended.
    ///
    /// # Errors
    /// The body is not complete.
    pub fn end(&mut self, rules: ChunkRules) -> Result<(), WireError> {
        match &mut self.0 {
            State::Done | State::UntilClose => {}
            State::Length { left, length } => {
                return Err(WireError::ShortBody { expected: *length, received: *length - *left });
            }
            State::Chunked(chunked) => chunked.end(rules)?,
        }
        self.0 = State::Done;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: ChunkRules = ChunkRules::Rfc9112;

    #[test]
    fn a_body_ends_where_its_head_says() {
        let mut body = BodyDecoder::new(Framing::Length(5));
        let mut content = Vec::new();
        assert_eq!(body.feed(b"ab", RULES, |piece| content.extend_from_slice(piece)), Ok((2, false)));
        assert_eq!(body.feed(b"cdeGET /", RULES, |piece| content.extend_from_slice(piece)), Ok((3, true)));
        assert_eq!(content, b"abcde");
        assert_eq!(body.feed(b"x", RULES, |_| {}), Ok((0, true)));
        assert!(BodyDecoder::new(Framing::None).is_done());
    }

    #[test]
    fn a_connection_that_ends_early_is_told() {
        let mut short = BodyDecoder::new(Framing::Length(5));
        short.feed(b"ab", RULES, |_| {}).unwrap();
        assert_eq!(short.end(RULES), Err(WireError::ShortBody { expected: 5, received: 2 }));
        let mut endless = BodyDecoder::new(Framing::UntilClose);
        assert_eq!(endless.feed(b"ab", RULES, |_| {}), Ok((2, false)));
        assert_eq!((endless.end(RULES), endless.is_done()), (Ok(()), true));
        assert_eq!(BodyDecoder::new(Framing::Chunked).end(RULES), Err(WireError::NoLastChunk));
    }
}
