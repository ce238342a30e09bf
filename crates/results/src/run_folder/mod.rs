//! The folder in which a run is recorded, so that it can be examined and compared later, even if it
//! was killed.
//!
//! | file | contents |
//! |---|---|
//! | `run.json` | the plan, the target and the program: [`Metadata`]; written before the first user |
//! | `plan.jmx` | the plan |
//! | `intervals` | the data of each interval, appended during the run: [`IntervalFile`] |
//! | `fine` | for a test on many machines: the third digit of the figures of the whole run; missing if the run was killed |
//! | `events.ndjson` | the journal, one [`JournalEvent`] per line |
//! | `failures.ndjson` | the first failures with the steps before them, appended during the run; `failures.html` shows them |
//! | `outcome.json` | how the run ended, and the verdict: [`Outcome`]; missing if the run was killed |
//! | `summary.json` | the figures, as `--json` prints them |
//!
//! A folder contains one run; `docs/guide/runs.md` describes the formats.

mod compaction;
mod events;
mod files;
pub mod hlog;
mod intervals;
mod metadata;
mod outcome;
mod reader;
mod recorder;

pub use events::{Journal, JournalEvent};
pub use intervals::{Intervals, RecordEnd};
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
/// The first failures with the steps before them, events as of `swell debug --json`; missing if
/// there were none.
pub(crate) const FAILURES: &str = "failures.ndjson";
/// The same as a page; missing if the run was killed.
pub const FAILURES_PAGE: &str = "failures.html";
/// The figures as `--json` prints them.
pub const SUMMARY: &str = "summary.json";
