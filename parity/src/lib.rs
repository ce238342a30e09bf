//! The same plan through Apache JMeter 5.6.3 and through Swell, compared: requests received, their order and connections,
//! results files, variables.
//!
//! Each case of `cases/` is a plan. What JMeter makes of it is kept in `golden/`, so that Swell is judged on machines without
//! Java, too. Differences that are known and why are listed in `departures.txt`.

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

/// Whether a plan was refused since Java or JMeter's classes, which it needs, are not on this machine.
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
