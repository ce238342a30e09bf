//! The largest changes of a comparison, a line each: what a reader asks first.

use swell_stats::compare::{Change, Comparison, Finding, LabelComparison, Measure};

use super::{relative, word};
use crate::number::{ms, rate};
use crate::plain::plain;

/// Labels that are named, at most.
const MOST: usize = 5;

/// Which figure stands for its label: the first one that changed.
const ORDER: [Measure; 6] =
    [Measure::ErrorPercent, Measure::P95, Measure::Mean, Measure::P50, Measure::P99, Measure::Rate];

/// A line for each label that changed most, those that are worse first; for the total if no label changed.
pub(super) fn largest(comparison: &Comparison) -> Vec<String> {
    let mut changed: Vec<_> = comparison.labels.iter().filter_map(change_of).collect();
    if changed.is_empty() {
        changed.extend(change_of(&comparison.total));
    }
    let size = |change: &Change| change.change.map_or(0.0, f64::abs);
    let class = |change: &Change| (change.finding != Finding::Worse, change.measure != Measure::ErrorPercent);
    changed.sort_by(|(_, a), (_, b)| class(a).cmp(&class(b)).then(size(b).total_cmp(&size(a))));
    let more = changed.len().saturating_sub(MOST);
    let mut lines: Vec<_> = changed.iter().take(MOST).map(|(row, change)| line(row, change)).collect();
    match more {
        0 => {}
        1 => lines.push("and 1 more label".to_owned()),
        _ => lines.push(format!("and {more} more labels")),
    }
    lines
}

/// The change that stands for a row; none if it did not change.
fn change_of(row: &LabelComparison) -> Option<(&LabelComparison, &Change)> {
    let finding = if row.is_worse() { Finding::Worse } else { Finding::Better };
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
            // Failed samples are often the faster ones.
            let doubt = if row.is_better() { "; its times include those of failed samples" } else { "" };
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
