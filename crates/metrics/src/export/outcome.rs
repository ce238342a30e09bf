//! The outcome of an export, for the end of a run.

use serde::Serialize;

/// The outcome of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExportOutcome {
    /// The kind of export, as the command line names it.
    pub kind: &'static str,
    /// Where to, without a password.
    pub place: String,
    /// Requests that were taken, or that were answered where the other end asks; datagrams that
    /// were sent without an error; seconds that were written.
    pub delivered: u64,
    /// Requests, datagrams or seconds that are lost, as far as this machine knows.
    pub dropped: u64,
    /// Attempts that failed.
    pub failures: u64,
    /// Why the last of them did.
    pub last_failure: Option<String>,
}

impl ExportOutcome {
    pub(super) fn new(kind: &'static str, place: String) -> Self {
        Self { kind, place, ..Self::default() }
    }

    /// What is counted: `requests`.
    pub fn unit(&self) -> &'static str {
        match self.kind {
            "datadog" | "statsd" => "datagrams",
            "csv" => "seconds",
            _ => "requests",
        }
    }
}
