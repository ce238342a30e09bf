//! Detects drift in a figure of a long run: the Mann-Kendall test for a monotonic trend (Mann,
//! *Econometrica* 13, 1945; ties as in Gilbert, *Statistical Methods for Environmental Pollution
//! Monitoring*, 1987, section 16.4), with Sen's slope and its interval (Sen, *JASA* 63, 1968;
//! Gilbert, section 17.3). Neighbouring values in a run are correlated, which can look like a
//! trend, so the variance is corrected as in Hamed and Rao (*Journal of Hydrology* 204, 1998).

mod own;

pub use own::{OwnGrowth, OwnUse};

use crate::{Histogram, Point, Precision, Series};

/// Blocks that a run is cut into at most.
const MOST_BLOCKS: usize = 64;

/// With fewer blocks the normal approximation says too little.
const FEWEST_BLOCKS: usize = 10;

/// Shorter runs drift by starting.
const SHORTEST_S: f64 = 600.0;

/// Two-sided level of the test, in standard deviations: 1 in 1,000.
const Z_TEST: f64 = 3.29;

/// The interval of the slope holds it with 95 %.
const Z_INTERVAL: f64 = 1.96;

/// A percentile that changes by less of its median over the whole run is not worth a word.
const LEAST_CHANGE: f64 = 0.05;

/// The same for the share of errors.
const LEAST_SHARE: f64 = 0.001;

/// Users that may be missing while the load counts as the same.
const FULL_LOAD: f64 = 0.9;

/// A figure that may drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriftFigure {
    /// The median, in milliseconds.
    P50,
    /// The 99th percentile, in milliseconds.
    P99,
    /// Failed samples of all, from 0 to 1.
    ErrorShare,
    /// Resident memory of the tool, in MiB.
    OwnMemory,
    /// Open file descriptors of the tool.
    OwnDescriptors,
}

/// A drift that is significant and large enough to matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// What drifts.
    pub what: DriftFigure,
    /// Its change an hour, in the unit of the figure.
    pub per_hour: f64,
    /// The interval that holds the change an hour with 95 %.
    pub interval: (f64, f64),
    /// How long the part of the run is that was looked at, in hours.
    pub hours: f64,
}

/// The trend of equidistant values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Standard deviations that the statistic of Mann and Kendall lies from no trend.
    pub z: f64,
    /// Sen's slope, a step.
    pub slope: f64,
    /// Its interval of 95 %.
    pub interval: (f64, f64),
}

/// The drifts of a run from the point `from` on, the end of its warm-up. Only the part with all
/// users counts, and a run in which they are not the same there has none: its figures follow the
/// load.
pub(crate) fn drifts(series: &Series, from: usize) -> Vec<Drift> {
    let points = at_full_load(series.points().get(from..).unwrap_or_default());
    let width_s = series.width_s() as f64;
    let size = points.len().div_ceil(MOST_BLOCKS).max(1);
    // A partial block at the end would weigh as much as a whole one.
    let blocks: Vec<_> = points.chunks_exact(size).map(Block::of).filter(|block| block.samples > 0).collect();
    let step_s = size as f64 * width_s;
    let whole_s = points.len() as f64 * width_s;
    let drift_of = |what: DriftFigure, figure: fn(&Block) -> f64| {
        let values: Vec<f64> = blocks.iter().map(figure).collect();
        let least =
            |median: f64| if what == DriftFigure::ErrorShare { LEAST_SHARE } else { LEAST_CHANGE * median };
        found(what, &values, step_s, whole_s, least)
    };
    let median = drift_of(DriftFigure::P50, |block| block.ms(0.5));
    let p99 = drift_of(DriftFigure::P99, |block| block.ms(0.99));
    let errors = drift_of(DriftFigure::ErrorShare, Block::error_share);
    [median, p99, errors].into_iter().flatten().collect()
}

/// The drift of values that are `step_s` seconds apart, over `whole_s` in all, if it is sure and
/// changes by `least` (of their median).
fn found(
    what: DriftFigure,
    values: &[f64],
    step_s: f64,
    whole_s: f64,
    least: impl Fn(f64) -> f64,
) -> Option<Drift> {
    if values.len() < FEWEST_BLOCKS || whole_s < SHORTEST_S {
        return None;
    }
    let step_h = step_s / 3600.0;
    let hours = whole_s / 3600.0;
    let trend = trend(values)?;
    let per_hour = |slope: f64| slope / step_h;
    let change = per_hour(trend.slope).abs() * hours;
    let is_sure = trend.z.abs() >= Z_TEST && trend.interval.0 * trend.interval.1 > 0.0;
    (is_sure && change >= least(median(&mut values.to_vec()))).then(|| Drift {
        what,
        per_hour: per_hour(trend.slope),
        interval: (per_hour(trend.interval.0), per_hour(trend.interval.1)),
        hours,
    })
}

/// Between the first and the last point with all users, if none is missing between them.
fn at_full_load(points: &[Point]) -> &[Point] {
    let most = points.iter().map(|point| point.users).max().unwrap_or(0) as f64;
    let is_full = |point: &Point| point.users as f64 >= FULL_LOAD * most;
    let first = points.iter().position(is_full).unwrap_or(0);
    let last = points.iter().rposition(is_full).map_or(0, |last| last + 1);
    let full = &points[first.min(last)..last];
    // Intervals of several seconds leave points without samples between them, which say nothing of
    // users.
    if full.iter().all(|point| point.samples == 0 || is_full(point)) { full } else { &[] }
}

struct Block {
    elapsed: Histogram,
    samples: u64,
    errors: u64,
}

impl Block {
    fn of(points: &[Point]) -> Self {
        let mut block = Self { elapsed: Histogram::new(Precision::Two), samples: 0, errors: 0 };
        for point in points {
            block.elapsed.merge(&point.elapsed);
            block.samples += point.samples;
            block.errors += point.errors;
        }
        block
    }

    /// A percentile of the service times in milliseconds.
    fn ms(&self, quantile: f64) -> f64 {
        self.elapsed.quantile(quantile) as f64 / 1e6
    }

    fn error_share(&self) -> f64 {
        self.errors as f64 / self.samples as f64
    }
}

/// The trend of values in their order. None of fewer than three, or of values that are all the
/// same.
pub fn trend(values: &[f64]) -> Option<Trend> {
    let n = values.len();
    let mut slopes = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    let mut s = 0.0;
    for (late, value) in values.iter().enumerate() {
        for (early, before) in values[..late].iter().enumerate() {
            let rise = value - before;
            s += if rise == 0.0 { 0.0 } else { rise.signum() };
            slopes.push(rise / (late - early) as f64);
        }
    }
    let variance = variance(values);
    if n < 3 || variance <= 0.0 {
        return None;
    }
    let slope = median(&mut slopes);
    let rest: Vec<f64> = values.iter().enumerate().map(|(at, value)| value - slope * at as f64).collect();
    let deviation = (variance * correction(&rest)).sqrt();
    // The statistic takes whole numbers: half of its step is between it and the normal
    // distribution.
    let z = if s == 0.0 { 0.0 } else { (s - s.signum()) / deviation };
    Some(Trend { z, slope, interval: interval(&slopes, Z_INTERVAL * deviation) })
}

/// Variance of the statistic of Mann and Kendall without a trend, ties taken off.
fn variance(values: &[f64]) -> f64 {
    let of = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let ties = sorted.chunk_by(|a, b| a.total_cmp(b).is_eq()).map(|tie| of(tie.len() as f64));
    (of(values.len() as f64) - ties.sum::<f64>()) / 18.0
}

/// By how much neighbours that are alike widen the variance, at least 1: over lags up to a quarter
/// of the values whose rank correlation is beyond chance.
fn correction(rest: &[f64]) -> f64 {
    let ranks = ranks(rest);
    let n = ranks.len() as f64;
    let mean = f64::midpoint(n, 1.0);
    let spread: f64 = ranks.iter().map(|rank| (rank - mean).powi(2)).sum();
    if spread == 0.0 {
        return 1.0;
    }
    let added: f64 = (1..=ranks.len() / 4)
        .map(|lag| {
            let pairs = ranks.iter().zip(&ranks[lag..]);
            let correlation = pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / spread;
            let left = n - lag as f64;
            let counts = correlation.abs() > 1.96 / n.sqrt();
            if counts { left * (left - 1.0) * (left - 2.0) * correlation } else { 0.0 }
        })
        .sum();
    (1.0 + 2.0 * added / (n * (n - 1.0) * (n - 2.0))).max(1.0)
}

/// The place of each value in their order, from 1; those of equal values are their mean.
fn ranks(values: &[f64]) -> Vec<f64> {
    let place = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| other.total_cmp(value).is_eq()).count();
        below as f64 + f64::midpoint(equal as f64, 1.0)
    };
    values.iter().map(place).collect()
}

/// The slopes at as many places from the middle of their order.
fn interval(sorted: &[f64], half: f64) -> (f64, f64) {
    let count = sorted.len() as f64;
    let low = ((count - half) / 2.0).floor().max(1.0) as usize;
    let high = (f64::midpoint(count, half).ceil() as usize + 1).min(sorted.len());
    (sorted[low - 1], sorted[high - 1])
}

/// Sorts the values; 0 of none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

#[cfg(test)]
mod tests;
