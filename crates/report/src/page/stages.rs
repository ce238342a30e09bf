//! What a row says beyond its figures: stages of its samples, response codes, kinds of failures.

use serde::Serialize;
use swell_stats::{Histogram, LabelStats, Outcomes};

use super::digits::short;
use crate::cause::kind_words;

/// A stage of samples: in how many it was measured, then mean, p50, p95, p99 and largest time in
/// milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Stage(u64, f64, f64, f64, f64, f64);

impl Stage {
    /// None where it was not measured.
    fn of(times: &Histogram) -> Option<Self> {
        let ms = |quantile| short(times.quantile(quantile) as f64 / 1e6);
        let sum: f64 = times.iter().map(|(low, high, count)| low.midpoint(high) as f64 * count as f64).sum();
        let mean = short(sum / times.count().max(1) as f64 / 1e6);
        let [p50, p95, p99, max] = [0.5, 0.95, 0.99, 1.0].map(ms);
        (!times.is_empty()).then_some(Self(times.count(), mean, p50, p95, p99, max))
    }
}

/// Details of a row, as `web/src/document.ts` reads them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Details {
    /// Samples by response code.
    codes: Vec<(String, u64)>,
    /// Failed samples by kind.
    failures: Vec<(&'static str, u64)>,
    /// Start to connection, the TLS handshake in it, start to first byte.
    stages: [Option<Stage>; 3],
}

impl Details {
    /// Transactions send nothing: they have none.
    pub(super) fn of(stats: &LabelStats, is_transaction: bool) -> Self {
        if is_transaction {
            return Self::default();
        }
        Self {
            codes: codes(&stats.outcomes),
            failures: stats
                .outcomes
                .failures()
                .into_iter()
                .map(|(kind, times)| (kind_words(kind), times))
                .collect(),
            stages: [&stats.connect, &stats.handshake, &stats.first_byte].map(Stage::of),
        }
    }
}

/// Codes as text with their samples.
pub(super) fn codes(outcomes: &Outcomes) -> Vec<(String, u64)> {
    outcomes.codes().into_iter().map(|(code, times)| (code.to_string(), times)).collect()
}
