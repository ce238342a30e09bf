//! Two runs beside each other, as text, Markdown, JSON and a page.

mod html;
mod json;
mod text;

pub use html::html;
pub use json::json;
pub use text::{markdown, text};

use swell_stats::compare::{Change, Comparison, Finding, Measure, Steadiness};

/// What is compared, and what is to be said before any figure.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Name of the first run.
    pub before: String,
    /// Name of the second run.
    pub after: String,
    /// What makes the comparison doubtful: another load, a verdict that is not VALID, a run that was not steady.
    pub notes: Vec<String>,
}

/// What is to be said of how steady a run was.
pub fn steadiness(name: &str, steady: &Steadiness, left_out: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if steady.warm_up_s > 0 {
        let what = if left_out { "is left out" } else { "counts" };
        notes
            .push(format!("{name}: its beginning of {} s looks like a warm-up and {what}", steady.warm_up_s));
    }
    for change in &steady.changes {
        let percent = 100.0 * (change.after_ms / change.before_ms - 1.0);
        notes.push(format!(
            "{name}: it was not steady: {} s after its first sample its median went from {:.2} to {:.2} ms ({percent:+.1} %)",
            change.at_s, change.before_ms, change.after_ms
        ));
    }
    notes
}

/// The result in a sentence.
fn headline(comparison: &Comparison) -> String {
    let all = || comparison.labels.iter().chain([&comparison.total]);
    let [worse, better] =
        [all().filter(|label| label.is_worse()).count(), all().filter(|label| label.is_better()).count()];
    let unknown = comparison.total.changes.iter().all(|change| change.finding == Finding::Unknown);
    match (worse, better) {
        _ if unknown => {
            "UNKNOWN: at least one of the runs is too short, or has too few samples, to tell".to_owned()
        }
        (0, 0) => "SAME: nothing changed beyond noise".to_owned(),
        (0, better) => format!("BETTER: {better} of {} rows changed beyond noise", all().count()),
        (worse, 0) => format!("WORSE: {worse} of {} rows changed beyond noise", all().count()),
        (worse, better) => {
            format!("WORSE: {worse} of {} rows are worse beyond noise, {better} are better", all().count())
        }
    }
}

/// `+12.3 %`, or points of a hundred for errors.
fn relative(change: &Change) -> String {
    let Some(by) = change.change else { return "–".to_owned() };
    match change.measure {
        Measure::ErrorPercent => format!("{by:+.2} pp"),
        _ => format!("{:+.1} %", 100.0 * by),
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
