//! Pre-processors, post-processors and assertions that report, and the bounds of a step.

use swell_api::{AssertionResult, Needs, SampleResult, Step, StepProgress, User, run_assertion};
use swell_trace::{Check as CheckNote, ElementRef, Role, Written};

use super::action;
use super::sample;
use crate::program::{After, Before, Check};

/// A step of a package.
pub(crate) enum Traced {
    Before(Before),
    After(After),
    Check(Check),
}

/// A step that reports what it did.
pub(crate) struct TracedStep {
    pub(crate) step: Traced,
    pub(crate) role: Role,
    pub(crate) element: ElementRef,
}

impl TracedStep {
    async fn work(&self, user: &mut User, sample: Option<&mut SampleResult>) {
        match (&self.step, sample) {
            (Traced::Before(Before::Native(step)), _) => step.process(&mut user.cx),
            (Traced::Before(Before::Foreign(step)), sample) => step.run(user, sample).wait().await,
            (Traced::After(After::Native(step)), Some(sample)) => {
                step.process(&mut user.cx, sample).wait().await;
            }
            (Traced::Check(Check::Native(check)), Some(sample)) => {
                run_assertion(&**check, &mut user.cx, sample).wait().await;
            }
            (Traced::After(After::Foreign(step)) | Traced::Check(Check::Foreign(step)), sample) => {
                step.run(user, sample).wait().await;
            }
            (Traced::After(After::Native(_)) | Traced::Check(Check::Native(_)), None) => {}
        }
    }
}

impl Step for TracedStep {
    fn needs(&self) -> Needs {
        match &self.step {
            Traced::Before(Before::Foreign(step)) => step.needs(),
            Traced::Before(Before::Native(_)) => Needs::default(),
            Traced::After(step) => step.needs(),
            Traced::Check(check) => check.needs(),
        }
    }

    fn reads_previous(&self) -> bool {
        match &self.step {
            Traced::Before(Before::Foreign(step))
            | Traced::After(After::Foreign(step))
            | Traced::Check(Check::Foreign(step)) => step.reads_previous(),
            _ => false,
        }
    }

    fn reads_request(&self) -> bool {
        match &self.step {
            Traced::Before(step) => step.reads_request(),
            Traced::After(step) => step.reads_request(),
            Traced::Check(check) => check.reads_request(),
        }
    }

    fn run<'a>(&'a self, user: &'a mut User, mut sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        StepProgress::Pending(Box::pin(async move {
            let judged = sample.as_deref().map_or(0, |sample| sample.assertions.len());
            let before = action::begin(&mut user.cx, &self.element, self.role);
            self.work(user, sample.as_deref_mut()).await;
            if let (Traced::Check(_), Some(sample)) = (&self.step, sample.as_deref()) {
                note_results(user, sample.assertions.get(judged..).unwrap_or_default());
            }
            action::end(&mut user.cx, &before);
        }))
    }
}

/// Adds the results of an assertion to what it compared.
fn note_results(user: &mut User, results: &[AssertionResult]) {
    let Some(checks) = user.cx.trace.as_mut().and_then(|trace| trace.checks()) else { return };
    let failed = |result: &&AssertionResult| result.failure || result.error;
    if let Some(result) = results.iter().find(failed) {
        let message = result.message.as_ref().map(ToString::to_string);
        match checks.iter_mut().find(|check| !check.passed) {
            Some(check) => (check.message, check.error) = (message, result.error),
            None => checks.push(CheckNote { error: result.error, message, ..CheckNote::default() }),
        }
    } else if checks.is_empty() && !results.is_empty() {
        checks.push(CheckNote { passed: true, ..CheckNote::default() });
    }
}

/// The first step of a package: the step of the trace begins.
pub(crate) struct BeginStep {
    pub(crate) element: ElementRef,
    pub(crate) controllers: Vec<String>,
    pub(crate) written: Vec<Written>,
}

impl Step for BeginStep {
    fn reads_previous(&self) -> bool {
        false
    }

    fn run<'a>(&'a self, user: &'a mut User, _sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        if let Some(trace) = &mut user.cx.trace {
            trace.begin_step(&self.element, &self.controllers, &self.written);
        }
        StepProgress::Done(())
    }
}

/// The last listener of a package: the step of the trace ends with its sample. Transactions are
/// reported by it, too.
pub(crate) struct EndStep;

impl Step for EndStep {
    fn needs(&self) -> Needs {
        Needs::ALL
    }

    fn reads_previous(&self) -> bool {
        false
    }

    fn run<'a>(&'a self, user: &'a mut User, sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        if let (Some(trace), Some(result)) = (&mut user.cx.trace, sample) {
            if result.is_transaction {
                // Its parts were reported before.
                let whole = sample::plain(result, trace.body_bytes());
                trace.transaction(whole);
            } else {
                let whole = sample::of(result, trace);
                trace.sample(whole);
                trace.finish_step();
            }
        }
        StepProgress::Done(())
    }
}
