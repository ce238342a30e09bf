//! What GitHub shows of a job: its summary in Markdown, and annotations.

use std::fmt::Write;

use swell_stats::threshold::Judgement;
use swell_stats::verdict::{Grade, Verdict};
use swell_stats::{Summary, SummaryRow};

use crate::advice::advice;
use crate::cause::share;
use crate::codes;
use crate::headline::{ThresholdCounts, headline};
use crate::label::fit;
use crate::lead::lead;
use crate::line::line;
use crate::markdown::{cell, code, code_cell};
use crate::reason::reasons;
use crate::standing;
use crate::text::{Column, Results};
use crate::wrap::wrap;

/// GitHub refuses the summary of a step that is longer than 1 MiB.
const MOST_LABELS: usize = 500;
/// Rules that are listed one by one.
const MOST_RULES: usize = 500;
/// Causes of failed samples that are listed one by one.
const MOST_CAUSES: usize = 10;
/// Response codes that are listed one by one.
const MOST_CODES: usize = 30;
/// Characters of a server's message.
const MOST_TEXT: usize = 400;

/// The summary of a step, for `$GITHUB_STEP_SUMMARY`.
pub fn step_summary(name: &str, results: &Results<'_>) -> String {
    let Results { summary, verdict, judgements, total, earlier, .. } = *results;
    let headline = headline(summary, ThresholdCounts::of(judgements));
    let mut out = format!("## {}\n\n**{}**\n\n", cell(name), cell(&headline));
    if let Some(earlier) = earlier.filter(|_| !summary.is_empty()) {
        line!(out, "Since {}: {}\n", code(&earlier.name), cell(&earlier.change(summary)));
        line!(out, "{}\n", code(&earlier.command()));
    }
    add_thresholds(judgements, &mut out);
    add_failures(summary, &mut out);
    add_labels(summary, &mut out);
    if let Some(codes) = codes::text(&codes::of(total), MOST_CODES) {
        line!(out, "\n{codes}");
    }
    if let Some(verdict) = verdict {
        line!(out, "\nMeasurement: **{}**\n", verdict.grade.measurement());
        let stands = standing::p95(verdict, summary).filter(|_| verdict.grade > Grade::Valid);
        let refusal = verdict.refusal.iter().cloned();
        for reason in refusal.chain(reasons(verdict)).chain(stands).chain(advice(verdict)) {
            line!(out, "- {}", wrap(&cell(&reason), 2, 2, Some(80)));
        }
    }
    out
}

/// Failed ones first.
fn add_thresholds(judgements: &[Judgement], out: &mut String) {
    if judgements.is_empty() {
        return;
    }
    line!(out, "| threshold | | |\n|---|---|---|");
    let of = |passed| judgements.iter().filter(move |judgement| judgement.passed == passed);
    for judgement in of(false).chain(of(true)).take(MOST_RULES) {
        let sign = match (judgement.passed, judgement.all_failed) {
            (true, true) => "passed",
            (true, false) => "✅",
            (false, _) => "❌",
        };
        line!(out, "| {} | {sign} | {} |", code_cell(&judgement.rule), cell(&judgement.text));
    }
    if let more @ 1.. = judgements.len().saturating_sub(MOST_RULES) {
        line!(out, "| … and {more} more | | |");
    }
    line!(out, "");
}

/// By cause, with an example.
fn add_failures(summary: &Summary, out: &mut String) {
    let total = summary.total.samples;
    if summary.errors.is_empty() && summary.other_errors == 0 {
        return;
    }
    line!(out, "| failed | % | cause | first |\n|--:|--:|---|---|");
    let (listed, rest) = summary.causes(MOST_CAUSES);
    for row in listed {
        let [text, label] = [&lead(summary, row).text, &row.first.label]
            .map(|text| cell(&fit(&[text], Some(MOST_TEXT)).concat()));
        line!(out, "| {} | {} | {text} | {label} |", row.count, share(row.count, total));
    }
    if rest > 0 {
        line!(out, "| {rest} | {} | others | |", share(rest, total));
    }
    line!(out, "");
}

fn add_labels(summary: &Summary, out: &mut String) {
    line!(out, "| label | samples | failed % | p50 ms | p95 | p99 | max | per s |");
    line!(out, "|---|--:|--:|--:|--:|--:|--:|--:|");
    for each in summary.rows.iter().take(MOST_LABELS) {
        line!(out, "{}", row(&each.label, each));
    }
    if let more @ 1.. = summary.rows.len().saturating_sub(MOST_LABELS) {
        line!(out, "| … and {more} more labels | | | | | | | |");
    }
    line!(out, "{}", row("TOTAL", &summary.total));
}

fn row(label: &str, row: &SummaryRow) -> String {
    let columns = Column::BRIEF.map(|column| {
        let text = column.cell(row).replace('<', "&lt;").replace('>', "&gt;");
        if column == Column::Failed && row.all_failed() { format!("{text} (all failed)") } else { text }
    });
    format!("| {} | {} |", cell(&fit(&[label], Some(MOST_TEXT)).concat()), columns.join(" | "))
}

/// Lines that GitHub Actions shows as annotations: an error for each broken rule, a warning for a
/// verdict that is not VALID.
pub fn annotations(verdict: Option<&Verdict>, judgements: &[Judgement]) -> Vec<String> {
    let broken = judgements.iter().filter(|judgement| !judgement.passed);
    let errors = broken.map(|judgement| {
        let message = format!("{}: {}", judgement.rule, judgement.text);
        format!("::error title=Threshold failed::{}", command_text(&message))
    });
    let reasons =
        verdict.map(|verdict| (verdict.grade, reasons(verdict))).filter(|(_, reasons)| !reasons.is_empty());
    let warnings = reasons.map(|(grade, reasons)| {
        let title = format!("Measurement {}", grade.measurement());
        format!("::warning title={title}::{}", command_text(&reasons.join("\n")))
    });
    errors.chain(warnings).collect()
}

/// The message of a workflow command (`toolkit/packages/core/src/command.ts`, `escapeData`): one
/// line, whatever is in it.
fn command_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::super::tests::judgement;
    use super::*;
    use crate::earlier::Earlier;
    use swell_stats::LabelStats;
    use swell_stats::verdict::{Evidence, verdict};
    use swell_stats::{FailureKind, Observation, Recorder};

    fn results<'a>(summary: &'a Summary, total: &'a LabelStats, judgements: &'a [Judgement]) -> Results<'a> {
        Results { summary, verdict: None, judgements, transactions: &[], total, notes: &[], earlier: None }
    }

    #[test]
    fn times_of_failures_alone_carry_no_sign_of_success() {
        let mut recorder = Recorder::default();
        recorder.record(&Observation { label: "Pay", ..Observation::default() });
        recorder.record(&Observation { label: "Home", success: true, ..Observation::default() });
        let counted = recorder.take_interval();
        let rules = [Judgement { all_failed: true, ..judgement("label(\"Pay\"): p(99)<800ms", true) }];
        let text = step_summary("shop", &results(&Summary::of(&counted), &counted.total(), &rules));
        assert!(text.contains("| passed | p(99) ") && !text.contains('✅'), "{text}");
        assert!(text.contains("| Pay | 1 | 100.00 (all failed) |"), "{text}");
        assert!(text.contains("| Home | 1 | 0.00 |"), "{text}");
    }

    #[test]
    fn the_step_has_a_table_and_nothing_of_a_label_is_markup() {
        let mut recorder = Recorder::default();
        recorder.record(&Observation { label: "a|b <i>x</i> `c`", success: true, ..Observation::default() });
        let summary = Summary::of(&recorder.take_interval());
        let rules = [judgement("p(99)<800ms", false)];
        let text = step_summary("shop *1*", &results(&summary, &LabelStats::default(), &rules));
        assert!(text.starts_with("## shop \\*1\\*\n"), "{text}");
        assert!(text.contains("| `p(99)<800ms` | ❌ | p(99) 923.1 ms (limit 800.0 ms) |"), "{text}");
        assert!(text.contains("| a\\|b &lt;i&gt;x&lt;/i&gt; \\`c\\` | 1 | 0.00 | - |"), "{text}");
        assert!(text.contains("| TOTAL | 1 |"), "{text}");
    }

    #[test]
    fn the_step_says_how_the_site_did_and_then_how_well_it_was_measured() {
        let mut recorder = Recorder::default();
        for number in 0..10 {
            recorder.record(&Observation {
                label: "Home",
                success: number > 3,
                kind: FailureKind::Status,
                code: if number > 3 { "200" } else { "503" },
                message: "<b>down</b> | *now*",
                elapsed_ns: 5_000_000,
                ..Observation::default()
            });
        }
        let seen = Evidence { cpu_busy: Some((0, 0.95)), ..Evidence::default() };
        let rules = [judgement("errors<50%", true), judgement("p(99)<800ms", false)];
        let counted = recorder.take_interval();
        let summary = Summary::of(&counted);
        let total = counted.total();
        let verdict = verdict(&seen);
        let earlier = Earlier {
            name: "shop-1".to_owned(),
            this: "shop-2".to_owned(),
            samples: 100,
            p95_ms: Some(4.0),
            ..Earlier::default()
        };
        let earlier = Some(&earlier);
        let of = Results { verdict: Some(&verdict), earlier, ..results(&summary, &total, &rules) };
        let text = step_summary("shop", &of);
        let order = [
            "## shop\n\n**10 samples: 40 % failed, max 5 ms; 1 of 2 thresholds failed**\n",
            "Since `shop-1`: p95 unknown (too few samples), failed 0 % → 40 %\n\n`swell compare shop-1 shop-2`\n",
            "| `p(99)<800ms` | ❌ |",
            "| `errors<50%` | ✅ |",
            "| 4 | 40 | Home: 4 of 10 failed with 503 &lt;b&gt;down&lt;/b&gt; \\| \\*now\\* | Home |",
            "| Home | 10 | 40.00 | 5.00 |",
            "| TOTAL |",
            "\nstatus: 200 × 6, 503 × 4\n",
            "\nMeasurement: **unusable**\n",
            "- the machine, not the server",
        ];
        let places: Vec<_> = order.iter().map(|part| text.find(part)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{text}");
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
