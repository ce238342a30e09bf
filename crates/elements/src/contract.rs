//! What the engine asks of assertions, post-processors and pre-processors.

use swell_expr::Context;

use crate::{AssertionResult, SampleResult};

/// Which parts of a response somebody reads. What nobody reads is counted, not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The response body (or its digest).
    pub body: bool,
    /// The response head as text.
    pub response_headers: bool,
    /// The request head and body as text.
    pub request: bool,
    /// URL, HTTP details, and whatever else a results file shows.
    pub details: bool,
}

impl Needs {
    /// Everything.
    pub const ALL: Self = Self { body: true, response_headers: true, request: true, details: true };

    /// What either needs.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            body: self.body || other.body,
            response_headers: self.response_headers || other.response_headers,
            request: self.request || other.request,
            details: self.details || other.details,
        }
    }
}

/// Judges a sample. It runs once for each sample in its scope (main, sub-samples or a variable: its own business).
pub trait Assertion {
    /// What it reads.
    fn needs(&self) -> Needs;
    /// Its results on a sample, to be appended to it; the engine folds failures into `success`. An assertion whose scope
    /// includes sub-samples appends to those by itself and returns what belongs to the main sample
    /// (`JMeterThread.recurseAssertionChecker`).
    fn check(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult;
}

/// Takes something out of a sample, mostly into variables.
pub trait PostProcessor {
    /// What it reads.
    fn needs(&self) -> Needs;
    /// Runs it.
    fn process(&self, cx: &mut Context, sample: &mut SampleResult);
}

/// Prepares a sample, mostly by setting variables.
pub trait PreProcessor {
    /// Runs it.
    fn process(&self, cx: &mut Context);
}
