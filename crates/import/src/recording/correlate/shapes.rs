//! What a value looks like.

use super::find::Pair;
use crate::model::Exchange;

/// What a value that differs and was in no response is.
pub(super) enum Shape {
    /// A function makes it; the reason for a note.
    Made(String, String),
    /// It stays as recorded; the reason.
    Unknown(String),
}

/// Clocks of a browser and of what recorded it differ by less.
const CLOCK_MS: f64 = 3_600_000.0;

/// What a value that differs in two recordings is.
pub(super) fn explain(pair: &Pair, first: &Exchange, second: &Exchange) -> Shape {
    let one = &*pair.first;
    let two = pair.second.as_deref().unwrap_or_default();
    for (factor, call, what) in
        [(1.0, "${__time(,)}", "milliseconds"), (1_000.0, "${__time(/1000,)}", "seconds")]
    {
        if is_time(one, first, factor) && is_time(two, second, factor) {
            let reason = format!("it was the time in {what}, so it is {call} now");
            return Shape::Made(call.to_owned(), reason);
        }
    }
    if is_uuid(one) && is_uuid(two) {
        return Shape::Made(
            "${__UUID}".to_owned(),
            "it was a UUID that the page made, so it is ${__UUID} now".to_owned(),
        );
    }
    let counts = one.parse::<u64>().ok().zip(two.parse::<u64>().ok());
    let why = if counts.is_some_and(|(one, two)| one.abs_diff(two) < 1_000) {
        "it looks like a counter"
    } else if is_hash(one) && is_hash(two) {
        "it looks like a hash or a signature that the page computes"
    } else {
        "the page made it, or it was typed"
    };
    Shape::Unknown(format!("not explained: it differs in the two recordings and was in no response; {why}"))
}

fn is_time(text: &str, exchange: &Exchange, factor: f64) -> bool {
    let is_number = text.len() >= 10 && text.chars().all(|c| c.is_ascii_digit());
    let Some(number) = text.parse::<f64>().ok().filter(|_| is_number) else { return false };
    exchange.at_ms.is_some_and(|(at, _)| (number * factor - at).abs() < CLOCK_MS)
}

/// `8-4-4-4-12` hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [8, 4, 4, 4, 12] && parts.iter().all(|part| part.chars().all(|c| c.is_ascii_hexdigit()))
}

fn is_hash(text: &str) -> bool {
    let is_hex = text.len() >= 32 && text.chars().all(|c| c.is_ascii_hexdigit());
    let is_base64 =
        text.len() >= 22 && text.chars().all(|c| c.is_ascii_alphanumeric() || "+/=-_".contains(c));
    is_hex || is_base64
}

/// Whether a page made a value of one recording, as a UUID, another random text or a time.
pub(in crate::recording) fn is_made(text: &str, exchange: &Exchange) -> bool {
    let is_clock = is_time(text, exchange, 1.0) || is_time(text, exchange, 1_000.0);
    // As `2026-11-28T09:00:00Z`.
    let bytes = text.as_bytes();
    let is_date = bytes.len() >= 19 && bytes[4] == b'-' && bytes[10] == b'T' && bytes[13] == b':';
    is_uuid(text) || is_clock || is_date || looks_random(text)
}

/// Bits that a random text of this kind has.
const ENOUGH_BITS: f64 = 40.0;

/// Whether a value of one recording looks random: at least 40 bits, and no word that people write.
pub(super) fn looks_random(text: &str) -> bool {
    let count = |fits: fn(&char) -> bool| text.chars().filter(fits).count();
    let digits = count(char::is_ascii_digit);
    let small = count(char::is_ascii_lowercase);
    let large = count(char::is_ascii_uppercase);
    let others = text.chars().count() - digits - small - large;
    let is_token = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~+/=:".contains(c));
    if !is_token || others * 4 > text.len() {
        return false;
    }
    let is_hex = text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let letters = if is_hex {
        6 * usize::from(small + large > 0)
    } else {
        26 * (usize::from(small > 0) + usize::from(large > 0))
    };
    let choices = 10 * usize::from(digits > 0) + letters;
    let bits = (digits + small + large) as f64 * (choices.max(1) as f64).log2();
    // A word with a year has many letters, and few places where digits and letters meet.
    let kinds: Vec<u8> = text
        .chars()
        .map(|c| {
            if c.is_ascii_digit() {
                0
            } else if c.is_ascii_uppercase() {
                1
            } else {
                2
            }
        })
        .collect();
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    bits >= ENOUGH_BITS && digits >= 2 && (changes >= 3 || small + large == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Text;
    use crate::source::Place;

    #[test]
    fn random_values_and_words_are_told_apart() {
        for (text, wanted) in [
            ("3c569b23ce9b", true),
            ("0b8a2f6e-2f6c-4c69-8d3c-1b2f8e5d9a10", true),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc", true),
            ("1714550400123456", true),
            ("ada.lovelace@example.org", false),
            ("S3cret!pass", false),
            ("report-2024-final", false),
            ("application", false),
            ("17", false),
            ("", false),
        ] {
            assert_eq!(looks_random(text), wanted, "{text}");
        }
    }

    #[test]
    fn times_and_uuids_are_explained() {
        let at = |ms: f64| Exchange {
            at_ms: Some((ms, 0.0)),
            ..Exchange::new("GET", Text::default(), Place::default())
        };
        let shape = |one: &str, two: &str| {
            let pair = Pair { first: one.to_owned(), second: Some(two.to_owned()) };
            match explain(&pair, &at(1_714_550_400_000.0), &at(1_714_560_400_000.0)) {
                Shape::Made(call, _) => call,
                Shape::Unknown(reason) => reason.rsplit("; ").next().unwrap_or_default().to_owned(),
            }
        };
        assert_eq!(shape("1714550400123", "1714560400999"), "${__time(,)}");
        assert_eq!(shape("1714550400", "1714560401"), "${__time(/1000,)}");
        assert_eq!(shape("1614550400123", "1614560400999"), "the page made it, or it was typed");
        assert_eq!(
            shape("0b8a2f6e-2f6c-4c69-8d3c-1b2f8e5d9a10", "1b8a2f6e-2f6c-4c69-8d3c-1b2f8e5d9a10"),
            "${__UUID}"
        );
        assert_eq!(shape("17", "19"), "it looks like a counter");
        assert_eq!(
            shape(&"a1".repeat(20), &"b2".repeat(20)),
            "it looks like a hash or a signature that the page computes"
        );
    }
}
