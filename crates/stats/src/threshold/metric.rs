//! The figure of samples that a rule is about.

use crate::{FigureName, Histogram, LabelStats, supports};

const MS: f64 = 1e6;

/// The figure of a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// For times, in milliseconds.
    Time(Times, Statistic),
    /// Failed samples of a hundred.
    ErrorPercent,
    /// Number of failed samples.
    Errors,
    /// Samples a second.
    Rate,
    /// Number of samples.
    Samples,
    /// The application performance index, 0 to 1; times in milliseconds.
    Apdex {
        /// Good samples up to this count in full.
        satisfied_ms: u64,
        /// Those up to this count half.
        tolerated_ms: u64,
    },
    /// For a custom figure, in its own unit.
    Figure(FigureName, FigurePart),
}

/// What of a custom figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FigurePart {
    /// A statistic of its values.
    Statistic(Statistic),
    /// Number of values.
    Count,
    /// Sum of the values.
    Sum,
}

/// The index with the thresholds that JMeter's report has by default.
pub(super) const APDEX: Metric = Metric::Apdex { satisfied_ms: 500, tolerated_ms: 1500 };

/// The kind of times; see `docs/measurement.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Service time.
    Elapsed,
    /// Response time, where the plan sets a rate or arrivals.
    Response,
    /// Start to first byte.
    Latency,
    /// Start to connection.
    Connect,
    /// TLS handshake.
    Handshake,
}

/// The statistic of the times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// A quantile, 0..1.
    Quantile(f64),
    /// Mean.
    Mean,
    /// Smallest.
    Min,
    /// Largest.
    Max,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Milliseconds,
    /// As a percentage.
    Percent,
    /// A second.
    PerSecond,
    /// A number of things.
    Count,
    /// A number from 0 to 1.
    Index,
    /// The unit of a custom figure, which is not known.
    Own,
}

impl Unit {
    /// Its sign; empty for a number of things.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Percent => "%",
            Self::PerSecond => "/s",
            Self::Count | Self::Index | Self::Own => "",
        }
    }
}

impl Metric {
    /// The unit of the figure.
    pub fn unit(self) -> Unit {
        match self {
            Self::Time(..) => Unit::Milliseconds,
            Self::ErrorPercent => Unit::Percent,
            Self::Rate => Unit::PerSecond,
            Self::Errors | Self::Samples | Self::Figure(_, FigurePart::Count) => Unit::Count,
            Self::Apdex { .. } => Unit::Index,
            Self::Figure(..) => Unit::Own,
        }
    }

    /// The figure of samples that took `seconds`; none if there is nothing that it could be made
    /// of.
    pub fn of(self, stats: &LabelStats, seconds: f64) -> Option<f64> {
        match self {
            Self::Time(times, statistic) => time(times, statistic, stats).map(|ns| ns / MS),
            Self::ErrorPercent => {
                (stats.samples > 0).then(|| 100.0 * stats.errors as f64 / stats.samples as f64)
            }
            Self::Errors => Some(stats.errors as f64),
            Self::Rate => (seconds > 0.0).then(|| stats.samples as f64 / seconds),
            Self::Samples => Some(stats.samples as f64),
            Self::Apdex { satisfied_ms, tolerated_ms } => {
                let ns = |ms: u64| ms.saturating_mul(1_000_000);
                stats.apdex(ns(satisfied_ms), ns(tolerated_ms))
            }
            Self::Figure(name, part) => figure(name, part, stats),
        }
    }

    /// Whether there are enough samples to state it; see [`supports`].
    pub fn is_supported_by(self, stats: &LabelStats) -> bool {
        match self {
            Self::Time(times, Statistic::Quantile(quantile)) => {
                supports(times.histogram(stats).count(), quantile)
            }
            Self::Figure(name, FigurePart::Statistic(Statistic::Quantile(quantile))) => {
                stats.figures.get(name).is_some_and(|figure| supports(figure.count(), quantile))
            }
            _ => true,
        }
    }
}

impl Times {
    /// The times of samples.
    pub fn histogram(self, stats: &LabelStats) -> &Histogram {
        match self {
            Self::Elapsed => &stats.elapsed,
            Self::Response => &stats.response,
            Self::Latency => &stats.first_byte,
            Self::Connect => &stats.connect,
            Self::Handshake => &stats.handshake,
        }
    }
}

fn figure(name: FigureName, part: FigurePart, stats: &LabelStats) -> Option<f64> {
    let figure = stats.figures.get(name)?;
    match part {
        FigurePart::Count => Some(figure.count() as f64),
        FigurePart::Sum => Some(figure.sum()),
        FigurePart::Statistic(Statistic::Quantile(quantile)) => figure.quantile(quantile),
        FigurePart::Statistic(Statistic::Mean) => figure.mean(),
        FigurePart::Statistic(Statistic::Min) => figure.min(),
        FigurePart::Statistic(Statistic::Max) => figure.max(),
    }
}

fn time(times: Times, statistic: Statistic, stats: &LabelStats) -> Option<f64> {
    let histogram = times.histogram(stats);
    if histogram.is_empty() {
        return None;
    }
    // The ends and the sum of service times are exact; those of other times come from the
    // histogram, within its 0.1 %.
    let exact = times == Times::Elapsed;
    Some(match statistic {
        Statistic::Quantile(quantile) if exact => stats.quantile_ns(quantile) as f64,
        Statistic::Quantile(quantile) => histogram.quantile(quantile) as f64,
        Statistic::Mean if exact => stats.mean_ns(),
        Statistic::Mean => mean(histogram),
        Statistic::Min if exact => stats.min_ns as f64,
        Statistic::Min => histogram.bounds_at_rank(1).0 as f64,
        Statistic::Max if exact => stats.max_ns as f64,
        Statistic::Max => histogram.quantile(1.0) as f64,
    })
}

/// With each value in the middle of its bucket.
fn mean(histogram: &Histogram) -> f64 {
    let sum: f64 = histogram.iter().map(|(low, high, times)| low.midpoint(high) as f64 * times as f64).sum();
    sum / histogram.count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;

    fn stats() -> LabelStats {
        let mut stats = LabelStats::default();
        for number in 1..=100_u64 {
            stats.record(&Observation {
                success: number > 3,
                elapsed_ns: number * 1_000_000,
                first_byte_ns: Some(number * 500_000),
                start_ns: 0,
                end_ns: 10_000_000_000,
                ..Observation::default()
            });
        }
        stats
    }

    #[test]
    fn figures_of_known_samples() {
        use Statistic::{Max, Mean, Min, Quantile};
        for (metric, wanted) in [
            (Metric::Time(Times::Elapsed, Quantile(0.95)), 95.0),
            (Metric::Time(Times::Elapsed, Mean), 50.5),
            (Metric::Time(Times::Elapsed, Min), 1.0),
            (Metric::Time(Times::Elapsed, Max), 100.0),
            (Metric::Time(Times::Latency, Quantile(0.5)), 25.0),
            (Metric::Time(Times::Latency, Mean), 25.25),
            (Metric::Time(Times::Latency, Min), 0.5),
            (Metric::Time(Times::Latency, Max), 50.0),
            (Metric::ErrorPercent, 3.0),
            (Metric::Errors, 3.0),
            (Metric::Samples, 100.0),
            (Metric::Rate, 10.0),
            // 50 of 100 are below 51 ms, 3 of them failed, and 30 more are below 81 ms; those at a
            // limit lie in a bucket that goes beyond.
            (Metric::Apdex { satisfied_ms: 51, tolerated_ms: 81 }, 0.62),
            (APDEX, 0.97),
        ] {
            let found = metric.of(&stats(), 10.0).expect("there are samples");
            assert!((found / wanted - 1.0).abs() < 0.002, "{metric:?}: {found} for {wanted}");
        }
    }

    #[test]
    fn what_was_not_measured_has_no_figure() {
        let stats = stats();
        let none = LabelStats::default();
        assert_eq!(Metric::Time(Times::Connect, Statistic::Mean).of(&stats, 1.0), None);
        assert_eq!((Metric::ErrorPercent.of(&none, 1.0), Metric::Rate.of(&none, 1.0)), (None, Some(0.0)));
        assert_eq!(APDEX.of(&none, 1.0), None);
        assert_eq!(Metric::Rate.of(&stats, 0.0), None);
        let p99 = Metric::Time(Times::Elapsed, Statistic::Quantile(0.99));
        assert!(!p99.is_supported_by(&stats) && Metric::Rate.is_supported_by(&none));
    }
}
