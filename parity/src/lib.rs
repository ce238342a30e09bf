//! Compares Apache JMeter 5.6.3 and Swell on the same plan: requests received, their order and
//! connections, results files, variables.
//!
//! Each case in `cases/` is a plan. JMeter's output is recorded in `golden/`, so that Swell can
//! also be checked on machines without Java. `departures.txt` lists known differences and their
//! reasons.

mod capture;
pub mod case;
mod departures;
mod diff;
pub mod fuzz;
pub mod golden;
mod judge;
pub mod plans;
mod recorder;
mod rewrite;
mod runner;
pub mod scripts;

pub use capture::Observation;
pub use departures::Departures;
pub use diff::diff;
pub use judge::{Outcome, Subject, Verdict, each, judge};
pub use rewrite::{Rewritten, rewrite};
pub use runner::{JMeter, Swell, Tool};

use std::path::PathBuf;

/// Whether a plan was refused because it needs Java or JMeter's classes, which are missing here.
pub fn lacks_java(said: &str) -> bool {
    let needs = ["needs Java and JMeter's classes", "needs a script engine, which is not available"];
    needs.iter().any(|needs| said.contains(needs))
        && (said.contains("Java was not found")
            || said.contains("no Java in")
            || said.contains("JMeter's classes were not found"))
}

/// The folder of this crate, with `cases`, `golden` and `departures.txt`.
pub fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
