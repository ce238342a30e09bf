//! For terminals, and in Markdown for merge requests.

use std::fmt::Write;

use swell_stats::compare::{Comparison, Finding, LabelComparison, Measure};

use super::changes::largest;
use super::{ComparedRuns, detection, figure, headline, headline_detail, name, relative, result_word, word};
use crate::line::line;
use crate::markdown::{cell, code};
use crate::plain::plain;
use crate::styled::{Role, Styled};

/// For a terminal: the result, the largest changes, what is doubtful, then each row with its figures.
pub fn text(compared: &ComparedRuns, comparison: &Comparison) -> Styled {
    let mut out = Styled::default();
    let result = result_word(comparison.finding());
    match comparison.finding() {
        Finding::Worse => out.push(Role::Bad, result),
        Finding::Better => out.push(Role::Good, result),
        Finding::Same | Finding::Unknown => out.write_str(result).expect("memory takes it"),
    }
    line!(out, ": {}", headline_detail(compared.options, comparison));
    for change in largest(comparison) {
        line!(out, "  {change}");
    }
    line!(out, "from {} to {}", plain(&compared.before), plain(&compared.after));
    for note in &compared.notes {
        line!(out, "note: {}", plain(note));
    }
    let row = |out: &mut Styled, row: &LabelComparison| {
        let kind = if row.is_transaction { " (transaction)" } else { "" };
        line!(out, "\n{}{kind}: {} and {} samples", plain(&row.label), row.samples.0, row.samples.1);
        for change in &row.changes {
            let noise =
                change.interval.map(|interval| within(change.measure == Measure::ErrorPercent, interval));
            let said = format!(
                "  {:9} {:>12} → {:>12}  {:>9}  {:8} {}",
                name(change.measure),
                figure(change.before),
                figure(change.after),
                relative(change),
                word(change.finding),
                noise.unwrap_or_default()
            );
            let detection = detection(compared.options, change).map(|text| format!("  {text}"));
            line!(out, "{}", (said.trim_end().to_owned() + &detection.unwrap_or_default()));
        }
    };
    row(&mut out, &comparison.total);
    for label in &comparison.labels {
        row(&mut out, label);
    }
    for (labels, which) in
        [(&comparison.only_before, &compared.before), (&comparison.only_after, &compared.after)]
    {
        if !labels.is_empty() {
            let labels: Vec<_> = labels.iter().map(|label| plain(label).into_owned()).collect();
            line!(out, "\nonly in {}: {}", plain(which), labels.join(", "));
        }
    }
    out
}

/// The interval of a change, as text.
pub(super) fn within(is_points: bool, (low, high): (f64, f64)) -> String {
    if is_points {
        format!("95 %: {low:+.2} to {high:+.2} pp")
    } else {
        format!("95 %: {:+.1} to {:+.1} %", 100.0 * low, 100.0 * high)
    }
}

/// A table in Markdown: rows that changed first.
pub fn markdown(compared: &ComparedRuns, comparison: &Comparison) -> String {
    let mut out = String::new();
    line!(out, "### {}\n", cell(&headline(compared.options, comparison)));
    for change in largest(comparison) {
        line!(out, "- {}", cell(&change));
    }
    line!(out, "\n{} → {}\n", code(&compared.before), code(&compared.after));
    for note in &compared.notes {
        line!(out, "> {}\n", cell(note));
    }
    let heads: Vec<_> = comparison.total.changes.iter().map(|change| name(change.measure)).collect();
    line!(out, "| label | {} |\n|---|{}", heads.join(" | "), "--:|".repeat(heads.len()));
    let mut rows: Vec<&LabelComparison> = comparison.rows().collect();
    rows[1..].sort_by_key(|row| (!row.is_worse(), !row.is_better()));
    for row in rows {
        let cells = row.changes.iter().map(|change| {
            let sign = match change.finding {
                Finding::Worse => " ❌",
                Finding::Better => " ✅",
                Finding::Same => "",
                Finding::Unknown => " ?",
            };
            format!("{} → {} ({}){sign}", figure(change.before), figure(change.after), relative(change))
        });
        line!(out, "| {} | {} |", cell(&row.label), cells.collect::<Vec<_>>().join(" | "));
    }
    line!(
        out,
        "\n❌ worse, ✅ better beyond noise; ? unknown; all others are within ±{} %",
        100.0 * compared.options.same_within
    );
    out
}
