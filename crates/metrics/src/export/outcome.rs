//! The outcome of an export, for the end of a run.

use serde::Serialize;

/// The outcome of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// `prometheus`, `remote-write` or `otlp`.
    pub kind: &'static str,
    /// Where to, without a password.
    pub place: String,
    /// Requests that were taken, or that were answered where the other end asks.
    pub delivered: u64,
    /// Requests that were never taken.
    pub dropped: u64,
    /// Attempts that failed.
    pub failures: u64,
    /// Why the last of them did.
    pub last_failure: Option<String>,
}

impl Outcome {
    pub(super) fn new(kind: &'static str, place: String) -> Self {
        Self { kind, place, ..Self::default() }
    }
}
