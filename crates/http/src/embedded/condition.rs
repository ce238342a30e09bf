//! Conditional comments of Internet Explorer before version 10 (`HtmlCCommentExpressionMatcher`).

use std::borrow::Cow;

/// The version of an Internet Explorer that honours conditional comments; none of other browsers.
pub(super) fn version_of(agent: &str) -> Option<f32> {
    let after = agent.find("MSIE ").map(|at| &agent[at + 5..])?;
    // One character between the digits, whatever it is.
    let whole = after.bytes().take_while(u8::is_ascii_digit).count();
    let rest = after[whole..].chars().skip(1).take_while(char::is_ascii_digit).count();
    let version: f32 = after.get(..whole + 1 + rest).filter(|_| whole > 0 && rest > 0)?.parse().ok()?;
    (version < 10.0).then_some(version)
}

/// Whether a condition (`if lt IE 9`) holds.
pub(super) fn holds(condition: &str, version: f32) -> bool {
    let plain: String = condition.trim().chars().filter(|c| !matches!(c, '(' | ')')).collect();
    let all = plain.get(3..).unwrap_or_default();
    all.split('&').all(|any| any.split('|').any(|term| term_holds(term.trim(), version)))
}

fn term_holds(term: &str, version: f32) -> bool {
    let Some((operator, number)) = term.split_once("IE ") else { return false };
    let Ok(number) = number.trim().parse::<f32>() else { return false };
    // A whole number is compared with the whole part of the version.
    let rounded = if number.fract() == 0.0 { version.trunc() } else { version };
    match operator {
        "" => rounded.total_cmp(&number).is_eq(),
        "!" => rounded.total_cmp(&number).is_ne(),
        "lt " => version < number,
        "lte " => rounded <= number,
        "gt " => rounded > number,
        "gte " => version >= number,
        _ => false,
    }
}

/// A page with what its conditional comments show in their place, and without those that show
/// nothing.
pub(super) fn revealed(text: &str, version: f32) -> Cow<'_, str> {
    const START: &str = "<!--[if";
    const END: &str = "<![endif]-->";
    if !text.contains(START) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut end = 0;
    while let Some(start) = text[at..].find(START).map(|found| at + found) {
        if end <= start {
            // Each end is looked for once, however many comments start before it.
            let Some(found) = text[start..].find("-->") else { break };
            end = start + found + 3;
        }
        out.push_str(&text[at..start]);
        let inside = text[start..end].strip_suffix(END).and_then(|whole| whole[5..].split_once("]>"));
        if let Some((condition, inside)) = inside {
            if holds(condition, version) {
                out.push_str(inside);
            }
            at = end;
        } else {
            out.push_str(START);
            at = start + START.len();
        }
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_explorers_have_a_version() {
        assert_eq!(version_of("Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)"), Some(8.0));
        assert_eq!(version_of("Mozilla/5.0 (compatible; MSIE 10.0)"), None);
        for agent in ["Apache-HttpClient/4.5.14", "MSIE x", "MSIE 8", ""] {
            assert_eq!(version_of(agent), None, "{agent}");
        }
    }

    #[test]
    fn conditions() {
        let table = [
            ("if IE 8", true),
            ("if IE 8.0", true),
            ("if IE 7", false),
            ("if IE", false),
            ("if !IE", false),
            ("if !(IE 8)", false),
            ("if lt IE 9", true),
            ("if lte IE 8", true),
            ("if gt IE 8", false),
            ("if gte IE 9", false),
            ("if (gt IE 5)&(lt IE 9)", true),
            ("if (IE 6)|(IE 8)", true),
            ("if true", false),
        ];
        for (condition, wanted) in table {
            assert_eq!(holds(condition, 8.0), wanted, "{condition}");
        }
    }
}
