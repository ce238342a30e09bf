//! A label over many runs.

use std::collections::BTreeMap;

use serde::Serialize;

/// A label that the history knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LabelName {
    /// Its number in the history.
    pub id: i64,
    /// The label.
    pub label: String,
    /// Made by a Transaction Controller.
    pub is_transaction: bool,
}

/// A run of a trend.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The name of the run.
    pub name: String,
    /// When it began, milliseconds since the epoch.
    pub start_ms: i64,
    /// Its tags.
    pub tags: BTreeMap<String, String>,
    /// Thresholds of the run that failed.
    pub thresholds_broken: Option<i64>,
    /// The verdict on the tool's own accuracy.
    pub verdict: Option<String>,
    /// The figures of the label in it.
    pub figures: PointFigures,
}

/// Figures of a label in a run; without those for which it had too few samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointFigures {
    /// Samples.
    pub samples: i64,
    /// Failed samples.
    pub errors: i64,
    /// Median, milliseconds.
    pub p50_ms: Option<f64>,
    /// 95th percentile, milliseconds.
    pub p95_ms: Option<f64>,
    /// 99th percentile, milliseconds.
    pub p99_ms: Option<f64>,
    /// Samples a second.
    pub per_s: Option<f64>,
}
