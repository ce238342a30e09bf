//! Failed samples by cause, each with an example.

use std::fmt::Write;

use swell_stats::{ErrorRow, Summary};

use super::View;
use crate::cause::{cause, share, time_of};
use crate::label::fit;
use crate::line::line;
use crate::number::count;
use crate::styled::{Role, Styled};
use crate::wrap::wrap;

/// Causes that are listed one by one.
const MOST_CAUSES: usize = 10;
/// The same on a terminal without `-v`.
const MOST_SHOWN: usize = 5;
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
        line!(out, "{}{}", number(row.count), wrap(&text_of(row, view.verbose), INDENT, INDENT, view.width));
        line!(out, "{:INDENT$}{}", "", example(row, view.width));
    }
    if rest > 0 {
        line!(out, "{}others", number(rest));
    }
    line!(out, "");
}

/// The cause in short, or with what was expected instead.
fn text_of(row: &ErrorRow, verbose: bool) -> String {
    const MOST: usize = 400;
    let cause = cause(row);
    let text = if verbose {
        format!("{}: expected {}; got {}", cause.kind, cause.expected, cause.got)
    } else {
        cause.words
    };
    // The message of a server may have any length.
    fit(&[&text], Some(MOST)).concat()
}

fn example(row: &ErrorRow, width: Option<usize>) -> String {
    const WORDS: usize = "first:  at ".len();
    let time = time_of(&row.first);
    let room = width.map(|width| width.saturating_sub(INDENT + WORDS + time.len()).max(12));
    format!("first: {} at {time}", fit(&[&row.first.label], room).concat())
}
