//! Assertions on the figures of a sample: they read no body and are decided immediately.

use swell_api::{Assertion, AssertionResult, Needs, SampleResult, Scope, StepProgress};
use swell_expr::Context;

/// The judgement of such an assertion.
pub(super) trait FigureAssertion {
    /// Which samples it judges.
    fn scope(&self) -> Scope;
    /// The result for a sample.
    fn judge(&self, cx: &mut Context, sample: &SampleResult) -> AssertionResult;
}

/// Adapts such an assertion to the engine's contract.
pub(super) struct Figures<T>(pub(super) T);

impl<T: FigureAssertion> Assertion for Figures<T> {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn scope(&self) -> Scope {
        self.0.scope()
    }

    fn check<'a>(
        &'a self,
        cx: &'a mut Context,
        sample: &'a mut SampleResult,
    ) -> StepProgress<'a, AssertionResult> {
        StepProgress::Done(self.0.judge(cx, sample))
    }
}
