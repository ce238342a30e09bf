//! What a page shows of a finished run besides its figures, and the state of its thresholds during
//! the run.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;
use swell_stats::threshold::{Comparison, Judgement, Metric, Statistic, Threshold, Times, Unit, Window};
use swell_stats::{OwnGrowth, QUANTILES, Quantile, Summary, SummaryRow};

use crate::earlier::Earlier;
use crate::headline::ThresholdCounts;
use crate::json::name_of;
use crate::number::without_zeros;
use crate::plain::plain;

/// Rules that are listed one by one: `each label` may make one of every label.
const MOST_RULES: usize = 100;

/// What is known of a run only at its end.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// What the tool itself took of its machine.
    pub own: OwnGrowth,
    /// Addresses of the servers that it reached.
    pub servers: Vec<String>,
    /// Results of its thresholds.
    pub thresholds: Vec<Rule>,
    /// Sentences on what went wrong besides failed samples, such as results that could not be
    /// written.
    pub problems: Vec<String>,
    /// Confidence intervals of its summary.
    pub intervals: Intervals,
    /// The run of the same plan before it.
    pub earlier: Option<Earlier>,
}

/// 95 % confidence intervals of the percentiles of a summary. During the run a page computes
/// intervals by the seconds in which counts reached it; a summary uses the seconds in which samples
/// were made, and the two differ if workers were late. One figure has one interval: that of the
/// summary.
#[derive(Clone, Debug, Default)]
pub struct Intervals {
    total: Option<IntervalsMs>,
    labels: HashMap<(String, bool), IntervalsMs>,
}

/// One for each of [`QUANTILES`].
type IntervalsMs = [Option<(f64, f64)>; QUANTILES.len()];

impl Intervals {
    /// Those of a run that has just ended.
    pub fn of(summary: &Summary) -> Self {
        let of_row = |row: &SummaryRow| row.quantiles.map(|quantile| quantile.interval_ms);
        let label = |row: &SummaryRow| ((row.label.clone(), row.is_transaction), of_row(row));
        Self { total: Some(of_row(&summary.total)), labels: summary.rows.iter().map(label).collect() }
    }

    /// Those that a kept summary states; none without a summary.
    pub fn of_json(summary: &str) -> Self {
        let read: Value = serde_json::from_str(summary).unwrap_or_default();
        let of_row = |row: &Value| {
            QUANTILES.map(|quantile| {
                let ends = &row["confidence_95"][name_of(quantile)];
                Some((ends[0].as_f64()?, ends[1].as_f64()?))
            })
        };
        let label = |row: &Value| {
            Some(((row["label"].as_str()?.to_owned(), row["transaction"].as_bool()?), of_row(row)))
        };
        let labels = read["labels"].as_array().into_iter().flatten().filter_map(label).collect();
        Self { total: read.get("total").map(of_row), labels }
    }

    pub(super) fn fill(&self, summary: &mut Summary) {
        let Some(total) = &self.total else { return };
        put(&mut summary.total.quantiles, total);
        for row in &mut summary.rows {
            let key = (std::mem::take(&mut row.label), row.is_transaction);
            put(&mut row.quantiles, self.labels.get(&key).unwrap_or(&[None; QUANTILES.len()]));
            row.label = key.0;
        }
    }
}

fn put(quantiles: &mut [Quantile], intervals_ms: &IntervalsMs) {
    for (quantile, interval_ms) in quantiles.iter_mut().zip(intervals_ms) {
        quantile.interval_ms = *interval_ms;
    }
}

/// The result of a threshold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The rule as it was written.
    pub rule: String,
    /// Kept or broken; none while there is nothing to judge yet.
    pub passed: Option<bool>,
    /// What happened, in a sentence.
    pub text: String,
    /// It ended the run.
    pub aborted: bool,
    /// It judges times, and all samples that have them failed.
    pub all_failed: bool,
    /// The figure of all samples that it judges over the whole run, by the name of its tile; none
    /// for other rules.
    pub figure: Option<&'static str>,
    /// The limit of that figure, such as `< 800 ms`.
    pub limit: Option<String>,
}

impl Rule {
    /// The end of a finished run.
    pub fn of(judgement: &Judgement) -> Self {
        Self {
            rule: judgement.rule.clone(),
            passed: Some(judgement.passed),
            text: judgement.text.clone(),
            aborted: judgement.aborted,
            all_failed: judgement.all_failed,
            ..Self::on_tile(&judgement.rule, judgement.limit)
        }
    }

    /// A rule of this text, with the figure that it limits.
    pub fn on_tile(rule: &str, limit: Option<f64>) -> Self {
        let parsed = Threshold::parse(rule).ok().filter(|rule| rule.scope.is_of(None));
        let whole = parsed.filter(|rule| rule.window == Window::Whole && rule.after_ms == 0);
        let shown = whole.as_ref().and_then(|rule| Some((tile(rule.metric)?, limit_text(rule, limit?))));
        let (figure, limit) = shown.unzip();
        Self {
            rule: rule.to_owned(),
            passed: None,
            text: String::new(),
            aborted: false,
            all_failed: false,
            figure,
            limit,
        }
    }

    /// The state of a running test: a threshold without a figure is not broken.
    pub(super) fn so_far(judgement: &Judgement) -> Self {
        match judgement.value {
            Some(_) => Self::of(judgement),
            None => Self {
                passed: None,
                text: "there are no figures to judge yet".to_owned(),
                ..Self::of(judgement)
            },
        }
    }
}

/// The name of the tile that has a figure of all samples.
fn tile(metric: Metric) -> Option<&'static str> {
    const QUANTILE_TILES: [(f64, &str); 3] = [(0.5, "Median"), (0.95, "p95"), (0.99, "p99")];
    Some(match metric {
        Metric::Time(Times::Elapsed, Statistic::Quantile(quantile)) => {
            QUANTILE_TILES.into_iter().find(|(known, _)| (known - quantile).abs() < 1e-9)?.1
        }
        Metric::ErrorPercent | Metric::Errors => "Failed",
        Metric::Rate => "Rate",
        Metric::Samples => "Samples",
        Metric::Apdex { .. } => "APDEX",
        Metric::Time(..) | Metric::Figure(..) => return None,
    })
}

/// `< 800 ms`, `≥ 100/s`.
fn limit_text(rule: &Threshold, limit: f64) -> String {
    let sign = match rule.comparison {
        Comparison::Less => "<",
        Comparison::LessOrEqual => "≤",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => "≥",
    };
    let number = without_zeros(&format!("{limit:.3}")).to_owned();
    match rule.metric.unit() {
        Unit::Milliseconds => format!("{sign} {number} ms"),
        Unit::Percent => format!("{sign} {number} %"),
        unit => format!("{sign} {number}{}", unit.sign()),
    }
}

/// All thresholds of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Thresholds {
    kept: usize,
    broken: usize,
    open: usize,
    /// The result in a few words, such as `2 of 3 failed`; none without thresholds.
    result: Option<String>,
    /// Broken ones first; at most [`MOST_RULES`].
    rules: Vec<Rule>,
}

impl Thresholds {
    pub(super) fn of(mut rules: Vec<Rule>) -> Self {
        let number = |passed| rules.iter().filter(|rule| rule.passed == passed).count();
        let [kept, broken, open] = [Some(true), Some(false), None].map(number);
        rules.sort_by_key(|rule| match rule.passed {
            Some(false) => 0,
            None => 1,
            Some(true) => 2,
        });
        rules.truncate(MOST_RULES);
        for rule in &mut rules {
            for text in [&mut rule.rule, &mut rule.text] {
                *text = plain(text).into_owned();
            }
        }
        let counts = ThresholdCounts { all: kept + broken + open, failed: broken, open };
        Self { kept, broken, open, result: counts.result(""), rules }
    }

    pub(super) fn counts(&self) -> ThresholdCounts {
        ThresholdCounts { all: self.kept + self.broken + self.open, failed: self.broken, open: self.open }
    }

    /// Their number, then those that failed.
    pub(super) fn as_text(&self) -> Vec<String> {
        let failed = self.rules.iter().filter(|rule| rule.passed == Some(false));
        let lines = failed.map(|rule| format!("  failed: {}: {}", rule.rule, rule.text));
        let first = self.result.as_ref().map(|result| format!("Thresholds: {result}"));
        first.into_iter().chain(lines).collect()
    }
}
