//! The summary at the end of a run, as text for a terminal.

use std::fmt::Write;

use swell_stats::verdict::{Grade, Verdict};
use swell_stats::{Delay, Quantile, ResponseTimes, Summary, SummaryRow};

use crate::advice::advice;
use crate::cause::{cause, headline_parts, share, time_of};
use crate::drift;
use crate::label::{fit, pad, width};
use crate::number::{count, duration, ms, rate};
use crate::page::Transaction;
use crate::plain::plain;
use crate::reason::{self, reason, worst_first};
use crate::requests;
use crate::styled::{Role, Styled};
use crate::transactions::TransactionLines;

/// Columns of labels, at least, and on a terminal at most.
const LABEL: usize = 24;

/// What labels of a transaction's parts begin with.
const INDENT: &str = "  ";

/// Columns of an error message on a terminal.
const ERROR: usize = 110;

/// Errors that are listed one by one.
const MOST_ERRORS: usize = 10;

/// A line that cannot fail: the target is in memory.
macro_rules! line {
    ($out:expr, $($arguments:tt)*) => { writeln!($out, $($arguments)*).expect("memory takes it") };
}

/// Where a summary is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineWidth {
    /// On a terminal: at most 132 columns a line, long texts cut in the middle.
    Terminal,
    /// In a file or a pipe: as wide as its texts.
    File,
}

impl LineWidth {
    fn most(self, columns: usize) -> Option<usize> {
        (self == Self::Terminal).then_some(columns)
    }
}

/// What everything is about if nothing succeeded, the table of labels, the tool's own delays, verdict, errors.
/// `transactions`: those of the plan, whose parts are listed below them.
pub fn summary(
    summary: &Summary,
    verdict: Option<&Verdict>,
    transactions: &[Transaction],
    room: LineWidth,
) -> Styled {
    let mut out = Styled::default();
    if let Some((what, why)) = headline_parts(summary) {
        out.push(Role::Bad, what);
        line!(out, "{why}");
    }
    table(summary, transactions, room, &mut out);
    facts(summary, verdict, &mut out);
    errors(summary, room, &mut out);
    out
}

fn table(summary: &Summary, plan: &[Transaction], room: LineWidth, out: &mut Styled) {
    let whole: Vec<_> = summary.rows.iter().map(|row| row.label.as_str()).collect();
    let labels = fit(&whole, room.most(LABEL));
    let transactions = TransactionLines::of(&summary.rows, plan);
    let part_labels = fit(&whole, room.most(LABEL - INDENT.len()));
    let shown_parts = transactions.lines.iter().filter(|(_, is_part)| *is_part);
    let parts = shown_parts.map(|(place, _)| INDENT.len() + width(&part_labels[*place]));
    let column = labels.iter().map(|label| width(label)).chain(parts).max().unwrap_or(0).max(LABEL);
    let names = ["mean", "sd", "min", "p50", "p90", "p95", "p99", "p99.9", "max"];
    let names = names.map(|name| format!("{name:>7}")).concat();
    let columns = format!(
        "{:column$}{:>11}{:>8}{:>7}{names}{:>10}{:>9}",
        "ms", "samples", "errors", "%", "per s", "KB/s"
    );
    out.push(Role::Head, &columns);
    line!(out, "");
    let rows = || summary.rows.iter().zip(&labels);
    if let ([label], false) = (&labels[..], summary.rows.iter().any(|row| row.is_transaction)) {
        return row(&pad(label, column), &summary.total, out);
    }
    rows()
        .filter(|(row, _)| !row.is_transaction)
        .for_each(|(each, label)| row(&pad(label, column), each, out));
    row(&pad("TOTAL", column), &summary.total, out);
    if transactions.lines.is_empty() {
        return;
    }
    line!(out, "{}", transactions_heading(&transactions));
    for (place, is_part) in transactions.lines {
        let label = if is_part { format!("{INDENT}{}", part_labels[place]) } else { labels[place].clone() };
        row(&pad(&label, column), &summary.rows[place], out);
    }
    if transactions.left_out > 0 {
        line!(out, "{INDENT}{} more parts are in the HTML report", count(transactions.left_out as u64));
    }
    if transactions.shares_parts {
        line!(out, "a part of several transactions has the figures of all of them");
    }
}

fn transactions_heading(transactions: &TransactionLines) -> &'static str {
    if transactions.lines.iter().any(|(_, is_part)| *is_part) {
        "transactions, not in the total, with their parts"
    } else {
        "transactions, not in the total"
    }
}

/// `label`: as wide as its column.
fn row(label: &str, row: &SummaryRow, out: &mut Styled) {
    let quantiles = row.quantiles.iter().map(|q| if q.supported { ms(q.ms) } else { "-".into() });
    let before = [row.mean_ms, row.sd_ms, row.min_ms].map(ms);
    let times = before.into_iter().chain(quantiles).chain([ms(row.max_ms)]);
    let times = times.map(|time| format!(" {time:>6}")).collect::<Vec<_>>().concat();
    let samples = count(row.samples);
    let errors = count(row.errors);
    let percent = row.error_percent();
    let per_s = rate(row.throughput_per_s);
    let kb_per_s = rate(row.received_kb_per_s);
    line!(out, "{label} {samples:>10} {errors:>7} {percent:>6.2}{times} {per_s:>9} {kb_per_s:>8}");
}

fn facts(summary: &Summary, verdict: Option<&Verdict>, out: &mut Styled) {
    let total = &summary.total;
    let all = summary.rows.iter().chain([total]);
    if all.flat_map(|row| &row.quantiles).any(|quantile| !quantile.supported) {
        line!(out, "- = too few samples for this percentile");
    }
    line!(
        out,
        "duration {}, {} KB/s received, {} KB/s sent",
        duration(summary.duration_s),
        rate(total.received_kb_per_s),
        rate(total.sent_kb_per_s)
    );
    let p99 = &total.quantiles[3];
    if let Some((low, high)) = p99.interval_ms {
        line!(out, "p99 = {} ms, 95 % confidence {} to {} ms", ms(p99.ms), ms(low), ms(high));
    }
    if let Some(response) = &total.response {
        response_times(response, out);
    }
    if let Some(warm_up) = &summary.warm_up {
        let p50 = ms(warm_up.p50_ms);
        let p99 = ms(warm_up.p99_ms);
        line!(
            out,
            "the first {} s look like a warm-up; without them p50 {p50}, p99 {p99} ms",
            warm_up.seconds
        );
    }
    for drift in &summary.drifts {
        line!(out, "{}", drift::sentence(drift));
    }
    let counts = verdict.is_some_and(|verdict| verdict.read_delay_counts);
    delay("late reads", &total.read_delay, counts, out);
    delay("late starts", &total.start_delay, false, out);
    delay("late sends (sampled)", &total.send_delay, true, out);
    if let Some(scripts) = verdict.and_then(|verdict| verdict.scripts.as_ref()) {
        line!(out, "{}", reason::scripts(scripts));
    }
    if let Some(requests) = requests::sentence(summary) {
        line!(out, "{requests}");
    }
    if summary.beyond_label_limit > 0 {
        line!(out, "{} samples of further labels are counted together", count(summary.beyond_label_limit));
    }
    match verdict {
        Some(verdict) => judgement(verdict, out),
        None if summary.is_empty() => line!(out, "no verdict: no sample was completed"),
        None => {}
    }
}

/// The level, and a line for each gate that is not valid, the worst first.
fn judgement(verdict: &Verdict, out: &mut Styled) {
    out.push(role(verdict.grade), &format!("verdict {}", verdict.grade));
    line!(out, "");
    if let Some(why) = &verdict.refusal {
        grade(Grade::Invalid, out);
        line!(out, "{}", plain(why));
    }
    for gate in worst_first(verdict) {
        grade(gate.grade(), out);
        line!(out, "{}", reason(gate));
    }
    if let Some(advice) = advice(verdict) {
        line!(out, "  {:8}  {}", "", plain(&advice));
    }
}

/// The start of a line on a gate.
fn grade(grade: Grade, out: &mut Styled) {
    out.write_str("  ").expect("memory takes it");
    out.push(role(grade), &format!("{grade:8}"));
    out.write_str("  ").expect("memory takes it");
}

fn role(grade: Grade) -> Role {
    match grade {
        Grade::Valid => Role::Good,
        Grade::Degraded => Role::Doubtful,
        Grade::Invalid => Role::Bad,
    }
}

fn response_times(response: &ResponseTimes, out: &mut Styled) {
    let shown = |q: &Quantile| if q.supported { ms(q.ms) } else { "-".into() };
    let [p50, p90, p95, p99, p999] = response.quantiles.each_ref().map(shown);
    line!(
        out,
        "response times from the planned start: mean {}, p50 {p50}, p90 {p90}, p95 {p95}, p99 \
        {p99}, p99.9 {p999}, max {} ms",
        ms(response.mean_ms),
        ms(response.max_ms)
    );
}

/// `counts`: it is part of the times.
fn delay(name: &str, delay: &Delay, counts: bool, out: &mut Styled) {
    if delay.samples > 0 {
        let [p50, p99, max] = [delay.p50_ms, delay.p99_ms, delay.max_ms];
        let place = if counts { "INCLUDED in response times" } else { "not included in response times" };
        line!(out, "tool's own error, {place}: {name} p50 {p50:.3}, p99 {p99:.3}, max {max:.3} ms");
    }
}

fn errors(summary: &Summary, room: LineWidth, out: &mut Styled) {
    if summary.errors.is_empty() && summary.other_errors == 0 {
        return;
    }
    line!(out, "");
    out.push(Role::Head, &format!("{:>10}  {:>6}  failed samples", "count", "%"));
    line!(out, "");
    let part = |number| share(number, summary.total.samples);
    let (listed, more) = summary.errors.split_at(summary.errors.len().min(MOST_ERRORS));
    for row in listed {
        let cause = cause(row);
        let words = format!("{}: expected {}; got {}", cause.kind, cause.expected, cause.got);
        let first = [&*words, &row.first.label];
        let [words, label] = first.map(|text| fit(&[text], room.most(ERROR)).concat());
        line!(out, "{:>10}  {:>6}  {words}", count(row.count), part(row.count));
        line!(out, "{:20}first: {label} at {}", "", time_of(&row.first));
    }
    let rest = more.iter().map(|row| row.count).sum::<u64>() + summary.other_errors;
    if rest > 0 {
        line!(out, "{:>10}  {:>6}  others", count(rest), part(rest));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::page::Part;
    use crate::testing;
    use swell_stats::verdict::{Evidence, ScriptTime, verdict};
    use swell_stats::{FailureKind, Observation, Recorder};

    #[test]
    fn the_summary_of_a_run() {
        let seen = Evidence {
            cpu_busy: Some((1, 0.97)),
            start_delay_p99_ns: Some(1_900_000),
            ..Evidence::default()
        };
        let part = |label: &str| Part { label: label.to_owned(), transaction: false };
        let parts = vec![part("Home"), part("Order: confirm the purchase of everything")];
        let plan = [Transaction { label: "Checkout".to_owned(), parts }];
        let text = summary(&testing::run().summary(), Some(&verdict(&seen)), &plan, LineWidth::Terminal);
        testing::assert_golden("summary.txt", &text);
        assert!(text.lines().all(|line| line.chars().count() <= 132), "too wide");
    }

    #[test]
    fn what_scripts_took_is_told_where_there_were_some() {
        let scripts = ScriptTime {
            calls: 2_000,
            refused: 1,
            ran_s: 3.0,
            waited_s: 0.5,
            longest_wait_s: 0.0125,
            most_threads: 4,
            thread_limit: 1_000,
        };
        let said = |scripts| {
            let seen = Evidence { scripts, ..Evidence::default() };
            summary(&testing::run().summary(), Some(&verdict(&seen)), &[], LineWidth::File)
        };
        let line = "2000 calls, 1.500 ms each; waited for a thread 0.250 ms, at most 12.500 ms; 4 of 1000 threads; 1 rejected\n";
        assert!(said(Some(scripts)).contains(line), "{}", said(Some(scripts)));
        assert!(!said(None).contains("scripts"));
    }

    #[test]
    fn late_reads_that_are_part_of_the_times_are_called_so() {
        let said = |read_delay_counts| {
            let seen = Evidence { read_delay_counts, ..Evidence::default() };
            summary(&testing::run().summary(), Some(&verdict(&seen)), &[], LineWidth::File)
        };
        assert!(
            said(true).contains("error, INCLUDED in response times: late reads")
                && said(true).contains("not included in response times: late starts")
        );
        assert!(said(false).contains("error, not included in response times: late reads"));
    }

    #[test]
    fn a_run_without_samples() {
        let text = summary(&swell_stats::Run::default().summary(), None, &[], LineWidth::File);
        assert!(text.contains("TOTAL") && text.contains("duration 0:00.0"), "{text}");
    }

    #[test]
    fn one_label_is_its_own_total() {
        let text = summary(&testing::small_run().summary(), None, &[], LineWidth::File);
        assert_eq!(text.lines().filter(|line| line.starts_with("Home")).count(), 1);
        assert!(!text.contains("TOTAL"), "{text}");
    }

    #[test]
    fn a_file_shows_labels_whole_and_a_terminal_keeps_them_different() {
        let label = |number: usize| format!("GET /shop/{number}/items/of/the/day");
        let mut recorder = Recorder::default();
        for number in 0..3 {
            recorder.record(&Observation { label: &label(number), success: true, ..Observation::default() });
        }
        let summary_of = Summary::of(&recorder.take_interval());
        let file = summary(&summary_of, None, &[], LineWidth::File);
        let terminal = summary(&summary_of, None, &[], LineWidth::Terminal);
        assert!((0..3).all(|number| file.contains(&format!("{} ", label(number)))), "{file}");
        let names: HashSet<_> = terminal.lines().skip(1).take(3).map(|line| &line[..24]).collect();
        assert_eq!(names.len(), 3, "{terminal}");
        let columns: HashSet<_> = file.lines().take(5).map(str::len).collect();
        assert_eq!(columns.len(), 1, "columns stand under each other:\n{file}");
    }

    /// Samples that failed, as HTTP has them.
    fn failed(times: usize, kind: FailureKind, message: &str) -> Summary {
        let mut recorder = Recorder::default();
        for _ in 0..times {
            recorder.record(&Observation {
                label: "Home",
                start_ns: 1_700_000_000_123_000_000,
                kind,
                code: "Non HTTP response code: org.apache.http.conn.HttpHostConnectException",
                message,
                ..Observation::default()
            });
        }
        Summary::of(&recorder.take_interval())
    }

    #[test]
    fn roles_are_those_of_head_verdict_and_headline() {
        let seen = Evidence { unreached: Some(1.0), ..Evidence::default() };
        let text =
            summary(&failed(3, FailureKind::Refused, "x"), Some(&verdict(&seen)), &[], LineWidth::File);
        let roles: Vec<_> =
            text.parts().into_iter().filter_map(|(role, part)| Some((role?, part.trim()))).collect();
        let of = |role| roles.iter().filter(|part| part.0 == role).map(|part| part.1).collect::<Vec<_>>();
        assert_eq!(of(Role::Bad), ["nothing answered", "verdict INVALID", "INVALID"], "{roles:?}");
        let heads: Vec<_> =
            of(Role::Head).iter().map(|head| head.split(' ').next().expect("a name")).collect();
        assert_eq!(heads, ["ms", "count"], "{roles:?}");
    }

    #[test]
    fn the_first_line_says_that_nothing_answered_and_the_verdict_does_not_say_it_again() {
        let refused =
            "Non HTTP response message: Connect to 127.0.0.1:8080 [/127.0.0.1] failed: Connection refused";
        let seen = Evidence { unreached: Some(1.0), cpu_busy: Some((0, 1.0)), ..Evidence::default() };
        let text = summary(
            &failed(1537, FailureKind::Refused, refused),
            Some(&verdict(&seen)),
            &[],
            LineWidth::Terminal,
        );
        let said = "nothing answered: connection refused by 127.0.0.1:8080 (100 % of 1,537 samples)";
        assert_eq!(text.lines().next(), Some(said));
        assert!(
            text.contains("verdict INVALID\n  INVALID   no sample reached a server that responds\n"),
            "{text}"
        );
        assert_eq!(text.matches("nothing answered").count(), 1, "{text}");
        assert!(!text.contains("the machine, not the server"), "{text}");
        assert!(
            text.contains("connection refused: expected a connection to 127.0.0.1:8080; got a refusal"),
            "{text}"
        );
        assert!(text.contains("first: Home at 2023-11-14T22:13:20.123Z"), "{text}");
    }

    #[test]
    fn errors_that_answer_are_not_called_silence() {
        let text = summary(&failed(2, FailureKind::Status, "Not Found"), None, &[], LineWidth::Terminal);
        assert!(text.starts_with("not one sample succeeded: status "), "{text}");
    }
}
