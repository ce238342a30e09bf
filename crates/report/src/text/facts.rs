//! Lines below the table: response codes, times from the planned start, what limits the figures.

use std::fmt::Write;

use swell_stats::{Delay, Quantile, ResponseTimes, SummaryRow};

use super::failures::MOST_SHOWN;
use super::{Results, View};
use crate::codes;
use crate::drift;
use crate::label::fit;
use crate::line::line;
use crate::number::{count, duration, ms, rate};
use crate::reason;
use crate::requests;
use crate::styled::Styled;

/// Columns of a label in a sentence, at most.
const MOST_LABEL: usize = 60;
/// Response codes that are listed one by one.
const MOST_CODES: usize = 12;

pub(super) fn write(results: &Results<'_>, view: &View, out: &mut Styled) {
    let Results { summary, verdict, .. } = results;
    let total = &summary.total;
    let places: Vec<_> = view.columns().iter().filter_map(|column| column.place()).collect();
    let mut rows = summary.rows.iter().chain([total]);
    if rows.any(|row| places.iter().any(|place| !row.quantiles[*place].supported)) {
        line!(out, "- = too few samples for this percentile");
    }
    if let Some(text) = all_failed(results) {
        view.line(&text, 2, out);
    }
    if let Some(codes) = codes::text(&codes::of(results.total), view.most(MOST_CODES)) {
        view.line(&codes, 2, out);
    }
    if view.verbose {
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
    }
    if let Some(response) = &total.response {
        view.line(&response_times(response, view.verbose), 2, out);
    }
    if let Some(warm_up) = &summary.warm_up {
        let seconds = warm_up.seconds;
        let p50 = ms(warm_up.p50_ms);
        let p99 = ms(warm_up.p99_ms);
        let text = format!("the first {seconds} s look like a warm-up; without them p50 {p50}, p99 {p99} ms");
        view.line(&text, 2, out);
    }
    for drift in &summary.drifts {
        view.line(&drift::sentence(drift), 2, out);
    }
    if let Some(scripts) = verdict.and_then(|verdict| verdict.scripts.as_ref()).filter(|_| view.verbose) {
        view.line(&reason::scripts(scripts), 2, out);
    }
    if let Some(requests) = requests::sentence(summary).filter(|_| view.verbose) {
        view.line(&requests, 2, out);
    }
    if summary.beyond_label_limit > 0 {
        line!(out, "{} samples of further labels are counted together", count(summary.beyond_label_limit));
    }
    results.notes.iter().for_each(|note| view.line(note, 2, out));
    if view.verbose {
        delays(results, view, out);
    }
}

/// Labels whose samples all failed, unless the headline says it of all, or the cause of a label
/// does.
fn all_failed(results: &Results<'_>) -> Option<String> {
    const MOST_NAMED: usize = 3;
    let Results { summary, .. } = results;
    if summary.total.all_failed() {
        return None;
    }
    let is_named = |row: &SummaryRow| {
        let labels =
            summary.errors.iter().take(MOST_SHOWN).filter_map(|cause| summary.failed_labels.of_cause(cause));
        labels.flat_map(|found| found.most).any(|one| one.label == row.label && one.failed == row.samples)
    };
    let all: Vec<_> = summary.rows.iter().filter(|row| row.all_failed() && !is_named(row)).collect();
    let named: Vec<_> = all.iter().take(MOST_NAMED).map(|row| row.label.as_str()).collect();
    let named = fit(&named, Some(MOST_LABEL)).join(", ");
    let more = match all.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!all.is_empty()).then(|| format!("all failed, so these times are times of failures: {named}{more}"))
}

fn response_times(response: &ResponseTimes, verbose: bool) -> String {
    let shown = |q: &Quantile| if q.supported { ms(q.ms) } else { "-".into() };
    let [p50, p90, p95, p99, p999] = response.quantiles.each_ref().map(shown);
    let max = ms(response.max_ms);
    if verbose {
        let mean = ms(response.mean_ms);
        return format!(
            "response times from the planned start: mean {mean}, p50 {p50}, p90 {p90}, p95 {p95}, p99 \
            {p99}, p99.9 {p999}, max {max} ms"
        );
    }
    format!("from the planned start: p50 {p50}, p95 {p95}, p99 {p99}, max {max} ms")
}

fn delays(results: &Results<'_>, view: &View, out: &mut Styled) {
    let total = &results.summary.total;
    let counts = results.verdict.is_some_and(|verdict| verdict.read_delay_counts);
    delay("late reads", &total.read_delay, counts, view, out);
    delay("late starts", &total.start_delay, false, view, out);
    delay("late sends (sampled)", &total.send_delay, true, view, out);
}

/// `counts`: it is part of the times.
fn delay(name: &str, delay: &Delay, counts: bool, view: &View, out: &mut Styled) {
    if delay.samples == 0 {
        return;
    }
    let [p50, p99, max] = [delay.p50_ms, delay.p99_ms, delay.max_ms];
    let place = if counts { "INCLUDED in response times" } else { "not included in response times" };
    let text = format!("tool's own error, {place}: {name} p50 {p50:.3}, p99 {p99:.3}, max {max:.3} ms");
    view.line(&text, 2, out);
}
