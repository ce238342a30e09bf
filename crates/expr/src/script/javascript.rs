//! Computes as Rhino 1.7.14 does (ECMAScript 5.1, sections 9 and 11), where a string from Java is
//! an object.

use std::cmp::Ordering;

use super::frame::Frame;
use super::groovy::{join, show};
use super::java_text::{
    self, concat, contains, ends_with, index_of, itself, length, starts_with, text, to_lower_case,
    to_upper_case, units, whole_letters,
};
use super::javascript_number::{javascript_number, parse_float, parse_int};
use super::kind::Kind;
use super::language::Language;
use super::row::Run::{Gives, MayThrow};
use super::row::{Form, OperandPlace, Outcome, Row};
use super::value::Value;

const LANGUAGE: &[Language] = &[Language::JavaScript];

const BOOLEAN: Kind = Kind::BOOLEAN;
const NUMBER: Kind = Kind::DOUBLE;
const TEXT: Kind = Kind::TEXT;
const JAVA: Kind = Kind::MAYBE_JAVA_TEXT;
const NONE: Kind = Kind::NULL.or(Kind::UNDEFINED);
/// A text or a number: what becomes a number between `-`, `<` and their relatives.
const PLAIN: Kind = TEXT.or(NUMBER);
const SHOWN: Kind = PLAIN.or(BOOLEAN).or(NONE);
/// What is true or false: an object, as a text of Java is one, is always true.
pub(super) const TRUTH: Kind = SHOWN;

const TWO: &[Kind] = &[TEXT, TEXT];
const PLAINS: &[Kind] = &[PLAIN, PLAIN];
const NUMBERS: &[Kind] = &[NUMBER, NUMBER];
const ANY: &[Kind] = &[SHOWN, SHOWN];
const JAVA_LEFT: &[Kind] = &[JAVA, TEXT.or(NONE)];
const JAVA_RIGHT: &[Kind] = &[TEXT.or(NONE), JAVA];

pub(super) const ROWS: &[Row] = &[
    Row::between(LANGUAGE, "==", ANY, BOOLEAN, Gives(|_, v| Value::Boolean(equal(v)))),
    Row::between(LANGUAGE, "==", JAVA_LEFT, BOOLEAN, Gives(|_, v| Value::Boolean(equal(v)))),
    Row::between(LANGUAGE, "==", JAVA_RIGHT, BOOLEAN, Gives(|_, v| Value::Boolean(equal(v)))),
    Row::between(LANGUAGE, "!=", ANY, BOOLEAN, Gives(|_, v| Value::Boolean(!equal(v)))),
    Row::between(LANGUAGE, "!=", JAVA_LEFT, BOOLEAN, Gives(|_, v| Value::Boolean(!equal(v)))),
    Row::between(LANGUAGE, "!=", JAVA_RIGHT, BOOLEAN, Gives(|_, v| Value::Boolean(!equal(v)))),
    Row::between(LANGUAGE, "===", ANY, BOOLEAN, Gives(|_, v| Value::Boolean(v[0] == v[1]))),
    Row::between(LANGUAGE, "!==", ANY, BOOLEAN, Gives(|_, v| Value::Boolean(v[0] != v[1]))),
    Row::between(LANGUAGE, "<", PLAINS, BOOLEAN, Gives(|_, v| ordered(v, Ordering::is_lt))),
    Row::between(LANGUAGE, ">", PLAINS, BOOLEAN, Gives(|_, v| ordered(v, Ordering::is_gt))),
    Row::between(LANGUAGE, "<=", PLAINS, BOOLEAN, Gives(|_, v| ordered(v, Ordering::is_le))),
    Row::between(LANGUAGE, ">=", PLAINS, BOOLEAN, Gives(|_, v| ordered(v, Ordering::is_ge))),
    Row::between(LANGUAGE, "+", NUMBERS, NUMBER, Gives(|_, v| computed(v, |a, b| a + b))),
    Row::between(LANGUAGE, "+", &[TEXT, SHOWN.or(JAVA)], TEXT, Gives(join)),
    Row::between(LANGUAGE, "+", &[SHOWN.or(JAVA), TEXT], TEXT, Gives(join)),
    Row::between(LANGUAGE, "-", PLAINS, NUMBER, Gives(|_, v| computed(v, |a, b| a - b))),
    Row::between(LANGUAGE, "*", PLAINS, NUMBER, Gives(|_, v| computed(v, |a, b| a * b))),
    Row::between(LANGUAGE, "/", PLAINS, NUMBER, Gives(|_, v| computed(v, |a, b| a / b))),
    Row::between(LANGUAGE, "%", PLAINS, NUMBER, Gives(|_, v| computed(v, |a, b| a % b))),
    Row::before(LANGUAGE, "-", &[PLAIN], NUMBER, Gives(|_, v| Value::Double(-number(&v[0])))),
    Row::before(LANGUAGE, "+", &[PLAIN], NUMBER, Gives(to_number)),
    Row::before(LANGUAGE, "!", &[TRUTH], BOOLEAN, Gives(|_, v| Value::Boolean(!truth(&v[0])))),
    Row::method(LANGUAGE, "length", &[TEXT], NUMBER, Gives(length)).written(Form::Property),
    Row::method(LANGUAGE, "equals", TWO, BOOLEAN, Gives(java_text::equals)),
    Row::method(LANGUAGE, "includes", TWO, BOOLEAN, Gives(contains)),
    Row::method(LANGUAGE, "startsWith", TWO, BOOLEAN, Gives(starts_with)),
    Row::method(LANGUAGE, "endsWith", TWO, BOOLEAN, Gives(ends_with)),
    Row::method(LANGUAGE, "indexOf", TWO, NUMBER, Gives(index_of)),
    Row::method(LANGUAGE, "trim", &[TEXT], TEXT, Gives(trim)),
    Row::method(LANGUAGE, "toLowerCase", &[TEXT], TEXT, MayThrow(to_lower_case)),
    Row::method(LANGUAGE, "toUpperCase", &[TEXT], TEXT, Gives(to_upper_case)),
    Row::method(LANGUAGE, "concat", TWO, TEXT, Gives(concat)),
    Row::method(LANGUAGE, "toString", &[TEXT], TEXT, Gives(itself)),
    Row::method(LANGUAGE, "substring", &[TEXT, NUMBER], TEXT, MayThrow(substring)),
    Row::method(LANGUAGE, "substring", &[TEXT, NUMBER, NUMBER], TEXT, MayThrow(substring)),
    Row::call(LANGUAGE, OperandPlace::Everywhere, "parseInt", &[PLAIN], NUMBER, Gives(to_integer)),
    Row::call(LANGUAGE, OperandPlace::Everywhere, "parseInt", &[PLAIN, NUMBER], NUMBER, Gives(to_integer)),
    Row::call(LANGUAGE, OperandPlace::Everywhere, "parseFloat", &[PLAIN], NUMBER, Gives(to_fraction)),
    Row::call(LANGUAGE, OperandPlace::Everywhere, "Number", &[PLAIN], NUMBER, Gives(to_number)),
    Row::call(LANGUAGE, OperandPlace::Everywhere, "String", &[SHOWN], TEXT, Gives(show)),
    Row::call(LANGUAGE, OperandPlace::Everywhere, "isNaN", &[PLAIN], BOOLEAN, Gives(is_nan)),
    Row::call(
        LANGUAGE,
        OperandPlace::Everywhere,
        "Math.max",
        PLAINS,
        NUMBER,
        Gives(|_, v| computed(v, larger)),
    ),
    Row::call(
        LANGUAGE,
        OperandPlace::Everywhere,
        "Math.min",
        PLAINS,
        NUMBER,
        Gives(|_, v| computed(v, |a, b| -larger(-a, -b))),
    ),
    Row::call(
        LANGUAGE,
        OperandPlace::Everywhere,
        "Math.abs",
        &[PLAIN],
        NUMBER,
        Gives(|_, v| rounded(v, f64::abs)),
    ),
    Row::call(
        LANGUAGE,
        OperandPlace::Everywhere,
        "Math.floor",
        &[PLAIN],
        NUMBER,
        Gives(|_, v| rounded(v, f64::floor)),
    ),
    Row::call(
        LANGUAGE,
        OperandPlace::Everywhere,
        "Math.ceil",
        &[PLAIN],
        NUMBER,
        Gives(|_, v| rounded(v, f64::ceil)),
    ),
    Row::call(
        LANGUAGE,
        OperandPlace::Everywhere,
        "Math.round",
        &[PLAIN],
        NUMBER,
        Gives(|_, v| rounded(v, round)),
    ),
];

/// Whether a value counts as true.
pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Boolean(value) => *value,
        Value::Double(value) => *value != 0.0 && !value.is_nan(),
        Value::Text(text) => !text.is_empty(),
        _ => false,
    }
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Null => 0.0,
        Value::Boolean(value) => f64::from(u8::from(*value)),
        Value::Text(text) => javascript_number(text),
        Value::Double(value) => *value,
        _ => f64::NAN,
    }
}

/// `==`: of two types both become numbers; null and undefined are equal to each other only.
fn equal(values: &[Value]) -> bool {
    let is_none = |value: &Value| matches!(value, Value::Null | Value::Undefined);
    match (&values[0], &values[1]) {
        (a, b) if is_none(a) || is_none(b) => is_none(a) && is_none(b),
        (Value::Text(a), Value::Text(b)) => a == b,
        (a, b) => number(a).partial_cmp(&number(b)) == Some(Ordering::Equal),
    }
}

/// Two texts by UTF-16 units, else as numbers; none with NaN.
fn ordered(values: &[Value], wanted: fn(Ordering) -> bool) -> Value {
    let order = match (&values[0], &values[1]) {
        (Value::Text(a), Value::Text(b)) => Some(a.encode_utf16().cmp(b.encode_utf16())),
        (a, b) => number(a).partial_cmp(&number(b)),
    };
    Value::Boolean(order.is_some_and(wanted))
}

fn computed(values: &[Value], compute: fn(f64, f64) -> f64) -> Value {
    Value::Double(compute(number(&values[0]), number(&values[1])))
}

fn rounded(values: &[Value], round: fn(f64) -> f64) -> Value {
    Value::Double(round(number(&values[0])))
}

/// Halves go up.
fn round(value: f64) -> f64 {
    if !value.is_finite() {
        return value;
    }
    let whole = value.floor();
    let rounded = if value - whole < 0.5 { whole } else { whole + 1.0 };
    // Rhino rounds to a `long`.
    rounded as i64 as f64
}

fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    // The positive one of two zeros.
    if a.total_cmp(&b).is_gt() { a } else { b }
}

fn to_number(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Double(number(&values[0]))
}

fn is_nan(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(number(&values[0]).is_nan())
}

fn to_integer(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    let radix = values.get(1).map_or(0, |radix| to_int32(number(radix)));
    Value::Double(parse_int(&values[0].to_text(frame.language), radix))
}

/// `ToInt32` (ECMAScript 5.1, 9.5).
fn to_int32(value: f64) -> i32 {
    if value.is_finite() { value.trunc().rem_euclid(4_294_967_296.0) as u32 as i32 } else { 0 }
}

fn to_fraction(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Double(parse_float(&values[0].to_text(frame.language)))
}

fn trim(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::text(text(&values[0]).trim())
}

/// Bounds beyond the text count as its ends, and the smaller one comes first.
fn substring(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    let whole = text(&values[0]);
    let length = units(whole);
    let bound = |at: usize| values.get(at).map_or(length, |bound| (number(bound) as i32).clamp(0, length));
    let a = bound(1);
    let b = bound(2);
    let begin = a.min(b) as usize;
    let end = a.max(b) as usize;
    let units: Vec<u16> = whole.encode_utf16().skip(begin).take(end - begin).collect();
    whole_letters(&units)
}
