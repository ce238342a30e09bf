//! A search for the load that a server bears, and for whose limit that is.
//!
//! Trials at steps of the load, each judged by rules ([`Slo`]); [`swell_stats::capacity`] says where to try next and when to stop.

mod found;
mod judge;
mod load;
mod overload;
mod page;
mod runner;
mod slo;
mod text;
mod trial;

pub use found::{Answer, Found, Law, Row, Stopped};
pub use load::{Scaled, Spacing, Vary, with_rate};
pub use page::html;
pub use runner::{Driver, Restart, SearchOptions, run};
pub use slo::Slo;
pub use text::text;

/// The trials of a search, with their reasons.
pub(crate) fn trials(found: &Found) -> crate::table::Table {
    text::table(found, true)
}
