//! Contracts of assertions, post-processors and pre-processors with the engine.

use swell_expr::Context;

use crate::{AssertionResult, SampleResult, Scope, StepProgress, User};

/// The parts of a response that are needed. Other parts are counted but not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent parts of a response")]
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

/// Judges samples. Its [`Scope`] determines which samples; the engine walks them, as
/// `JMeterThread.checkAssertions` does.
pub trait Assertion {
    /// What it reads.
    fn needs(&self) -> Needs;
    /// Which samples it judges; the main sample only, where JMeter's class knows no scope.
    fn scope(&self) -> Scope {
        Scope::Parent
    }
    /// Whether its check of this sample is done at once.
    fn is_small(&self, _sample: &SampleResult) -> bool {
        true
    }
    /// Its result on one sample. It may change the sample itself (Ignore Status sets `success`),
    /// but it appends nothing: that is done by the engine.
    fn check<'a>(
        &'a self,
        cx: &'a mut Context,
        sample: &'a mut SampleResult,
    ) -> StepProgress<'a, AssertionResult>;
}

/// Extracts data from a sample, usually into variables.
pub trait PostProcessor {
    /// What it reads.
    fn needs(&self) -> Needs;
    /// Runs it.
    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepProgress<'a>;
}

/// Prepares a sample, usually by setting variables.
pub trait PreProcessor {
    /// Runs it.
    fn process(&self, cx: &mut Context);
}

/// Acts at the start of each iteration of the controller that contains it
/// (`LoopIterationListener`): counters, random variables, user parameters once per iteration, data
/// sets.
pub trait IterationElement {
    /// An iteration starts for this user.
    fn iteration_start(&self, cx: &mut Context);
    /// Has the element hear of the iterations in [`Context::unheard`], where it runs elsewhere. It
    /// takes those of all elements there.
    fn hear<'a>(&'a self, _user: &'a mut User) -> StepProgress<'a> {
        StepProgress::Done(())
    }
}
