//! Java's arithmetic of `int` and `long`, which wraps around.

use super::frame::Frame;
use super::row::Outcome;
use super::value::Value;
use crate::script_failure::{ScriptFailure, exception};

/// Both as `int` where both are, else as `long`.
fn computed(values: &[Value], narrow: fn(i32, i32) -> i32, wide: fn(i64, i64) -> i64) -> Value {
    match (&values[0], &values[1]) {
        (Value::Int(a), Value::Int(b)) => Value::Int(narrow(*a, *b)),
        (a, b) => Value::Long(wide(a.as_long().unwrap_or_default(), b.as_long().unwrap_or_default())),
    }
}

pub(super) fn add(_: &mut Frame<'_>, values: &[Value]) -> Value {
    computed(values, i32::wrapping_add, i64::wrapping_add)
}

pub(super) fn subtract(_: &mut Frame<'_>, values: &[Value]) -> Value {
    computed(values, i32::wrapping_sub, i64::wrapping_sub)
}

pub(super) fn multiply(_: &mut Frame<'_>, values: &[Value]) -> Value {
    computed(values, i32::wrapping_mul, i64::wrapping_mul)
}

pub(super) fn divide(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    let values = not_by_zero(values)?;
    Ok(computed(values, i32::wrapping_div, i64::wrapping_div))
}

pub(super) fn remainder(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    let values = not_by_zero(values)?;
    Ok(computed(values, i32::wrapping_rem, i64::wrapping_rem))
}

fn not_by_zero(values: &[Value]) -> Result<&[Value], ScriptFailure> {
    match values[1].as_long() {
        Some(0) => Err(exception("java.lang.ArithmeticException: / by zero")),
        _ => Ok(values),
    }
}

pub(super) fn negate(_: &mut Frame<'_>, values: &[Value]) -> Value {
    match &values[0] {
        Value::Int(number) => Value::Int(number.wrapping_neg()),
        other => Value::Long(other.as_long().unwrap_or_default().wrapping_neg()),
    }
}
