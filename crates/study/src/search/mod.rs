//! A search for a server's breaking point and what causes it.
//!
//! Trials at steps of the load, each judged by rules ([`Slo`]); [`swell_stats::capacity`] says
//! where to try next and when to stop.

mod judge;
mod load;
mod overload;
mod page;
mod report;
mod runner;
#[cfg(test)]
mod simulated;
mod slo;
mod state;
mod text;
mod trial;

pub use load::{LoadSetting, Spacing, Vary, with_rate};
pub use page::html;
pub use report::{Law, Row, SearchAnswer, SearchReport, StopReason};
pub use runner::run;
pub use slo::Slo;
pub use state::{Driver, Restart, SearchOptions};
pub use text::text;

/// The trials of a search, with their reasons.
pub(crate) fn trials(found: &SearchReport) -> crate::table::Table {
    text::table(found, true)
}
