//! Numbers and their text (`org.apache.xpath.objects.XNumber`).

/// A number in an expression.
pub(super) fn literal(word: &str) -> Option<f64> {
    let plain =
        word.bytes().all(|b| b.is_ascii_digit() || b == b'.') && word.bytes().any(|b| b.is_ascii_digit());
    if plain { word.parse().ok() } else { None }
}

/// The number that a text is, else not a number.
pub(super) fn of_text(text: &str) -> f64 {
    let text = text.trim_matches(crate::chars::is_space);
    literal(text.strip_prefix('-').unwrap_or(text))
        .map_or(f64::NAN, |value| if text.starts_with('-') { -value } else { value })
}

/// A number as text: without exponent.
pub fn shown(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value}")
    }
}
