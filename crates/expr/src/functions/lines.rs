//! Lines of a file as Java's `BufferedReader` reads them: `\n`, `\r` and `\r\n` end one.

use std::io::{self, BufRead, BufReader, Read};

use crate::file_limits::FileLimits;

pub(crate) struct Lines {
    reader: BufReader<Box<dyn Read + Send>>,
    /// A `\n` right after a `\r` belongs to it.
    after_return: bool,
    limits: FileLimits,
}

impl Lines {
    pub(crate) fn new(file: Box<dyn Read + Send>, limits: FileLimits) -> Self {
        Self { reader: BufReader::new(file), after_return: false, limits }
    }

    /// The next line without its end; none at the end of the file. Bytes that are not UTF-8 are an
    /// error, and so is a line beyond the limit.
    pub(crate) fn next(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let mut seen_any = false;
        loop {
            let bytes = self.reader.fill_buf()?;
            if bytes.is_empty() {
                return if seen_any { text(line).map(Some) } else { Ok(None) };
            }
            if std::mem::take(&mut self.after_return) && bytes[0] == b'\n' {
                self.reader.consume(1);
                continue;
            }
            seen_any = true;
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
            self.limits.check_line(line.len() as u64)?;
            let Some(end) = end else {
                let length = bytes.len();
                self.reader.consume(length);
                continue;
            };
            self.after_return = bytes[end] == b'\r';
            self.reader.consume(end + 1);
            return text(line).map(Some);
        }
    }
}

fn text(line: Vec<u8>) -> io::Result<String> {
    String::from_utf8(line).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "a line is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &'static [u8]) -> Vec<String> {
        let mut lines = Lines::new(Box::new(bytes), FileLimits::default());
        std::iter::from_fn(|| lines.next().expect("text")).collect()
    }

    #[test]
    fn a_line_without_an_end_is_an_error() {
        let mut lines =
            Lines::new(Box::new(io::repeat(b'x')), FileLimits { line_bytes: 9000, ..FileLimits::default() });
        let error = lines.next().expect_err("it has no end");
        assert!(error.to_string().contains("longer than 9000 bytes"), "{error}");
    }

    #[test]
    fn three_kinds_of_line_ends() {
        assert_eq!(all(b"a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
        assert_eq!(all(b"a\n\n\r\n\r\rb\n"), ["a", "", "", "", "", "b"]);
        assert!(all(b"").is_empty());
        assert!(Lines::new(Box::new(&b"\xff\n"[..]), FileLimits::default()).next().is_err());
    }
}
