//! BeanShell 2.0b6 (`bsh.Primitive.binaryOperation`, `bsh.BSHBinaryExpression`).

use std::cmp::Ordering;
use std::rc::Rc;

use super::Language;
use super::arithmetic::{floating, wrapping};
use super::failure::{ScriptFailure, exception};
use super::tree::Operator;
use super::value::Value;

pub(super) fn truth(value: &Value) -> Result<bool, ScriptFailure> {
    match value {
        Value::Boolean(value) => Ok(*value),
        other => {
            Err(exception(format!("`{}` is neither true nor false", other.to_text(Language::BeanShell))))
        }
    }
}

/// `==`: texts by identity, so only those that the script itself holds can be equal.
pub(super) fn equal(left: &Value, right: &Value) -> Result<bool, ScriptFailure> {
    match (left, right) {
        (Value::Text(a), Value::Text(b)) => {
            Ok((a.is_literal() && b.is_literal() && a.text == b.text) || Rc::ptr_eq(&a.text, &b.text))
        }
        (Value::Boolean(_), other) | (other, Value::Boolean(_)) if other.is_number() => {
            Err(exception("a number is no boolean"))
        }
        _ if left.is_number() && right.is_number() => Ok(numbers(left, right) == Some(Ordering::Equal)),
        _ => Ok(left == right),
    }
}

/// `<` and its relatives: numbers only.
pub(super) fn order(left: &Value, right: &Value) -> Result<Option<Ordering>, ScriptFailure> {
    if left.is_number() && right.is_number() {
        return Ok(numbers(left, right));
    }
    let (left, right) = (left.to_text(Language::BeanShell), right.to_text(Language::BeanShell));
    Err(exception(format!("`{left}` and `{right}` have no order")))
}

fn numbers(left: &Value, right: &Value) -> Option<Ordering> {
    match (left.as_long(), right.as_long()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => left.as_double()?.partial_cmp(&right.as_double()?),
    }
}

pub(super) fn computed(operator: Operator, left: &Value, right: &Value) -> Result<Value, ScriptFailure> {
    let language = Language::BeanShell;
    let texts = matches!(left, Value::Text(_)) || matches!(right, Value::Text(_));
    if operator == Operator::Add && texts {
        return Ok(Value::host(left.to_text(language) + &right.to_text(language)));
    }
    if let Some(result) = wrapping(operator, left, right)? {
        return Ok(result);
    }
    match (left.as_double(), right.as_double()) {
        (Some(a), Some(b)) => Ok(floating(operator, a, b)),
        _ => Err(exception(format!(
            "no such operation on `{}` and `{}`",
            left.to_text(language),
            right.to_text(language)
        ))),
    }
}
