//! Counts over the last seconds, without adding up all of them each second.

use crate::LabelStats;

/// The sum of the intervals within the last N milliseconds. It uses two stacks: intervals leave
/// from a stack in which each element is the sum of those above it. So a step costs two additions
/// on average, however long the window is.
#[derive(Clone, Debug)]
pub(super) struct SlidingWindow {
    length_ms: u64,
    /// Oldest on top; each with all younger ones of this stack added.
    leaving: Vec<Part>,
    /// Youngest on top.
    coming: Vec<Part>,
    /// All of `coming`.
    came: Part,
}

#[derive(Clone, Debug, Default)]
struct Part {
    stats: LabelStats,
    /// In a stack, of this part alone; in a sum, of all parts.
    length_ms: u64,
    /// In the sum, from this part on.
    total_ms: u64,
}

impl SlidingWindow {
    pub(super) fn new(length_ms: u64) -> Self {
        Self { length_ms, leaving: Vec::new(), coming: Vec::new(), came: Part::default() }
    }

    /// Adds the next interval; those that are not wholly needed for the length leave.
    pub(super) fn push(&mut self, stats: &LabelStats, length_ms: u64) {
        self.came.stats.merge(stats);
        self.came.total_ms += length_ms;
        self.coming.push(Part { stats: stats.clone(), length_ms, total_ms: length_ms });
        while self.oldest_ms().is_some_and(|oldest_ms| self.total_ms() - oldest_ms >= self.length_ms) {
            self.leaving.pop();
        }
    }

    /// Whether there is as much time in it as it is to hold.
    pub(super) fn is_full(&self) -> bool {
        self.total_ms() >= self.length_ms
    }

    /// Its counts, and its length in seconds.
    pub(super) fn total(&self) -> (LabelStats, f64) {
        let mut all = self.came.stats.clone();
        if let Some(part) = self.leaving.last() {
            all.merge(&part.stats);
        }
        (all, self.total_ms() as f64 / 1e3)
    }

    fn total_ms(&self) -> u64 {
        self.came.total_ms + self.leaving.last().map_or(0, |part| part.total_ms)
    }

    fn oldest_ms(&mut self) -> Option<u64> {
        if self.leaving.is_empty() {
            self.came = Part::default();
            let mut sum = Part::default();
            while let Some(part) = self.coming.pop() {
                sum.stats.merge(&part.stats);
                sum.total_ms += part.length_ms;
                self.leaving.push(Part { length_ms: part.length_ms, ..sum.clone() });
            }
        }
        self.leaving.last().map(|part| part.length_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_holds_the_same_as_adding_up_the_last_intervals(
            parts in proptest::collection::vec((1_u64..3000, 0_u64..20), 1..60),
            length_ms in 1_u64..10_000,
        ) {
            let mut window = SlidingWindow::new(length_ms);
            let mut kept: Vec<(u64, u64)> = Vec::new();
            for (ms, samples) in parts {
                let mut stats = LabelStats::default();
                (0..samples).for_each(|ns| stats.record(&Observation { elapsed_ns: ns, ..Observation::default() }));
                window.push(&stats, ms);
                kept.push((ms, samples));
                let sum = |kept: &[(u64, u64)]| kept.iter().map(|(ms, _)| ms).sum::<u64>();
                while sum(&kept[1..]) >= length_ms {
                    kept.remove(0);
                }
                let (total, seconds) = window.total();
                prop_assert_eq!(total.samples, kept.iter().map(|(_, samples)| samples).sum::<u64>());
                prop_assert_eq!((seconds * 1e3).round() as u64, sum(&kept));
                prop_assert_eq!(window.is_full(), sum(&kept) >= length_ms);
            }
        }
    }
}
