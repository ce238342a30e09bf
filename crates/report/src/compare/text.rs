//! For terminals, and in Markdown for merge requests.

use std::fmt::Write;

use swell_stats::compare::{Comparison, Finding, LabelComparison, Measure};

use super::answer::{Answered, changed, headline, headline_detail};
use super::changes::lines;
use super::{ComparedRuns, Difference, detection, figure, name, relative, word_of};
use crate::line::line;
use crate::markdown::{cell, code};
use crate::plain::plain;
use crate::styled::{Role, Styled};

/// For a terminal: the result, the largest changes, what is doubtful, then each row with its
/// figures.
pub fn text(compared: &ComparedRuns, comparison: &Comparison) -> Styled {
    let mut out = Styled::default();
    let answered = Answered::of(compared, comparison);
    match answered {
        Answered::Failed => out.push(Role::Bad, answered.word()),
        Answered::Passed => out.push(Role::Good, answered.word()),
        Answered::Unknown => out.push(Role::Doubtful, answered.word()),
    }
    line!(out, ": {}", headline_detail(compared, comparison));
    for change in lines(compared, comparison) {
        line!(out, "  {change}");
    }
    if !compared.status.is_empty() {
        line!(out, "{}", compared.status);
    }
    let measurement = match compared.measurement().as_str() {
        "" => String::new(),
        both => format!("; measurement {both}"),
    };
    line!(out, "from {} to {}{measurement}", plain(&compared.before), plain(&compared.after));
    settings(compared, &mut out);
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
                "  {:9} {:>12} → {:>12}  {:>9}  {:13} {}",
                name(change.measure),
                figure(change.before),
                figure(change.after),
                relative(change),
                word_of(change),
                noise.unwrap_or_default()
            );
            let detection = detection(compared.options, change).map(|text| format!("  {text}"));
            let said = said.trim_end().to_owned() + &detection.unwrap_or_default();
            match change.obscured {
                Some(_) => out.push(Role::Muted, &said),
                None => out.write_str(&said).expect("memory takes it"),
            }
            line!(out, "");
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

/// Settings that differ.
fn settings(compared: &ComparedRuns, out: &mut Styled) {
    const MOST: usize = 12;
    let shown = |value: &str| if value.is_empty() { "–".to_owned() } else { plain(value).into_owned() };
    for Difference { name, before, after } in compared.settings.iter().take(MOST) {
        line!(out, "changed: {}: {} → {}", plain(name), shown(before), shown(after));
    }
    if let more @ 1.. = compared.settings.len().saturating_sub(MOST) {
        line!(out, "changed: {more} more settings; --json has all");
    }
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
    line!(out, "### {}\n", cell(&headline(compared, comparison)));
    for change in lines(compared, comparison) {
        line!(out, "- {}", cell(&change));
    }
    line!(out, "\n{} → {}\n", code(&compared.before), code(&compared.after));
    for Difference { name, before, after } in &compared.settings {
        line!(out, "- changed: {}: {} → {}", cell(name), code(before), code(after));
    }
    if !compared.settings.is_empty() {
        line!(out, "");
    }
    for note in &compared.notes {
        line!(out, "> {}\n", cell(note));
    }
    let heads: Vec<_> = comparison.total.changes.iter().map(|change| name(change.measure)).collect();
    line!(out, "| label | {} |\n|---|{}", heads.join(" | "), "--:|".repeat(heads.len()));
    let mut rows: Vec<&LabelComparison> = comparison.rows().collect();
    rows[1..].sort_by_key(|row| match changed(row) {
        Some(Finding::Worse) => 0,
        Some(_) => 1,
        None => 2,
    });
    for row in rows {
        let cells = row.changes.iter().map(|change| {
            let sign = match (change.finding, change.obscured) {
                (_, Some(_)) => format!(" {}", word_of(change)),
                (Finding::Worse, _) => " ❌".to_owned(),
                (Finding::Better, _) => " ✅".to_owned(),
                (Finding::Same, _) => String::new(),
                (Finding::Unknown, _) => " ?".to_owned(),
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
