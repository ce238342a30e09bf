//! Chunked transfer coding, one piece of the stream at a time (RFC 9112 §7.1,
//! `org.apache.http.impl.io.ChunkedInputStream`).

use std::io::Write as _;

use memchr::memchr;

use crate::error::WireError;
use crate::latin1;

/// How strictly chunk lines are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkRules {
    /// As HttpClient reads responses: a size may have a sign, lines may have up to 64 KiB.
    HttpClient,
    /// As RFC 9112 has it: a size has hexadecimal digits only; lines may have up to 4 KiB.
    Rfc9112,
}

impl ChunkRules {
    /// Most bytes of a line. Each user may have one that is not complete.
    fn line_max(self) -> usize {
        match self {
            Self::HttpClient => 64 << 10,
            Self::Rfc9112 => 4 << 10,
        }
    }
}

/// Trailers larger than this in total are refused, like a head: they could continue forever.
const MAX_TRAILERS: usize = 16 << 20;

/// What follows the last chunk of data, without trailers.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// Appends the line before a chunk of `size` bytes, which is not 0. The data is followed by CR LF.
pub fn write_chunk_size(size: u64, out: &mut Vec<u8>) {
    write!(out, "{size:x}\r\n").expect("writing to a Vec cannot fail");
}

/// State of the decoder. It stores no data except an incomplete line.
#[derive(Debug, Default)]
pub(crate) struct Chunked {
    state: State,
    line: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// In a line with the size of the next chunk.
    #[default]
    Size,
    /// In the data of a chunk.
    Data { size: u64, left: u64 },
    /// Between data and its line end.
    End,
    /// In the trailers, after this number of bytes.
    Trailers { bytes: usize },
    /// After the empty line.
    Done,
}

impl Chunked {
    /// Takes bytes of the stream and hands the data in them to `data`. Returns how many bytes
    /// belong to the body and whether it is complete.
    ///
    /// # Errors
    /// An invalid chunk header, bytes after a chunk, a trailer without a name.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        rules: ChunkRules,
        mut data: impl FnMut(&[u8]),
    ) -> Result<(usize, bool), WireError> {
        let mut at = 0;
        while at < bytes.len() && self.state != State::Done {
            if let State::Data { size, left } = self.state {
                let take = left.min((bytes.len() - at) as u64);
                data(&bytes[at..at + take as usize]);
                at += take as usize;
                self.state = if take == left { State::End } else { State::Data { size, left: left - take } };
                continue;
            }
            let Some(length) = memchr(b'\n', &bytes[at..]) else {
                self.keep(&bytes[at..], rules)?;
                return Ok((bytes.len(), false));
            };
            let line = &bytes[at..at + length];
            at += length + 1;
            if self.line.is_empty() {
                self.take_line(line, rules)?;
            } else {
                self.keep(line, rules)?;
                let whole = std::mem::take(&mut self.line);
                self.take_line(&whole, rules)?;
            }
        }
        Ok((at, self.state == State::Done))
    }

    /// The connection has ended. Fine inside the trailers, as it is to HttpClient.
    ///
    /// # Errors
    /// The body is not complete.
    pub(crate) fn end(&mut self, rules: ChunkRules) -> Result<(), WireError> {
        match self.state {
            State::Done | State::Trailers { .. } => Ok(()),
            State::Data { size, left } => {
                Err(WireError::TruncatedChunk { expected: size, actual: size - left })
            }
            State::End if self.line.is_empty() => Err(WireError::NoChunkEnd),
            State::End => Err(WireError::ChunkEnd),
            State::Size if self.line.is_empty() => Err(WireError::NoLastChunk),
            State::Size => {
                let line = std::mem::take(&mut self.line);
                self.take_line(&line, rules)?;
                self.end(rules)
            }
        }
    }

    fn keep(&mut self, part: &[u8], rules: ChunkRules) -> Result<(), WireError> {
        if self.line.len() + part.len() > rules.line_max() {
            return Err(WireError::LineTooLarge);
        }
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn take_line(&mut self, line: &[u8], rules: ChunkRules) -> Result<(), WireError> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.state = match self.state {
            State::Size => match parse_size(line, rules)? {
                0 => State::Trailers { bytes: 0 },
                size => State::Data { size, left: size },
            },
            State::End if line.is_empty() => State::Size,
            State::End => return Err(WireError::ChunkEnd),
            State::Trailers { .. } if line.is_empty() => State::Done,
            State::Trailers { bytes } => {
                let bytes = bytes + line.len();
                if bytes > MAX_TRAILERS {
                    return Err(WireError::TrailersTooLarge);
                }
                let folded = matches!(line.first(), Some(b' ' | b'\t'));
                if !folded && memchr(b':', line).is_none_or(|colon| line[..colon].trim_ascii().is_empty()) {
                    let text = format!("Invalid footer: Invalid header: {}", latin1::decode(line));
                    return Err(WireError::Trailer(text));
                }
                State::Trailers { bytes }
            }
            other @ (State::Data { .. } | State::Done) => other,
        };
        Ok(())
    }
}

fn parse_size(line: &[u8], rules: ChunkRules) -> Result<u64, WireError> {
    let size = &line[..memchr(b';', line).unwrap_or(line.len())];
    let text = latin1::decode(size.trim_ascii());
    if rules == ChunkRules::Rfc9112 && !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(WireError::ChunkHeader(text));
    }
    match i64::from_str_radix(&text, 16) {
        Ok(size) if size >= 0 => Ok(size as u64),
        Ok(_) => Err(WireError::NegativeChunk),
        Err(_) => Err(WireError::ChunkHeader(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(stream: &[u8], piece: usize) -> Result<(Vec<u8>, usize, bool), WireError> {
        let rules = ChunkRules::HttpClient;
        let mut chunked = Chunked::default();
        let mut out = Vec::new();
        let mut used = 0;
        let mut done = false;
        for part in stream.chunks(piece) {
            let (taken, complete) = chunked.feed(part, rules, |d| out.extend_from_slice(d))?;
            used += taken;
            done = complete;
            if complete {
                return Ok((out, used, done));
            }
        }
        chunked.end(rules)?;
        Ok((out, used, done))
    }

    #[test]
    fn bodies_come_out_whole_however_they_are_cut() {
        let table: [(&[u8], &[u8], usize); 6] = [
            (b"3\r\nabc\r\n0\r\n\r\n", b"abc", 0),
            (b"3;a=b\r\nabc\r\n2 \r\nde\r\n0;x\r\nT: v\r\nU: w\r\n\r\n", b"abcde", 0),
            (b"A\n0123456789\n0\n\nrest", b"0123456789", 4),
            (b"0\r\n\r\n", b"", 0),
            (b"000003\r\nabc\r\n0\r\nX:\r\n y\r\n\r\n", b"abc", 0),
            (b"+3\r\nabc\r\n-0\r\n\r\nX", b"abc", 1),
        ];
        for (stream, body, rest) in table {
            for piece in 1..=stream.len() {
                let (out, used, done) = run(stream, piece).unwrap();
                assert_eq!((out.as_slice(), done), (body, true), "{piece}");
                assert_eq!(used, stream.len() - rest, "{piece}");
            }
        }
    }

    #[test]
    fn broken_bodies_say_what_httpclient_says() {
        let table: [(&[u8], Result<(), WireError>); 9] = [
            (b"5\r\nabc", Err(WireError::TruncatedChunk { expected: 5, actual: 3 })),
            (b"3\r\nabc\r\n", Err(WireError::NoLastChunk)),
            (b"", Err(WireError::NoLastChunk)),
            (b"3\r\nabc", Err(WireError::NoChunkEnd)),
            (b"zz\r\nabc\r\n0\r\n\r\n", Err(WireError::ChunkHeader("zz".into()))),
            (b"3\r\nabcd\r\n0\r\n\r\n", Err(WireError::ChunkEnd)),
            (b"-3\r\nabc", Err(WireError::NegativeChunk)),
            (
                b"0\r\nno colon\r\n\r\n",
                Err(WireError::Trailer("Invalid footer: Invalid header: no colon".into())),
            ),
            (b"3\r\nabc\r\n0\r\n", Ok(())),
        ];
        for (stream, wanted) in table {
            for piece in 1..=stream.len().max(1) {
                assert_eq!(run(stream, piece).map(drop), wanted, "{piece}");
            }
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        for rules in [ChunkRules::HttpClient, ChunkRules::Rfc9112] {
            let mut chunked = Chunked::default();
            let part = vec![b'1'; rules.line_max()];
            assert_eq!(chunked.feed(&part, rules, |_| {}), Ok((part.len(), false)));
            assert_eq!(chunked.feed(b"1", rules, |_| {}), Err(WireError::LineTooLarge));
        }
    }

    #[test]
    fn trailers_without_end_are_refused() {
        let mut chunked = Chunked::default();
        let line = format!("X: {}\n", "a".repeat(4093));
        let mut feed = |bytes: &[u8]| chunked.feed(bytes, ChunkRules::HttpClient, |_| {});
        assert_eq!(feed(b"0\r\n"), Ok((3, false)));
        for _ in 0..MAX_TRAILERS / 4096 {
            assert_eq!(feed(line.as_bytes()), Ok((line.len(), false)));
        }
        assert_eq!(feed(line.as_bytes()), Err(WireError::TrailersTooLarge));
    }

    #[test]
    fn sizes_with_signs_are_taken_from_servers_only() {
        for line in [&b"+3\r\nabc"[..], b"-0\r\n"] {
            assert!(Chunked::default().feed(line, ChunkRules::HttpClient, |_| {}).is_ok());
            let refused = Chunked::default().feed(line, ChunkRules::Rfc9112, |_| {});
            assert!(matches!(refused, Err(WireError::ChunkHeader(_))), "{refused:?}");
        }
    }

    #[test]
    fn chunks_that_are_written_are_read() {
        let mut out = Vec::new();
        for piece in [&b"abc"[..], b"0123456789"] {
            write_chunk_size(piece.len() as u64, &mut out);
            out.extend_from_slice(piece);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(LAST_CHUNK);
        assert_eq!(out, b"3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n");
        assert_eq!(run(&out, out.len()), Ok((b"abc0123456789".to_vec(), out.len(), true)));
    }
}
