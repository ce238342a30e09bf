//! The body of a request: fed in pieces as they arrive, kept or thrown away.

use super::request::Framing;
use super::response::Refusal;

/// The longest body a route can look at, in bytes. Bodies nobody looks at may be of any length.
const KEPT_MAX: usize = 16 * 1024 * 1024;
/// The longest line of a chunk's size with its extensions, and of a trailer field.
const LINE_MAX: usize = 4_096;

/// A body that was kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Body {
    /// The content.
    pub(crate) bytes: Vec<u8>,
    /// The bytes as they were on the wire: the same, or with the chunks' sizes and trailers.
    pub(crate) raw: Vec<u8>,
}

/// What is read next of a chunked body (RFC 9112 §7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chunk {
    Size,
    Data(u64),
    DataEnd,
    Trailer,
}

/// Reads one body.
#[derive(Debug)]
pub(crate) struct BodyReader {
    left: Left,
    line: Vec<u8>,
    keep: bool,
    kept: Body,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Bytes(u64),
    Chunks(Chunk),
}

impl BodyReader {
    /// A reader that keeps the body, or only finds its end.
    pub(crate) fn new(framing: Framing, keep: bool) -> Self {
        let left = match framing {
            Framing::None => Left::Bytes(0),
            Framing::Length(bytes) => Left::Bytes(bytes),
            Framing::Chunked => Left::Chunks(Chunk::Size),
        };
        Self { left, line: Vec::new(), keep, kept: Body::default() }
    }

    /// The end has been seen.
    pub(crate) fn is_done(&self) -> bool {
        self.left == Left::Bytes(0)
    }

    /// Takes what belongs to the body and returns how many bytes that were.
    pub(crate) fn feed(&mut self, input: &[u8]) -> Result<usize, Refusal> {
        let mut used = 0;
        while used < input.len() && !self.is_done() {
            used += match self.left {
                Left::Bytes(left) => {
                    let take = left.min((input.len() - used) as u64) as usize;
                    self.left = Left::Bytes(left - take as u64);
                    self.content(&input[used..used + take])?;
                    take
                }
                Left::Chunks(chunk) => self.chunk(chunk, &input[used..])?,
            };
        }
        if self.keep && self.kept.raw.len() < KEPT_MAX * 2 {
            self.kept.raw.extend_from_slice(&input[..used]);
        }
        Ok(used)
    }

    /// The body, where it was kept.
    pub(crate) fn finish(self) -> Body {
        self.kept
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        if !self.keep {
            return Ok(());
        }
        if self.kept.bytes.len() + bytes.len() > KEPT_MAX {
            return Err(Refusal::new(413, format!("this route reads bodies of up to {KEPT_MAX} bytes")));
        }
        self.kept.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn chunk(&mut self, chunk: Chunk, input: &[u8]) -> Result<usize, Refusal> {
        if let Chunk::Data(left) = chunk {
            let take = left.min(input.len() as u64) as usize;
            self.content(&input[..take])?;
            let left = left - take as u64;
            self.left = Left::Chunks(if left == 0 { Chunk::DataEnd } else { Chunk::Data(left) });
            return Ok(take);
        }
        let end = input.iter().position(|byte| *byte == b'\n');
        let take = end.map_or(input.len(), |at| at + 1);
        self.line.extend_from_slice(&input[..take]);
        if self.line.len() > LINE_MAX {
            return Err(Refusal::new(400, "a line of a chunked body has no end"));
        }
        if end.is_some() {
            self.line_end(chunk)?;
            self.line.clear();
        }
        Ok(take)
    }

    fn line_end(&mut self, chunk: Chunk) -> Result<(), Refusal> {
        let line = self.line.trim_ascii();
        let next = match chunk {
            Chunk::Size => match size(line)? {
                0 => Chunk::Trailer,
                bytes => Chunk::Data(bytes),
            },
            Chunk::DataEnd if line.is_empty() => Chunk::Size,
            Chunk::Trailer if line.is_empty() => {
                self.left = Left::Bytes(0);
                return Ok(());
            }
            Chunk::Trailer => Chunk::Trailer,
            Chunk::DataEnd | Chunk::Data(_) => {
                return Err(Refusal::new(400, "a chunk is longer than its size says"));
            }
        };
        self.left = Left::Chunks(next);
        Ok(())
    }
}

fn size(line: &[u8]) -> Result<u64, Refusal> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or(line).trim_ascii();
    let text = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'));
    text.and_then(|text| u64::from_str_radix(text, 16).ok()).ok_or_else(|| {
        Refusal::new(400, format!("a chunk's size is not hexadecimal: {}", line.escape_ascii()))
    })
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
        let endless = [b'1'; LINE_MAX + 1];
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
