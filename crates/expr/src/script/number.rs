//! Number literals of scripts.

use super::kind::Kind;
use super::language::Language;
use super::value::Value;
use crate::script_failure::{ScriptFailure, unsupported};

/// The value of digits in a script, and its kind.
pub(super) fn literal(digits: &str, language: Language) -> Result<(Value, Kind), ScriptFailure> {
    let bad = || unsupported(format!("the number `{digits}` needs a script engine"));
    let is_octal = digits.len() > 1 && digits.starts_with('0') && !digits.contains(['.', 'x', 'X']);
    if is_octal {
        return Err(bad());
    }
    match language {
        Language::JavaScript => {
            javascript_literal(digits).ok_or_else(bad).map(|n| (Value::Double(n), Kind::DOUBLE))
        }
        // JEXL 2 holds some fractions as `float`.
        Language::Jexl2 if !is_all_digits(digits) => Err(bad()),
        Language::Jexl2 | Language::Jexl3 => jexl_literal(digits).ok_or_else(bad),
        Language::Groovy | Language::BeanShell => java_literal(digits).ok_or_else(bad),
    }
}

/// `5`, `5L`.
fn java_literal(digits: &str) -> Option<(Value, Kind)> {
    let (plain, is_long) = match digits.strip_suffix(['L', 'l']) {
        Some(plain) => (plain, true),
        None => (digits, false),
    };
    if !is_all_digits(plain) {
        return None;
    }
    if is_long {
        return Some((Value::Long(plain.parse().ok()?), Kind::LONG));
    }
    Some((Value::Int(plain.parse().ok()?), Kind::INT))
}

/// `5`, `5.0`.
fn jexl_literal(digits: &str) -> Option<(Value, Kind)> {
    if is_all_digits(digits) {
        let number: i32 = digits.parse().ok()?;
        return Some((Value::Whole(i128::from(number)), Kind::WHOLE));
    }
    let (whole, fraction) = digits.split_once('.')?;
    let is_number = is_all_digits(whole) && is_all_digits(fraction);
    is_number.then(|| digits.parse().ok()).flatten().map(|number| (Value::Double(number), Kind::DOUBLE))
}

fn javascript_literal(digits: &str) -> Option<f64> {
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return u32::from_str_radix(hex, 16).ok().map(f64::from);
    }
    let is_number = digits.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
    is_number.then(|| digits.parse().ok()).flatten()
}

fn is_all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
