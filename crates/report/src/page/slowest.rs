//! The slowest samples of a run: of each label and interval the slowest, and of these the slowest
//! hundred.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use swell_stats::Interval;

const MOST: usize = 100;

/// A slow sample: its time in nanoseconds, the end of its interval in milliseconds since the epoch,
/// its label.
type SlowSample = (u64, i64, Arc<str>);

#[derive(Clone, Debug, Default)]
pub(super) struct Slowest(BinaryHeap<Reverse<SlowSample>>);

impl Slowest {
    pub(super) fn add(&mut self, interval: &Interval) {
        for row in interval.labels.rows.iter().filter(|row| !row.is_transaction && row.stats.samples > 0) {
            let max_ns = row.stats.max_ns;
            let is_slow = self.0.len() < MOST || self.0.peek().is_some_and(|Reverse(least)| least.0 < max_ns);
            if is_slow {
                self.0.push(Reverse((max_ns, interval.end_ms(), row.label.clone())));
            }
            if self.0.len() > MOST {
                self.0.pop();
            }
        }
    }

    /// The slowest first.
    pub(super) fn sorted(&self) -> Vec<&SlowSample> {
        let mut all: Vec<_> = self.0.iter().map(|Reverse(slow)| slow).collect();
        all.sort_by(|a, b| b.cmp(a));
        all
    }
}
