//! Comparisons of whole numbers that are texts, as regular expressions: scripts that read numbers
//! of texts may throw, and such an assertion needs a script engine.

use std::fmt::Write as _;

/// An expression for whole numbers that compare so with a number from 0: `==`, `!=`, `<`, `<=`,
/// `>`, `>=`.
pub(super) fn pattern(sign: &str, number: u64) -> String {
    match sign {
        "==" => number.to_string(),
        "!=" => but(&number.to_string()),
        ">=" => at_least(number),
        ">" => at_least(number.saturating_add(1)),
        "<" => but(&at_least(number)),
        _ => but(&at_least(number.saturating_add(1))),
    }
}

/// Whole numbers but those of an expression.
fn but(pattern: &str) -> String {
    format!("-\\d+|(?!(?:{pattern})(?![\\s\\S]))\\d+")
}

/// Whole numbers without leading zeros from a number on.
fn at_least(number: u64) -> String {
    if number == 0 {
        return "\\d+".to_owned();
    }
    let digits = number.to_string();
    let mut out = digits.clone();
    for (at, digit) in digits.char_indices().filter(|(_, digit)| *digit != '9') {
        let next = char::from_u32(u32::from(digit) + 1).unwrap_or('9');
        // Writing to a String cannot fail.
        let _ = write!(out, "|{}[{next}-9]\\d{{{}}}", &digits[..at], digits.len() - at - 1);
    }
    let _ = write!(out, "|[1-9]\\d{{{},}}", digits.len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_say_what_the_numbers_say() {
        for (sign, number, wanted) in [
            ("==", 7, "7"),
            (">=", 0, "\\d+"),
            (">", 0, "1|[2-9]\\d{0}|[1-9]\\d{1,}"),
            (">=", 390, "390|[4-9]\\d{2}|39[1-9]\\d{0}|[1-9]\\d{3,}"),
            ("<", 2, "-\\d+|(?!(?:2|[3-9]\\d{0}|[1-9]\\d{1,})(?![\\s\\S]))\\d+"),
            ("<=", 1, "-\\d+|(?!(?:2|[3-9]\\d{0}|[1-9]\\d{1,})(?![\\s\\S]))\\d+"),
            ("!=", 5, "-\\d+|(?!(?:5)(?![\\s\\S]))\\d+"),
        ] {
            assert_eq!(pattern(sign, number), wanted, "{sign} {number}");
        }
    }
}
