//! The largest changes of a comparison, a line each: what a reader asks first.

use swell_stats::compare::{Change, Comparison, Finding, LabelComparison, Measure};

use super::answer::{Counts, changed};
use super::rules::{ComparedRule, compared as compared_rules};
use super::{ComparedRuns, relative, word};
use crate::number::{ms, rate};
use crate::plain::plain;

/// Labels that are named, at most.
const MOST: usize = 5;

/// Which figure stands for its label: the first one that changed.
const ORDER: [Measure; 6] =
    [Measure::ErrorPercent, Measure::P95, Measure::Mean, Measure::P50, Measure::P99, Measure::Rate];

/// A line for each label that changed most, those that are worse first; for the total if no label
/// changed.
pub(super) fn largest(comparison: &Comparison) -> Vec<String> {
    let of_labels = label_changes(comparison, MOST);
    if !of_labels.is_empty() {
        return of_labels;
    }
    change_of(&comparison.total).map(|(row, change)| line(row, change)).into_iter().collect()
}

/// A line for each label that changed beyond noise, at most that many, those that are worse first:
/// `checkout: worse, p95 21.82 → 36.59 ms (+67.7 %)`.
pub fn label_changes(comparison: &Comparison, most: usize) -> Vec<String> {
    let mut found: Vec<_> = comparison.labels.iter().filter_map(change_of).collect();
    let size = |change: &Change| change.change.map_or(0.0, f64::abs);
    let class = |change: &Change| (change.finding != Finding::Worse, change.measure != Measure::ErrorPercent);
    found.sort_by(|(_, a), (_, b)| class(a).cmp(&class(b)).then(size(b).total_cmp(&size(a))));
    let counts = Counts::of(comparison);
    let more = (counts.worse + counts.better).saturating_sub(most);
    let mut lines: Vec<_> = found.iter().take(most).map(|(row, change)| line(row, change)).collect();
    match more {
        0 => {}
        1 => lines.push("and 1 more label".to_owned()),
        _ => lines.push(format!("and {more} more labels")),
    }
    lines
}

/// What follows the headline: thresholds that failed, the largest changes, causes of failures,
/// thresholds with other limits.
pub(super) fn lines(compared: &ComparedRuns, comparison: &Comparison) -> Vec<String> {
    let rules = compared_rules(&compared.rules_before, &compared.rules_after);
    let failed = cut(rules.iter().filter_map(ComparedRule::failure).collect(), "failed thresholds");
    let others = cut(rules.iter().filter_map(ComparedRule::change).collect(), "changed thresholds");
    let after = plain(&compared.after);
    let causes = compared.causes.iter().map(|cause| format!("failed in {after}: {}", plain(cause)));
    failed.into_iter().chain(largest(comparison)).chain(causes).chain(others).collect()
}

/// The first lines, and how many there are besides.
fn cut(mut lines: Vec<String>, what: &str) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    lines.extend((more > 0).then(|| format!("and {more} more {what}")));
    lines
}

/// The change that stands for a row; none if it did not change.
fn change_of(row: &LabelComparison) -> Option<(&LabelComparison, &Change)> {
    let finding = changed(row)?;
    let of =
        |measure| row.changes.iter().find(|change| change.measure == measure && change.finding == finding);
    Some((row, ORDER.into_iter().find_map(of)?))
}

fn line(row: &LabelComparison, change: &Change) -> String {
    let label = plain(&row.label);
    let result = word(change.finding);
    let both = |figure: fn(f64) -> String| {
        let [before, after] =
            [change.before, change.after].map(|value| value.map_or_else(|| "–".to_owned(), figure));
        format!("{before} → {after}")
    };
    let by = relative(change);
    match change.measure {
        Measure::ErrorPercent => {
            let doubt = match (row.all_failed, row.has_more_failures()) {
                ((_, true), _) => "; all failed, so its times say nothing",
                ((true, false), _) => "; before, all failed, so its times say nothing",
                // Failed samples are often the faster ones.
                (_, true) => "; its times include those of failed samples",
                _ => "",
            };
            format!("{label}: {result}, {} % failed{doubt}", both(percent))
        }
        Measure::Rate => format!("{label}: {result}, {} per s ({by})", both(rate)),
        Measure::Mean => format!("{label}: {result}, mean {} ms ({by})", both(ms)),
        Measure::P50 => format!("{label}: {result}, p50 {} ms ({by})", both(ms)),
        Measure::P95 => format!("{label}: {result}, p95 {} ms ({by})", both(ms)),
        Measure::P99 => format!("{label}: {result}, p99 {} ms ({by})", both(ms)),
    }
}

/// Up to two decimals.
fn percent(value: f64) -> String {
    format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
}
