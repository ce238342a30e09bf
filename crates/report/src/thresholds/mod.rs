//! What became of the thresholds of a run: lines for people, and the forms that pipelines read.

pub mod github;
pub mod gitlab;
pub mod junit;

use std::fmt::Write;

use serde_json::{Value, json};
use swell_stats::threshold::Judgement;

use crate::plain::plain;

/// A line a rule, the broken ones first; empty if there are no rules.
pub fn text(judgements: &[Judgement]) -> String {
    let mut out = String::new();
    if judgements.is_empty() {
        return out;
    }
    let broken = judgements.iter().filter(|judgement| !judgement.passed).count();
    let head = if broken == 0 {
        format!("thresholds KEPT: all {}", judgements.len())
    } else {
        format!("thresholds BROKEN: {broken} of {}", judgements.len())
    };
    writeln!(out, "{head}").expect("a String takes it");
    for passed in [false, true] {
        for judgement in judgements.iter().filter(|judgement| judgement.passed == passed) {
            writeln!(out, "{}", line(judgement)).expect("a String takes it");
        }
    }
    out
}

/// `  BROKEN    p(99)<800ms: p(99) 923.1 ms (limit 800.0 ms)`.
fn line(judgement: &Judgement) -> String {
    let word = if judgement.passed { "kept" } else { "BROKEN" };
    let aborted = if judgement.aborted { "; it ended the test" } else { "" };
    format!("  {word:8}  {}: {}{aborted}", plain(&judgement.rule), plain(&judgement.text))
}

/// The rules as they stand in `summary.json`.
pub fn json(judgements: &[Judgement]) -> Value {
    let rules = judgements.iter().map(|judgement| {
        json!({
            "rule": judgement.rule,
            "passed": judgement.passed,
            "value": judgement.value,
            "limit": judgement.limit,
            "unit": judgement.unit.sign(),
            "broken_at_ms": judgement.broken_at_ms,
            "aborted": judgement.aborted,
            "text": judgement.text,
        })
    });
    rules.collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use swell_stats::threshold::Unit;

    pub(crate) fn judgement(rule: &str, passed: bool) -> Judgement {
        Judgement {
            rule: rule.to_owned(),
            passed,
            value: Some(923.1),
            limit: Some(800.0),
            unit: Unit::Milliseconds,
            broken_at_ms: None,
            aborted: !passed,
            text: "p(99) 923.1 ms (limit 800.0 ms)".to_owned(),
        }
    }

    #[test]
    fn broken_rules_come_first() {
        let text = text(&[judgement("errors<1%", true), judgement("p(99)<800ms", false)]);
        let wanted = "thresholds BROKEN: 1 of 2\n  BROKEN    p(99)<800ms: p(99) 923.1 ms (limit 800.0 ms); it ended the test\n  kept      errors<1%: p(99) 923.1 ms (limit 800.0 ms)\n";
        assert_eq!(text, wanted);
        assert_eq!(super::text(&[]), "");
        assert!(super::text(&[judgement("a", true)]).starts_with("thresholds KEPT: all 1\n"));
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_shown() {
        let text = text(&[judgement("label(\"\u{1b}[2J\"): p(99)<1s", false)]);
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
}
