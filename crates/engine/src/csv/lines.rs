//! Characters and lines of a file, decoded as they are read.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, UTF_8, UTF_16BE};
use swell_expr::{Charset, FileLimits};

const READ: usize = 16 * 1024;

/// The byte order mark of UTF-8, which is dropped whatever the encoding is (`BOMInputStream`).
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A file read as text, one piece at a time.
pub(crate) struct Lines {
    source: Box<dyn Read + Send>,
    decoding: Decoding,
    /// The first bytes, until it is known whether they are a byte order mark.
    head: Option<Vec<u8>>,
    text: String,
    place: usize,
    ended: bool,
    limits: FileLimits,
}

/// How bytes become text.
enum Decoding {
    /// One byte is one character.
    Single(Charset),
    Web(Box<Decoder>),
}

impl Decoding {
    fn of(charset: Charset) -> Self {
        match charset {
            Charset::Ascii | Charset::Latin1 => Self::Single(charset),
            // Java goes by the mark; without one the high byte comes first.
            Charset::Utf16 => Self::Web(Box::new(UTF_16BE.new_decoder())),
            Charset::Web(encoding) => Self::Web(Box::new(encoding.new_decoder_without_bom_handling())),
        }
    }

    fn decode(&mut self, bytes: &[u8], last: bool, text: &mut String) {
        let decoder = match self {
            Self::Single(charset) => return text.push_str(&charset.decode(bytes)),
            Self::Web(decoder) => decoder,
        };
        let mut rest = bytes;
        loop {
            let room = decoder.max_utf8_buffer_length(rest.len()).unwrap_or(READ);
            text.reserve(room);
            let (result, used, _) = decoder.decode_to_string(rest, text, last);
            rest = &rest[used..];
            if result == CoderResult::InputEmpty {
                return;
            }
        }
    }
}

impl Lines {
    /// Reads from the start. No encoding means UTF-8. A UTF-8 byte order mark is dropped.
    pub(crate) fn new(
        source: Box<dyn Read + Send>,
        encoding: &str,
        limits: FileLimits,
    ) -> Result<Self, String> {
        let charset = match encoding.trim() {
            "" => Charset::Web(UTF_8),
            named => Charset::of(named).ok_or_else(|| format!("unknown encoding `{named}`"))?,
        };
        let decoding = Decoding::of(charset);
        let head = Some(Vec::new());
        Ok(Self { source, decoding, head, text: String::new(), place: 0, ended: false, limits })
    }

    /// Reads more; what was consumed is dropped.
    fn fill(&mut self) -> io::Result<()> {
        self.text.drain(..self.place);
        self.place = 0;
        let mut bytes = [0; READ];
        let count = loop {
            match self.source.read(&mut bytes) {
                Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.ended = count == 0;
        let Some(mut head) = self.head.take() else {
            self.decoding.decode(&bytes[..count], self.ended, &mut self.text);
            return Ok(());
        };
        head.extend_from_slice(&bytes[..count]);
        if head.len() < MARK.len() && MARK.starts_with(&head) && !self.ended {
            self.head = Some(head);
        } else {
            let first = head.strip_prefix(MARK).unwrap_or(&head);
            self.decoding.decode(first, self.ended, &mut self.text);
        }
        Ok(())
    }

    /// The coming character, without taking it.
    pub(crate) fn peek(&mut self) -> io::Result<Option<char>> {
        loop {
            if let Some(next) = self.text[self.place..].chars().next() {
                return Ok(Some(next));
            }
            if self.ended {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    /// Takes a character.
    pub(crate) fn take(&mut self) -> io::Result<Option<char>> {
        let next = self.peek()?;
        self.place += next.map_or(0, char::len_utf8);
        Ok(next)
    }

    pub(crate) fn at_end(&mut self) -> io::Result<bool> {
        Ok(self.peek()?.is_none())
    }

    /// A line without its end: `\n`, `\r` or both; none at the end of the file.
    pub(crate) fn read_line(&mut self) -> io::Result<Option<String>> {
        if self.at_end()? {
            return Ok(None);
        }
        // What was searched before the file gave more is not searched again: a line can be long.
        let mut searched = 0;
        loop {
            let rest = &self.text[self.place..];
            if let Some(further) = memchr::memchr2(b'\n', b'\r', &rest.as_bytes()[searched..]) {
                let length = searched + further;
                let line = rest[..length].to_owned();
                let is_return = rest.as_bytes()[length] == b'\r';
                self.place += length + 1;
                if is_return && self.peek()? == Some('\n') {
                    self.place += 1;
                }
                return Ok(Some(line));
            }
            if self.ended {
                let line = rest.to_owned();
                self.place = self.text.len();
                return Ok(Some(line));
            }
            self.limits.check_line(rest.len() as u64)?;
            searched = rest.len();
            self.fill()?;
        }
    }

    /// The limits of the run.
    pub(crate) fn limits(&self) -> FileLimits {
        self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &'static [u8], encoding: &str) -> Vec<String> {
        // One byte at a time, so that every border is met.
        struct Slow(&'static [u8]);
        impl Read for Slow {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                self.0.take(1).read(out).inspect(|count| self.0 = &self.0[*count..])
            }
        }
        let mut lines = Lines::new(Box::new(Slow(bytes)), encoding, FileLimits::default()).unwrap();
        std::iter::from_fn(|| lines.read_line().unwrap()).collect()
    }

    #[test]
    fn lines_end_in_all_three_ways() {
        assert_eq!(all(b"a\nb\r\nc\rd", ""), ["a", "b", "c", "d"]);
        assert_eq!(all(b"\n\r\n", ""), ["", ""]);
        assert_eq!(all(b"", ""), Vec::<String>::new());
    }

    #[test]
    fn text_is_decoded() {
        assert_eq!(all(b"\xEF\xBB\xBF\xC3\xA4\n", ""), ["ä"]);
        assert_eq!(all(b"\xE4\n", "ISO-8859-1"), ["ä"]);
        assert_eq!(all(b"\xE4\x00\n\x00", "UTF-16LE"), ["ä"]);
        assert_eq!(all(b"\x00\xE4\x00\n", "UTF-16"), ["ä"]);
        assert_eq!(all(b"\xFF\xFE\xE4\x00\n\x00", "utf-16"), ["ä"]);
        assert_eq!(all(b"\xFE\xFF\x00\xE4\x00\n", "UTF-16"), ["ä"]);
        assert_eq!(all(b"\xEF\xBB\xBF\x00\xE4\x00\n", "UTF-16"), ["ä"]);
        assert_eq!(all(b"\xEF\xBBa\n", ""), ["\u{fffd}a"]);
        assert_eq!(all(b"\xEF", ""), ["\u{fffd}"]);
        assert_eq!(all(b"\x80\n", "ISO-8859-1"), ["\u{80}"]);
        assert_eq!(all(b"a\xE4\n", "US-ASCII"), ["a\u{fffd}"]);
        assert!(Lines::new(Box::new(io::empty()), "no-such", FileLimits::default()).is_err());
    }
}
