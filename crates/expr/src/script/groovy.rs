//! Groovy 3.0.20 (`DefaultTypeTransformation`, `NumberMath`, `StringGroovyMethods`).

use std::cmp::Ordering;

use super::Language;
use super::arithmetic::{floating, wrapping};
use super::calls::decimal;
use super::decimal::Decimal;
use super::tree::{Operator, Type};
use super::value::Value;
use crate::java_format::parse_double;

pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Null => false,
        Value::Boolean(value) => *value,
        Value::Text(text) => !text.text.is_empty(),
        Value::Object(object) => object.is_truth(),
        other => other.as_double().is_none_or(|number| number != 0.0 && !number.is_nan()),
    }
}

/// `==`: numbers by value, texts by their letters; a text of one letter is equal to the number of that letter.
pub(super) fn equal(left: &Value, right: &Value) -> Result<bool, String> {
    match (left, right) {
        (Value::Text(a), Value::Text(b)) => Ok(a.text == b.text),
        (Value::Text(text), Value::Char(c)) | (Value::Char(c), Value::Text(text)) => {
            Ok(text.text.strip_prefix(*c) == Some(""))
        }
        (Value::Boolean(a), Value::Boolean(b)) => Ok(a == b),
        (Value::Null, Value::Null) => Ok(true),
        (Value::Object(a), Value::Object(b)) => super::object::equal(a, b),
        _ => match numbers(left, right) {
            Some((a, b)) => Ok(compared(&a, &b)? == Ordering::Equal),
            None => Ok(false),
        },
    }
}

/// `compareTo`: null is less than all else.
pub(super) fn order(left: &Value, right: &Value) -> Result<Ordering, String> {
    match (left, right) {
        (Value::Null, Value::Null) => Ok(Ordering::Equal),
        (Value::Null, _) => Ok(Ordering::Less),
        (_, Value::Null) => Ok(Ordering::Greater),
        (Value::Text(a), Value::Text(b)) => Ok(a.text.encode_utf16().cmp(b.text.encode_utf16())),
        (Value::Boolean(a), Value::Boolean(b)) => Ok(a.cmp(b)),
        _ => match numbers(left, right) {
            Some((a, b)) => compared(&a, &b),
            None => Err(format!(
                "Cannot compare `{}` and `{}`",
                left.to_text(Language::Groovy),
                right.to_text(Language::Groovy)
            )),
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

fn compared(left: &Value, right: &Value) -> Result<Ordering, String> {
    if let (Some(a), Some(b)) = (decimal(left), decimal(right)) {
        return a.compare(b).ok_or_else(too_many_digits);
    }
    let (a, b) = (left.as_double().unwrap_or(f64::NAN), right.as_double().unwrap_or(f64::NAN));
    Ok(a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())))
}

fn too_many_digits() -> String {
    "numbers of so many digits need a script engine".to_owned()
}

pub(super) fn computed(operator: Operator, left: &Value, right: &Value) -> Result<Value, String> {
    if let Value::Text(text) = left {
        return of_text(operator, &text.text, right);
    }
    if let Value::Object(object) = left {
        return super::object::computed(operator, object, right);
    }
    if let (Operator::Add, Value::Text(text)) = (operator, right) {
        return Ok(Value::java(left.to_text(Language::Groovy) + &text.text));
    }
    if !left.is_number() || !right.is_number() {
        let (left, right) = (left.to_text(Language::Groovy), right.to_text(Language::Groovy));
        return Err(format!("no such operation on `{left}` and `{right}`"));
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
) -> Result<Value, String> {
    let result = match operator {
        Operator::Add => a.plus(b),
        Operator::Subtract => a.plus(b.negated()),
        Operator::Multiply => a.times(b),
        Operator::Divide if b.is_zero() => return Err("Division by zero".to_owned()),
        Operator::Divide => a.divided(b),
        _ => {
            let (left, right) = (left.to_text(Language::Groovy), right.to_text(Language::Groovy));
            return Err(format!("Cannot use mod() on these number types: {left} and {right}"));
        }
    };
    result.map(Value::Decimal).ok_or_else(too_many_digits)
}

/// Texts can be joined, and a part can be taken off.
fn of_text(operator: Operator, text: &str, right: &Value) -> Result<Value, String> {
    match operator {
        Operator::Add => Ok(Value::java(format!("{text}{}", right.to_text(Language::Groovy)))),
        Operator::Subtract => Ok(Value::java(text.replacen(&right.to_text(Language::Groovy), "", 1))),
        Operator::Multiply => match right {
            Value::Int(times @ 0..=1_000) => Ok(Value::java(text.repeat(*times as usize))),
            _ => Err(format!("`{text}` cannot be repeated so often")),
        },
        _ => Err(format!("arithmetic on the text `{text}`")),
    }
}

/// `as Type`.
pub(super) fn cast(value: &Value, to: Type) -> Result<Value, String> {
    match (value, to) {
        (Value::Null, Type::Int) => Err("null is no int".to_owned()),
        (Value::Null, _) => Ok(Value::Null),
        (value, Type::Text) => Ok(Value::java(value.to_text(Language::Groovy))),
        (Value::Text(text), to) => text_to(&text.text, to),
        (value, to) => number_to(value, to),
    }
}

/// A text as a number; spaces around it do not count.
pub(super) fn text_to(text: &str, to: Type) -> Result<Value, String> {
    let trimmed = text.trim_matches(|c| c <= ' ');
    let value = match to {
        Type::Int | Type::Integer => trimmed.parse().ok().map(Value::Int),
        Type::Long => trimmed.parse().ok().map(Value::Long),
        Type::Double => parse_double(trimmed).map(Value::Double),
        Type::Decimal => Decimal::parse(trimmed).map(Value::Decimal),
        Type::Text => Some(Value::java(text)),
    };
    value.ok_or_else(|| format!("For input string: \"{trimmed}\""))
}

/// A number as another kind of number.
pub(super) fn number_to(value: &Value, to: Type) -> Result<Value, String> {
    let bad = || format!("`{}` cannot become that type here", value.to_text(Language::Groovy));
    let whole = match value {
        Value::Decimal(number) => number.whole_part(),
        Value::Double(number) => Some(*number as i64),
        other => other.as_long(),
    };
    match to {
        Type::Int | Type::Integer => whole.map(|n| Value::Int(n as i32)).ok_or_else(bad),
        Type::Long => whole.map(Value::Long).ok_or_else(bad),
        Type::Double => value.as_double().map(Value::Double).ok_or_else(bad),
        Type::Decimal => decimal(value).map(Value::Decimal).ok_or_else(bad),
        Type::Text => Ok(Value::java(value.to_text(Language::Groovy))),
    }
}
