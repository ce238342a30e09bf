//! Runs assertions on a sample and combines their results with its success
//! (`JMeterThread.checkAssertions`).

use crate::{
    Assertion, AssertionResult, MAX_BYTES_TOTAL, Placement, SampleResult, Scope, StepProgress, Text,
    YieldBudget,
};
use swell_expr::Context;

/// Levels of sub-samples that an assertion goes down.
const DEEPEST: u32 = 4;

/// Runs an assertion on the samples in its scope: appends its results to each and folds failures
/// into `success`. A parent whose sub-samples failed fails with them.
pub fn run_assertion<'a>(
    assertion: &'a dyn Assertion,
    cx: &'a mut Context,
    sample: &'a mut SampleResult,
) -> StepProgress<'a> {
    let scope = assertion.scope();
    if scope.has_children() {
        let place = Placement::of(are_small(assertion, sample));
        return place.run(judge_all(assertion, place, cx, sample));
    }
    if !scope.has_parent() && scope != Scope::Variable {
        return StepProgress::Done(());
    }
    if assertion.is_small(sample) {
        sample.unread = false;
        let result = assertion.check(cx, sample).finish();
        fold(result, cx, sample);
        return StepProgress::Done(());
    }
    StepProgress::Pending(Box::pin(async move {
        judge(assertion, cx, sample).await;
    }))
}

/// How many variables the check of a small sample is worth.
const AS_VARIABLES: usize = 20;

/// Samples that are judged in one go at most.
const IN_ONE_GO: usize = 16;

/// Whether a sample and those below it are few and small.
fn are_small(assertion: &dyn Assertion, sample: &SampleResult) -> bool {
    let small = |child: &SampleResult| child.sub_results.is_empty() && assertion.is_small(child);
    assertion.is_small(sample) && sample.sub_results.len() < IN_ONE_GO && sample.sub_results.iter().all(small)
}

async fn judge_all(assertion: &dyn Assertion, place: Placement, cx: &mut Context, sample: &mut SampleResult) {
    let mut pace = YieldBudget::new(place);
    if assertion.scope().has_parent() {
        judge(assertion, cx, sample).await;
    }
    judge_children(assertion, &mut pace, cx, sample, DEEPEST).await;
}

/// The name of its result.
async fn judge(assertion: &dyn Assertion, cx: &mut Context, sample: &mut SampleResult) -> Text {
    sample.unread = false;
    let result = assertion.check(cx, sample).wait().await;
    fold(result, cx, sample)
}

fn fold(mut result: AssertionResult, cx: &mut Context, sample: &mut SampleResult) -> Text {
    if cx.is_suspended() {
        // It is judged once more.
        return result.name;
    }
    if let Some(thrown) = cx.thrown.take() {
        result = AssertionResult::thrown(thrown.to_string().into());
    }
    if sample.unread {
        let why = format!("not checked: all users together take too much memory (`{MAX_BYTES_TOTAL}`)");
        result = AssertionResult { error: true, ..AssertionResult::failed(result.name, why.into()) };
    }
    let name = result.name.clone();
    sample.success &= !(result.error || result.failure);
    sample.assertions.push(result);
    name
}

async fn judge_children(
    assertion: &dyn Assertion,
    pace: &mut YieldBudget,
    cx: &mut Context,
    parent: &mut SampleResult,
    levels: u32,
) {
    if levels == 0 {
        return;
    }
    let mut failed_by = None;
    for child in &mut parent.sub_results {
        let name = judge(assertion, cx, child).await;
        pace.steps(AS_VARIABLES).await;
        if !child.sub_results.is_empty() {
            Box::pin(judge_children(assertion, pace, cx, child, levels - 1)).await;
        }
        if !child.success {
            failed_by = Some(name);
        }
    }
    if let (Some(name), true) = (failed_by, parent.success) {
        parent.assertions.push(AssertionResult::failed(name, "One or more sub-samples failed".into()));
        parent.success = false;
    }
}
