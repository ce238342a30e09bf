//! JUnit XML, which every build server reads: a case a rule, and a case a label, which fails if too
//! many of its samples failed.

use std::fmt::Write;

use swell_stats::threshold::Judgement;
use swell_stats::verdict::{Grade, Verdict};
use swell_stats::{ErrorRow, Quantile, Summary, SummaryRow};

use crate::cause::{cause, share};
use crate::reason::reasons;

/// The file. A broken rule is a failure, and so is a label with more than `max_errors_percent`
/// failed samples; a verdict INVALID, or a run in which no sample was completed, is an error.
pub fn xml(
    name: &str,
    summary: &Summary,
    verdict: Option<&Verdict>,
    judgements: &[Judgement],
    max_errors_percent: f64,
) -> String {
    let mut cases: Vec<Case> = judgements.iter().map(of_rule).collect();
    cases.push(of_verdict(summary, verdict));
    cases.extend(summary.rows.iter().map(|row| of_label(row, summary, max_errors_percent)));
    let failures = cases.iter().filter(|case| matches!(case.result, Outcome::Failure(_))).count();
    let errors = cases.iter().filter(|case| matches!(case.result, Outcome::Error(_))).count();
    let name = escaped(name);
    let count = cases.len();
    let seconds = summary.duration_s;
    let counts = format!("tests=\"{count}\" failures=\"{failures}\" errors=\"{errors}\"");
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    put(&mut out, &format!("<testsuites name=\"{name}\" {counts} time=\"{seconds:.3}\">\n"));
    let started =
        summary.start_ns.and_then(|ns| jiff::Timestamp::from_millisecond(ns.div_euclid(1_000_000)).ok());
    let timestamp = started.map(|at| format!(" timestamp=\"{at:.0}\"")).unwrap_or_default();
    put(
        &mut out,
        &format!("  <testsuite name=\"{name}\" {counts} skipped=\"0\" time=\"{seconds:.3}\"{timestamp}>\n"),
    );
    properties(&mut out, summary, verdict);
    for case in &cases {
        case.write(&mut out);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

struct Case {
    class: &'static str,
    name: String,
    seconds: f64,
    result: Outcome,
    text: String,
}

enum Outcome {
    Passed,
    Failure(String),
    Error(String),
}

impl Case {
    fn write(&self, out: &mut String) {
        let class = self.class;
        let name = escaped(&self.name);
        put(
            out,
            &format!("    <testcase classname=\"{class}\" name=\"{name}\" time=\"{:.6}\">\n", self.seconds),
        );
        let element = match &self.result {
            Outcome::Passed => None,
            Outcome::Failure(message) => Some(("failure", message)),
            Outcome::Error(message) => Some(("error", message)),
        };
        if let Some((element, message)) = element {
            let message = escaped(message);
            let text = escaped(&self.text);
            put(out, &format!("      <{element} message=\"{message}\">{text}</{element}>\n"));
        } else if !self.text.is_empty() {
            put(out, &format!("      <system-out>{}</system-out>\n", escaped(&self.text)));
        }
        out.push_str("    </testcase>\n");
    }
}

fn of_rule(judgement: &Judgement) -> Case {
    let ended = if judgement.aborted { "\nit ended the test" } else { "" };
    Case {
        class: "threshold",
        name: judgement.rule.clone(),
        seconds: 0.0,
        result: if judgement.passed { Outcome::Passed } else { Outcome::Failure(judgement.text.clone()) },
        text: format!("{}{ended}", judgement.text),
    }
}

fn of_verdict(summary: &Summary, verdict: Option<&Verdict>) -> Case {
    let result = match verdict {
        None if summary.is_empty() => Outcome::Error("no sample was completed".to_owned()),
        Some(verdict) if verdict.grade == Grade::Invalid => {
            Outcome::Error("the verdict is INVALID: the tool itself distorted the figures".to_owned())
        }
        _ => Outcome::Passed,
    };
    let text = verdict.map(|verdict| {
        let refusal = verdict.refusal.iter().cloned();
        refusal.chain(reasons(verdict)).collect::<Vec<_>>().join("\n")
    });
    Case {
        class: "verdict",
        name: "the tool measured accurately enough".to_owned(),
        seconds: 0.0,
        result,
        text: text.unwrap_or_default(),
    }
}

/// A label fails if too many of its samples failed; the message names the first cause whose example
/// has this label.
fn of_label(row: &SummaryRow, summary: &Summary, max_errors_percent: f64) -> Case {
    let mut text = format!(
        "{} samples, {} failed ({:.2} %), mean {:.3} ms",
        row.samples,
        row.errors,
        row.error_percent(),
        row.mean_ms
    );
    for (name, quantile) in percentiles(row) {
        let _ = write!(text, ", {name} {:.3} ms", quantile.ms);
    }
    let _ = write!(text, ", {:.3}/s", row.throughput_per_s);
    let class = if row.is_transaction { "transaction" } else { "label" };
    let fails = row.errors > 0 && row.error_percent() > max_errors_percent;
    let result =
        if fails { Outcome::Failure(too_many(row, summary, max_errors_percent)) } else { Outcome::Passed };
    Case { class, name: row.label.clone(), seconds: row.mean_ms / 1e3, result, text }
}

/// The percentiles that there are enough samples for.
fn percentiles(row: &SummaryRow) -> impl Iterator<Item = (&'static str, &Quantile)> {
    const SHOWN: [(&str, usize); 3] = [("p50", 0), ("p95", 2), ("p99", 3)];
    let all = SHOWN.into_iter().map(|(name, place)| (name, &row.quantiles[place]));
    all.filter(|(_, quantile)| quantile.supported)
}

/// `480 of 480 samples failed (100 %, at most 0 %): status 503 Service Unavailable`.
fn too_many(row: &SummaryRow, summary: &Summary, max_errors_percent: f64) -> String {
    let samples = row.samples;
    let errors = row.errors;
    let part = share(errors, samples);
    let text = format!("{errors} of {samples} samples failed ({part} %, at most {max_errors_percent} %)");
    let causes = &summary.errors;
    // Mostly the labels of a cause are known. Else its example has one; where there is one cause
    // only, it is that of all labels.
    let is_of_label = |error: &&ErrorRow| {
        let labels = summary.failed_labels.of_cause(error);
        labels.is_some_and(|found| found.most.iter().any(|one| one.label == row.label))
    };
    let of_label = causes.iter().find(is_of_label);
    let by_example = || causes.iter().find(|error| error.first.label == row.label);
    match of_label.or_else(by_example).or_else(|| causes.first().filter(|_| causes.len() == 1)) {
        Some(error) => format!("{text}: {}", cause(error).words),
        None => text,
    }
}

fn properties(out: &mut String, summary: &Summary, verdict: Option<&Verdict>) {
    let total = &summary.total;
    let mut figures = vec![
        (
            "verdict".to_owned(),
            verdict.map_or_else(|| "none".to_owned(), |verdict| verdict.grade.to_string()),
        ),
        ("samples".to_owned(), total.samples.to_string()),
        ("errors".to_owned(), total.errors.to_string()),
        ("mean_ms".to_owned(), format!("{:.3}", total.mean_ms)),
    ];
    figures.extend(
        percentiles(total).map(|(name, quantile)| (format!("{name}_ms"), format!("{:.3}", quantile.ms))),
    );
    figures.push(("throughput_per_s".to_owned(), format!("{:.3}", total.throughput_per_s)));
    out.push_str("    <properties>\n");
    for (name, value) in figures {
        put(out, &format!("      <property name=\"{name}\" value=\"{value}\"/>\n"));
    }
    out.push_str("    </properties>\n");
}

fn put(out: &mut String, text: &str) {
    out.write_str(text).expect("a String takes it");
}

/// Text of an element or an attribute. What XML 1.0 cannot hold becomes the replacement character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::judgement;
    use super::*;
    use swell_stats::{FailureKind, Observation, Recorder, Summary};

    fn summary() -> Summary {
        let mut recorder = Recorder::default();
        for number in 0..100_u64 {
            let label = "<b>&\u{1}\"";
            let success = number > 4;
            let elapsed_ns = 5_000_000;
            let start_ns = 1_700_000_000_000_000_000;
            recorder.record(&Observation {
                label,
                success,
                elapsed_ns,
                start_ns,
                end_ns: start_ns + 5,
                kind: FailureKind::Status,
                code: "503",
                message: "Service Unavailable",
                ..Observation::default()
            });
        }
        Summary::of(&recorder.take_interval())
    }

    #[test]
    fn each_rule_and_label_is_a_case_and_a_broken_rule_a_failure() {
        let rules = [judgement("errors<1%", true), judgement("label(\"a\"): p(99)<800ms", false)];
        let xml = xml("shop", &summary(), None, &rules, 5.0);
        assert!(xml.contains("<testsuites name=\"shop\" tests=\"4\" failures=\"1\" errors=\"0\""), "{xml}");
        assert!(xml.contains("timestamp=\"2023-11-14T22:13:20Z\""), "{xml}");
        let failed = "<testcase classname=\"threshold\" name=\"label(&quot;a&quot;): p(99)&lt;800ms\" time=\"0.000000\">\n      <failure message=\"p(99) 923.1 ms (limit 800.0 ms)\">";
        assert!(xml.contains(failed), "{xml}");
        assert!(xml.contains("classname=\"label\" name=\"&lt;b&gt;&amp;\u{fffd}&quot;\""), "{xml}");
        assert!(xml.contains("100 samples, 5 failed (5.00 %)"), "{xml}");
        let opened = xml.matches("<testcase ").count();
        assert_eq!((opened, xml.matches("</testcase>").count()), (4, 4));
    }

    #[test]
    fn a_label_with_too_many_failed_samples_fails_with_its_cause() {
        let failures = |max_errors_percent| {
            let xml = xml("shop", &summary(), None, &[], max_errors_percent);
            let case = xml.split_once("classname=\"label\"").expect("a label").1.to_owned();
            let message = case.split_once("<failure message=\"").map(|(_, rest)| rest.to_owned());
            message.and_then(|rest| Some(rest.split_once('"')?.0.to_owned()))
        };
        let text = "5 of 100 samples failed (5 %, at most 0 %): status 503 Service Unavailable";
        assert_eq!(failures(0.0).as_deref(), Some(text));
        assert!(failures(4.99).is_some());
        assert_eq!(failures(5.0), None);
    }

    #[test]
    fn a_run_in_which_nothing_ran_is_an_error() {
        let xml = xml("x", &Summary::of(&swell_stats::Snapshot::default()), None, &[], 0.0);
        assert!(
            xml.contains("errors=\"1\"") && xml.contains("<error message=\"no sample was completed"),
            "{xml}"
        );
    }
}
