//! How well one of the runs was measured, and whether the changes of p95 are larger than what that
//! may have done.

use swell_stats::compare::{Change, Comparison, Measure};
use swell_stats::verdict::{Grade, Verdict};

use crate::plain::plain;
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
    const NAMED: usize = 3;
    let is_p95 = |change: &&Change| change.measure == Measure::P95 && change.finding.is_change();
    let size = |change: &Change| Some((change.after? - change.before?).abs());
    let found = comparison.rows().flat_map(|row| row.changes.iter().map(move |change| (row, change)));
    let found = found.filter(|(_, change)| is_p95(change));
    let sizes: Vec<_> = found.filter_map(|(row, change)| Some((row, size(change)?))).collect();
    let smaller: Vec<_> = sizes.iter().filter(|(_, size)| *size <= by_ms).collect();
    let names: Vec<_> = smaller
        .iter()
        .take(NAMED)
        .map(|(row, size)| format!("{} ({} ms)", plain(&row.label), figure(*size)))
        .collect();
    match (sizes.len(), smaller.len()) {
        (0, _) => String::new(),
        (1, 0) => ", and its change above is larger".to_owned(),
        (_, 0) => ", and its changes above are larger".to_owned(),
        (_, 1) => format!(", which can explain the change of {}", names[0]),
        (_, few) if few <= NAMED => format!(", which can explain the changes of {}", names.join(", ")),
        (_, many) => {
            format!(", which can explain the changes of {} and {} more", names.join(", "), many - NAMED)
        }
    }
}
