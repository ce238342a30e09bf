//! Groovy 3.0.20 (`DefaultTypeTransformation`, `NumberMath`, `StringGroovyMethods`).

use std::cmp::Ordering;

use super::Language;
use super::arithmetic::{floating, wrapping};
use super::decimal::Decimal;
use super::failure::{ScriptFailure, exception, unsupported};
use super::number::decimal;
use super::tree::{Operator, Type};
use super::value::Value;
use swell_java::format::parse_double;

pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Null => false,
        Value::Boolean(value) => *value,
        Value::Text(text) => !text.text.is_empty(),
        other => other.as_double().is_none_or(|number| number != 0.0 && !number.is_nan()),
    }
}

/// `==`: numbers by value, texts by their letters; a text of one letter is equal to the number of that letter.
pub(super) fn equal(left: &Value, right: &Value) -> Result<bool, ScriptFailure> {
    match (left, right) {
        (Value::Text(a), Value::Text(b)) => Ok(a.text == b.text),
        (Value::Text(text), Value::Char(c)) | (Value::Char(c), Value::Text(text)) => {
            Ok(text.text.strip_prefix(*c) == Some(""))
        }
        (Value::Boolean(a), Value::Boolean(b)) => Ok(a == b),
        (Value::Null, Value::Null) => Ok(true),
        _ => match numbers(left, right) {
            Some((a, b)) => Ok(compared(&a, &b)? == Ordering::Equal),
            None => Ok(false),
        },
    }
}

/// `compareTo`: null is less than all else.
pub(super) fn order(left: &Value, right: &Value) -> Result<Ordering, ScriptFailure> {
    match (left, right) {
        (Value::Null, Value::Null) => Ok(Ordering::Equal),
        (Value::Null, _) => Ok(Ordering::Less),
        (_, Value::Null) => Ok(Ordering::Greater),
        (Value::Text(a), Value::Text(b)) => Ok(a.text.encode_utf16().cmp(b.text.encode_utf16())),
        (Value::Boolean(a), Value::Boolean(b)) => Ok(a.cmp(b)),
        _ => match numbers(left, right) {
            Some((a, b)) => compared(&a, &b),
            None => Err(exception(format!(
                "Cannot compare `{}` and `{}`",
                left.to_text(Language::Groovy),
                right.to_text(Language::Groovy)
            ))),
        },
    }
}

/// Both as numbers, where at least one is and the other is a number or a text of one letter.
fn numbers(left: &Value, right: &Value) -> Option<(Value, Value)> {
    let letter = |value: &Value| {
        let mut units = value.as_text()?.encode_utf16();
        let first = units.next()?;
        units.next().is_none().then(|| Value::Int(i32::from(first)))
    };
    match (left.is_number(), right.is_number()) {
        (true, true) => Some((left.clone(), right.clone())),
        (true, false) => Some((left.clone(), letter(right)?)),
        (false, true) => Some((letter(left)?, right.clone())),
        (false, false) => None,
    }
}

fn compared(left: &Value, right: &Value) -> Result<Ordering, ScriptFailure> {
    if let (Some(a), Some(b)) = (decimal(left), decimal(right)) {
        return a.compare(b).ok_or_else(too_many_digits);
    }
    let (a, b) = (left.as_double().unwrap_or(f64::NAN), right.as_double().unwrap_or(f64::NAN));
    Ok(a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())))
}

fn too_many_digits() -> ScriptFailure {
    unsupported("numbers with this many digits need a script engine")
}

pub(super) fn computed(operator: Operator, left: &Value, right: &Value) -> Result<Value, ScriptFailure> {
    if let Value::Text(text) = left {
        return of_text(operator, &text.text, right);
    }
    if let (Operator::Add, Value::Text(text)) = (operator, right) {
        return Ok(Value::host(left.to_text(Language::Groovy) + &text.text));
    }
    if !left.is_number() || !right.is_number() {
        let (left, right) = (left.to_text(Language::Groovy), right.to_text(Language::Groovy));
        return Err(exception(format!("no such operation on `{left}` and `{right}`")));
    }
    if operator != Operator::Divide
        && let Some(result) = wrapping(operator, left, right)?
    {
        return Ok(result);
    }
    if let (Some(a), Some(b)) = (decimal(left), decimal(right)) {
        return of_decimals(operator, a, b, left, right);
    }
    let (a, b) = (left.as_double().unwrap_or(f64::NAN), right.as_double().unwrap_or(f64::NAN));
    Ok(floating(operator, a, b))
}

fn of_decimals(
    operator: Operator,
    a: Decimal,
    b: Decimal,
    left: &Value,
    right: &Value,
) -> Result<Value, ScriptFailure> {
    let result = match operator {
        Operator::Add => a.plus(b),
        Operator::Subtract => a.plus(b.negated()),
        Operator::Multiply => a.times(b),
        Operator::Divide if b.is_zero() => return Err(exception("Division by zero")),
        Operator::Divide => a.divided(b),
        _ => {
            let (left, right) = (left.to_text(Language::Groovy), right.to_text(Language::Groovy));
            return Err(exception(format!("Cannot use mod() on these number types: {left} and {right}")));
        }
    };
    result.map(Value::Decimal).ok_or_else(too_many_digits)
}

/// Texts can be joined, and a part can be taken off.
fn of_text(operator: Operator, text: &str, right: &Value) -> Result<Value, ScriptFailure> {
    match operator {
        Operator::Add => Ok(Value::host(format!("{text}{}", right.to_text(Language::Groovy)))),
        Operator::Subtract => Ok(Value::host(text.replacen(&right.to_text(Language::Groovy), "", 1))),
        Operator::Multiply => match right {
            Value::Int(times @ 0..=1_000) => Ok(Value::host(text.repeat(*times as usize))),
            Value::Int(i32::MIN..0) => {
                Err(exception("multiply() should be called with a number of 0 or greater"))
            }
            number if number.is_number() => {
                Err(unsupported("a text times such a number needs a script engine"))
            }
            _ => Err(exception(format!("arithmetic on the text `{text}`"))),
        },
        _ => Err(exception(format!("arithmetic on the text `{text}`"))),
    }
}

/// `as Type`.
pub(super) fn cast(value: &Value, to: Type) -> Result<Value, ScriptFailure> {
    match (value, to) {
        (Value::Null, Type::Int) => Err(exception("null is no int")),
        (Value::Null, _) => Ok(Value::Null),
        (value, Type::Text) => Ok(Value::host(value.to_text(Language::Groovy))),
        (Value::Text(text), to) => text_to(&text.text, to),
        (value, to) => number_to(value, to),
    }
}

/// A text as a number; spaces around it do not count.
pub(super) fn text_to(text: &str, to: Type) -> Result<Value, ScriptFailure> {
    let trimmed = text.trim_matches(|c| c <= ' ');
    let value = match to {
        Type::Int | Type::Integer => trimmed.parse().ok().map(Value::Int),
        Type::Long => trimmed.parse().ok().map(Value::Long),
        Type::Double => parse_double(trimmed).map(Value::Double),
        Type::Decimal => Decimal::parse(trimmed).map(Value::Decimal),
        Type::Text => Some(Value::host(text)),
    };
    match value {
        Some(value) => Ok(value),
        // Java reads digits of all scripts, and exponents.
        None if !trimmed.is_ascii()
            || to == Type::Decimal && trimmed.contains(|c: char| c.is_ascii_digit()) =>
        {
            Err(unsupported(format!("the number `{trimmed}` needs a script engine")))
        }
        None => Err(exception(format!("For input string: \"{trimmed}\""))),
    }
}

/// A number as another kind of number.
pub(super) fn number_to(value: &Value, to: Type) -> Result<Value, ScriptFailure> {
    let bad =
        || unsupported(format!("`{}` as that type needs a script engine", value.to_text(Language::Groovy)));
    let whole = match value {
        Value::Decimal(number) => number.whole_part(),
        Value::Double(number) => Some(*number as i64),
        other => other.as_long(),
    };
    match (to, value) {
        // Java stops at the largest number of the type.
        (Type::Int | Type::Integer, Value::Double(number)) => Ok(Value::Int(*number as i32)),
        (Type::Int | Type::Integer, _) => whole.map(|n| Value::Int(n as i32)).ok_or_else(bad),
        (Type::Long, _) => whole.map(Value::Long).ok_or_else(bad),
        (Type::Double, value) => value.as_double().map(Value::Double).ok_or_else(bad),
        // Its digits would be those of the double.
        (Type::Decimal, value) => decimal(value).map(Value::Decimal).ok_or_else(bad),
        (Type::Text, value) => Ok(Value::host(value.to_text(Language::Groovy))),
    }
}
