//! For terminals, and in Markdown for merge requests.

use std::fmt::Write;

use swell_stats::compare::{Comparison, Finding, LabelComparison, Measure};

use super::answer::{Answered, changed, headline, headline_detail};
use super::changes::lines;
use super::{ComparedRuns, Difference, detection, figure, name, relative, word_of};
use crate::label::width as columns;
use crate::line::line;
use crate::markdown::{cell, code};
use crate::plain::plain;
use crate::styled::{Role, Styled};
use crate::wrap::wrap;

/// For a terminal: the result, the largest changes, what is doubtful, then each row with its
/// figures. `width`: its columns, at which sentences are broken; none: nothing is broken.
pub fn text(compared: &ComparedRuns, comparison: &Comparison, width: Option<usize>) -> Styled {
    let mut out = Styled::default();
    let answered = Answered::of(compared, comparison);
    let word = answered.word();
    match answered {
        Answered::Failed => out.push(Role::Bad, word),
        Answered::Passed => out.push(Role::Good, word),
        Answered::Unknown => out.push(Role::Doubtful, word),
    }
    let headline = format!(": {}", headline_detail(compared, comparison));
    line!(out, "{}", wrap(&headline, word.len(), 2, width));
    for change in lines(compared, comparison) {
        line!(out, "  {}", wrap(&change, 2, 4, width));
    }
    let mut say = |text: &str| line!(out, "{}", wrap(text, 0, 2, width));
    if !compared.status.is_empty() {
        say(&compared.status);
    }
    let measurement = match compared.measurement().as_str() {
        "" => String::new(),
        both => format!("; measurement {both}"),
    };
    say(&format!("from {} to {}{measurement}", plain(&compared.before), plain(&compared.after)));
    settings(compared, &mut say);
    for note in &compared.notes {
        say(&format!("note: {}", plain(note)));
    }
    for label in comparison.rows() {
        row(&mut out, compared, label, width);
    }
    for (labels, which) in
        [(&comparison.only_before, &compared.before), (&comparison.only_after, &compared.after)]
    {
        if !labels.is_empty() {
            let labels: Vec<_> = labels.iter().map(|label| plain(label).into_owned()).collect();
            let only = format!("only in {}: {}", plain(which), labels.join(", "));
            line!(out, "\n{}", wrap(&only, 0, 2, width));
        }
    }
    out
}

/// Columns of a figure's line, on terminals and in files.
const ROW_COLUMNS: usize = 80;

/// The figures of a label, each on a line of at most 80 columns.
fn row(out: &mut Styled, compared: &ComparedRuns, row: &LabelComparison, width: Option<usize>) {
    let kind = if row.is_transaction { " (transaction)" } else { "" };
    let head = format!("{}{kind}: {} and {} samples", plain(&row.label), row.samples.0, row.samples.1);
    line!(out, "\n{}", wrap(&head, 0, 2, width));
    for change in &row.changes {
        let mut said = format!(
            "  {:8} {:>9} → {:>9} {:>9}  {:7}",
            name(change.measure),
            figure(change.before),
            figure(change.after),
            relative(change),
            word_of(change)
        );
        let noise = change.interval.map(|interval| within(change.measure == Measure::ErrorPercent, interval));
        let fits = noise.as_ref().is_none_or(|noise| columns(&said) + 1 + columns(noise) <= ROW_COLUMNS);
        if let Some(noise) = noise.as_ref().filter(|_| fits) {
            said = format!("{said} {noise}");
        }
        match change.obscured {
            Some(_) => out.push(Role::Muted, said.trim_end()),
            None => out.write_str(said.trim_end()).expect("memory takes it"),
        }
        line!(out, "");
        for more in noise.filter(|_| !fits).into_iter().chain(detection(compared.options, change)) {
            line!(out, "{:11}{}", "", wrap(&more, 11, 11, width));
        }
    }
}

/// Settings that differ.
fn settings(compared: &ComparedRuns, say: &mut impl FnMut(&str)) {
    const MOST: usize = 12;
    let shown = |value: &str| if value.is_empty() { "–".to_owned() } else { plain(value).into_owned() };
    for Difference { name, before, after } in compared.settings.iter().take(MOST) {
        say(&format!("changed: {}: {} → {}", plain(name), shown(before), shown(after)));
    }
    if let more @ 1.. = compared.settings.len().saturating_sub(MOST) {
        say(&format!("changed: {more} more settings; --json has all"));
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
