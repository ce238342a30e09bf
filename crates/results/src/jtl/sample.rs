//! The rows of a results file, and the problems in it.

use std::{fmt, io};

/// Rows at fault that are named one by one.
pub(super) const MOST_NAMED: usize = 5;

/// The position of a row in the hierarchy of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// A sample or transaction by itself.
    #[default]
    Own,
    /// Inside a transaction, which JMeter reports for it.
    InTransaction,
    /// A part of a sample, such as a redirect. JMeter reports it as a separate sample.
    InSample,
    /// The whole of the branches of a Parallel Controller: a transaction, and JMeter reports it as
    /// a sample.
    Parallel,
    /// The same inside a transaction.
    ParallelInTransaction,
}

/// One row of a results file. Times are milliseconds; fields that the file lacks are `None` or
/// empty.
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
    /// Waits that are not part of the time.
    pub idle_ms: Option<u64>,
    /// Name of the thread.
    pub thread: &'a str,
    /// What JMeter makes of it.
    pub place: Place,
}

/// Whether it is the message of a transaction.
pub(super) fn is_transaction(message: &str) -> bool {
    message.starts_with("Number of samples in transaction")
}

impl JtlSample<'_> {
    /// End, in milliseconds since the epoch.
    pub fn end_ms(&self) -> i64 {
        self.start_ms.saturating_add_unsigned(self.elapsed_ms)
    }

    /// JMeter's report of the file has it.
    pub fn is_reported(&self) -> bool {
        !matches!(self.place, Place::InTransaction | Place::ParallelInTransaction)
    }

    /// Made by a Transaction Controller, as JMeter's report tells (`Sample.isController`).
    pub fn is_transaction(&self) -> bool {
        is_transaction(self.message)
    }

    /// A transaction without a sample, which JMeter's report leaves out
    /// (`Sample.isEmptyController`).
    pub fn is_empty_transaction(&self) -> bool {
        self.message.starts_with("Number of samples in transaction : 0")
    }
}

/// A row that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// Its line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: String,
}

/// Counts of what was found in a file.
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
    /// Samples inside transactions that have no row (`jmeter.save.saveservice.subresults`).
    pub hidden: u64,
    /// Pieces of the file that are gone ([`Pieces::missing`]).
    pub missing_pieces: u64,
    /// A compressed file ends too early, or is damaged, and what follows could not be read: why.
    pub damaged: Option<String>,
}

impl JtlCounts {
    pub(super) fn bad(&mut self, line: u64, why: impl Into<String>) {
        self.bad += 1;
        if self.first_bad.len() < MOST_NAMED {
            self.first_bad.push(BadRow { line, why: why.into() });
        }
    }
}

/// A file that cannot be read.
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
