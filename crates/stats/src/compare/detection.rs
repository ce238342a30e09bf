//! The smallest change that two runs can show, and the duration needed to show a given one.
//!
//! A difference `d` with standard deviation `s` is found at level `a` in 80 of 100 comparisons if
//! `d >= (t(a/2) + t(0.2)) s` (Cohen, *Statistical Power Analysis for the Behavioral Sciences*,
//! 1988). The variance of a figure falls with the length of its run.

use super::normal::student;
use super::{Blocks, FEWEST_BLOCKS, Measure};

/// A change of this size is found in all but this share of comparisons.
const MISSED: f64 = 0.2;

/// Blocks from which a length can be estimated, roughly below [`FEWEST_BLOCKS`].
const FEWEST_TO_ESTIMATE: usize = 3;

/// What each run needs to show a change as large as the equivalence band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequiredLength {
    /// Seconds, without a beginning that is left out.
    pub seconds: f64,
    /// Samples of the label.
    pub samples: f64,
}

/// Standard deviations of a figure in both runs, and the level at which differences are judged.
#[derive(Clone, Copy)]
pub(super) struct Noise {
    pub(super) before: f64,
    pub(super) after: f64,
    pub(super) freedom: usize,
    pub(super) level: f64,
}

impl Noise {
    pub(super) fn of_difference(self) -> f64 {
        self.before.hypot(self.after)
    }

    /// Multiples of the noise at which a difference is mostly found.
    fn multiple(self) -> f64 {
        // The series for Student's distribution is good from 9 on.
        let freedom = self.freedom.max(FEWEST_BLOCKS - 1);
        student(self.level / 2.0, freedom) + student(MISSED, freedom)
    }

    /// The smallest change that would mostly have been found: a ratio less 1, or a difference in
    /// percentage points.
    pub(super) fn smallest_change(self, measure: Measure) -> f64 {
        let difference = self.multiple() * self.of_difference();
        if measure.by_ratio() { difference.exp_m1() } else { difference }
    }

    /// What both runs need for a change of `band`: a ratio less 1, or a difference in percentage
    /// points.
    pub(super) fn needed(
        self,
        measure: Measure,
        band: f64,
        before: &Blocks,
        after: &Blocks,
    ) -> Option<RequiredLength> {
        let size = if measure.by_ratio() { band.ln_1p() } else { band };
        if size <= 0.0 || before.count().min(after.count()) < FEWEST_TO_ESTIMATE {
            return None;
        }
        let variance_s = self.before.powi(2) * before.all_s() + self.after.powi(2) * after.all_s();
        // This many blocks, and a partial one at the end, are required before anything is judged.
        let fewest_s = (FEWEST_BLOCKS + 1) as f64;
        let seconds = (variance_s * (self.multiple() / size).powi(2)).max(fewest_s);
        Some(in_samples(seconds, before, after))
    }
}

/// What both runs need so that a percentile has enough samples.
pub(super) fn needed_for_percentile(
    measure: Measure,
    before: &Blocks,
    after: &Blocks,
) -> Option<RequiredLength> {
    let quantile = measure.quantile()?;
    let per_s = rate(before).min(rate(after));
    (per_s > 0.0).then(|| {
        let samples = crate::least_samples(quantile);
        let fewest_s = (FEWEST_BLOCKS + 1) as f64;
        in_samples((samples / per_s).max(fewest_s), before, after)
    })
}

fn in_samples(seconds: f64, before: &Blocks, after: &Blocks) -> RequiredLength {
    RequiredLength { seconds, samples: (seconds * rate(before).max(rate(after))).ceil() }
}

fn rate(blocks: &Blocks) -> f64 {
    if blocks.all_s() > 0.0 { blocks.in_blocks() as f64 / blocks.all_s() } else { 0.0 }
}
