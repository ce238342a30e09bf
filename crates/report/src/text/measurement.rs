//! How well a run was measured: one line, and the reasons where it was not measured well.

use std::fmt::Write;

use swell_stats::verdict::{Grade, Verdict};

use super::{Results, View};
use crate::advice::advice;
use crate::line::line;
use crate::plain::plain;
use crate::reason::{reason, worst_first};
use crate::standing;
use crate::styled::{Role, Styled};
use crate::wrap::wrap;

/// Columns before the text of a reason.
const INDENT: usize = 12;

pub(super) fn write(results: &Results<'_>, view: &View, out: &mut Styled) {
    match results.verdict {
        Some(verdict) => judgement(results, verdict, view, out),
        None if results.summary.is_empty() => line!(out, "no verdict: no sample was completed"),
        None => {}
    }
}

/// The word with the grade and the tool's own error, and a line for each gate that is not valid,
/// the worst first.
fn judgement(results: &Results<'_>, verdict: &Verdict, view: &View, out: &mut Styled) {
    const NAME: &str = "Measurement: ";
    out.write_str(NAME).expect("memory takes it");
    let word = verdict.grade.measurement();
    out.push(role(verdict.grade), word);
    let own = own_error(results, verdict).map(|own| format!("; {own}")).unwrap_or_default();
    line!(out, "{}", wrap(&own, NAME.len() + word.len(), 2, view.width));
    let mut reasons: Vec<(Option<Grade>, String)> = Vec::new();
    reasons.extend(verdict.refusal.iter().map(|why| (Some(Grade::Invalid), plain(why).into_owned())));
    reasons.extend(worst_first(verdict).into_iter().map(|gate| (Some(gate.grade()), reason(gate))));
    // Where the figures are good, the lines of a small run are few.
    let stands = standing::p95(verdict, results.summary);
    reasons.extend(stands.filter(|_| verdict.grade > Grade::Valid || view.verbose).map(|text| (None, text)));
    reasons.extend(advice(verdict).map(|advice| (None, plain(&advice).into_owned())));
    for (grade, text) in reasons {
        out.write_str("  ").expect("memory takes it");
        match grade {
            Some(grade) => out.push(role(grade), &format!("{grade:8}")),
            None => out.write_str(&" ".repeat(8)).expect("memory takes it"),
        }
        line!(out, "  {}", wrap(&text, INDENT, INDENT, view.width));
    }
}

/// `own error p99 ms: reads 0.06, starts 0.89, sends 0.02`. Reads that are part of the times are
/// marked, since they mostly are not; sends always are.
fn own_error(results: &Results<'_>, verdict: &Verdict) -> Option<String> {
    let total = &results.summary.total;
    let delays = [("reads", &total.read_delay), ("starts", &total.start_delay), ("sends", &total.send_delay)];
    let measured = delays.into_iter().filter(|(_, delay)| delay.samples > 0);
    let parts: Vec<_> = measured
        .map(|(name, delay)| {
            let p99 = if delay.p99_ms > 0.0 && delay.p99_ms < 0.005 {
                "<0.01".to_owned()
            } else {
                format!("{:.2}", delay.p99_ms)
            };
            let mark = if name == "reads" && verdict.read_delay_counts { " (in the times)" } else { "" };
            format!("{name} {p99}{mark}")
        })
        .collect();
    (!parts.is_empty()).then(|| format!("own error p99 ms: {}", parts.join(", ")))
}

fn role(grade: Grade) -> Role {
    match grade {
        Grade::Valid => Role::Good,
        Grade::Degraded => Role::Doubtful,
        Grade::Invalid => Role::Bad,
    }
}
