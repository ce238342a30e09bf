//! Comparison of two runs, as text, Markdown, JSON and a page.

mod answer;
mod changes;
mod json;
mod measurement;
mod page;
mod rules;
mod text;

pub use answer::Answered;
pub use changes::label_changes;
pub use json::json;
pub use measurement::measurement_note;
pub use page::{html, page};
pub use rules::RuleResult;
pub use text::{markdown, text};

use serde::Serialize;
use swell_stats::compare::{Change, Comparison, Finding, Measure, Obscured, Options, Steadiness};

use crate::number::{count, span};

/// What is compared, and notes to show before the figures.
#[derive(Clone, Debug, Default)]
pub struct ComparedRuns {
    /// Name of the first run.
    pub before: String,
    /// Name of the second run.
    pub after: String,
    /// What makes the comparison doubtful: another load, a measurement that is not good, a run that
    /// was not steady.
    pub notes: Vec<String>,
    /// How well each was measured: `good`, `doubtful` or `unusable`; none of a results file.
    pub measurements: [Option<&'static str>; 2],
    /// Settings of which the runs have different ones.
    pub settings: Vec<Difference>,
    /// Thresholds of the first run; none of a results file.
    pub rules_before: Vec<RuleResult>,
    /// Thresholds of the second run.
    pub rules_after: Vec<RuleResult>,
    /// Causes of failed samples of the second run, those with the most first.
    pub causes: Vec<String>,
    /// The exit status of the command, and what would change it; empty where no command ends.
    pub status: String,
    /// How they are compared.
    pub options: Options,
}

impl ComparedRuns {
    /// `good → doubtful`; empty if neither is known.
    fn measurement(&self) -> String {
        match self.measurements {
            [None, None] => String::new(),
            both => both.map(|one| one.unwrap_or("unknown")).join(" → "),
        }
    }
}

/// A setting of which the runs have different ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it is.
    pub name: String,
    /// In the first run; empty where it is not set.
    pub before: String,
    /// In the second run.
    pub after: String,
}

/// Notes on how steady a run was.
pub fn steadiness(name: &str, steady: &Steadiness, left_out: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if steady.warm_up_s > 0 {
        let what = if left_out { "are excluded" } else { "are included" };
        notes.push(format!("{name}: its first {} s look like a warm-up and {what}", steady.warm_up_s));
    }
    for change in &steady.changes {
        let percent = 100.0 * (change.after_ms / change.before_ms - 1.0);
        notes.push(format!(
            "{name}: not steady: {} s after the first sample, the median went from {:.2} to {:.2} \
            ms ({percent:+.1} %)",
            change.at_s, change.before_ms, change.after_ms
        ));
    }
    notes
}

/// What would answer the figures of the total that are unknown.
fn needed(options: Options, comparison: &Comparison) -> Option<String> {
    let unknown = || comparison.total.changes.iter().filter(|change| change.finding == Finding::Unknown);
    let longest =
        unknown().filter_map(|change| change.needed).max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let more = format!(
        "to detect {} % in all of them, run each side for {} ({} samples) after its warm-up",
        100.0 * options.same_within,
        span(longest.seconds),
        samples(longest.samples)
    );
    let mean = unknown().find(|change| change.measure == Measure::Mean).and_then(|change| change.needed);
    let mean = mean.filter(|mean| mean.seconds < 0.5 * longest.seconds);
    Some(mean.map(|mean| format!("{more}, {} for the mean", span(mean.seconds))).unwrap_or(more))
}

/// A number of samples.
fn samples(samples: f64) -> String {
    if samples < 1e15 { count(samples as u64) } else { "more than 10^15".to_owned() }
}

/// What a figure could have shown, and what it needs to show more: after its interval.
fn detection(options: Options, change: &Change) -> Option<String> {
    if change.finding != Finding::Unknown || change.obscured.is_some() {
        return None;
    }
    let is_points = change.measure == Measure::ErrorPercent;
    let size = |size: f64| match is_points {
        true => format!("{size:.2} pp"),
        false if size < 100.0 => format!("{:.1} %", 100.0 * size),
        false => "more than 10,000 %".to_owned(),
    };
    let smallest = change.smallest.map(|smallest| format!("detects {} or more", size(smallest)));
    let needed = change.needed.map(|needed| {
        let band = options.band(change.measure);
        let band = if is_points { format!("{band} pp") } else { format!("{} %", 100.0 * band) };
        format!("{band} needs {}, {} samples", span(needed.seconds), samples(needed.samples))
    });
    let all: Vec<_> = smallest.into_iter().chain(needed).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// `+12.3 %`, or points of a hundred for errors.
fn relative(change: &Change) -> String {
    let Some(by) = change.change else { return "–".to_owned() };
    match change.measure {
        Measure::ErrorPercent => format!("{by:+.2} pp"),
        _ => format!("{:+.1} %", 100.0 * by),
    }
}

/// The answer for a figure in a word, or why there is none.
fn word_of(change: &Change) -> &'static str {
    match change.obscured {
        Some(Obscured::AllFailed) => "(all failed)",
        Some(Obscured::MoreFailed) => "(more failed)",
        Some(Obscured::OtherLoad) => "(other load)",
        None => word(change.finding),
    }
}

fn word(finding: Finding) -> &'static str {
    match finding {
        Finding::Same => "same",
        Finding::Better => "better",
        Finding::Worse => "worse",
        Finding::Unknown => "unknown",
    }
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(
        || "–".to_owned(),
        |value| if value >= 100.0 { format!("{value:.1}") } else { format!("{value:.3}") },
    )
}

fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::Mean => "mean ms",
        Measure::P50 => "p50 ms",
        Measure::P95 => "p95 ms",
        Measure::P99 => "p99 ms",
        Measure::Rate => "per s",
        Measure::ErrorPercent => "errors %",
    }
}

#[cfg(test)]
mod tests;
