//! The trend of a label over the runs of a subject.

use serde::Serialize;
use swell_http1::server::Refusal;
use swell_results::run_folder::ThresholdResult;
use swell_session::runs::{History, LabelName, Point, PointFigures, VERSION_TAG};
use swell_site::{Answer, Request};
use swell_stats::compare::{Scale, level_changes};
use swell_stats::threshold::{Metric, Statistic, Threshold, Times, Window};
use swell_stats::verdict::Grade;

use crate::library::Library;
use crate::problem::unreadable;
use crate::routes::needed;

/// Runs of a trend, at most.
const MOST_RUNS: u32 = 1000;

/// Smallest change of a time or rate that is shown, as a part of it.
const LEAST_RATIO: f64 = 0.05;

/// Smallest change of the failed samples that is shown, percentage points.
const LEAST_POINTS: f64 = 0.1;

/// A figure of a trend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Figure {
    P50Ms,
    P95Ms,
    P99Ms,
    PerS,
    ErrorPercent,
}

impl Figure {
    const ALL: [Self; 5] = [Self::P50Ms, Self::P95Ms, Self::P99Ms, Self::PerS, Self::ErrorPercent];

    fn of(self, figures: &PointFigures) -> Option<f64> {
        match self {
            // Times of failures are no times of the label.
            Self::P50Ms | Self::P95Ms | Self::P99Ms if figures.errors >= figures.samples => None,
            Self::P50Ms => figures.p50_ms,
            Self::P95Ms => figures.p95_ms,
            Self::P99Ms => figures.p99_ms,
            Self::PerS => figures.per_s,
            Self::ErrorPercent => Some(100.0 * figures.errors as f64 / figures.samples.max(1) as f64),
        }
    }

    /// The figure that a rule judges.
    fn judged_by(rule: &Threshold) -> Option<Self> {
        let is_quantile = |value: f64, wanted: f64| (value - wanted).abs() < 1e-9;
        match rule.metric {
            _ if rule.window != Window::Whole => None,
            Metric::Time(Times::Elapsed, Statistic::Quantile(quantile)) => {
                let quantiles = [(0.5, Self::P50Ms), (0.95, Self::P95Ms), (0.99, Self::P99Ms)];
                let found = quantiles.into_iter().find(|(wanted, _)| is_quantile(quantile, *wanted));
                found.map(|(_, figure)| figure)
            }
            Metric::Rate => Some(Self::PerS),
            Metric::ErrorPercent => Some(Self::ErrorPercent),
            _ => None,
        }
    }

    fn scale(self) -> Scale {
        match self {
            Self::ErrorPercent => Scale::Difference(LEAST_POINTS),
            _ => Scale::Ratio(LEAST_RATIO),
        }
    }
}

#[derive(Serialize)]
struct Run<'a> {
    name: &'a str,
    start_ms: i64,
    version: Option<&'a str>,
    thresholds_failed: Option<i64>,
    measurement: Option<&'static str>,
    samples: i64,
    p50_ms: Option<f64>,
    p95_ms: Option<f64>,
    p99_ms: Option<f64>,
    per_s: Option<f64>,
    error_percent: Option<f64>,
}

/// A run from which on the level of a figure is another one.
#[derive(Debug, PartialEq, Serialize)]
struct Change {
    figure: Figure,
    /// The place of the first run after it.
    at: usize,
    before: f64,
    after: f64,
}

/// A threshold of the last run that judges a figure of this label.
#[derive(Debug, PartialEq, Serialize)]
struct LimitLine {
    figure: Figure,
    value: f64,
    rule: String,
}

#[derive(Serialize)]
struct Trend<'a> {
    subject: &'a str,
    label: Option<&'a LabelName>,
    runs: Vec<Run<'a>>,
    changes: Vec<Change>,
    limits: Vec<LimitLine>,
    /// The name of the baseline of the subject.
    baseline: Option<String>,
}

/// The labels of a subject.
pub(crate) fn labels(library: &Library, request: &Request) -> Result<Answer, Refusal> {
    let subject = needed(request, "subject")?;
    let labels = library.history()?.map(|history| labels_of(&history, subject)).transpose()?;
    Ok(Answer::json(200, &labels.unwrap_or_default()))
}

fn labels_of(history: &History, subject: &str) -> Result<Vec<LabelName>, Refusal> {
    history.labels_of(subject).map_err(unreadable)
}

/// The trend of a label, or of all samples.
pub(crate) fn answer(library: &Library, request: &Request) -> Result<Answer, Refusal> {
    let subject = needed(request, "subject")?;
    let count = request.query("count").and_then(|text| text.parse().ok()).unwrap_or(MOST_RUNS).min(MOST_RUNS);
    let id = request.query("label").map(str::parse::<i64>).transpose();
    let id = id.map_err(|_| Refusal::bad("invalid label number"))?;
    let history = library.history()?.ok_or_else(|| Refusal::new(404, "no run is kept yet"))?;
    let label = id.map(|id| label_of(&history, subject, id)).transpose()?;
    let points = history.trend(subject, id, count).map_err(unreadable)?;
    let rules = points.last().map(|point| history.rules_of(&point.name)).unwrap_or_default();
    let trend = Trend {
        subject,
        label: label.as_ref(),
        changes: changes(&points),
        limits: limits(&rules, label.as_ref()),
        baseline: history.baseline_of(subject).map(|entry| entry.name),
        runs: points.iter().map(run).collect(),
    };
    Ok(Answer::json(200, &trend))
}

fn label_of(history: &History, subject: &str, id: i64) -> Result<LabelName, Refusal> {
    let found = labels_of(history, subject)?.into_iter().find(|label| label.id == id);
    found.ok_or_else(|| Refusal::new(404, "the latest runs of this plan do not have this label"))
}

fn run(point: &Point) -> Run<'_> {
    let figures = &point.figures;
    Run {
        name: &point.name,
        start_ms: point.start_ms,
        version: point.tags.get(VERSION_TAG).map(String::as_str),
        thresholds_failed: point.thresholds_broken,
        measurement: point.verdict.as_deref().and_then(Grade::named).map(Grade::measurement),
        samples: figures.samples,
        p50_ms: Figure::P50Ms.of(figures),
        p95_ms: Figure::P95Ms.of(figures),
        p99_ms: Figure::P99Ms.of(figures),
        per_s: figures.per_s,
        error_percent: Figure::ErrorPercent.of(figures),
    }
}

/// The lasting changes of each figure, over the runs that have it.
fn changes(points: &[Point]) -> Vec<Change> {
    let mut found = Vec::new();
    for figure in Figure::ALL {
        let known: Vec<(usize, f64)> = points
            .iter()
            .enumerate()
            .filter_map(|(at, point)| {
                Some((at, figure.of(&point.figures).filter(|value| value.is_finite())?))
            })
            .collect();
        let values: Vec<f64> = known.iter().map(|(_, value)| *value).collect();
        let changes = level_changes(&values, figure.scale());
        found.extend(changes.into_iter().map(|change| Change {
            figure,
            at: known[change.at].0,
            before: change.before,
            after: change.after,
        }));
    }
    found
}

/// The rules that judge this label alone, or all samples where there is none.
fn limits(rules: &[ThresholdResult], label: Option<&LabelName>) -> Vec<LimitLine> {
    let line = |result: &ThresholdResult| {
        let rule = Threshold::parse(&result.rule).ok()?;
        let is_about = rule.scope.is_of(label.map(|label| (label.label.as_str(), label.is_transaction)));
        let figure = Figure::judged_by(&rule).filter(|_| is_about)?;
        Some(LimitLine { figure, value: result.limit?, rule: result.rule.clone() })
    };
    rules.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn point(p95_ms: f64, errors: i64) -> Point {
        let figures = PointFigures { samples: 1000, errors, p95_ms: Some(p95_ms), ..PointFigures::default() };
        Point {
            name: String::new(),
            start_ms: 0,
            tags: BTreeMap::new(),
            thresholds_broken: None,
            verdict: None,
            figures,
        }
    }

    #[test]
    fn a_lasting_change_is_found_at_the_first_run_after_it() {
        let noise = |number: usize| [0.0, 1.0, -1.0, 0.5][number % 4];
        let points: Vec<Point> =
            (0..40).map(|number| point(if number < 25 { 100.0 } else { 120.0 } + noise(number), 0)).collect();
        let found = changes(&points);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].figure, found[0].at), (Figure::P95Ms, 25));
        assert!(found[0].before < 102.0 && found[0].after > 118.0, "{found:?}");
        let steady: Vec<Point> = (0..40).map(|number| point(100.0 + noise(number), 0)).collect();
        assert!(changes(&steady).is_empty());
    }

    #[test]
    fn runs_that_begin_to_fail_are_a_change() {
        let points: Vec<Point> = (0..30).map(|number| point(100.0, i64::from(number >= 15) * 50)).collect();
        let found = changes(&points);
        assert_eq!(found, [Change { figure: Figure::ErrorPercent, at: 15, before: 0.0, after: 5.0 }]);
    }

    #[test]
    fn times_of_failures_alone_are_no_part_of_a_trend() {
        let points: Vec<Point> =
            (0..30).map(|number| if number < 15 { point(100.0, 0) } else { point(1.0, 1000) }).collect();
        let found = changes(&points);
        assert_eq!(found, [Change { figure: Figure::ErrorPercent, at: 15, before: 0.0, after: 100.0 }]);
        assert_eq!((run(&points[0]).p95_ms, run(&points[29]).p95_ms), (Some(100.0), None));
    }

    #[test]
    fn limits_are_those_of_the_label_that_is_shown() {
        let rule = |rule: &str, limit| ThresholdResult {
            rule: rule.to_owned(),
            limit: Some(limit),
            ..ThresholdResult::default()
        };
        let rules = [
            rule("p(95)<500ms", 500.0),
            rule("label(\"Login\"): p(99)<800ms", 800.0),
            rule("each label: errors<1%", 1.0),
            rule("p(95)<90ms for 10s", 90.0),
            rule("max<5s", 5000.0),
            rule("no rule", 1.0),
        ];
        let figures = |label: Option<&LabelName>| {
            limits(&rules, label).into_iter().map(|line| (line.figure, line.value as i64)).collect::<Vec<_>>()
        };
        assert_eq!(figures(None), [(Figure::P95Ms, 500)]);
        let label = |label: &str| LabelName { id: 1, label: label.to_owned(), is_transaction: false };
        assert_eq!(figures(Some(&label("Login"))), [(Figure::P99Ms, 800), (Figure::ErrorPercent, 1)]);
        assert_eq!(figures(Some(&label("Other"))), [(Figure::ErrorPercent, 1)]);
    }
}
