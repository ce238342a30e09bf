//! A search as text for a terminal.

use swell_report::number::{ms, rate};

use super::{Law, SearchAnswer, SearchReport};
use crate::table::Table;

/// The answer, what speaks for it, and a table of the trials.
pub fn text(found: &SearchReport) -> String {
    let mut out = String::new();
    if let Some(answer) = &found.answer {
        out.extend([&*answer.words, "\n"]);
        for line in evidence(found, answer) {
            out.extend(["  ", &*line, "\n"]);
        }
        out.push('\n');
    }
    if !found.trials.is_empty() {
        out += &table(found, false).text();
    }
    for note in &found.notes {
        out.extend([&**note, "\n"]);
    }
    out
}

/// What speaks for the answer, a line each.
pub(super) fn evidence(found: &SearchReport, answer: &SearchAnswer) -> Vec<String> {
    let mut lines: Vec<String> = answer.limit.iter().flat_map(|limit| limit.evidence.clone()).collect();
    if answer.holds.is_some() && answer.fails.is_some() {
        lines.push(format!(
            "the limit is in that interval with a probability of {:.0} %, most likely at {}",
            (100.0 * answer.probability).floor(),
            found.load_words(answer.likely)
        ));
    }
    if let Some((load, per_s)) = answer.knee {
        lines.push(format!("the throughput curve bends at {} ({}/s)", found.load_words(load), rate(per_s)));
    }
    if let Some(law) = &answer.usl {
        lines.push(law_words(law));
    }
    lines
}

fn law_words(law: &Law) -> String {
    let bounds = law.peak_bounds.map(|(low, high)| format!(" ({low:.0} to {high:.0})")).unwrap_or_default();
    format!(
        "Universal Scalability Law: contention {:.4}, coherence {:.6}, highest throughput at {:.0} users{bounds}, R² {:.3}",
        law.sigma, law.kappa, law.peak, law.r_squared
    )
}

/// The trials in their order. Reasons make lines long; in a terminal they were told as the trials
/// went by.
pub(super) fn table(found: &SearchReport, with_reasons: bool) -> Table {
    let mut table = Table::new([
        "trial",
        "outcome",
        "throughput/s",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "errors",
        "server CPU",
        "why",
    ]);
    for (at, row) in found.trials.iter().enumerate() {
        let of = |value: Option<f64>| value.map(ms).unwrap_or_default();
        table.rows.push(vec![
            format!("{}. {}", at + 1, found.load_words(row.load)),
            format!("{}{}", if row.by_figure { "~" } else { "" }, row.outcome),
            rate(row.level.per_s),
            of(row.p50_ms),
            of(row.p95_ms),
            of(row.p99_ms),
            if row.level.errors > 0.0 { format!("{:.2} %", 100.0 * row.level.errors) } else { String::new() },
            row.level.server_cpu.map(|cpu| format!("{:.0} %", 100.0 * cpu)).unwrap_or_default(),
            if with_reasons { row.why.clone() } else { String::new() },
        ]);
    }
    table.without_empty_columns()
}
