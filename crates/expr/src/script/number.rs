//! Numbers as they are written in scripts, and as JavaScript shows and reads them.

use super::Language;
use super::decimal::Decimal;
use super::failure::{ScriptFailure, unsupported};
use super::value::Value;

/// The value of digits as they stand in a script.
pub(super) fn literal(digits: &str, language: Language) -> Result<Value, ScriptFailure> {
    let bad = || unsupported(format!("`{digits}` is not a number"));
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return whole(i64::from_str_radix(hex, 16).map_err(|_| bad())?, language).ok_or_else(bad);
    }
    let (plain, long) = match digits.strip_suffix(['L', 'l']) {
        Some(plain) if matches!(language, Language::Groovy | Language::BeanShell) => (plain, true),
        _ => (digits, false),
    };
    if plain.bytes().all(|b| b.is_ascii_digit()) {
        return whole_digits(plain, long, language).ok_or_else(bad);
    }
    if let Some(double) = plain.strip_suffix(['d', 'D']).filter(|_| language.has_statements() && !long) {
        let number = double.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        return double.parse().ok().filter(|_| number).map(Value::Double).ok_or_else(bad);
    }
    let exponent = plain.contains(['e', 'E']);
    let number = plain.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b)) && !long;
    let edge = plain.starts_with('.') || plain.ends_with('.');
    match language {
        _ if !number => Err(bad()),
        Language::JavaScript | Language::BeanShell => plain.parse().map(Value::Double).map_err(|_| bad()),
        Language::Jexl3 if !edge => plain.parse().map(Value::Double).map_err(|_| bad()),
        Language::Jexl2 if !edge && !exponent => plain.parse().map(Value::Double).map_err(|_| bad()),
        Language::Groovy if !plain.ends_with('.') && !exponent => {
            Decimal::parse(plain).map(Value::Decimal).ok_or_else(bad)
        }
        _ => Err(bad()),
    }
}

/// Digits without a point. Those that begin with 0 are octal.
fn whole_digits(digits: &str, long: bool, language: Language) -> Option<Value> {
    let octal = digits.len() > 1 && digits.starts_with('0');
    let value = match octal {
        true if digits.bytes().all(|b| b < b'8') => i64::from_str_radix(digits, 8).ok(),
        true if language != Language::JavaScript => None,
        _ if language == Language::JavaScript => return digits.parse().ok().map(Value::Double),
        _ => digits.parse().ok(),
    };
    if long { value.map(Value::Long) } else { whole(value?, language) }
}

fn whole(value: i64, language: Language) -> Option<Value> {
    match (i32::try_from(value), language) {
        (_, Language::JavaScript) => Some(Value::Double(value as f64)),
        (Ok(value), _) => Some(Value::Int(value)),
        // BeanShell refuses what does not fit.
        (Err(_), Language::BeanShell) => None,
        (Err(_), _) => Some(Value::Long(value)),
    }
}

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
        return u64::from_str_radix(hex, 16).map_or(f64::NAN, |value| value as f64);
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
pub(super) fn parse_int(text: &str, radix: Option<u32>) -> f64 {
    let text = text.trim_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    // Rhino still takes what begins with 0 for octal.
    let octal = digits.strip_prefix('0').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let (radix, digits) = match (radix, hex) {
        (None, None) if octal.is_some() => (8, octal.unwrap_or_default()),
        (None | Some(0 | 16), Some(rest)) => (16, rest),
        (None | Some(0), None) => (10, digits),
        (Some(radix), _) => (radix, digits),
    };
    if !(2..=36).contains(&radix) {
        return f64::NAN;
    }
    let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    if length == 0 {
        return f64::NAN;
    }
    let digits = &digits[..length];
    let value = match radix {
        10 => digits.parse().unwrap_or(f64::NAN),
        _ => digits.chars().fold(0.0, |sum, c| {
            sum * f64::from(radix) + f64::from(c.to_digit(radix).expect("only digits were taken"))
        }),
    };
    if negative { -value } else { value }
}

/// `parseFloat(text)`: the longest start that is a number.
pub(super) fn parse_float(text: &str) -> f64 {
    let text = text.trim_start();
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if unsigned.starts_with("Infinity") {
        return sign * f64::INFINITY;
    }
    let number = |length: usize| {
        let start = &text[..length];
        let plain = start.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
        if plain { start.parse::<f64>().ok() } else { None }
    };
    let most = text.bytes().take_while(|b| b.is_ascii_digit() || b".eE+-".contains(b)).count();
    (1..=most.min(400)).rev().find_map(number).unwrap_or(f64::NAN)
}

/// A whole number of up to 64 bits as a decimal one.
pub(super) fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Decimal(number) => Some(*number),
        other => other.as_long().map(Decimal::whole),
    }
}
