//! Results of the thresholds of a run: lines for people, and the formats that pipelines read.

pub mod github;
pub mod gitlab;
pub mod junit;

use std::fmt::Write;

use serde_json::{Value, json};
use swell_stats::threshold::Judgement;

use crate::line::line;
use crate::plain::plain;
use crate::styled::{Role, Styled};
use crate::wrap::wrap;

/// Failed and passed rules that are listed on a terminal without `-v`: `each label` may make one of
/// every label.
const MOST_SHOWN: [(bool, usize); 2] = [(false, 20), (true, 10)];

/// A line a rule, the failed ones first; empty if there are no rules.
pub fn text(judgements: &[Judgement]) -> Styled {
    text_in(judgements, None, true)
}

/// The same in lines of at most `width` columns where that is the width of a terminal.
pub(crate) fn text_in(judgements: &[Judgement], width: Option<usize>, verbose: bool) -> Styled {
    let mut out = Styled::default();
    if judgements.is_empty() {
        return out;
    }
    let broken = judgements.iter().filter(|judgement| !judgement.passed).count();
    if broken == 0 {
        out.push(Role::Good, "thresholds PASSED");
        line!(out, ": {all} of {all}", all = judgements.len());
    } else {
        out.push(Role::Bad, "thresholds FAILED");
        line!(out, ": {broken} of {}", judgements.len());
    }
    for (passed, most) in MOST_SHOWN {
        let most = if verbose || width.is_none() { usize::MAX } else { most };
        let all = || judgements.iter().filter(|judgement| judgement.passed == passed);
        for judgement in all().take(most) {
            add_line(judgement, width, &mut out);
        }
        if let more @ 1.. = all().count().saturating_sub(most) {
            line!(out, "  and {more} more that {}; -v lists all", if passed { "passed" } else { "failed" });
        }
    }
    out
}

/// `  FAILED    p(99)<800ms: p(99) 923.1 ms (limit 800.0 ms)`.
fn add_line(judgement: &Judgement, width: Option<usize>, out: &mut Styled) {
    const INDENT: usize = 12;
    out.write_str("  ").expect("memory takes it");
    if judgement.passed && judgement.all_failed {
        out.push(Role::Muted, &format!("{:8}", "passed"));
    } else if judgement.passed {
        write!(out, "{:8}", "passed").expect("memory takes it");
    } else {
        out.push(Role::Bad, &format!("{:8}", "FAILED"));
    }
    let aborted = if judgement.aborted { "; it ended the test" } else { "" };
    let text = format!("{}: {}{aborted}", plain(&judgement.rule), plain(&judgement.text));
    line!(out, "  {}", wrap(&text, INDENT, INDENT, width));
}

/// The rules as in `summary.json`.
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
            "all_failed": judgement.all_failed,
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
            all_failed: false,
            text: "p(99) 923.1 ms (limit 800.0 ms)".to_owned(),
        }
    }

    #[test]
    fn broken_rules_come_first() {
        let text = text(&[judgement("errors<1%", true), judgement("p(99)<800ms", false)]);
        let wanted = "thresholds FAILED: 1 of 2\n  FAILED    p(99)<800ms: p(99) 923.1 ms (limit 800.0 ms); it ended the test\n  passed    errors<1%: p(99) 923.1 ms (limit 800.0 ms)\n";
        assert_eq!(&*text, wanted);
        assert_eq!(&*super::text(&[]), "");
        assert!(super::text(&[judgement("a", true)]).starts_with("thresholds PASSED: 1 of 1\n"));
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_shown() {
        let text = text(&[judgement("label(\"\u{1b}[2J\"): p(99)<1s", false)]);
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
}
