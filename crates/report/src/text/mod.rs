//! The summary at the end of a run, as text for a terminal: how the site did, then how well it was
//! measured.

mod facts;
mod failures;
mod measurement;
mod table;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use swell_stats::threshold::Judgement;
use swell_stats::verdict::Verdict;
use swell_stats::{LabelStats, Summary};

use crate::cause::total_failure;
use crate::earlier::Earlier;
use crate::figures;
use crate::headline::{ThresholdCounts, headline, headline_role};
use crate::line::line;
use crate::page::Transaction;
use crate::standing;
use crate::styled::Styled;
use crate::thresholds;
use crate::wrap::wrap;

pub use table::Column;

/// A finished run.
#[derive(Clone, Copy, Debug)]
pub struct Results<'a> {
    /// Its figures.
    pub summary: &'a Summary,
    /// How well they were measured.
    pub verdict: Option<&'a Verdict>,
    /// Results of its thresholds.
    pub judgements: &'a [Judgement],
    /// The transactions of the plan, whose parts are listed below them.
    pub transactions: &'a [Transaction],
    /// The counts of all its samples.
    pub total: &'a LabelStats,
    /// Further lines, such as the interface of the kernel.
    pub notes: &'a [String],
    /// The run of the same plan before it.
    pub earlier: Option<&'a Earlier>,
}

/// How much of a run is shown, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Columns of a terminal, where long lines are wrapped and long labels shortened. None for a
    /// file or a pipe, whose lines are as wide as their texts.
    pub width: Option<usize>,
    /// All figures and all rows.
    pub verbose: bool,
    /// Columns of the table; empty for those that the other settings choose.
    pub columns: Vec<Column>,
}

impl View {
    /// What is left out of a list on a terminal, to which `-v` would add it.
    fn most(&self, on_a_terminal: usize) -> usize {
        if self.verbose || self.width.is_none() { usize::MAX } else { on_a_terminal }
    }

    fn columns(&self) -> &[Column] {
        match (self.columns.as_slice(), self.verbose) {
            ([], false) => &Column::BRIEF,
            ([], true) => &Column::VERBOSE,
            (chosen, _) => chosen,
        }
    }

    /// Adds a line, wrapped where the view is a terminal.
    fn line(&self, text: &str, indent: usize, out: &mut Styled) {
        line!(out, "{}", wrap(text, 0, indent, self.width));
    }
}

/// Headline, thresholds, failures, table of labels, then how well it was measured.
pub fn summary(results: &Results<'_>, view: &View) -> Styled {
    let mut out = Styled::default();
    first_line(results, view, &mut out);
    since_earlier(results, view, &mut out);
    out.append(&thresholds::text_in(results.judgements, view.width, view.verbose));
    failures::write(results.summary, view, &mut out);
    table::write(results, view, &mut out);
    figures::table(results.summary, view.width.is_some(), &mut out);
    facts::write(results, view, &mut out);
    measurement::write(results, view, &mut out);
    out
}

/// What changed since the run before, and the command that says more.
fn since_earlier(results: &Results<'_>, view: &View, out: &mut Styled) {
    let Some(earlier) = results.earlier.filter(|_| !results.summary.is_empty()) else { return };
    view.line(&format!("since {}: {}", earlier.name, earlier.change(results.summary)), 2, out);
    // A line that is copied is not wrapped.
    line!(out, "  {}", earlier.command());
}

/// Labels of a run whose summary a screen shows whole.
const SMALL_TABLE: usize = 5;

fn first_line(results: &Results<'_>, view: &View, out: &mut Styled) {
    let counts = ThresholdCounts::of(results.judgements);
    // The table may be long, and readers of the first lines ask whether they can trust it. A
    // failure of everything says it itself.
    let verdict = results.verdict.filter(|_| total_failure(results.summary).is_none());
    let measured = verdict.map(|verdict| {
        let off = standing::off(verdict, results.summary);
        format!("measurement {}{}", verdict.grade.measurement(), off.unwrap_or_default())
    });
    let headline = headline(results.summary, counts);
    let wide = measured.as_ref().map_or(0, |measured| "; ".len() + measured.len());
    let fits = view.width.is_none_or(|width| headline.chars().count() + wide <= width);
    // The lines of a small run are few enough to see what is below.
    let is_small = results.summary.rows.len() <= SMALL_TABLE
        && results.summary.errors.len() <= 1
        && results.judgements.len() <= 2
        && results.earlier.is_none();
    let text = wrap(&headline, 0, 2, view.width);
    let text = match measured {
        Some(measured) if fits => format!("{text}; {measured}"),
        Some(measured) if !is_small => format!("{text};\n  {measured}"),
        _ => text,
    };
    match headline_role(results.summary, counts) {
        Some(role) => out.push(role, &text),
        None => out.write_str(&text).expect("memory takes it"),
    }
    line!(out, "");
}
