//! A distribution of times in the forms that other systems need: buckets that grow by a constant
//! factor, and a few buckets with round bounds.

use swell_stats::Histogram;

/// Buckets an octave, as a power of two: schema of Prometheus' native histograms, scale of
/// OpenTelemetry's. A bucket is 4.4 % wide.
pub(super) const SCHEMA: i32 = 4;
/// Values up to this are zero.
pub(super) const ZERO_THRESHOLD_S: f64 = 1e-9;
/// Upper borders of the classic buckets in seconds; the last one has none.
pub(super) const BORDERS_S: [f64; 16] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

/// Times counted since the start of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Durations {
    pub(super) count: u64,
    pub(super) sum_s: f64,
    pub(super) zeros: u64,
    /// Number of the first of `buckets`: bucket `n` has the values above `2^((n-1)/16)` seconds up
    /// to `2^(n/16)`.
    pub(super) first: i32,
    pub(super) buckets: Vec<u64>,
    /// Values in each classic bucket, and beyond the last.
    pub(super) classic: [u64; BORDERS_S.len() + 1],
}

impl Durations {
    /// Adds times in nanoseconds. Each counts as the middle of its bucket, which is at most 0.05 %
    /// off, or 0.4 % for the tool's own delays. `sum_ns`: their exact sum, where it is known.
    pub(super) fn add(&mut self, times: &Histogram, sum_ns: Option<u128>) {
        let mut sum_s = 0.0;
        for (low_ns, high_ns, times) in times.iter() {
            let middle_ns = low_ns + (high_ns - low_ns) / 2;
            let middle_s = middle_ns as f64 / 1e9;
            sum_s += middle_s * times as f64;
            self.count += times;
            let place = BORDERS_S.partition_point(|border| *border < middle_s);
            self.classic[place] += times;
            if middle_ns <= 1 {
                self.zeros += times;
            } else {
                *self.bucket((middle_s.log2() * f64::from(1 << SCHEMA)).ceil() as i32) += times;
            }
        }
        self.sum_s += sum_ns.map_or(sum_s, |sum_ns| sum_ns as f64 / 1e9);
    }

    fn bucket(&mut self, number: i32) -> &mut u64 {
        if self.buckets.is_empty() {
            self.first = number;
        }
        if number < self.first {
            self.buckets.splice(0..0, (number..self.first).map(|_| 0));
            self.first = number;
        }
        let place = (number - self.first) as usize;
        if place >= self.buckets.len() {
            self.buckets.resize(place + 1, 0);
        }
        &mut self.buckets[place]
    }

    /// Borders in seconds and how many values are at or below each; the last border is infinite.
    pub(super) fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let borders = BORDERS_S.into_iter().chain([f64::INFINITY]);
        borders.zip(self.classic).scan(0, |below, (border, times)| {
            *below += times;
            Some((border, *below))
        })
    }

    /// The buckets with values as Prometheus writes them: spans (empty buckets before, buckets) and
    /// differences from bucket to bucket.
    pub(super) fn spans(&self) -> (Vec<(i32, u32)>, Vec<i64>) {
        let mut spans = Vec::<(i32, u32)>::new();
        let mut deltas = Vec::new();
        let mut before = 0_i64;
        let mut next = 0;
        let filled = self.buckets.iter().zip(self.first..).filter(|(times, _)| **times > 0);
        for (&times, number) in filled {
            match spans.last_mut() {
                Some((_, length)) if number == next => *length += 1,
                _ => spans.push((number - next, 1)),
            }
            deltas.push(times as i64 - before);
            (before, next) = (times as i64, number + 1);
        }
        (spans, deltas)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use swell_stats::Precision;

    fn of(times_ns: &[u64]) -> Durations {
        let mut histogram = Histogram::new(Precision::Three);
        for time in times_ns {
            histogram.record(*time);
        }
        let mut durations = Durations::default();
        durations.add(&histogram, Some(times_ns.iter().map(|time| u128::from(*time)).sum()));
        durations
    }

    #[test]
    fn times_fall_into_buckets_of_both_kinds() {
        let durations = of(&[0, 1_000_000, 1_000_000, 1_000_000_000, 90_000_000_000]);
        assert_eq!((durations.count, durations.zeros), (5, 1));
        assert!((durations.sum_s - 91.002).abs() < 1e-9);
        let at = |border: f64| durations.cumulative().find(|(end, _)| *end >= border).map(|(_, count)| count);
        assert_eq!([0.0005, 0.0025, 0.5, 2.5, 60.0, f64::INFINITY].map(at), [1, 3, 3, 4, 4, 5].map(Some));
        // 1 ms is 2^(-159.45/16), and 1 s lies at a border.
        assert_eq!(durations.first, -159);
        let (spans, deltas) = durations.spans();
        assert_eq!(
            (
                spans[0],
                deltas[0],
                deltas
                    .iter()
                    .scan(0, |sum, delta| {
                        *sum += delta;
                        Some(*sum)
                    })
                    .sum::<i64>()
            ),
            ((-159, 1), 2, 4)
        );
    }

    #[test]
    fn spans_have_gaps_and_runs() {
        let durations = Durations { first: -3, buckets: vec![5, 0, 0, 2, 7], ..Durations::default() };
        assert_eq!(durations.spans(), (vec![(-3, 1), (2, 2)], vec![5, -3, 5]));
        assert_eq!(Durations::default().spans(), (vec![], vec![]));
    }

    proptest! {
        #[test]
        fn no_time_is_lost_and_each_bucket_holds_what_belongs_there(times_ns in proptest::collection::vec(0..10_000_000_000_000_u64, 1..50)) {
            let durations = of(&times_ns);
            let all = times_ns.len() as u64;
            prop_assert_eq!(durations.count, all);
            prop_assert_eq!(durations.zeros + durations.buckets.iter().sum::<u64>(), all);
            prop_assert_eq!(durations.classic.iter().sum::<u64>(), all);
            let longest_s = times_ns.iter().max().map_or(0.0, |longest| *longest as f64 / 1e9);
            let last = durations.first + durations.buckets.len() as i32 - 1;
            if longest_s > 2.0 * ZERO_THRESHOLD_S {
                let upper = f64::from(last) / 16.0;
                prop_assert!(longest_s.log2() <= upper + 0.001 && longest_s.log2() > upper - 1.0 / 16.0 - 0.001);
            }
        }
    }
}
