//! One run as its user sees it: begin, run, end.
//!
//! A [`Session`] puts observers around a [`swell_run::Trial`]: thresholds, exports, the live page,
//! reports, files for pipelines and the folder in which the run is kept. Each is an [`Observer`];
//! `docs/adding-an-observer.md` adds one. [`Session::run`] runs the trial and handles signals;
//! [`Session::start`] is for a caller that waits for the end itself, as studies of many trials do.
//! Nothing here reads arguments, catches signals or writes to a terminal.

mod about;
mod dispatch;
mod encryption;
mod ended;
mod exports;
mod kept_failures;
mod log_entry;
mod messages;
mod observer;
mod options;
mod page;
mod paths;
mod problem;
mod report;
mod requests;
pub mod runs;
mod session;
mod state;
mod stopping;
mod summary;
mod thresholds;
mod transactions;
mod watch;

pub use about::{MADE_BY, machine, name_of, of_properties as about_of_properties};
pub use ended::{Ended, Ending};
pub use kept_failures::{encoded, failures_address, kept_failures};
pub use messages::messages;
pub use observer::{Event, EventSink, Observer, RunHandle, Say, Second};
pub use options::{PrintLine, SessionOptions};
pub use page::{LiveOptions, StudyPage};
pub use paths::{Paths, cannot_write, check_report};
pub use problem::{Problem, ProblemKind};
pub use report::{ReportOptions, write_report, write_statistics};
pub use requests::{Command, Inbox, Requests};
pub use session::{Observed, RunOptions, Session, Subject};
pub use stopping::{Grace, Graces, Signal};
pub use summary::summary_json;
pub use swell_metrics::export::TrialIdentity;
pub use swell_page::{StudyProgress, TrialLoad, TrialResult};
pub use thresholds::{Github, ThresholdOptions, judge_kept, write_gitlab, write_junit};
pub use transactions::of_plan as transactions_of;
