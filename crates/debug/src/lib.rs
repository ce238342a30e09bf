//! Shows what a traced plan did (`swell debug`).
//!
//! A [`Collector`] receives the events of a run ([`swell_trace`]), adds what can be said about them
//! (hints, similar paths of a body), and hands them to its outputs: [`JsonLines`]
//! and the [`Terminal`].

mod collector;
mod differ;
mod hints;
mod history;
mod json_lines;
mod kept_failures;
mod nearby;
mod never_ran;
mod page;
mod responses;
mod secrets;
mod terminal;

pub use collector::{Collector, CollectorSettings, Output};
pub use json_lines::JsonLines;
pub use kept_failures::{Failure, FailureLink, KeptFailures, links_of, packed};
pub use nearby::nearby;
pub use never_ran::PlannedStep;
pub use page::TracePage;
pub use responses::Responses;
pub use terminal::Terminal;
