//! The body of a request: fed in pieces as they arrive, kept or thrown away.

use swell_http1::server::Refusal;
use swell_http1::{BodyDecoder, ChunkRules, Framing, WireError};

/// The longest body a route can read, in bytes. Bodies that are not read may have any length.
const KEPT_MAX: usize = 16 * 1024 * 1024;

/// A body that was kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Body {
    /// The content.
    pub(crate) bytes: Vec<u8>,
    /// The bytes as they were on the wire: the same, or with the chunks' sizes and trailers.
    pub(crate) raw: Vec<u8>,
}

/// Reads one body.
#[derive(Debug)]
pub(crate) struct BodyReader {
    decoder: BodyDecoder,
    keep: bool,
    kept: Body,
}

impl BodyReader {
    /// A reader that keeps the body, or only finds its end.
    pub(crate) fn new(framing: Framing, keep: bool) -> Self {
        Self { decoder: BodyDecoder::new(framing), keep, kept: Body::default() }
    }

    /// The end has been seen.
    pub(crate) fn is_done(&self) -> bool {
        self.decoder.is_done()
    }

    /// Takes what belongs to the body and returns how many bytes that were.
    pub(crate) fn feed(&mut self, input: &[u8]) -> Result<usize, Refusal> {
        let keep = self.keep;
        let content = &mut self.kept.bytes;
        let mut is_too_large = false;
        let fed = self.decoder.feed(input, ChunkRules::Rfc9112, |bytes| {
            is_too_large |= keep && content.len() + bytes.len() > KEPT_MAX;
            if keep && !is_too_large {
                content.extend_from_slice(bytes);
            }
        });
        if is_too_large {
            return Err(Refusal::new(413, format!("this route reads bodies of up to {KEPT_MAX} bytes")));
        }
        let (used, _) = fed.map_err(|error| Refusal::new(400, message(&error)))?;
        if keep && self.kept.raw.len() < KEPT_MAX * 2 {
            self.kept.raw.extend_from_slice(&input[..used]);
        }
        Ok(used)
    }

    /// The body, where it was kept.
    pub(crate) fn finish(self) -> Body {
        self.kept
    }
}

/// What is wrong with chunks.
fn message(error: &WireError) -> String {
    match error {
        WireError::ChunkHeader(size) => {
            format!("the size of a chunk is not hexadecimal: {}", size.escape_default())
        }
        WireError::LineTooLarge => "missing line end in a chunked body".to_owned(),
        WireError::TrailersTooLarge => "the trailers are not terminated".to_owned(),
        WireError::Trailer(_) => "a trailer field has no name".to_owned(),
        _ => "a chunk is longer than its stated size".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(framing: Framing, pieces: &[&[u8]]) -> Result<(bool, Vec<usize>, Body), u16> {
        let mut reader = BodyReader::new(framing, true);
        let used: Result<Vec<usize>, Refusal> = pieces.iter().map(|piece| reader.feed(piece)).collect();
        Ok((reader.is_done(), used.map_err(|refusal| refusal.status)?, reader.finish()))
    }

    #[test]
    fn lengths_stop_where_they_say() {
        let (done, used, body) = read(Framing::Length(5), &[b"ab", b"cdeGET /"]).unwrap();
        assert_eq!((done, used, &body.bytes[..]), (true, vec![2, 3], &b"abcde"[..]));
        assert!(read(Framing::None, &[]).unwrap().0);
        assert!(!read(Framing::Length(2), &[b"a"]).unwrap().0);
    }

    const CHUNKED: &[u8] = b"3;ext=\"x\"\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";

    #[test]
    fn chunks_join_however_they_arrive() {
        for cut in 0..=CHUNKED.len() {
            let (done, used, body) = read(Framing::Chunked, &[&CHUNKED[..cut], &CHUNKED[cut..]]).unwrap();
            assert!(done, "{cut}");
            assert_eq!(used.iter().sum::<usize>(), CHUNKED.len());
            assert_eq!(body.bytes, b"abc0123456789");
            assert_eq!(body.raw, CHUNKED);
        }
    }

    #[test]
    fn what_follows_the_last_chunk_is_left() {
        let (done, used, _) = read(Framing::Chunked, &[b"0\r\n\r\nGET / HTTP/1.1\r\n"]).unwrap();
        assert_eq!((done, used), (true, vec![5]));
    }

    #[test]
    fn broken_chunks_are_refused() {
        let endless = [b'1'; 4 * 1024 + 1];
        for bytes in
            [&b"xyz\r\n"[..], b"\r\n", b"+3\r\nabc", b"3\r\nabcd\r\n", b"fffffffffffffffff\r\n", &endless]
        {
            assert_eq!(read(Framing::Chunked, &[bytes]), Err(400), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn kept_bodies_have_a_limit_and_others_have_none() {
        let block = vec![0; KEPT_MAX];
        assert_eq!(read(Framing::Length(1 << 40), &[&block, b"x"]), Err(413));
        let mut reader = BodyReader::new(Framing::Length(1 << 40), false);
        assert_eq!(reader.feed(&block).unwrap() + reader.feed(b"x").unwrap(), KEPT_MAX + 1);
        assert_eq!(reader.finish(), Body::default());
    }
}
