//! `Double.toString` and `Double.parseDouble`.

/// The shortest digits that name the number, as Java writes them: `5.0`, `0.001`, `1.0E10`, `NaN`.
pub fn double_to_string(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned();
    }
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-3..1e7).contains(&magnitude) {
        let text = format!("{value}");
        return if text.contains('.') { text } else { text + ".0" };
    }
    let text = format!("{value:E}");
    match text.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => text,
    }
}

/// A number with spaces around it and the suffixes `d` and `f` allowed; hexadecimal numbers are not
/// read.
pub fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c| c <= ' ');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "NaN" || unsigned == "Infinity" {
        return text.parse().ok();
    }
    let number = text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text);
    let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-');
    if number.bytes().all(plain) { number.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_as_java_writes_them() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (5.0, "5.0"),
            (5.25, "5.25"),
            (0.001, "0.001"),
            (0.000_9, "9.0E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (-1.25e10, "-1.25E10"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double_to_string(value), text);
        }
    }

    #[test]
    fn doubles_as_java_reads_them() {
        for (text, value) in [
            (" 1.5 ", Some(1.5)),
            ("1d", Some(1.0)),
            ("-2e3", Some(-2000.0)),
            ("inf", None),
            ("nan", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(parse_double(text), value, "{text}");
        }
    }
}
