//! Sums of samples for the line of a summariser.

use crate::LabelStats;

/// Counts of samples and their whole-millisecond times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of samples.
    pub samples: u64,
    /// Number of samples that failed.
    pub errors: u64,
    /// Sum of their times.
    pub sum_ms: u64,
    /// The smallest time; none if there is no sample.
    pub min_ms: Option<u64>,
    /// The largest.
    pub max_ms: Option<u64>,
}

impl Tally {
    /// Counts a sample.
    pub fn record(&mut self, elapsed_ms: u64, success: bool) {
        let errors = u64::from(!success);
        let one = Self {
            samples: 1,
            errors,
            sum_ms: elapsed_ms,
            min_ms: Some(elapsed_ms),
            max_ms: Some(elapsed_ms),
        };
        self.merge(&one);
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &Self) {
        self.samples += other.samples;
        self.errors += other.errors;
        self.sum_ms += other.sum_ms;
        self.min_ms = self.min_ms.into_iter().chain(other.min_ms).min();
        self.max_ms = self.max_ms.max(other.max_ms);
    }
}

impl From<&LabelStats> for Tally {
    fn from(stats: &LabelStats) -> Self {
        let some = |value| (stats.samples > 0).then_some(value);
        Self {
            samples: stats.samples,
            errors: stats.errors,
            sum_ms: stats.sum_ms,
            min_ms: some(stats.min_ms),
            max_ms: some(stats.max_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;

    #[test]
    fn samples_add_up_as_they_do_in_a_table() {
        let mut tally = Tally::default();
        let mut stats = LabelStats::default();
        assert_eq!(Tally::from(&stats), tally);
        for (elapsed_ms, success) in [(7, true), (3, false), (9, true)] {
            tally.record(elapsed_ms, success);
            stats.record(&Observation { success, elapsed_ms, ..Observation::default() });
        }
        assert_eq!(Tally::from(&stats), tally);
        let wanted = Tally { samples: 3, errors: 1, sum_ms: 19, min_ms: Some(3), max_ms: Some(9) };
        assert_eq!(tally, wanted);
        tally.merge(&Tally::default());
        assert_eq!(tally, wanted);
    }
}
