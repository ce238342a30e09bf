//! Formats and parses numbers as JavaScript does.

/// `Number.prototype.toString` (ECMAScript 5.1, 9.8.1).
pub(super) fn javascript_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&value.abs()) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
        _ => text,
    }
}

/// A text as a number (ECMAScript 5.1, 9.3.1).
pub(super) fn javascript_number(text: &str) -> f64 {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        // Rhino reads as many digits as there are.
        return digits_of(hex, 16);
    }
    match text {
        "" => 0.0,
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        digits if digits.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b)) => {
            digits.parse().unwrap_or(f64::NAN)
        }
        _ => f64::NAN,
    }
}

/// `parseInt(text, radix)`: as many digits as there are.
pub(super) fn parse_int(text: &str, radix: i32) -> f64 {
    let text = text.trim_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    // Rhino still takes what begins with 0 for octal.
    let octal = digits.strip_prefix('0').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let (radix, digits) = match (radix, hex) {
        (0, None) if octal.is_some() => (8, octal.unwrap_or_default()),
        (0 | 16, Some(rest)) => (16, rest),
        (0, None) => (10, digits),
        (radix, _) => (radix, digits),
    };
    let value = u32::try_from(radix).map_or(f64::NAN, |radix| digits_of(digits, radix));
    if negative { -value } else { value }
}

/// The number of the digits at the start of a text.
fn digits_of(digits: &str, radix: u32) -> f64 {
    if !(2..=36).contains(&radix) {
        return f64::NAN;
    }
    let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    if length == 0 {
        return f64::NAN;
    }
    let digits = &digits[..length];
    match radix {
        10 => digits.parse().unwrap_or(f64::NAN),
        _ => digits.chars().fold(0.0, |sum, c| {
            sum * f64::from(radix) + f64::from(c.to_digit(radix).expect("the text has only digits"))
        }),
    }
}

/// `parseFloat(text)`: what Rhino reads of a number, if it is one.
pub(super) fn parse_float(text: &str) -> f64 {
    let text = text.trim_start();
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if unsigned.starts_with("Infinity") {
        return sign * f64::INFINITY;
    }
    let signed = &text[..text.len() - unsigned.len() + number_length(unsigned)];
    signed.parse().unwrap_or(f64::NAN)
}

/// How far Rhino reads a number; the text read may be invalid, since it also accepts a point in the
/// exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut point = false;
    let mut exponent = None;
    let mut power = false;
    let mut length = 0;
    while let Some(byte) = bytes.get(length) {
        let is_last = length + 1 == bytes.len();
        match byte {
            b'.' if !point => point = true,
            b'e' | b'E' if exponent.is_none() && !is_last => exponent = Some(length),
            b'+' | b'-' if exponent.is_some_and(|place| place + 1 == length) && !is_last => {}
            b'0'..=b'9' => power |= exponent.is_some(),
            _ => break,
        }
        length += 1;
    }
    exponent.filter(|_| !power).unwrap_or(length)
}
