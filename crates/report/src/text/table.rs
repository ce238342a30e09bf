//! The table of labels.

use std::fmt::Write;

use swell_stats::{Delay, Summary, SummaryRow};

use super::{Results, View};
use crate::label::{fit, pad, width};
use crate::line::line;
use crate::number::{count, ms, rate};
use crate::styled::{Role, Styled};
use crate::transactions::TransactionLines;

/// Columns of a label at least, however narrow the terminal is.
const LEAST_LABEL: usize = 16;
/// Columns of a label at most where the table is wider than the terminal anyway.
const WIDE_LABEL: usize = 24;
/// Rows of a table on a terminal without `-v`.
const MOST_ROWS: usize = 30;
/// A common beginning of labels that is worth a separate line.
const LEAST_PREFIX: usize = 8;
/// The head of the column of labels, and where there is little room.
const HEADS: [&str; 2] = ["label (times in ms)", "label (ms)"];
/// What labels of a transaction's parts begin with.
const INDENT: &str = "  ";

/// A column of the table of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Number of samples.
    Samples,
    /// Number of failed samples.
    Errors,
    /// Failed samples of a hundred.
    Failed,
    /// Mean time.
    Mean,
    /// Standard deviation.
    Sd,
    /// Smallest time.
    Min,
    /// Median.
    P50,
    /// 90th percentile.
    P90,
    /// 95th percentile.
    P95,
    /// 99th percentile.
    P99,
    /// 99.9th percentile.
    P999,
    /// Largest time.
    Max,
    /// Samples a second.
    PerS,
    /// Received, in units of 1,024 bytes a second.
    KbPerS,
    /// Sent, in units of 1,024 bytes a second.
    SentKbPerS,
    /// Median of the time to the connection.
    Connect,
    /// Median of the TLS handshake.
    Tls,
    /// Median of the time to the first byte.
    FirstByte,
}

impl Column {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::Samples,
        Self::Errors,
        Self::Failed,
        Self::Mean,
        Self::Sd,
        Self::Min,
        Self::P50,
        Self::P90,
        Self::P95,
        Self::P99,
        Self::P999,
        Self::Max,
        Self::PerS,
        Self::KbPerS,
        Self::SentKbPerS,
        Self::Connect,
        Self::Tls,
        Self::FirstByte,
    ];

    /// Those that fit a terminal of 80 columns.
    pub(crate) const BRIEF: [Self; 7] =
        [Self::Samples, Self::Failed, Self::P50, Self::P95, Self::P99, Self::Max, Self::PerS];

    /// Those of `-v`.
    pub(super) const VERBOSE: [Self; 14] = [
        Self::Samples,
        Self::Errors,
        Self::Failed,
        Self::Mean,
        Self::Sd,
        Self::Min,
        Self::P50,
        Self::P90,
        Self::P95,
        Self::P99,
        Self::P999,
        Self::Max,
        Self::PerS,
        Self::KbPerS,
    ];

    /// Its name in `--columns`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Errors => "errors",
            Self::Failed => "failed",
            Self::Mean => "mean",
            Self::Sd => "sd",
            Self::Min => "min",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
            Self::Max => "max",
            Self::PerS => "per-s",
            Self::KbPerS => "kb-per-s",
            Self::SentKbPerS => "sent-kb-per-s",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::FirstByte => "first-byte",
        }
    }

    fn head(self) -> &'static str {
        match self {
            Self::Failed => "failed %",
            Self::PerS => "per s",
            Self::KbPerS => "KB/s",
            Self::SentKbPerS => "sent KB/s",
            Self::Tls => "TLS",
            Self::FirstByte => "first byte",
            _ => self.name(),
        }
    }

    /// Columns that it takes at least, so that heads and figures are apart.
    fn least_width(self) -> usize {
        match self {
            Self::Samples | Self::PerS => 8,
            Self::Failed => 9,
            _ => 6,
        }
    }

    /// The place of its quantile among [`swell_stats::QUANTILES`].
    pub(super) fn place(self) -> Option<usize> {
        let places = [Self::P50, Self::P90, Self::P95, Self::P99, Self::P999];
        places.into_iter().position(|column| column == self)
    }

    /// It is a time of samples.
    fn is_time(self) -> bool {
        use Column as C;
        !matches!(self, C::Samples | C::Errors | C::Failed | C::PerS | C::KbPerS | C::SentKbPerS)
    }

    pub(crate) fn cell(self, row: &SummaryRow) -> String {
        if let Some(quantile) = self.place().map(|place| &row.quantiles[place]) {
            return if quantile.supported { ms(quantile.ms) } else { "-".to_owned() };
        }
        match self {
            Self::Samples => count(row.samples),
            Self::Errors => count(row.errors),
            Self::Failed => percent(row),
            Self::Mean => ms(row.mean_ms),
            Self::Sd => ms(row.sd_ms),
            Self::Min => ms(row.min_ms),
            Self::PerS => rate(row.throughput_per_s),
            Self::KbPerS => rate(row.received_kb_per_s),
            Self::SentKbPerS => rate(row.sent_kb_per_s),
            Self::Connect => median(&row.connect),
            Self::Tls => median(&row.handshake),
            Self::FirstByte => median(&row.first_byte),
            _ => ms(row.max_ms),
        }
    }
}

fn median(stage: &Delay) -> String {
    if stage.samples > 0 { ms(stage.p50_ms) } else { "-".to_owned() }
}

/// Never `0.00` where a sample failed, never `100.00` where one succeeded.
fn percent(row: &SummaryRow) -> String {
    let text = format!("{:.2}", row.error_percent());
    match text.as_str() {
        "0.00" if row.errors > 0 => "<0.01".to_owned(),
        "100.00" if row.errors < row.samples => ">99.99".to_owned(),
        _ => text,
    }
}

/// A line of the table: a row, or a text in all columns.
enum Line<'a> {
    Row(String, &'a SummaryRow),
    Text(String),
}

pub(super) fn write(results: &Results<'_>, view: &View, out: &mut Styled) {
    let columns = view.columns();
    let widths = widths(results.summary, columns);
    let figures: usize = widths.iter().map(|width| width + 1).sum();
    let room = view.width.map(|all| all.saturating_sub(figures));
    let room = room.map(|room| if room < LEAST_LABEL { WIDE_LABEL } else { room });
    let (prefix, lines) = lines(results, view, room);
    let labels = lines.iter().map(|line| if let Line::Row(label, _) = line { width(label) } else { 0 });
    let head = HEADS.iter().find(|head| room.is_none_or(|room| head.len() <= room)).unwrap_or(&HEADS[1]);
    let column = labels.chain([head.len()]).max().unwrap_or_default();
    if !prefix.is_empty() {
        view.line(&format!("… is {prefix}"), 2, out);
    }
    let heads = columns.iter().zip(&widths).map(|(column, width)| format!(" {:>width$}", column.head()));
    out.push(Role::Head, &format!("{}{}", pad(head, column), heads.collect::<String>()));
    line!(out, "");
    for each in lines {
        match each {
            Line::Text(text) => view.line(&text, 2, out),
            Line::Row(label, row) => {
                out.write_str(&pad(&label, column)).expect("memory takes it");
                for (each, width) in columns.iter().zip(&widths) {
                    let cell = format!(" {:>width$}", each.cell(row));
                    if row.all_failed() && each.is_time() {
                        out.push(Role::Muted, &cell);
                    } else {
                        out.write_str(&cell).expect("memory takes it");
                    }
                }
                line!(out, "");
            }
        }
    }
}

/// The width of each column, as its widest figure needs.
fn widths(summary: &Summary, columns: &[Column]) -> Vec<usize> {
    let rows = || summary.rows.iter().chain(&summary.groups).chain([&summary.total]);
    let least = |column: &Column| column.head().len().max(column.least_width());
    let of_column = |column: &Column| rows().map(|row| column.cell(row).len()).max().unwrap_or_default();
    columns.iter().map(|column| of_column(column).max(least(column))).collect()
}

/// The common beginning of the labels that is left out, and all lines.
fn lines<'a>(results: &Results<'a>, view: &View, room: Option<usize>) -> (String, Vec<Line<'a>>) {
    let rows = &results.summary.rows;
    let total = &results.summary.total;
    let (prefix, labels) = labels(rows, room);
    if let ([label], false) = (&labels[..], rows.iter().any(|row| row.is_transaction)) {
        let mut lines = vec![Line::Row(label.clone(), total)];
        lines.extend(of_groups(results.summary, room));
        return (prefix, lines);
    }
    let mut lines = Vec::new();
    let places: Vec<_> = (0..rows.len()).filter(|place| !rows[*place].is_transaction).collect();
    let most = view.most(MOST_ROWS);
    if places.len() > most {
        let text = format!(
            "{most} of {} labels, those with most failures and the slowest first; -v lists all",
            count(places.len() as u64)
        );
        lines.push(Line::Text(text));
    }
    let shown = worst(rows, places, most).into_iter();
    lines.extend(shown.map(|place| Line::Row(labels[place].clone(), &rows[place])));
    lines.push(Line::Row("TOTAL".to_owned(), total));
    lines.extend(of_transactions(results, view, &labels, room));
    lines.extend(of_groups(results.summary, room));
    (prefix, lines)
}

fn of_groups(summary: &Summary, room: Option<usize>) -> Vec<Line<'_>> {
    if summary.groups.is_empty() {
        return Vec::new();
    }
    let names: Vec<_> = summary.groups.iter().map(|group| group.label.as_str()).collect();
    let rows = fit(&names, room).into_iter().zip(&summary.groups).map(|(name, group)| Line::Row(name, group));
    std::iter::once(Line::Text("groups of labels".to_owned())).chain(rows).collect()
}

/// All places in their order, or as many as there is room for: most failures first, then the
/// slowest.
fn worst(rows: &[SummaryRow], mut places: Vec<usize>, most: usize) -> Vec<usize> {
    if places.len() <= most {
        return places;
    }
    let slow = |place: usize| rows[place].quantiles[2].ms;
    places.sort_by(|a, b| rows[*b].errors.cmp(&rows[*a].errors).then_with(|| slow(*b).total_cmp(&slow(*a))));
    places.truncate(most);
    places
}

fn of_transactions<'a>(
    results: &Results<'a>,
    view: &View,
    labels: &[String],
    room: Option<usize>,
) -> Vec<Line<'a>> {
    let rows = &results.summary.rows;
    let found = TransactionLines::of(rows, results.transactions);
    if found.lines.is_empty() {
        return Vec::new();
    }
    let whole: Vec<_> = rows.iter().map(|row| row.label.as_str()).collect();
    let parts = fit(&whole, room.map(|room| room - INDENT.len()));
    let mut lines = vec![Line::Text(transactions_heading(&found).to_owned())];
    let most = view.most(MOST_ROWS);
    for &(place, is_part) in found.lines.iter().take(most) {
        let label = if is_part { format!("{INDENT}{}", parts[place]) } else { labels[place].clone() };
        lines.push(Line::Row(label, &rows[place]));
    }
    if let more @ 1.. = found.lines.len().saturating_sub(most) {
        lines.push(Line::Text(format!("{INDENT}{} more lines; -v lists all", count(more as u64))));
    }
    if found.left_out > 0 {
        let more = count(found.left_out as u64);
        lines.push(Line::Text(format!("{INDENT}{more} more parts are in the HTML report")));
    }
    if found.shares_parts {
        let text = "a part of several transactions has the figures of all of them";
        lines.push(Line::Text(text.to_owned()));
    }
    lines
}

fn transactions_heading(transactions: &TransactionLines) -> &'static str {
    if transactions.lines.iter().any(|(_, is_part)| *is_part) {
        "transactions, not in the total, with their parts"
    } else {
        "transactions, not in the total"
    }
}

/// Labels as there is room for them. Where they are too long, a beginning that all share is cut
/// first.
fn labels(rows: &[SummaryRow], room: Option<usize>) -> (String, Vec<String>) {
    let whole: Vec<_> = rows.iter().map(|row| row.label.as_str()).collect();
    let Some(room) = room else { return (String::new(), fit(&whole, None)) };
    let plain = fit(&whole, None);
    let prefix = common_prefix(&plain);
    if prefix.is_empty() || plain.iter().all(|label| width(label) <= room) {
        return (String::new(), fit(&whole, Some(room)));
    }
    let cut: Vec<_> = plain.iter().map(|label| format!("…{}", &label[prefix.len()..])).collect();
    let cut: Vec<_> = cut.iter().map(String::as_str).collect();
    (prefix.to_owned(), fit(&cut, Some(room)))
}

/// What all labels begin with, up to a place between two words; empty if that is short.
fn common_prefix(labels: &[String]) -> &str {
    let [first, others @ ..] = labels else { return "" };
    if others.is_empty() {
        return "";
    }
    let mut end = first.len();
    for label in others {
        let same = first.char_indices().zip(label.chars()).take_while(|((_, a), b)| a == b);
        let same = same.last().map_or(0, |((at, c), _)| at + c.len_utf8());
        end = end.min(same);
    }
    // `/` stays with what follows it.
    let prefix = &first[..end];
    let end =
        prefix.rfind(['/', ' ']).map_or(0, |at| if prefix[at..].starts_with(' ') { at + 1 } else { at });
    if end >= LEAST_PREFIX { &prefix[..end] } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_beginning_ends_between_words() {
        let prefix = |labels: &[&str]| {
            let labels: Vec<_> = labels.iter().map(|label| (*label).to_owned()).collect();
            common_prefix(&labels).to_owned()
        };
        assert_eq!(prefix(&["http://127.0.0.1:8080/a", "http://127.0.0.1:8080/ab"]), "http://127.0.0.1:8080");
        assert_eq!(prefix(&["Checkout flow > Login", "Checkout flow > Logout"]), "Checkout flow > ");
        assert_eq!(prefix(&["GET /a", "GET /b"]), "", "too short to be worth a line");
        assert_eq!(prefix(&["http://127.0.0.1:8080/a"]), "", "one label has nothing in common");
        assert_eq!(prefix(&["größe/größe/a", "größe/größe/ä"]), "größe/größe");
    }

    #[test]
    fn names_of_columns_differ() {
        let names: std::collections::HashSet<_> = Column::ALL.iter().map(|column| column.name()).collect();
        assert_eq!(names.len(), Column::ALL.len());
    }
}
