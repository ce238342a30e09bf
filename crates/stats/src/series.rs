//! Figures over time, in a bounded number of points.

use crate::{Histogram, LabelStats, Precision};

/// The data of one span of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Service times in nanoseconds.
    pub elapsed: Histogram,
    /// Samples that ended.
    pub samples: u64,
    /// Samples that failed.
    pub errors: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Most users that were active.
    pub users: u64,
}

impl Point {
    fn empty(precision: Precision) -> Self {
        Self { elapsed: Histogram::new(precision), samples: 0, errors: 0, bytes: 0, sent_bytes: 0, users: 0 }
    }

    fn merge(&mut self, other: &Self) {
        self.elapsed.merge(&other.elapsed);
        self.samples += other.samples;
        self.errors += other.errors;
        self.bytes += other.bytes;
        self.sent_bytes += other.sent_bytes;
        self.users = self.users.max(other.users);
    }
}

/// Points of equal width in order. When a run exceeds `limit` points, the width is doubled:
/// neighbours are merged, including histograms, so percentiles of a wide point are those of its
/// samples, and not means of percentiles.
#[derive(Clone, Debug)]
pub struct Series {
    limit: usize,
    precision: Precision,
    width_s: u64,
    first_s: i64,
    points: Vec<Point>,
}

impl Default for Series {
    fn default() -> Self {
        Self::new(Self::DEFAULT_LIMIT, Precision::Two)
    }
}

impl Series {
    /// Default number of points that are kept: an hour of seconds.
    pub const DEFAULT_LIMIT: usize = 3600;

    /// An empty series of seconds that keeps at most `limit` points, at least 2, with histograms of
    /// that precision.
    pub fn new(limit: usize, precision: Precision) -> Self {
        Self { limit: limit.max(2), precision, width_s: 1, first_s: 0, points: Vec::new() }
    }

    /// Adds what was counted in a second, named by whole seconds since the epoch. A second before
    /// the first counts as the first.
    pub fn add(&mut self, at_s: i64, counted: &LabelStats, users: u64) {
        if self.points.is_empty() {
            self.first_s = at_s;
        }
        let from_first_s = at_s.saturating_sub(self.first_s).max(0).cast_unsigned();
        while from_first_s / self.width_s >= self.limit as u64 {
            self.halve();
        }
        let at = (from_first_s / self.width_s) as usize;
        if at >= self.points.len() {
            self.points.resize(at + 1, Point::empty(self.precision));
        }
        let point = &mut self.points[at];
        point.elapsed.merge(&counted.elapsed);
        point.samples += counted.samples;
        point.errors += counted.errors;
        point.bytes += counted.bytes;
        point.sent_bytes += counted.sent_bytes;
        point.users = point.users.max(users);
    }

    /// One whose points are as wide as that, before anything was added.
    pub fn widen(&mut self, width_s: u64) {
        if self.points.is_empty() {
            self.width_s = width_s.max(1);
        }
    }

    /// Precision of the histograms.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Width of a point in seconds.
    pub fn width_s(&self) -> u64 {
        self.width_s
    }

    /// Where the first point starts, in seconds since the epoch.
    pub fn first_s(&self) -> i64 {
        self.first_s
    }

    /// The points in order, empty ones included.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    fn halve(&mut self) {
        self.width_s *= 2;
        let pairs = self.points.chunks(2).map(|pair| {
            let mut point = pair[0].clone();
            pair[1..].iter().for_each(|other| point.merge(other));
            point
        });
        self.points = pairs.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;

    fn counted(elapsed_ns: u64) -> LabelStats {
        let mut stats = LabelStats::default();
        stats.record(&Observation {
            elapsed_ns,
            bytes: 7,
            success: elapsed_ns > 5,
            ..Observation::default()
        });
        stats
    }

    #[test]
    fn seconds_without_samples_are_empty_points() {
        let mut series = Series::default();
        series.add(100, &counted(1), 4);
        series.add(103, &counted(9), 5);
        let seen: Vec<_> = series.points().iter().map(|p| (p.samples, p.errors, p.users)).collect();
        assert_eq!((seen, series.first_s()), (vec![(1, 1, 4), (0, 0, 0), (0, 0, 0), (1, 0, 5)], 100));
    }

    #[test]
    fn a_long_run_gets_wider_points_and_keeps_its_samples() {
        let mut series = Series::new(8, Precision::Two);
        for second in 0..100 {
            series.add(1000 + second, &counted(second as u64), second as u64);
        }
        assert_eq!((series.width_s(), series.points().len()), (16, 7));
        assert_eq!(series.points().iter().map(|p| p.samples).sum::<u64>(), 100);
        let second = &series.points()[1];
        assert_eq!(
            (second.samples, second.users, second.elapsed.quantile(0.0), second.elapsed.quantile(1.0)),
            (16, 31, 16, 31)
        );
    }

    #[test]
    fn intervals_of_five_seconds_are_points_of_that_width() {
        let mut series = Series::new(4, Precision::Two);
        series.widen(5);
        (0..6).for_each(|interval| series.add(1000 + 5 * interval, &counted(1), 1));
        let samples: Vec<_> = series.points().iter().map(|point| point.samples).collect();
        assert_eq!((series.width_s(), samples), (10, vec![2, 2, 2]));
    }

    #[test]
    fn a_far_jump_in_time_is_no_problem() {
        let mut series = Series::new(4, Precision::Three);
        series.add(0, &counted(1), 1);
        series.add(1_000_000, &counted(1), 1);
        series.add(-5, &counted(1), 1);
        assert!(series.points().len() <= 4);
        assert_eq!(series.points().iter().map(|p| p.samples).sum::<u64>(), 3);
    }

    #[test]
    fn times_far_apart_do_not_overflow_the_width_of_a_point() {
        for bits in 40..=63 {
            let mut series = Series::new(4, Precision::Two);
            series.add(-1, &counted(1), 1);
            series.add(((1_u64 << bits) - 1).cast_signed(), &counted(1), 1);
            assert_eq!(series.points().iter().map(|point| point.samples).sum::<u64>(), 2, "2^{bits} s");
        }
        let mut series = Series::new(2, Precision::Two);
        series.add(i64::MIN, &counted(1), 1);
        series.add(i64::MAX, &counted(1), 1);
        assert_eq!(series.points().iter().map(|point| point.samples).sum::<u64>(), 2);
    }
}
