//! Failed samples by cause, each with an example.

use std::fmt::Write;

use swell_stats::{ErrorRow, Summary};

use super::View;
use crate::cause::{Cause, cause, share, short_time_of, time_of};
use crate::label::fit;
use crate::lead::{Lead, MOST_LABEL, lead_in};
use crate::line::line;
use crate::number::count;
use crate::styled::{Role, Styled};
use crate::wrap::wrap;

/// Causes that are listed one by one.
const MOST_CAUSES: usize = 10;
/// The same on a terminal without `-v`.
pub(super) const MOST_SHOWN: usize = 5;
/// Columns before the text of a cause.
const INDENT: usize = 20;

pub(super) fn write(summary: &Summary, view: &View, out: &mut Styled) {
    if summary.errors.is_empty() && summary.other_errors == 0 {
        return;
    }
    out.push(Role::Head, &format!("{:>10}  {:>6}  failed samples", "count", "%"));
    line!(out, "");
    let number =
        |number: u64| format!("{:>10}  {:>6}  ", count(number), share(number, summary.total.samples));
    let most = view.most(MOST_SHOWN).min(MOST_CAUSES);
    let (listed, rest) = summary.causes(most);
    for row in listed {
        let most_label = view.width.map_or(MOST_LABEL, |width| label_room(width, summary, row));
        let lead = lead_in(summary, row, most_label);
        let text = text_of(row, &lead, view.verbose);
        if view.verbose || view.width.is_none() {
            line!(out, "{}{}", number(row.count), wrap(&text, INDENT, INDENT, view.width));
            line!(out, "{:INDENT$}{}", "", example(row, &lead, &time_of(&row.first), view.width));
        } else {
            let time = short_time_of(&row.first, summary.start_ns);
            let text = format!("{text}; {}", example(row, &lead, &time, view.width));
            line!(out, "{}{}", number(row.count), wrap(&text, INDENT, INDENT, view.width));
        }
    }
    if rest > 0 {
        line!(out, "{}others", number(rest));
    }
    line!(out, "");
}

/// The cause in a sentence, and with `-v` what was expected.
fn text_of(row: &ErrorRow, lead: &Lead, verbose: bool) -> String {
    const MOST: usize = 400;
    let text = if verbose {
        let Cause { kind, expected, got, .. } = cause(row);
        format!("{}; {kind}: expected {expected}; got {got}", lead.text)
    } else {
        lead.text.clone()
    };
    // The message of a server may have any length.
    fit(&[&text], Some(MOST)).concat()
}

/// Columns of a label that leave the count after it on the first line.
fn label_room(width: usize, summary: &Summary, row: &ErrorRow) -> usize {
    const LEAST: usize = 16;
    const WORDS: usize = ":  of  failed:".len() + 2;
    let counts = count(row.count).len() + count(summary.total.samples).len();
    width.saturating_sub(INDENT + WORDS + counts).clamp(LEAST, MOST_LABEL)
}

fn example(row: &ErrorRow, lead: &Lead, time: &str, width: Option<usize>) -> String {
    const WORDS: usize = "first:  at ".len();
    if lead.names_label {
        return format!("first at {time}");
    }
    let room = width.map(|width| width.saturating_sub(INDENT + WORDS + time.len()).max(12));
    format!("first: {} at {time}", fit(&[&row.first.label], room).concat())
}
