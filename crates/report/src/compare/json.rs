//! For machines, schema `swell.comparison/2`.

use serde_json::{Value, json};
use swell_stats::compare::{Comparison, LabelComparison};

use super::answer::{Answered, headline};
use super::{ComparedRuns, word};

/// The comparison as JSON. Changes are relative (0.1 is 10 % more), those of `error_percent` are
/// differences in percentage points.
pub fn json(compared: &ComparedRuns, comparison: &Comparison) -> Value {
    json!({
        "schema": "swell.comparison/2",
        "before": compared.before,
        "after": compared.after,
        "notes": compared.notes,
        "passed": match Answered::of(compared, comparison) {
            Answered::Passed => Value::Bool(true),
            Answered::Failed => Value::Bool(false),
            Answered::Unknown => Value::Null,
        },
        "settings": compared.settings,
        "thresholds": { "before": compared.rules_before, "after": compared.rules_after },
        "worse": comparison.is_worse(),
        "finding": word(comparison.finding()),
        "same_within": compared.options.same_within,
        "headline": headline(compared, comparison),
        "total": row(&comparison.total),
        "labels": comparison.labels.iter().map(row).collect::<Vec<_>>(),
        "only_before": comparison.only_before.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "only_after": comparison.only_after.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn row(row: &LabelComparison) -> Value {
    let changes = row.changes.iter().map(|change| {
        let figures = json!({
            "before": change.before,
            "after": change.after,
            "change": change.change,
            "confidence_95": change.interval.map(|(low, high)| [low, high]),
            "finding": word(change.finding),
            "changed": change.finding.is_change(),
            "smallest_change_seen": change.smallest.filter(|smallest| smallest.is_finite()),
            "needed_seconds": change.needed.map(|needed| needed.seconds),
            "needed_samples": change.needed.map(|needed| needed.samples),
        });
        (change.measure.name().to_owned(), figures)
    });
    json!({
        "label": row.label.to_string(),
        "transaction": row.is_transaction,
        "samples": [row.samples.0, row.samples.1],
        "all_failed": [row.all_failed.0, row.all_failed.1],
        "worse": row.is_worse(),
        "better": row.is_better(),
        "figures": Value::Object(changes.collect()),
    })
}
