//! JavaScript (ECMAScript 5.1, sections 9 and 11; Rhino 1.7.14 for texts that come from Java).

use std::cmp::Ordering;

use super::Language;
use super::arithmetic::floating;
use super::failure::{ScriptFailure, unsupported};
use super::number::javascript_number;
use super::tree::Operator;
use super::value::{Origin, Text, Value};

pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Null => false,
        Value::Boolean(value) => *value,
        Value::Double(value) => *value != 0.0 && !value.is_nan(),
        // A text of Java is an object, and objects are true.
        Value::Text(Text { origin: Origin::Host | Origin::GString, .. }) => true,
        Value::Text(text) => !text.text.is_empty(),
        _ => true,
    }
}

pub(super) fn number(value: &Value) -> f64 {
    match value {
        Value::Undefined => f64::NAN,
        Value::Null => 0.0,
        Value::Boolean(value) => f64::from(u8::from(*value)),
        Value::Text(text) => javascript_number(&text.text),
        other => other.as_double().unwrap_or(f64::NAN),
    }
}

/// `===`: a text of Java is an object and the same as no text.
pub(super) fn same(left: &Value, right: &Value) -> Result<bool, ScriptFailure> {
    match (left, right) {
        (Value::Text(a), Value::Text(b)) if !a.is_literal() && !b.is_literal() => {
            Err(unsupported("`===` of two texts of Java needs a script engine"))
        }
        (Value::Text(a), Value::Text(b)) => Ok(a.is_literal() && b.is_literal() && a.text == b.text),
        _ => Ok(left == right),
    }
}

/// `==`: of two types both become numbers; null and undefined are equal to each other only.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    use Value::{Null, Undefined};
    match (left, right) {
        (Undefined | Null, Undefined | Null) => true,
        (Undefined | Null, _) | (_, Undefined | Null) => false,
        (Value::Text(a), Value::Text(b)) => a.text == b.text,
        _ => number(left).partial_cmp(&number(right)) == Some(Ordering::Equal),
    }
}

/// `<`, `>` and their relatives: two texts by UTF-16 units, else as numbers; none with NaN.
pub(super) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left.as_text(), right.as_text()) {
        (Some(a), Some(b)) => Some(a.encode_utf16().cmp(b.encode_utf16())),
        _ => number(left).partial_cmp(&number(right)),
    }
}

pub(super) fn computed(operator: Operator, left: &Value, right: &Value) -> Value {
    let texts = matches!(left, Value::Text(_)) || matches!(right, Value::Text(_));
    if operator == Operator::Add && texts {
        let language = Language::JavaScript;
        return Value::literal(left.to_text(language) + &right.to_text(language));
    }
    floating(operator, number(left), number(right))
}
