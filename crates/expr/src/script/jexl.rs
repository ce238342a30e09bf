//! Computes as Commons JEXL 2.1.1 and 3.2.1 do with JMeter's settings: strict, null is not an
//! operand (`JexlArithmetic`). Fractions can only be compared, because their digits depend on the
//! version of Java.

use std::cmp::Ordering;

use super::frame::Frame;
use super::groovy::{join, read};
use super::java_text::length;
use super::kind::Kind;
use super::language::Language::{self, Jexl2, Jexl3};
use super::row::Run::{Gives, MayThrow};
use super::row::{Form, Outcome, Row};
use super::value::Value;
use crate::script_failure::{ScriptFailure, exception, unsupported};
use swell_java::format::parse_double;

const JEXL: &[Language] = &[Jexl2, Jexl3];
const JEXL2: &[Language] = &[Jexl2];
const JEXL3: &[Language] = &[Jexl3];

const BOOLEAN: Kind = Kind::BOOLEAN;
const TEXT: Kind = Kind::TEXT;
const WHOLE: Kind = Kind::WHOLE;
const DOUBLE: Kind = Kind::DOUBLE;
const NUMBER: Kind = WHOLE.or(DOUBLE);
/// Texts and numbers compare with each other: a text is read as a number then.
const ORDERED: Kind = Kind::MAYBE_TEXT.or(NUMBER);
/// What is true or false.
pub(super) const TRUTH: Kind = BOOLEAN.or(TEXT).or(NUMBER);

const ORDER: &[Kind] = &[ORDERED, ORDERED];
const BOOLEANS: &[Kind] = &[BOOLEAN, BOOLEAN];
const WHOLES: &[Kind] = &[WHOLE, WHOLE];

pub(super) const ROWS: &[Row] = &[
    Row::between(JEXL, "==", ORDER, BOOLEAN, MayThrow(|_, v| equal(v, |equal| equal))),
    Row::between(JEXL, "==", BOOLEANS, BOOLEAN, Gives(|_, v| Value::Boolean(v[0] == v[1]))),
    Row::between(JEXL, "!=", ORDER, BOOLEAN, MayThrow(|_, v| equal(v, |equal| !equal))),
    Row::between(JEXL, "!=", BOOLEANS, BOOLEAN, Gives(|_, v| Value::Boolean(v[0] != v[1]))),
    Row::between(JEXL, "<", ORDER, BOOLEAN, MayThrow(|_, v| ordered(v, Ordering::is_lt))),
    Row::between(JEXL, ">", ORDER, BOOLEAN, MayThrow(|_, v| ordered(v, Ordering::is_gt))),
    Row::between(JEXL, "<=", ORDER, BOOLEAN, MayThrow(|_, v| ordered(v, Ordering::is_le))),
    Row::between(JEXL, ">=", ORDER, BOOLEAN, MayThrow(|_, v| ordered(v, Ordering::is_ge))),
    Row::between(JEXL3, "+", &[TEXT, TEXT.or(WHOLE)], TEXT, Gives(join)),
    Row::between(JEXL3, "+", &[WHOLE, TEXT], TEXT, Gives(join)),
    Row::between(JEXL, "+", WHOLES, WHOLE, MayThrow(|_, v| whole(v, i128::checked_add))),
    Row::between(JEXL, "-", WHOLES, WHOLE, MayThrow(|_, v| whole(v, i128::checked_sub))),
    Row::between(JEXL, "*", WHOLES, WHOLE, MayThrow(|_, v| whole(v, i128::checked_mul))),
    Row::between(JEXL, "/", WHOLES, WHOLE, MayThrow(|_, v| whole(by_zero(v)?, i128::checked_div))),
    Row::between(JEXL2, "%", WHOLES, WHOLE, MayThrow(|_, v| whole(positive(v)?, i128::checked_rem_euclid))),
    Row::between(JEXL3, "%", WHOLES, WHOLE, MayThrow(remainder)),
    Row::before(JEXL, "-", &[WHOLE], WHOLE, MayThrow(negate)),
    Row::before(JEXL, "!", &[TRUTH], BOOLEAN, Gives(not)),
    Row::method(JEXL, "empty", &[Kind::MAYBE_TEXT], BOOLEAN, Gives(is_empty)).written(Form::Call),
    Row::method(JEXL, "size", &[TEXT], WHOLE, Gives(length)).written(Form::Call),
];

/// Whether a value counts as true (`toBoolean`).
pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Boolean(value) => *value,
        Value::Text(text) => !text.is_empty() && **text != *"false",
        Value::Whole(number) => *number != 0,
        Value::Double(number) => *number != 0.0 && !number.is_nan(),
        _ => false,
    }
}

fn not(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(!truth(&values[0]))
}

/// `equals`: null is equal to null only.
fn equal(values: &[Value], wanted: fn(bool) -> bool) -> Outcome {
    let equal = match (&values[0], &values[1]) {
        (a, b) if *a == Value::Null || *b == Value::Null => a == b,
        (a, b) => compare(a, b)?.is_eq(),
    };
    Ok(Value::Boolean(wanted(equal)))
}

/// `lessThan` and its relatives: null has no order but with itself.
fn ordered(values: &[Value], wanted: fn(Ordering) -> bool) -> Outcome {
    let order = match (&values[0], &values[1]) {
        (Value::Null, Value::Null) => Some(Ordering::Equal),
        (Value::Null, _) | (_, Value::Null) => None,
        (a, b) => Some(compare(a, b)?),
    };
    Ok(Value::Boolean(order.is_some_and(wanted)))
}

fn compare(left: &Value, right: &Value) -> Result<Ordering, ScriptFailure> {
    let either = |is: fn(&Value) -> bool| is(left) || is(right);
    if either(|value| matches!(value, Value::Double(_))) {
        let a = double(left)?;
        let b = double(right)?;
        return Ok(a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())));
    }
    if either(|value| matches!(value, Value::Whole(_))) {
        return Ok(number(left)?.cmp(&number(right)?));
    }
    let [a, b] = [left, right].map(|text| text.to_text(Jexl3));
    Ok(a.encode_utf16().cmp(b.encode_utf16()))
}

fn number(value: &Value) -> Result<i128, ScriptFailure> {
    match value {
        Value::Whole(number) => Ok(*number),
        Value::Text(text) if text.is_empty() => Ok(0),
        Value::Text(text) => read::<i64>(text).map(i128::from),
        other => unreachable!("the row accepts only texts and numbers, not {other:?}"),
    }
}

fn double(value: &Value) -> Result<f64, ScriptFailure> {
    match value {
        Value::Double(number) => Ok(*number),
        Value::Text(text) if text.is_empty() => Ok(f64::NAN),
        Value::Text(text) => {
            parse_double(text).ok_or_else(|| exception(format!("For input string: \"{text}\"")))
        }
        other => number(other).map(|number| number as f64),
    }
}

fn whole(values: &[Value], compute: fn(i128, i128) -> Option<i128>) -> Outcome {
    let a = number(&values[0])?;
    let b = number(&values[1])?;
    let result = compute(a, b).ok_or_else(|| unsupported("a number of this size needs a script engine"))?;
    Ok(Value::Whole(result))
}

fn by_zero(values: &[Value]) -> Result<&[Value], ScriptFailure> {
    if values[1] == Value::Whole(0) {
        return Err(exception("java.lang.ArithmeticException: /"));
    }
    Ok(values)
}

/// JEXL 2 takes `BigInteger.mod`.
fn positive(values: &[Value]) -> Result<&[Value], ScriptFailure> {
    match values[1] {
        Value::Whole(number) if number < 0 => {
            Err(exception("java.lang.ArithmeticException: BigInteger: modulus not positive"))
        }
        _ => by_zero(values),
    }
}

/// Java's remainder for numbers of 64 bits, `BigInteger.mod` for larger ones.
fn remainder(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    let is_long = |value: &Value| matches!(value, Value::Whole(number) if i64::try_from(*number).is_ok());
    if values.iter().all(is_long) {
        return whole(by_zero(values)?, i128::checked_rem);
    }
    whole(positive(values)?, i128::checked_rem_euclid)
}

fn negate(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    whole(&[Value::Whole(0), values[0].clone()], i128::checked_sub)
}

fn is_empty(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(!matches!(&values[0], Value::Text(text) if !text.is_empty()))
}
