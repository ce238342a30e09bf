//! The summary at the end of a run, as text for a terminal.

use std::fmt::Write;

use swell_stats::verdict::Verdict;
use swell_stats::{Delay, Quantile, ResponseTimes, Summary, SummaryRow};

use crate::number::{count, duration, ms, rate, shorten};
use crate::plain::plain;
use crate::reason::{reason, worst_first};

/// Characters of a label.
const LABEL: usize = 24;

/// Errors that are listed one by one.
const MOST_ERRORS: usize = 10;

/// Table of labels, tool's own delays, verdict, errors: at most 132 characters a line.
pub fn summary(summary: &Summary, verdict: Option<&Verdict>) -> String {
    let mut out = String::new();
    table(summary, &mut out);
    facts(summary, verdict, &mut out);
    errors(summary, &mut out);
    out
}

/// A line that cannot fail: the target is a String.
macro_rules! line {
    ($out:expr, $($arguments:tt)*) => { writeln!($out, $($arguments)*).expect("a String takes it") };
}

fn table(summary: &Summary, out: &mut String) {
    let names = ["mean", "sd", "min", "p50", "p90", "p95", "p99", "p99.9", "max"];
    let names = names.map(|name| format!("{name:>7}")).concat();
    line!(
        out,
        "{:LABEL$}{:>11}{:>8}{:>7}{names}{:>10}{:>9}",
        "ms",
        "samples",
        "errors",
        "%",
        "per s",
        "KB/s"
    );
    let rows = summary.rows.iter().filter(|row| !row.is_transaction);
    let transactions = summary.rows.iter().filter(|row| row.is_transaction);
    if summary.rows.len() > 1 {
        rows.for_each(|each| row(&each.label, each, out));
    }
    row(if summary.rows.len() == 1 { &summary.rows[0].label } else { "TOTAL" }, &summary.total, out);
    let mut transactions = transactions.peekable();
    if summary.rows.len() > 1 && transactions.peek().is_some() {
        line!(out, "transactions, not in the total");
        transactions.for_each(|each| row(&each.label, each, out));
    }
}

fn row(label: &str, row: &SummaryRow, out: &mut String) {
    let quantiles = row.quantiles.iter().map(|q| if q.supported { ms(q.ms) } else { "-".into() });
    let before = [row.mean_ms, row.sd_ms, row.min_ms].map(ms);
    let times = before.into_iter().chain(quantiles).chain([ms(row.max_ms)]);
    let times = times.map(|time| format!(" {time:>6}")).collect::<Vec<_>>().concat();
    let (label, samples, errors) = (shorten(&plain(label), LABEL), count(row.samples), count(row.errors));
    let (percent, per_s, kb_per_s) =
        (row.error_percent(), rate(row.throughput_per_s), rate(row.received_kb_per_s));
    line!(out, "{label:LABEL$} {samples:>10} {errors:>7} {percent:>6.2}{times} {per_s:>9} {kb_per_s:>8}");
}

fn facts(summary: &Summary, verdict: Option<&Verdict>, out: &mut String) {
    let total = &summary.total;
    let all = summary.rows.iter().chain([total]);
    if all.flat_map(|row| &row.quantiles).any(|quantile| !quantile.supported) {
        line!(out, "-: too few samples for this percentile");
    }
    line!(
        out,
        "{} in all, {} KB/s received, {} KB/s sent",
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
        let (p50, p99) = (ms(warm_up.p50_ms), ms(warm_up.p99_ms));
        line!(out, "the first {} s look like a warm-up; after them p50 {p50}, p99 {p99} ms", warm_up.seconds);
    }
    let counts = verdict.is_some_and(|verdict| verdict.read_delay_counts);
    delay("late reads", &total.read_delay, counts, out);
    delay("late starts", &total.start_delay, false, out);
    delay("late sends (drawn)", &total.send_delay, true, out);
    if summary.beyond_label_limit > 0 {
        line!(out, "{} samples under further labels are counted together", count(summary.beyond_label_limit));
    }
    if let Some(verdict) = verdict {
        judgement(verdict, out);
    }
}

/// The level, and a line for each gate that is not valid, the worst first.
fn judgement(verdict: &Verdict, out: &mut String) {
    line!(out, "verdict {}", verdict.level);
    for gate in worst_first(verdict) {
        line!(out, "  {:8}  {}", gate.level(), reason(gate));
    }
}

fn response_times(response: &ResponseTimes, out: &mut String) {
    let shown = |q: &Quantile| if q.supported { ms(q.ms) } else { "-".into() };
    let [p50, p90, p95, p99, p999] = response.quantiles.each_ref().map(shown);
    line!(
        out,
        "response times from when the plan wanted the start: mean {}, p50 {p50}, p90 {p90}, p95 {p95}, p99 {p99}, p99.9 {p999}, max {} ms",
        ms(response.mean_ms),
        ms(response.max_ms)
    );
}

/// `counts`: it is part of the times.
fn delay(name: &str, delay: &Delay, counts: bool, out: &mut String) {
    if delay.samples > 0 {
        let [p50, p99, max] = [delay.p50_ms, delay.p99_ms, delay.max_ms];
        let place = if counts { "IN the times" } else { "not in the times" };
        line!(out, "tool's own error, {place}: {name} p50 {p50:.3}, p99 {p99:.3}, max {max:.3} ms");
    }
}

fn errors(summary: &Summary, out: &mut String) {
    if summary.errors.is_empty() && summary.other_errors == 0 {
        return;
    }
    line!(out, "\n{:>10}  {:>6}  error", "count", "%");
    let failed = summary.total.errors.max(1) as f64;
    let mut error = |number: u64, text: &str| {
        line!(out, "{:>10}  {:>6.2}  {}", count(number), 100.0 * number as f64 / failed, shorten(text, 80));
    };
    let (listed, more) = summary.errors.split_at(summary.errors.len().min(MOST_ERRORS));
    for row in listed {
        error(row.count, one_line(&format!("{} {}", row.code, row.message)).trim());
    }
    let rest = more.iter().map(|row| row.count).sum::<u64>() + summary.other_errors;
    if rest > 0 {
        error(rest, "others");
    }
}

/// Plain text, with one space where there are several.
fn one_line(text: &str) -> String {
    plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use swell_stats::verdict::{Evidence, verdict};

    #[test]
    fn the_summary_of_a_run() {
        let seen = Evidence {
            cpu_busy: Some((1, 0.97)),
            start_delay_p99_ns: Some(1_900_000),
            ..Evidence::default()
        };
        let text = summary(&testing::run().summary(), Some(&verdict(&seen)));
        testing::assert_golden("summary.txt", &text);
        assert!(text.lines().all(|line| line.chars().count() <= 132), "too wide");
    }

    #[test]
    fn late_reads_that_are_part_of_the_times_are_called_so() {
        let said = |read_delay_counts| {
            let seen = Evidence { read_delay_counts, ..Evidence::default() };
            summary(&testing::run().summary(), Some(&verdict(&seen)))
        };
        assert!(
            said(true).contains("error, IN the times: late reads")
                && said(true).contains("not in the times: late starts")
        );
        assert!(said(false).contains("error, not in the times: late reads"));
    }

    #[test]
    fn a_run_without_samples() {
        let text = summary(&swell_stats::Run::default().summary(), None);
        assert!(text.contains("TOTAL") && text.contains("0:00.0 in all"), "{text}");
    }

    #[test]
    fn one_label_is_its_own_total() {
        let text = summary(&testing::small_run().summary(), None);
        assert_eq!(text.lines().filter(|line| line.starts_with("Home")).count(), 1);
        assert!(!text.contains("TOTAL"), "{text}");
    }

    #[test]
    fn an_error_takes_one_line() {
        assert_eq!(one_line("500 a\r\n\tb\u{1b}[31m"), "500 a b␛[31m");
    }
}
