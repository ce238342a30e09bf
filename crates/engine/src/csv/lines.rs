//! Characters and lines of a file, decoded as they are read.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE};

const READ: usize = 16 * 1024;

/// A file read as text, a piece at a time.
pub(crate) struct Lines {
    source: Box<dyn Read + Send>,
    decoder: Decoder,
    text: String,
    place: usize,
    ended: bool,
}

impl Lines {
    /// Reads from the start. No encoding means UTF-8. A UTF-8 byte order mark is dropped.
    pub(crate) fn new(source: Box<dyn Read + Send>, encoding: &str) -> Result<Self, String> {
        let encoding = encoding.trim();
        let decoder = match encoding {
            "" => UTF_8.new_decoder_with_bom_removal(),
            // Java goes by the mark; without one the high byte comes first.
            named if named.eq_ignore_ascii_case("UTF-16") => UTF_16BE.new_decoder(),
            named => Encoding::for_label(named.as_bytes())
                .ok_or_else(|| format!("the encoding `{named}` is not known"))?
                .new_decoder_with_bom_removal(),
        };
        Ok(Self { source, decoder, text: String::new(), place: 0, ended: false })
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
        let mut rest = &bytes[..count];
        loop {
            let room = self.decoder.max_utf8_buffer_length(rest.len()).unwrap_or(READ);
            self.text.reserve(room);
            let (result, used, _) = self.decoder.decode_to_string(rest, &mut self.text, self.ended);
            rest = &rest[used..];
            if result == CoderResult::InputEmpty {
                return Ok(());
            }
        }
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
        loop {
            let rest = &self.text[self.place..];
            if let Some(length) = rest.find(['\n', '\r']) {
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
            self.fill()?;
        }
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
        let mut lines = Lines::new(Box::new(Slow(bytes)), encoding).unwrap();
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
        assert!(Lines::new(Box::new(io::empty()), "no-such").is_err());
    }
}
