//! Worlds of the verdict: figures at their documented limits, evidence of drawn samples, and twins,
//! the same world with and without what goes wrong.

mod evidence;
mod figures;
mod options;
mod twins;

pub use options::VerdictOptions;

use crate::world::caught;

/// Judges a world and checks the judgement. A panic is one of the things that do not hold.
pub fn run(options: &VerdictOptions) -> Vec<String> {
    let judged = caught(|| match options {
        VerdictOptions::Figures { values, .. } => figures::check(values),
        VerdictOptions::Evidence { seed } => options::of_evidence(*seed),
        VerdictOptions::Twins(load) => twins::check(load),
    });
    judged.unwrap_or_else(Some).into_iter().collect()
}
