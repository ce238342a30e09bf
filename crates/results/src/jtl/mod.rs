//! Reads results files (JTL) of any writer: CSV with any columns in any order, any of the usual delimiters, with or without a
//! header, and XML. One pass, memory that does not grow with the file; rows that are none are counted and named by their lines.

mod bytes;
mod columns;
mod csv;
mod intervals;
mod pieces;
mod quoted;
mod time;
mod xml;

use std::fmt;
use std::io::{self, Read};
use std::path::Path;

pub use intervals::{IntervalOptions, read_intervals};
pub use pieces::{Pieces, read_pieces};

/// Rows at fault that are named one by one.
const MOST_NAMED: usize = 5;

/// One row of a results file. Times are milliseconds; what the file does not say is none or empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JtlSample<'a> {
    /// Start, since the epoch.
    pub start_ms: i64,
    /// How long it took.
    pub elapsed_ms: u64,
    /// Label.
    pub label: &'a str,
    /// Response code.
    pub code: &'a str,
    /// Response message.
    pub message: &'a str,
    /// What a failed assertion said.
    pub failure: &'a str,
    /// Good or not.
    pub success: bool,
    /// Bytes received.
    pub bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Users that ran.
    pub users: Option<u64>,
    /// Start to first byte; 0 where there was none.
    pub latency_ms: u64,
    /// Start to connection; 0 where none was made.
    pub connect_ms: u64,
}

impl JtlSample<'_> {
    /// Made by a Transaction Controller, as JMeter's report tells (`Sample.isController`).
    pub fn is_transaction(&self) -> bool {
        self.message.starts_with("Number of samples in transaction")
    }

    /// A transaction without a sample, which JMeter's report leaves out (`Sample.isEmptyController`).
    pub fn is_empty_transaction(&self) -> bool {
        self.message.starts_with("Number of samples in transaction : 0")
    }
}

/// A row that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// Its line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: String,
}

/// What was found in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JtlCounts {
    /// Samples that were read.
    pub samples: u64,
    /// Rows that could not be read.
    pub bad: u64,
    /// The first of them.
    pub first_bad: Vec<BadRow>,
    /// The file says how many users there were.
    pub has_users: bool,
    /// Pieces of the file that are gone ([`Pieces::missing`]).
    pub missing_pieces: u64,
    /// A compressed file ends too early, or is damaged, and what follows could not be read: why.
    pub damaged: Option<String>,
}

impl JtlCounts {
    fn bad(&mut self, line: u64, why: impl Into<String>) {
        self.bad += 1;
        if self.first_bad.len() < MOST_NAMED {
            self.first_bad.push(BadRow { line, why: why.into() });
        }
    }
}

/// A file that cannot be read at all.
#[derive(Debug)]
pub enum JtlError {
    /// The system refused.
    Io(io::Error),
    /// There is not one row in it that is a sample.
    NotJtl(String),
}

impl fmt::Display for JtlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotJtl(why) => write!(f, "this is no results file: {why}"),
        }
    }
}

impl std::error::Error for JtlError {}

impl From<io::Error> for JtlError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads all samples of a file and hands each to `take`, in their order. In XML only the outermost samples are rows.
///
/// # Errors
/// The file cannot be read, or holds something else than results. An empty file, or one with a header alone, is no error.
pub fn read_samples(source: impl Read, take: impl FnMut(&JtlSample<'_>)) -> Result<JtlCounts, JtlError> {
    let mut input = bytes::Input::new(source);
    while first_byte(input.unread()).is_none() && input.more()? {}
    if input.unread().starts_with(b"\xff\xfe") || input.unread().starts_with(b"\xfe\xff") {
        return Err(JtlError::NotJtl("it is text in UTF-16, and UTF-8 is wanted".to_owned()));
    }
    let is_xml = first_byte(input.unread()) == Some(b'<');
    let counts = if is_xml { xml::read(input, take)? } else { csv::read(&mut input, take)? };
    match counts.first_bad.first() {
        Some(first) if counts.samples == 0 => {
            Err(JtlError::NotJtl(format!("not one row is a sample; line {}: {}", first.line, first.why)))
        }
        _ => Ok(counts),
    }
}

/// The first byte that is no white space.
fn first_byte(bytes: &[u8]) -> Option<u8> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.trim_ascii_start().first().copied()
}

/// As [`read_samples`] from a file, which may be compressed (gzip).
///
/// # Errors
/// As there.
pub fn read_file(path: &Path, take: impl FnMut(&JtlSample<'_>)) -> Result<JtlCounts, JtlError> {
    pieces::read_one(path, take)
}

#[cfg(test)]
mod tests;
