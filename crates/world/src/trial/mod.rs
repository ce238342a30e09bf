//! Whole trials in a world: a plan as JMeter's text, run by the engine's users against the site.
//!
//! The coordinator and each worker of the engine are processes of the world, the program's code
//! unchanged. Rows go through the results writer, counts through the statistics. What must hold is
//! worked out from the options alone ([`options`]).

mod check;
mod drawn;
mod expect;
pub mod options;
mod plan;
mod records;
mod run;
mod samples;
mod times;

pub use options::TrialOptions;
pub use run::{TrialResult, run};
