//! Running assertions on a sample and folding what they say into its success (`JMeterThread.checkAssertions`).

use swell_expr::Context;

use crate::{Assertion, AssertionResult, SampleResult, Scope, Text};

/// Levels of sub-samples that an assertion goes down.
const DEEPEST: u32 = 4;

/// Runs an assertion on the samples in its scope: appends its results to each and folds failures into `success`.
/// A parent whose sub-samples failed fails with them.
pub fn run_assertion(assertion: &dyn Assertion, cx: &mut Context, sample: &mut SampleResult) {
    let scope = assertion.scope();
    if scope.has_parent() || scope == Scope::Variable {
        judge(assertion, cx, sample);
    }
    if scope.has_children() {
        judge_children(assertion, cx, sample, DEEPEST);
    }
}

fn judge(assertion: &dyn Assertion, cx: &mut Context, sample: &mut SampleResult) -> Text {
    let mut result = assertion.check(cx, sample);
    if let Some(thrown) = cx.thrown.take() {
        result = AssertionResult::thrown(thrown.to_string().into());
    }
    let name = result.name.clone();
    sample.success &= !(result.error || result.failure);
    sample.assertions.push(result);
    name
}

fn judge_children(assertion: &dyn Assertion, cx: &mut Context, parent: &mut SampleResult, levels: u32) {
    if levels == 0 {
        return;
    }
    let mut failed_by = None;
    for child in &mut parent.sub_results {
        let name = judge(assertion, cx, child);
        judge_children(assertion, cx, child, levels - 1);
        if !child.success {
            failed_by = Some(name);
        }
    }
    if let (Some(name), true) = (failed_by, parent.success) {
        parent.assertions.push(AssertionResult::failed(name, "One or more sub-samples failed".into()));
        parent.success = false;
    }
}

impl AssertionResult {
    /// The sample meets it.
    pub fn passed(name: Text) -> Self {
        Self { name, ..Self::default() }
    }

    /// The sample does not meet it (`AssertionResult.setResultForFailure`).
    pub fn failed(name: Text, message: Text) -> Self {
        Self { name, failure: true, message: Some(message), ..Self::default() }
    }

    /// There was nothing to judge (`AssertionResult.setResultForNull`).
    pub fn failed_for_null(name: Text) -> Self {
        Self::failed(name, "Response was null".into())
    }

    /// The assertion ended with an exception: JMeter gives the result a name of its own and the exception's text.
    pub fn thrown(exception: Text) -> Self {
        Self {
            name: "Assertion failed! See log file.".into(),
            error: true,
            message: Some(exception),
            ..Self::default()
        }
    }
}
