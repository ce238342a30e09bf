//! How well one of the runs was measured, and whether the changes of p95 are larger than what that
//! may have done.

use swell_stats::compare::{Change, Comparison, Measure};
use swell_stats::verdict::{Grade, Verdict};

use crate::reason::{figure, reasons};
use crate::standing::standing;

/// Less than this is not worth a number, milliseconds.
const LEAST_MS: f64 = 0.005;

/// A note on a run whose measurement is not good; `p95_ms` is its p95.
pub fn measurement_note(
    name: &str,
    verdict: &Verdict,
    p95_ms: Option<f64>,
    comparison: &Comparison,
) -> Option<String> {
    if verdict.grade == Grade::Valid {
        return None;
    }
    let worst = verdict.refusal.clone().or_else(|| reasons(verdict).into_iter().next());
    let worst = worst.map(|worst| format!(": {worst}")).unwrap_or_default();
    let standing = p95_ms.map(|p95_ms| standing(verdict, p95_ms));
    let off = standing.filter(|standing| standing.by_ms >= LEAST_MS).map(|standing| {
        let way = if standing.is_upwards { "too high" } else { "off" };
        let by = figure(standing.by_ms);
        format!("; p95 may be up to {by} ms {way}{}", of_changes(comparison, standing.by_ms))
    });
    let word = verdict.grade.measurement();
    Some(format!("{name}: its measurement is {word}{worst}{}", off.unwrap_or_default()))
}

/// Whether the changes of p95 that were found are larger than that.
fn of_changes(comparison: &Comparison, by_ms: f64) -> String {
    let size = |change: &Change| Some((change.after? - change.before?).abs());
    let found = comparison.rows().flat_map(|row| &row.changes);
    let found = found.filter(|change| change.measure == Measure::P95 && change.finding.is_change());
    let sizes: Vec<f64> = found.filter_map(size).collect();
    let smaller = sizes.iter().filter(|size| **size <= by_ms).count();
    match (sizes.len(), smaller) {
        (0, _) => String::new(),
        (1, 0) => ", and its change above is larger".to_owned(),
        (_, 0) => ", and its changes above are larger".to_owned(),
        (1, _) => ", and its change above is not larger".to_owned(),
        (all, smaller) => format!(", and {smaller} of its {all} changes above are not larger"),
    }
}
