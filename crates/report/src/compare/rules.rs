//! Thresholds of both runs: which limits are others, and how the second run met them.

use serde::Serialize;

use crate::plain::plain;

/// The result of a threshold in one of the runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RuleResult {
    /// The rule as it was written.
    pub rule: String,
    /// It passed.
    pub passed: bool,
    /// It judges times, and all samples that have them failed.
    pub all_failed: bool,
    /// What the figure was compared with.
    pub limit: Option<f64>,
    /// Unit of the limit.
    pub unit: String,
    /// What happened, in a sentence.
    pub text: String,
}

/// A threshold of one of the runs or of both.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ComparedRule<'a> {
    pub(super) before: Option<&'a RuleResult>,
    pub(super) after: Option<&'a RuleResult>,
}

impl ComparedRule<'_> {
    /// Rule and limit are those of both runs.
    pub(super) fn is_unchanged(&self) -> bool {
        let (Some(before), Some(after)) = (self.before, self.after) else { return false };
        before.rule == after.rule && before.limit == after.limit
    }

    /// That the second run does not meet it.
    pub(super) fn failure(&self) -> Option<String> {
        let after = self.after.filter(|after| !after.passed)?;
        let before = match self.before {
            Some(before) if before.passed => " (passed before)",
            Some(_) => " (failed before, too)",
            None => "",
        };
        Some(format!("threshold failed: {}: {}{before}", plain(&after.rule), plain(&after.text)))
    }

    /// How the rule or its limit changed; none if it did not.
    pub(super) fn change(&self) -> Option<String> {
        Some(match (self.before, self.after) {
            _ if self.is_unchanged() => return None,
            (Some(before), None) => format!("threshold removed: {}", plain(&before.rule)),
            (None, Some(after)) => format!("new threshold: {}", plain(&after.rule)),
            (Some(before), Some(after)) if before.rule != after.rule => {
                format!("limit changed: {} → {}", plain(&before.rule), plain(&after.rule))
            }
            (Some(before), Some(after)) => {
                let limit = |rule: &RuleResult| {
                    let number = |limit| format!("{} {}", crate::number::ms(limit), rule.unit);
                    rule.limit.map_or_else(|| "none".to_owned(), |limit| number(limit).trim_end().to_owned())
                };
                format!("limit changed: {}: {} → {}", plain(&after.rule), limit(before), limit(after))
            }
            (None, None) => return None,
        })
    }
}

/// The rules of the second run in order, the failed ones first, then those that only the first has.
pub(super) fn compared<'a>(before: &'a [RuleResult], after: &'a [RuleResult]) -> Vec<ComparedRule<'a>> {
    let mut left: Vec<&RuleResult> = before.iter().collect();
    let mut take = |fits: &dyn Fn(&RuleResult) -> bool| {
        left.iter().position(|rule| fits(rule)).map(|place| left.remove(place))
    };
    // Rules that are the same in both are no partners of others.
    let mut found: Vec<_> = after.iter().map(|rule| (take(&|other| other.rule == rule.rule), rule)).collect();
    for (partner, rule) in found.iter_mut().filter(|(partner, _)| partner.is_none()) {
        *partner = take(&|other| figure_of(&other.rule) == figure_of(&rule.rule));
    }
    found.sort_by_key(|(_, rule)| rule.passed);
    let both = found.into_iter().map(|(before, after)| ComparedRule { before, after: Some(after) });
    both.chain(left.into_iter().map(|rule| ComparedRule { before: Some(rule), after: None })).collect()
}

/// What a rule judges: its text up to the sign of comparison, which a label in quotes may have,
/// too.
fn figure_of(rule: &str) -> &str {
    let mut is_quoted = false;
    let sign = rule.find(|c: char| {
        is_quoted ^= c == '"';
        !is_quoted && matches!(c, '<' | '>')
    });
    rule[..sign.unwrap_or(rule.len())].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(rule: &str, passed: bool, limit: f64) -> RuleResult {
        let unit = "ms".to_owned();
        RuleResult { rule: rule.to_owned(), passed, limit: Some(limit), unit, ..RuleResult::default() }
    }

    #[test]
    fn a_failure_says_whether_it_is_new() {
        let text = "p(95) 900.0 ms (limit 800.0 ms)".to_owned();
        let failed = RuleResult { text, ..rule("p(95)<800ms", false, 800.0) };
        let of = |before: &[RuleResult]| compared(before, std::slice::from_ref(&failed))[0].failure();
        let said = "threshold failed: p(95)<800ms: p(95) 900.0 ms (limit 800.0 ms)";
        assert_eq!(of(&[]).as_deref(), Some(said));
        assert_eq!(of(&[rule("p(95)<800ms", true, 800.0)]), Some(format!("{said} (passed before)")));
        assert_eq!(of(std::slice::from_ref(&failed)), Some(format!("{said} (failed before, too)")));
    }

    #[test]
    fn limits_that_changed_are_paired_and_the_rest_is_new_or_removed() {
        let before = [
            rule("p(95)<800ms", true, 800.0),
            rule("p(95)<2s", true, 2000.0),
            rule("label(\"a>b\"): p(99)<baseline", true, 20.0),
            rule("errors<1%", true, 1.0),
        ];
        let after = [
            rule("p(95)<2s", true, 2000.0),
            rule("p(95)<1s", true, 1000.0),
            rule("label(\"a>b\"): p(99)<baseline", true, 25.0),
            rule("rps>100", false, 100.0),
        ];
        let found: Vec<_> =
            compared(&before, &after).iter().map(|rule| rule.change().unwrap_or_default()).collect();
        let wanted = [
            "new threshold: rps>100",
            "",
            "limit changed: p(95)<800ms → p(95)<1s",
            "limit changed: label(\"a>b\"): p(99)<baseline: 20.00 ms → 25.00 ms",
            "threshold removed: errors<1%",
        ];
        assert_eq!(found, wanted);
        assert_eq!(figure_of("label(\"a>b\"): p(99)<1s"), "label(\"a>b\"): p(99)");
    }
}
