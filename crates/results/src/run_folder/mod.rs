//! What a run leaves in its own folder, so that it can be looked at and compared later, even if it
//! was killed.
//!
//! | file | is |
//! |---|---|
//! | `run.json` | what was run against what, by which program: [`Metadata`]; written before the first user |
//! | `plan.jmx` | the plan as it was |
//! | `intervals` | what happened in each interval, appended as it happens: [`IntervalFile`] |
//! | `fine` | of a test on many machines: what gives the figures of the whole run their third digit; missing where the run was killed |
//! | `events.ndjson` | the journal, one [`Event`] a line |
//! | `outcome.json` | how it ended and how good the tool was: [`Outcome`]; missing where the run was killed |
//! | `summary.json` | the figures, as `--json` prints them |
//!
//! A folder is one run; the forms are described in `docs/guide/runs.md`.

mod compaction;
mod events;
mod files;
pub mod hlog;
mod intervals;
mod metadata;
mod outcome;
mod reader;
mod recorder;

pub use events::{Event, Journal};
pub use intervals::{End, Intervals};
pub use metadata::{MachineFacts, Metadata, PlanFacts};
pub use outcome::{Outcome, ThresholdResult};
pub use reader::{ReadError, RunFolder};
pub use recorder::{CreateError, Recorder};

/// Names of the files.
pub(crate) const METADATA: &str = "run.json";
pub(crate) const PLAN: &str = "plan.jmx";
pub(crate) const INTERVALS: &str = "intervals";
pub(crate) const FINE: &str = "fine";
pub(crate) const EVENTS: &str = "events.ndjson";
pub(crate) const OUTCOME: &str = "outcome.json";
/// The figures as `--json` prints them.
pub const SUMMARY: &str = "summary.json";
