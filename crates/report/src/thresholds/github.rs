//! What GitHub shows of a job: its summary in Markdown, and annotations.

use std::fmt::Write;

use swell_stats::threshold::Judgement;
use swell_stats::verdict::Verdict;
use swell_stats::{Quantile, Summary, SummaryRow};

use crate::markdown::{cell, code_cell};
use crate::reason::reasons;

/// GitHub refuses the summary of a step that is longer than 1 MiB.
const MOST_LABELS: usize = 500;

/// The summary of a step, for `$GITHUB_STEP_SUMMARY`.
pub fn step_summary(
    name: &str,
    summary: &Summary,
    verdict: Option<&Verdict>,
    judgements: &[Judgement],
) -> String {
    let mut out = format!("## {}\n\n", cell(name));
    let mut line = |text: String| writeln!(out, "{text}").expect("a String takes it");
    if !judgements.is_empty() {
        line("| threshold | | |\n|---|---|---|".to_owned());
        for judgement in judgements {
            let sign = if judgement.passed { "✅" } else { "❌" };
            line(format!("| {} | {sign} | {} |", code_cell(&judgement.rule), cell(&judgement.text)));
        }
        line(String::new());
    }
    if let Some(verdict) = verdict {
        line(format!("Verdict **{}**", verdict.grade));
        for reason in reasons(verdict) {
            line(format!("- {}", cell(&reason)));
        }
        line(String::new());
    }
    line(
        "| label | samples | errors | mean ms | p50 | p95 | p99 | per s |\n|---|--:|--:|--:|--:|--:|--:|--:|"
            .to_owned(),
    );
    summary.rows.iter().take(MOST_LABELS).for_each(|each| line(row(&each.label, each)));
    if summary.rows.len() > MOST_LABELS {
        line(format!("| … and {} more labels | | | | | | | |", summary.rows.len() - MOST_LABELS));
    }
    line(row("TOTAL", &summary.total));
    out
}

fn row(label: &str, row: &SummaryRow) -> String {
    let quantile = |q: &Quantile| if q.supported { format!("{:.2}", q.ms) } else { "–".to_owned() };
    format!(
        "| {} | {} | {} ({:.2} %) | {:.2} | {} | {} | {} | {:.1} |",
        cell(label),
        row.samples,
        row.errors,
        row.error_percent(),
        row.mean_ms,
        quantile(&row.quantiles[0]),
        quantile(&row.quantiles[2]),
        quantile(&row.quantiles[3]),
        row.throughput_per_s
    )
}

/// Lines that GitHub Actions shows as annotations: an error for each broken rule, a warning for a verdict that is not VALID.
pub fn annotations(verdict: Option<&Verdict>, judgements: &[Judgement]) -> Vec<String> {
    let broken = judgements.iter().filter(|judgement| !judgement.passed);
    let errors = broken.map(|judgement| {
        let message = format!("{}: {}", judgement.rule, judgement.text);
        format!("::error title=Threshold failed::{}", command_text(&message))
    });
    let reasons =
        verdict.map(|verdict| (verdict.grade, reasons(verdict))).filter(|(_, reasons)| !reasons.is_empty());
    let warnings = reasons.map(|(grade, reasons)| {
        format!("::warning title=Verdict {grade}::{}", command_text(&reasons.join("\n")))
    });
    errors.chain(warnings).collect()
}

/// The message of a workflow command (`toolkit/packages/core/src/command.ts`, `escapeData`): one line, whatever is in it.
fn command_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::super::tests::judgement;
    use super::*;
    use swell_stats::{Observation, Recorder};

    #[test]
    fn the_step_has_a_table_and_nothing_of_a_label_is_markup() {
        let mut recorder = Recorder::default();
        recorder.record(&Observation { label: "a|b <i>x</i> `c`", success: true, ..Observation::default() });
        let summary = Summary::of(&recorder.take_interval());
        let text = step_summary("shop *1*", &summary, None, &[judgement("p(99)<800ms", false)]);
        assert!(text.starts_with("## shop \\*1\\*\n"), "{text}");
        assert!(text.contains("| `p(99)<800ms` | ❌ | p(99) 923.1 ms (limit 800.0 ms) |"), "{text}");
        assert!(text.contains("| a\\|b &lt;i&gt;x&lt;/i&gt; \\`c\\` | 1 | 0 (0.00 %) |"), "{text}");
        assert!(text.contains("| TOTAL | 1 |"), "{text}");
    }

    #[test]
    fn a_message_cannot_end_its_command() {
        let found = annotations(
            None,
            &[judgement("label(\"100%\n::error::x\"): p(99)<1s", false), judgement("a", true)],
        );
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("::error title=Threshold failed::label(\"100%25%0A::error::x\")"),
            "{}",
            found[0]
        );
        assert!(!found[0].contains('\n'));
    }
}
