//! From recorded exchanges to a plan as people write it.

mod noise;
mod steps;

use crate::model::Flow;
use crate::notes::Notes;
use crate::options::Options;

/// Makes flows of recordings.
pub(crate) fn finish(recordings: Vec<Flow>, options: &Options, notes: &mut Notes) -> Vec<Flow> {
    let mut all = Vec::new();
    for recording in recordings {
        let cleaned = noise::without(recording, options, notes);
        all.push(steps::with_steps(cleaned, options));
    }
    all
}
