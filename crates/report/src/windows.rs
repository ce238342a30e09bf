//! Percentiles as JMeter's report has them: of the last 20,000 samples of a label, interpolated
//! (`PercentileAggregator`, and `Percentile` of commons-math with `LEGACY`).

use std::collections::HashMap;

/// `jmeter.reportgenerator.statistic_window`.
const WINDOW: usize = 20_000;

/// Labels that have a window, 80 KB each at most.
const MOST_LABELS: usize = 2000;

/// The percentiles of `statistics.json`: the median, and `aggregate_rpt_pct1` to `3`.
pub const PERCENTILES: [f64; 4] = [50.0, 90.0, 95.0, 99.0];

/// The last samples of each label, and of all.
#[derive(Clone, Debug, Default)]
pub struct Windows {
    total: Window,
    labels: HashMap<Box<str>, Window>,
}

#[derive(Clone, Debug, Default)]
struct Window {
    times_ms: Vec<u32>,
    next: usize,
}

impl Windows {
    /// Adds a sample. Transactions are no part of all samples.
    pub fn add(&mut self, label: &str, is_transaction: bool, elapsed_ms: u64) {
        let elapsed_ms = u32::try_from(elapsed_ms).unwrap_or(u32::MAX);
        if !is_transaction {
            self.total.add(elapsed_ms);
        }
        if let Some(window) = self.labels.get_mut(label) {
            window.add(elapsed_ms);
        } else if self.labels.len() < MOST_LABELS {
            self.labels.entry(label.into()).or_default().add(elapsed_ms);
        }
    }

    /// [`PERCENTILES`] of all samples in milliseconds; none if there is no sample.
    pub fn total(&self) -> Option<[f64; PERCENTILES.len()]> {
        self.total.percentiles()
    }

    /// [`PERCENTILES`] of a label in milliseconds; none if there is no sample of it, or too many
    /// labels came before.
    pub fn label(&self, label: &str) -> Option<[f64; PERCENTILES.len()]> {
        self.labels.get(label)?.percentiles()
    }
}

impl Window {
    fn add(&mut self, elapsed_ms: u32) {
        if self.times_ms.len() < WINDOW {
            self.times_ms.push(elapsed_ms);
        } else {
            self.times_ms[self.next] = elapsed_ms;
            self.next = (self.next + 1) % WINDOW;
        }
    }

    fn percentiles(&self) -> Option<[f64; PERCENTILES.len()]> {
        let mut sorted = self.times_ms.clone();
        sorted.sort_unstable();
        (!sorted.is_empty()).then(|| PERCENTILES.map(|percentile| legacy(&sorted, percentile)))
    }
}

/// `EstimationType.LEGACY`: at the place `p (n + 1) / 100`, between its neighbours.
fn legacy(sorted: &[u32], percentile: f64) -> f64 {
    let n = sorted.len();
    let place = percentile * (n + 1) as f64 / 100.0;
    let at = |rank: usize| f64::from(sorted[rank.clamp(1, n) - 1]);
    if place < 1.0 {
        return at(1);
    }
    if place >= n as f64 {
        return at(n);
    }
    let below = place.floor();
    at(below as usize) + (place - below) * (at(below as usize + 1) - at(below as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_between_samples_are_interpolated() {
        assert!((legacy(&[1, 2, 3, 4], 50.0) - 2.5).abs() < 1e-9);
        assert!((legacy(&[10, 20], 90.0) - 20.0).abs() < 1e-9);
        assert!((legacy(&[7], 50.0) - 7.0).abs() < 1e-9);
        assert!((legacy(&(1..=100).collect::<Vec<_>>(), 99.0) - 99.99).abs() < 1e-9);
    }

    #[test]
    fn only_the_last_samples_of_a_label_count() {
        let mut windows = Windows::default();
        (0..WINDOW).for_each(|_| windows.add("a", false, 1000));
        assert_eq!(windows.label("a").map(|found| found[3]), Some(1000.0));
        (0..WINDOW).for_each(|_| windows.add("a", false, 1));
        assert_eq!(windows.label("a"), Some([1.0; 4]));
        windows.add("t", true, 9);
        assert_eq!(
            (windows.total(), windows.label("t"), windows.label("x")),
            (Some([1.0; 4]), Some([9.0; 4]), None)
        );
    }
}
