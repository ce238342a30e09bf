//! A distribution of durations in constant memory: exact mean and deviation, quantiles to three
//! digits.

use hdrhistogram::Histogram;

use super::snapshot::Summary;

/// Significant decimal digits of the quantiles.
const DIGITS: u8 = 3;

/// Durations in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Distribution {
    histogram: Histogram<u64>,
    count: f64,
    mean: f64,
    /// Sum of squared differences from the mean (Welford 1962, merged as Chan et al. 1979).
    squares: f64,
}

impl Default for Distribution {
    fn default() -> Self {
        let histogram = Histogram::new(DIGITS).expect("three digits are allowed");
        Self { histogram, count: 0.0, mean: 0.0, squares: 0.0 }
    }
}

impl Distribution {
    /// Adds one duration; one below zero counts as zero.
    pub(crate) fn record(&mut self, ns: i64) {
        let ns = ns.max(0);
        self.histogram.record(ns as u64).expect("the histogram grows to any value");
        self.count += 1.0;
        let off = ns as f64 - self.mean;
        self.mean += off / self.count;
        self.squares += off * (ns as f64 - self.mean);
    }

    /// Adds all durations of another.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.count == 0.0 {
            return;
        }
        self.histogram.add(&other.histogram).expect("the histogram grows to any value");
        let count = self.count + other.count;
        let off = other.mean - self.mean;
        self.squares += other.squares + off * off * self.count * other.count / count;
        self.mean += off * other.count / count;
        self.count = count;
    }

    pub(crate) fn count(&self) -> u64 {
        self.histogram.len()
    }

    pub(crate) fn summary(&self) -> Summary {
        let quantile = |q| self.histogram.value_at_quantile(q);
        Summary {
            count: self.histogram.len(),
            mean_ns: self.mean,
            sd_ns: if self.count < 2.0 { 0.0 } else { (self.squares / (self.count - 1.0)).sqrt() },
            min_ns: self.histogram.min(),
            p50_ns: quantile(0.5),
            p90_ns: quantile(0.9),
            p95_ns: quantile(0.95),
            p99_ns: quantile(0.99),
            p999_ns: quantile(0.999),
            max_ns: self.histogram.max(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_is_the_same_as_recording_together() {
        let values = |from: i64| (from..from + 500).map(|n| 3_500_000_000 + n * n);
        let mut one = Distribution::default();
        let mut two = Distribution::default();
        let mut both = Distribution::default();
        values(0).for_each(|ns| one.record(ns));
        values(500).for_each(|ns| two.record(ns));
        values(0).chain(values(500)).for_each(|ns| both.record(ns));
        one.merge(&two);
        one.merge(&Distribution::default());
        let seen = one.summary();
        let wanted = both.summary();
        assert!((seen.mean_ns - wanted.mean_ns).abs() < 1e-3 && (seen.sd_ns - wanted.sd_ns).abs() < 1e-3);
        assert_eq!((seen.count, seen.p50_ns, seen.max_ns), (wanted.count, wanted.p50_ns, wanted.max_ns));
        // mean of n² for n = 0…999 is 332833.5
        assert!((wanted.mean_ns - 3_500_332_833.5).abs() < 1e-3, "{}", wanted.mean_ns);
        assert!((wanted.sd_ns - 298_011.75).abs() < 1.0, "{}", wanted.sd_ns);
    }

    #[test]
    fn nothing_recorded_is_all_zero() {
        let summary = Distribution::default().summary();
        assert_eq!((summary.count, summary.max_ns, summary.p99_ns), (0, 0, 0));
        assert_eq!((summary.mean_ns, summary.sd_ns), (0.0, 0.0));
    }
}
