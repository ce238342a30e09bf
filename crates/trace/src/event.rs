//! Events in the order in which they happen.

use serde::Serialize;

use crate::decision::Decision;
use crate::step::{Action, ElementRef, Hint, Sample, Step};

/// Version of the events.
pub const SCHEMA: &str = "swell.trace/1";

/// One line of `swell debug --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Line<'e> {
    /// Number of the line, from 1.
    pub seq: u64,
    /// Time, milliseconds since the epoch.
    pub at_ms: i64,
    /// The event.
    #[serde(flatten)]
    pub event: &'e Event,
}

/// An event.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The trace begins.
    Start(Start),
    /// A virtual user begins an iteration of its thread group.
    Iteration(Iteration),
    /// An element acted at the start of an iteration: a data set, a counter.
    Data(DataRead),
    /// A controller decided.
    Decision(Decision),
    /// A sampler and everything in its scope ran.
    Step(Box<Step>),
    /// A Transaction Controller gave its sample.
    Transaction(Box<Transaction>),
    /// A line was logged, or printed by a script, while no element of a step ran.
    Log(LogLine),
    /// A virtual user ended.
    UserEnd(UserEnd),
    /// The trace ends.
    End(End),
}

/// The trace begins.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Start {
    /// Version of the events: `swell.trace/1`.
    pub schema: &'static str,
    /// Version of Swell.
    pub version: String,
    /// The file of the plan.
    pub plan: String,
    /// Name of the Test Plan.
    pub name: String,
    /// How it is run.
    pub settings: Settings,
    /// Thread groups that run, in order.
    pub groups: Vec<GroupPlan>,
    /// Elements that cannot run here.
    pub not_run: Vec<NotRun>,
    /// The events are those of failures that a load run kept, each as an iteration of its user.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kept_failures: bool,
}

/// How the plan is run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Settings {
    /// Iterations of each thread group.
    pub iterations: u32,
    /// Whether the delays of timers are kept.
    pub keeps_timers: bool,
    /// The only thread group that runs, besides those of set-up and tear-down; null if all do.
    pub group: Option<String>,
    /// The run stops after the first sample with this label; null if it runs to its end.
    pub until: Option<String>,
    /// Secrets are shown.
    pub shows_secrets: bool,
}

/// A thread group.
#[derive(Clone, Debug, Serialize)]
pub struct GroupPlan {
    /// The element.
    pub element: ElementRef,
    /// `set_up`, `main` or `tear_down`.
    pub phase: &'static str,
}

/// An element that cannot run here.
#[derive(Clone, Debug, Serialize)]
pub struct NotRun {
    /// The element.
    pub element: ElementRef,
    /// Why.
    pub reason: String,
}

/// A virtual user begins an iteration of its thread group.
#[derive(Clone, Debug, Serialize)]
pub struct Iteration {
    /// Name of the virtual user.
    pub user: String,
    /// Name of its thread group.
    pub group: String,
    /// Number of the iteration, from 1.
    pub iteration: u64,
    /// Variables at its start, in order of their names.
    pub variables: Vec<(String, String)>,
}

/// An element acted at the start of an iteration.
#[derive(Clone, Debug, Serialize)]
pub struct DataRead {
    /// Name of the virtual user.
    pub user: String,
    /// Name of its thread group.
    pub group: String,
    /// What it did.
    pub action: Action,
}

/// A Transaction Controller gave its sample.
#[derive(Clone, Debug, Serialize)]
pub struct Transaction {
    /// Name of the virtual user.
    pub user: String,
    /// Name of its thread group.
    pub group: String,
    /// Numbers of its steps.
    pub steps: Vec<u32>,
    /// What its assertions found.
    pub actions: Vec<Action>,
    /// The sample, without the parts that were events before.
    pub sample: Sample,
}

/// A line that was logged, or printed by a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogLine {
    /// `error`, `warn`, `info`, `debug`, `trace`; `output` for what a script printed.
    pub level: &'static str,
    /// The text.
    pub text: String,
}

/// A virtual user ended.
#[derive(Clone, Debug, Serialize)]
pub struct UserEnd {
    /// Name of the virtual user.
    pub user: String,
    /// Name of its thread group.
    pub group: String,
    /// Iterations that it began.
    pub iterations: u64,
}

/// A sampler that never ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NeverRan {
    /// The sampler.
    pub element: ElementRef,
    /// The innermost controller above it that kept it from running; null if that is not known.
    pub controller: Option<ElementRef>,
    /// Why, in a sentence.
    pub reason: String,
}

/// Why a trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The plan ran to its end.
    Finished,
    /// The sample with the label of `--until` was there.
    Until,
    /// A signal.
    Interrupted,
    /// The plan stopped the test, or could not continue.
    Stopped,
}

/// The trace ends.
#[derive(Clone, Debug, Serialize)]
pub struct End {
    /// Why.
    pub reason: EndReason,
    /// Steps.
    pub steps: u32,
    /// Samples, one for each step that gave one.
    pub samples: u32,
    /// Failed samples.
    pub failed: u32,
    /// Samplers that never ran.
    pub never_ran: Vec<NeverRan>,
    /// Hints that belong to no step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// Bytes of bodies that were left out because the whole trace was too large.
    pub left_out_bytes: u64,
}
