//! Keeps the first failures of a trial, with the steps before them.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{SampleEvent, SampleResult};
use swell_debug::{Failure, KeptFailures, PlannedStep};
use swell_engine::Phase;
use swell_trace::{
    Action, Check, Content, ElementRef, Exchange, GroupPlan, KnownVariables, Outcome, RecentSample,
    RecentTimes, Role, Sample, Start, Step,
};

use crate::Trial;

/// Keeps failures of a worker.
pub(crate) struct FailureKeeper {
    kept: Arc<KeptFailures>,
    /// Labels and codes of which no more is wanted.
    full: RefCell<HashSet<(String, String)>>,
}

impl FailureKeeper {
    pub(crate) fn new(kept: Arc<KeptFailures>) -> Self {
        Self { kept, full: RefCell::default() }
    }

    /// Whether it reads bodies.
    pub(crate) fn needs_bodies(&self) -> bool {
        self.kept.keeps_bodies()
    }

    /// A sample, or a part of one, has ended.
    #[inline]
    pub(crate) fn take(&self, event: &SampleEvent<'_>) {
        let sample = event.sample;
        let is_group = sample.is_transaction || sample.is_parallel;
        let is_recorded = !is_group && Self::record(event);
        // A transaction fails with its parts, which are kept, or by its own assertions.
        let fails_itself = !is_group || sample.assertions.iter().any(|result| result.failure || result.error);
        if !sample.success && fails_itself {
            self.failed(event, is_recorded);
        }
    }

    /// Records a sample; false if its user is not recorded.
    #[inline]
    fn record(event: &SampleEvent<'_>) -> bool {
        let SampleEvent { sample, cx } = event;
        let Some(recent) = &cx.recent else { return false };
        let is_shared = Rc::strong_count(recent) > 1;
        let mut recent = recent.borrow_mut();
        if !recent.is_open(cx.iteration) {
            return false;
        }
        let recorded = RecentSample {
            label: &sample.label,
            code: &sample.code,
            message: &sample.message,
            times: times(sample),
            received_bytes: sample.bytes,
            sent_bytes: sample.sent_bytes,
            body: &sample.body,
            body_size: body_size(sample),
            success: sample.success,
        };
        recent.step(&recorded, is_shared, |start_ns| has_part(sample, start_ns));
        true
    }

    #[cold]
    fn failed(&self, event: &SampleEvent<'_>, is_recorded: bool) {
        let SampleEvent { sample, cx } = event;
        let cause = (sample.label.to_string(), sample.code.to_string());
        if self.full.borrow().contains(&cause) {
            return;
        }
        let (wants_whole, wants_alone) = self.kept.wants(&cause.0, &cause.1);
        if !wants_whole {
            self.full.borrow_mut().insert(cause);
            return;
        }
        let is_whole = cx.recent.is_some();
        if !(is_whole || wants_alone) {
            return;
        }
        let recorded = cx.recent.as_ref().map(|recent| recent.borrow().steps());
        let (mut steps, left_out) = recorded.unwrap_or_default();
        let last = if is_recorded { steps.pop() } else { None };
        let mut last = last.unwrap_or_else(|| Step {
            label: sample.label.to_string(),
            element: ElementRef { name: sample.label.to_string(), ..ElementRef::default() },
            outcome: Outcome::Failed,
            ..Step::default()
        });
        let exchanges = last.sample.take().map(|sample| sample.exchanges).unwrap_or_default();
        last.sample = Some(whole(sample, exchanges, self.kept.body_bytes()));
        last.actions = actions(sample);
        let mut known = KnownVariables::default();
        known.begin(cx.vars.entries().iter().map(|(name, value)| (&**name, &**value)));
        last.variables = known.entries();
        steps.push(last);
        self.kept.keep(Failure {
            user: cx.user.thread_name.to_string(),
            group: cx.user.group_name.to_string(),
            iteration: cx.iteration,
            steps,
            left_out,
            is_whole,
        });
    }
}

/// Tells what the trial runs.
pub(crate) fn begin(kept: &KeptFailures, trial: &Trial) {
    let groups = trial.prepared.group_elements().map(|(element, phase)| GroupPlan {
        element: ElementRef {
            class: element.class.clone(),
            name: element.name().to_owned(),
            path: element.path.clone(),
            line: element.line,
        },
        phase: match phase {
            Phase::SetUp => "set_up",
            Phase::Main => "main",
            Phase::TearDown => "tear_down",
        },
    });
    let start = Start {
        schema: swell_trace::SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        plan: trial.settings.plan_name.clone(),
        name: trial.prepared.root().element.name().to_owned(),
        groups: groups.collect(),
        ..Start::default()
    };
    let planned = trial.planned_samplers().into_iter().map(|planned| PlannedStep {
        element: planned.element,
        group: planned.group,
        controllers: planned.controllers,
    });
    kept.start(start, planned.collect());
}

fn has_part(sample: &SampleResult, start_ns: i64) -> bool {
    let is_part = |part: &SampleResult| {
        !part.is_response_part && (part.timing.start_ns == start_ns || has_part(part, start_ns))
    };
    sample.sub_results.iter().any(is_part)
}

fn times(sample: &SampleResult) -> RecentTimes {
    let timing = &sample.timing;
    RecentTimes {
        due_ns: timing.intended_ns,
        start_ns: timing.start_ns,
        connected_ns: timing.connected_ns,
        handshake_ns: timing.handshake_ns,
        first_byte_ns: timing.first_byte_ns,
        elapsed_ns: timing.elapsed_ns(),
    }
}

/// The sample with all that is known of it. A sample begins with the first of its parts, whose
/// request it is.
fn whole(result: &SampleResult, mut exchanges: Vec<Exchange>, most: usize) -> Sample {
    let mut children = Vec::new();
    for part in &result.sub_results {
        let start_ns = part.timing.start_ns;
        let own = exchanges.extract_if(.., |exchange| {
            !part.is_response_part && exchange.sample_start_ns == start_ns
                || has_part(part, exchange.sample_start_ns)
        });
        let own = own.collect();
        children.push(whole(part, own, most));
    }
    let url = result.url.as_ref().map(ToString::to_string);
    Sample {
        label: result.label.to_string(),
        code: result.code.to_string(),
        message: result.message.to_string(),
        success: result.success,
        url: url.or_else(|| exchanges.first().map(|exchange| exchange.url.clone())),
        timing: times(result).timing(),
        received_bytes: result.bytes,
        sent_bytes: result.sent_bytes,
        content_type: result.content_type.to_string(),
        charset: result.encoding.to_string(),
        response_headers: result.response_headers.clone(),
        sent: None,
        body: body(result, most),
        exchanges,
        children,
    }
}

/// The body, if a check or an option wants it: as text of UTF-8, if it is text of another charset.
fn body(result: &SampleResult, most: usize) -> Content {
    if std::str::from_utf8(&result.body).is_err() && !result.encoding.is_empty() {
        return Content::new(result.body_text().as_bytes(), most);
    }
    Content { bytes: result.body[..result.body.len().min(most)].to_vec(), size: body_size(result) }
}

/// Bytes of the body: on the wire, if it was not read.
fn body_size(result: &SampleResult) -> u64 {
    if result.body.is_empty() { result.body_size } else { result.body.len() as u64 }
}

/// What its assertions found.
fn actions(result: &SampleResult) -> Vec<Action> {
    let action = |found: &swell_api::AssertionResult| {
        let element = ElementRef { name: found.name.to_string(), ..ElementRef::default() };
        let message = found.message.as_ref().map(ToString::to_string);
        let passed = !(found.failure || found.error);
        let check = Check { passed, error: found.error, message, ..Check::default() };
        Action { checks: vec![check], ..Action::new(element, Role::Assertion) }
    };
    result.assertions.iter().map(action).collect()
}
