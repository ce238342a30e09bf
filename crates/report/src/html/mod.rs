//! A report in one HTML file: no network, no script, light and dark.

mod chart;
mod scale;

use std::fmt::Write;

use jiff::Timestamp;
use swell_stats::verdict::{Criterion, Gate, Verdict};
use swell_stats::{Histogram, Run, Series, Summary, SummaryRow};

use self::chart::{Curve, Distribution, TimeChart};
use crate::advice::advice;
use crate::cause::{cause, headline, share, time_of};
use crate::number::{count, duration, ms, rate};
use crate::plain::plain;
use crate::reason::{reason, worst_first};

/// Points of a chart.
const MOST_POINTS: usize = 240;

/// Bars of the distribution.
const BARS: usize = 60;

/// Errors that are listed one by one.
const MOST_ERRORS: usize = 50;

/// A line that cannot fail: the target is a String.
macro_rules! put {
    ($out:expr, $($arguments:tt)*) => { write!($out, $($arguments)*).expect("a String takes it") };
}

/// The report on a run. `title` is mostly the name of the plan; `made_by` names the tool and its version.
pub fn report(title: &str, made_by: &str, run: &Run, verdict: Option<&Verdict>) -> String {
    let summary = run.summary();
    let mut out = String::with_capacity(256 * 1024);
    put!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        escaped(title),
        include_str!("style.css")
    );
    head(title, &summary, verdict, &mut out);
    tiles(&summary, &run.series, &mut out);
    charts(run, &summary, &mut out);
    labels(&summary, &mut out);
    errors(&summary, &mut out);
    put!(
        out,
        "<footer>{}. Times run from just before the send to the arrival of the last byte. ",
        escaped(made_by)
    );
    out.push_str("Percentiles come from merged histograms, within 0.1 % in tables and 0.8 % in charts over time.</footer>\n");
    out.push_str("</body>\n</html>\n");
    out
}

fn head(title: &str, summary: &Summary, verdict: Option<&Verdict>, out: &mut String) {
    put!(out, "<header>\n<h1>{}", escaped(title));
    if let Some(verdict) = verdict {
        put!(out, "<span class=\"verdict {0}\">{0}</span>", verdict.grade);
    } else if summary.is_empty() {
        out.push_str("<span class=\"verdict\">no verdict: no sample was completed</span>");
    }
    out.push_str("</h1>\n<p class=\"soft\">");
    if let Some(start) =
        summary.start_ns.and_then(|ns| Timestamp::from_second(ns.div_euclid(1_000_000_000)).ok())
    {
        put!(out, "{start}, ");
    }
    put!(out, "{}</p>\n", duration(summary.duration_s));
    let headline = headline(summary);
    if let Some(headline) = &headline {
        put!(out, "<p class=\"INVALID\">{}</p>\n", escaped(headline));
    }
    if let Some(why) = verdict.and_then(|verdict| verdict.refusal.as_ref()) {
        put!(out, "<p class=\"INVALID\">{}</p>\n", escaped(why));
    }
    let said = |gate: &&Gate| headline.is_some() && gate.criterion == Criterion::Unreached;
    for gate in verdict.map(worst_first).unwrap_or_default().into_iter().filter(|gate| !said(gate)) {
        put!(out, "<p class=\"{}\">{}</p>\n", gate.grade(), escaped(&reason(gate)));
    }
    if let Some(advice) = verdict.and_then(advice) {
        put!(out, "<p>{}</p>\n", escaped(&advice));
    }
    out.push_str("</header>\n");
}

fn tiles(summary: &Summary, series: &Series, out: &mut String) {
    let total = &summary.total;
    let users = series.points().iter().map(|point| point.users).max().unwrap_or(0);
    let p99 = &total.quantiles[3];
    let confidence = p99.interval_ms.map_or_else(
        || if p99.supported { String::new() } else { "too few samples".to_owned() },
        |(low, high)| format!("95 % confidence {} to {}", ms(low), ms(high)),
    );
    let late = |what: &str, delay: &swell_stats::Delay| {
        if delay.samples == 0 {
            "not measured".to_owned()
        } else {
            format!("{what}, max {:.3} ms", delay.max_ms)
        }
    };
    let tiles = [
        (
            "samples",
            count(total.samples),
            format!("{} failed, {:.2} %", count(total.errors), total.error_percent()),
        ),
        (
            "throughput",
            format!("{}/s", rate(total.throughput_per_s)),
            format!("{} KB/s received", rate(total.received_kb_per_s)),
        ),
        ("users", count(users), "at most".to_owned()),
        ("median", format!("{} ms", ms(total.quantiles[0].ms)), format!("mean {} ms", ms(total.mean_ms))),
        ("p99", format!("{} ms", ms(p99.ms)), confidence),
        (
            "tool's delay",
            format!("{:.3} ms", total.read_delay.p99_ms),
            late("p99 of late reads", &total.read_delay),
        ),
    ];
    out.push_str("<div class=\"tiles\">\n");
    for (name, value, more) in tiles {
        put!(out, "<div class=\"tile\"><small>{name}</small><b>{value}</b><small>{more}</small></div>\n");
    }
    out.push_str("</div>\n");
}

fn charts(run: &Run, summary: &Summary, out: &mut String) {
    let series = run.series.thinned(MOST_POINTS);
    let points = series.points();
    let width_s = series.width_s() as f64;
    let quantile = |quantile: f64| {
        let value = |h: &Histogram| (!h.is_empty()).then(|| h.quantile(quantile) as f64 / 1e6);
        points.iter().map(|point| value(&point.elapsed)).collect()
    };
    let curve = |name, class, values| Curve { name, class, values };
    let per_s = |amount: fn(&swell_stats::Point) -> u64| {
        points.iter().map(|p| Some(amount(p) as f64 / width_s)).collect()
    };
    let times = vec![
        curve("p50", "a", quantile(0.5)),
        curve("p90", "b", quantile(0.9)),
        curve("p99", "c", quantile(0.99)),
    ];
    let rates =
        vec![curve("samples", "a", per_s(|p| p.samples)), curve("failed", "bad", per_s(|p| p.errors))];
    let users = vec![curve("active users", "a", points.iter().map(|p| Some(p.users as f64)).collect())];
    let whole: fn(f64) -> String = |value| count(value.round() as u64);
    let charts = [
        TimeChart { title: "Response times", unit: "ms", width_s, curves: times, number: ms },
        TimeChart { title: "Throughput", unit: "/s", width_s, curves: rates, number: rate },
        TimeChart { title: "Users", unit: "", width_s, curves: users, number: whole },
    ];
    for chart in charts {
        out.push_str(&chart.svg());
    }
    let marks = ["p50", "p90", "p95", "p99"].into_iter().zip(&summary.total.quantiles);
    let marks = marks.map(|(name, quantile)| (name, quantile.ms)).collect();
    out.push_str(
        &Distribution { title: "Distribution of response times", bars: bars(&run.elapsed()), marks }.svg(),
    );
}

/// Shares of the samples in ranges of equal ratio.
fn bars(elapsed: &Histogram) -> Vec<(f64, f64, f64)> {
    let low_ms = elapsed.quantile(0.0).max(1000) as f64 / 1e6;
    let high_ms = (elapsed.quantile(1.0) as f64 / 1e6).max(low_ms * 1.1);
    if elapsed.is_empty() {
        return Vec::new();
    }
    let ratio = (high_ms / low_ms).ln() / BARS as f64;
    let mut counts = [0_u64; BARS];
    for (low_ns, high_ns, times) in elapsed.iter() {
        let middle_ms = (low_ns as f64 + high_ns as f64) / 2e6;
        let bar = ((middle_ms / low_ms).ln() / ratio).max(0.0) as usize;
        counts[bar.min(BARS - 1)] += times;
    }
    let from = |bar: usize| low_ms * (ratio * bar as f64).exp();
    let share = |times: u64| 100.0 * times as f64 / elapsed.count() as f64;
    counts.iter().enumerate().map(|(bar, &times)| (from(bar), from(bar + 1), share(times))).collect()
}

fn labels(summary: &Summary, out: &mut String) {
    out.push_str("<h2>Labels</h2>\n<div class=\"scroll\"><table>\n<tr><th>ms</th>");
    for name in [
        "samples", "failed", "mean", "sd", "min", "p50", "p90", "p95", "p99", "p99.9", "max", "per s", "KB/s",
    ] {
        put!(out, "<th>{name}</th>");
    }
    out.push_str("</tr>\n");
    summary.rows.iter().filter(|row| !row.is_transaction).for_each(|each| row(each, "", out));
    row(&summary.total, " class=\"total\"", out);
    let mut transactions = summary.rows.iter().filter(|row| row.is_transaction).peekable();
    if transactions.peek().is_some() {
        out.push_str("<tr><td class=\"soft\" colspan=\"14\">transactions, not in the total</td></tr>\n");
        transactions.for_each(|each| row(each, "", out));
    }
    out.push_str("</table></div>\n");
}

fn row(row: &SummaryRow, class: &str, out: &mut String) {
    put!(out, "<tr{class}><td>{}</td><td>{}</td>", escaped(&row.label), count(row.samples));
    let failed = if row.errors > 0 { " class=\"fail\"" } else { "" };
    put!(out, "<td{failed}>{:.2} %</td>", row.error_percent());
    for cell in [row.mean_ms, row.sd_ms, row.min_ms].map(ms) {
        put!(out, "<td>{cell}</td>");
    }
    for quantile in &row.quantiles {
        let shown = if quantile.supported { ms(quantile.ms) } else { "–".to_owned() };
        match quantile.interval_ms {
            Some((low, high)) => {
                put!(out, "<td title=\"95 % confidence {} to {} ms\">{shown}</td>", ms(low), ms(high));
            }
            None => put!(out, "<td>{shown}</td>"),
        }
    }
    for cell in [ms(row.max_ms), rate(row.throughput_per_s), rate(row.received_kb_per_s)] {
        put!(out, "<td>{cell}</td>");
    }
    out.push_str("</tr>\n");
}

fn errors(summary: &Summary, out: &mut String) {
    if summary.errors.is_empty() && summary.other_errors == 0 {
        return;
    }
    out.push_str("<h2>Failed samples</h2>\n<div class=\"scroll\"><table>\n<tr><th>kind</th><th>count</th>");
    out.push_str("<th>of samples</th>");
    for name in ["expected", "got", "first example"] {
        put!(out, "<th class=\"text\">{name}</th>");
    }
    out.push_str("</tr>\n");
    let part = |number| share(number, summary.total.samples);
    let (listed, more) = summary.errors.split_at(summary.errors.len().min(MOST_ERRORS));
    for row in listed {
        let cause = cause(row);
        let original = plain(&row.code).into_owned() + " " + &plain(&row.message);
        put!(out, "<tr><td title=\"{}\">{}</td>", escaped(&original), cause.kind);
        put!(out, "<td>{}</td><td>{} %</td>", count(row.count), part(row.count));
        put!(
            out,
            "<td class=\"text\">{}</td><td class=\"text\">{}</td>",
            escaped(&cause.expected),
            escaped(&cause.got)
        );
        let label = escaped(&plain(&row.first.label));
        let time = time_of(&row.first);
        put!(out, "<td class=\"text\">{label}<br><span class=\"soft\">{time}</span></td></tr>\n");
    }
    let rest = more.iter().map(|error| error.count).sum::<u64>() + summary.other_errors;
    if rest > 0 {
        put!(out, "<tr><td>others</td><td>{}</td><td>{} %</td>", count(rest), part(rest));
        out.push_str("<td></td><td></td><td></td></tr>\n");
    }
    out.push_str("</table></div>\n");
}

pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use swell_stats::verdict::{Evidence, verdict};
    use swell_stats::{FailureKind, Observation, Recorder, Users};

    #[test]
    fn a_report_is_one_file_that_escapes_what_came_from_outside() {
        let seen = verdict(&Evidence { cpu_busy: Some((0, 0.95)), ..Evidence::default() });
        let page = report("shop <plan>", "swell 0.1.0", &testing::run(), Some(&seen));
        if let Some(path) = std::env::var_os("WRITE_REPORT") {
            std::fs::write(path, &page).expect("written");
        }
        assert!(page.contains("<h1>shop &lt;plan&gt;<span class=\"verdict INVALID\">INVALID</span>"));
        assert!(page.contains("<td>Search &lt;b&gt;&amp;</td>") && !page.contains("Search <b>"));
        assert!(
            !page.contains("http://") && !page.contains("https://") && !page.contains("<script"),
            "needs no network"
        );
        assert_eq!(page.matches("<svg ").count(), 4);
        assert!(page.len() < 300_000, "{} bytes", page.len());
    }

    #[test]
    fn a_report_on_nothing_but_failures_says_so_first_and_why() {
        let mut run = Run::default();
        let mut recorder = Recorder::default();
        recorder.record(&Observation {
            label: "Home <page>",
            start_ns: 1_700_000_000_000_000_000,
            end_ns: 1_700_000_000_000_000_000,
            kind: FailureKind::Refused,
            code: "Non HTTP response code: org.apache.http.conn.HttpHostConnectException",
            message: "Non HTTP response message: Connect to h:1 [h] failed: Connection refused",
            ..Observation::default()
        });
        run.add(1_700_000_000, &recorder.take_interval(), Users::default());
        let seen = Evidence { unreached: Some(1.0), ..Evidence::default() };
        let page = report("x", "swell", &run, Some(&verdict(&seen)));
        let said = "<p class=\"INVALID\">nothing answered: connection refused by h:1 (100 % of 1 sample)</p>";
        assert!(page.contains(said) && !page.contains("never reached a server"), "said once: {page}");
        let row = "connection refused</td><td>1</td><td>100 %</td><td class=\"text\">a connection to h:1</td>\
                   <td class=\"text\">a refusal</td><td class=\"text\">Home &lt;page&gt;<br>";
        assert!(page.contains(row), "{page}");
    }

    #[test]
    fn opened_tags_are_closed() {
        for run in [testing::run(), testing::small_run(), Run::default()] {
            let page = report("x", "swell", &run, None);
            for tag in
                ["div", "table", "tr", "td", "th", "svg", "p", "h1", "h2", "text", "title", "span", "header"]
            {
                let opened =
                    page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
                let closed = page.matches(&format!("</{tag}>")).count();
                assert_eq!(opened, closed, "{tag}");
            }
            assert!(!page.contains("NaN") && !page.contains("inf "), "only numbers");
        }
    }

    #[test]
    fn bars_hold_all_samples() {
        let run = testing::run();
        let sum: f64 = bars(&run.elapsed()).iter().map(|bar| bar.2).sum();
        assert!((sum - 100.0).abs() < 1e-6);
        assert!(bars(&Run::default().elapsed()).is_empty());
    }
}
