//! Where two texts differ.

use swell_trace::Step;

/// Texts up to this length are shown whole.
const SHORT: usize = 200;
/// Characters before and after the difference that are shown of longer texts.
const AROUND: usize = 60;

/// Where two texts begin to differ, in characters from 0; none if they are equal.
fn differs_at(wanted: &str, got: &str) -> Option<usize> {
    if wanted == got {
        return None;
    }
    let same = wanted.chars().zip(got.chars()).take_while(|(one, other)| one == other).count();
    Some(same)
}

/// Notes where the two sides of failed comparisons differ, and shortens long ones to that part.
pub(crate) fn note(step: &mut Step) {
    let checks = step.actions.iter_mut().flat_map(|action| &mut action.checks);
    for check in checks.filter(|check| !check.passed) {
        if let (Some(wanted), Some(got)) = (&check.wanted, &check.got) {
            let is_equal = check.relation.as_deref() == Some("equals");
            check.differs_at = if is_equal { differs_at(wanted, got) } else { None };
            let at = check.differs_at.unwrap_or(0);
            let short = [wanted, got].map(|text| part(text, at));
            let [wanted, got] = short;
            check.wanted = Some(wanted);
            check.got = Some(got);
        }
    }
}

/// The part of a text around a place; the whole of a short one.
fn part(text: &str, at: usize) -> String {
    if text.chars().count() <= SHORT {
        return text.to_owned();
    }
    let from = at.saturating_sub(AROUND);
    let shown: String = text.chars().skip(from).take(2 * AROUND).collect();
    let before = if from > 0 { "…" } else { "" };
    format!("{before}{shown}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found_and_long_texts_are_cut_around_it() {
        assert_eq!(differs_at("abc", "abd"), Some(2));
        assert_eq!(differs_at("abc", "abcd"), Some(3));
        assert_eq!(differs_at("\u{e4}b", "\u{e4}b"), None);
        let long = "x".repeat(500) + "END" + &"y".repeat(500);
        let shown = part(&long, 500);
        assert!(shown.starts_with('…') && shown.contains("xENDy") && shown.chars().count() < 130, "{shown}");
        assert_eq!(part("short", 3), "short");
    }
}
