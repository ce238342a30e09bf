//! Limits for the part of a file that is held in memory, in one place for all readers.
//!
//! A device such as `/dev/zero` has no end, and a file can be far larger than intended. A reader
//! holds at most one of these limits, and reports which one a file exceeds.

use std::io::{self, BufRead, Read};

/// A limit of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputLimit {
    /// Most bytes that are held at a time.
    pub bytes: u64,
    /// What is limited: `a file of threshold rules`.
    pub what: &'static str,
    /// What to do instead.
    pub hint: &'static str,
}

/// A tag with its attributes, or a text, of results in XML.
pub const XML_PIECE: InputLimit = InputLimit {
    bytes: 64 << 20,
    what: "a tag or a text of XML results",
    hint: "save results without response data, or as CSV",
};

/// A file of threshold rules.
pub const RULES: InputLimit = InputLimit {
    bytes: 4 << 20,
    what: "a file of threshold rules",
    hint: "use a file with one rule per line",
};

/// Points of a load shape (CSV, Prometheus).
pub const SHAPE: InputLimit =
    InputLimit { bytes: 64 << 20, what: "a load profile file", hint: "use a part of it" };

/// A line of an access log, which is read line by line.
pub const LOG_LINE: InputLimit = InputLimit {
    bytes: 1 << 20,
    what: "a line of an access log",
    hint: "use a log with one request per line",
};

/// Certificates and keys in PEM.
pub const PEM: InputLimit =
    InputLimit { bytes: 16 << 20, what: "a PEM file", hint: "use a file with certificates or a key" };

/// Threshold rules of a run, in all: each holds what it judges.
pub const MOST_RULES: usize = 10_000;

/// Labels of a results file that are counted at a time, over all seconds that are not complete yet.
pub const MOST_OPEN_LABELS: usize = 20_000;

impl InputLimit {
    /// The error of a source that exceeds it.
    pub fn exceeded(&self) -> io::Error {
        let Self { bytes, what, hint } = self;
        let (size, unit) = if *bytes >= 1 << 20 { (bytes >> 20, "MiB") } else { (bytes >> 10, "KiB") };
        io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("{what} is larger than {size} {unit}, the limit in memory: {hint}"),
        )
    }

    /// Reads a source to its end.
    ///
    /// # Errors
    /// It exceeds the limit, or cannot be read.
    pub fn read_whole(&self, source: impl Read) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        source.take(self.bytes + 1).read_to_end(&mut content)?;
        if content.len() as u64 > self.bytes { Err(self.exceeded()) } else { Ok(content) }
    }

    /// Reads the next line without its end into `line`; false at the end of the source.
    ///
    /// # Errors
    /// The line exceeds the limit, or the source cannot be read.
    pub fn read_line(&self, source: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        let read = Read::take(&mut *source, self.bytes + 1).read_until(b'\n', line)?;
        if read as u64 > self.bytes {
            return Err(self.exceeded());
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok(read > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: InputLimit = InputLimit { bytes: 4 << 10, what: "a test", hint: "make it smaller" };

    #[test]
    fn a_source_without_an_end_is_refused_at_the_limit() {
        assert_eq!(SMALL.read_whole(&b"12345"[..]).expect("it fits"), b"12345");
        let error = SMALL.read_whole(io::repeat(0)).expect_err("it has no end");
        assert_eq!(error.to_string(), "a test is larger than 4 KiB, the limit in memory: make it smaller");
        let mut line = Vec::new();
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        assert_eq!(
            SMALL.read_line(&mut endless, &mut line).expect_err("it has no end").kind(),
            io::ErrorKind::FileTooLarge
        );
        let mut source = &b"one\n\ntwo"[..];
        let mut lines = Vec::new();
        while SMALL.read_line(&mut source, &mut line).expect("readable") {
            lines.push(String::from_utf8_lossy(&line).into_owned());
        }
        assert_eq!(lines, ["one", "", "two"]);
    }
}
