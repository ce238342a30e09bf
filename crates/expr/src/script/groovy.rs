//! Computes as Groovy 3.0.20 does (`DefaultTypeTransformation`, `NumberMath`,
//! `StringGroovyMethods`). Fractions, and `/`, which makes them, are left to the engine.

use std::cmp::Ordering;

use super::frame::Frame;
use super::integral::{self, add, multiply, remainder, subtract};
use super::java_text::{length, text};
use super::kind::Kind;
use super::language::Language;
use super::row::Run::{Gives, MayThrow};
use super::row::{Form, Outcome, Row};
use super::value::Value;
use crate::script_failure::{ScriptFailure, exception, unsupported};

const LANGUAGE: &[Language] = &[Language::Groovy];

const BOOLEAN: Kind = Kind::BOOLEAN;
const INT: Kind = Kind::INT;
const LONG: Kind = Kind::LONG;
const TEXT: Kind = Kind::TEXT;
const MAYBE: Kind = Kind::MAYBE_TEXT;
/// What `as Long` makes of a text that may be null.
const MAYBE_NUMBER: Kind = Kind::INTEGRAL.or(Kind::NULL);
const MAYBE_BOOLEAN: Kind = Kind::BOOLEAN.or(Kind::NULL);
const SHOWN: Kind = MAYBE.or(Kind::INTEGRAL).or(BOOLEAN);
/// What is true or false.
pub(super) const TRUTH: Kind = SHOWN;

const TEXTS: &[Kind] = &[MAYBE, MAYBE];
const NUMBERS: &[Kind] = &[MAYBE_NUMBER, MAYBE_NUMBER];
const BOOLEANS: &[Kind] = &[MAYBE_BOOLEAN, MAYBE_BOOLEAN];
const INTS: &[Kind] = &[INT, INT];
const LONGS: &[Kind] = &[Kind::INTEGRAL, Kind::INTEGRAL];

pub(super) const ROWS: &[Row] = &[
    Row::between(LANGUAGE, "==", TEXTS, BOOLEAN, Gives(equal)),
    Row::between(LANGUAGE, "==", NUMBERS, BOOLEAN, Gives(equal)),
    Row::between(LANGUAGE, "==", BOOLEANS, BOOLEAN, Gives(equal)),
    Row::between(LANGUAGE, "!=", TEXTS, BOOLEAN, Gives(unequal)),
    Row::between(LANGUAGE, "!=", NUMBERS, BOOLEAN, Gives(unequal)),
    Row::between(LANGUAGE, "!=", BOOLEANS, BOOLEAN, Gives(unequal)),
    Row::between(LANGUAGE, "<", TEXTS, BOOLEAN, Gives(less)),
    Row::between(LANGUAGE, "<", NUMBERS, BOOLEAN, Gives(less)),
    Row::between(LANGUAGE, ">", TEXTS, BOOLEAN, Gives(greater)),
    Row::between(LANGUAGE, ">", NUMBERS, BOOLEAN, Gives(greater)),
    Row::between(LANGUAGE, "<=", TEXTS, BOOLEAN, Gives(at_most)),
    Row::between(LANGUAGE, "<=", NUMBERS, BOOLEAN, Gives(at_most)),
    Row::between(LANGUAGE, ">=", TEXTS, BOOLEAN, Gives(at_least)),
    Row::between(LANGUAGE, ">=", NUMBERS, BOOLEAN, Gives(at_least)),
    Row::between(LANGUAGE, "+", &[TEXT, SHOWN], TEXT, Gives(join)),
    Row::between(LANGUAGE, "+", &[MAYBE.or(Kind::INTEGRAL), TEXT], TEXT, Gives(join)),
    Row::between(LANGUAGE, "+", INTS, INT, Gives(add)),
    Row::between(LANGUAGE, "+", LONGS, LONG, Gives(add)),
    Row::between(LANGUAGE, "-", INTS, INT, Gives(subtract)),
    Row::between(LANGUAGE, "-", LONGS, LONG, Gives(subtract)),
    Row::between(LANGUAGE, "*", INTS, INT, Gives(multiply)),
    Row::between(LANGUAGE, "*", LONGS, LONG, Gives(multiply)),
    Row::between(LANGUAGE, "%", INTS, INT, MayThrow(remainder)),
    Row::between(LANGUAGE, "%", LONGS, LONG, MayThrow(remainder)),
    Row::before(LANGUAGE, "-", &[INT], INT, Gives(integral::negate)),
    Row::before(LANGUAGE, "-", &[LONG], LONG, Gives(integral::negate)),
    Row::before(LANGUAGE, "!", &[TRUTH], BOOLEAN, Gives(not)),
    // Null has these, too.
    Row::method(LANGUAGE, "equals", TEXTS, BOOLEAN, Gives(equal)),
    Row::method(LANGUAGE, "toString", &[MAYBE], TEXT, Gives(show)),
    Row::method(LANGUAGE, "size", &[TEXT], INT, Gives(length)),
    Row::method(LANGUAGE, "toInteger", &[TEXT], INT, MayThrow(to_integer)),
    Row::method(LANGUAGE, "toLong", &[TEXT], LONG, MayThrow(to_long)),
    Row::method(LANGUAGE, "toBoolean", &[TEXT], BOOLEAN, Gives(to_boolean)),
    Row::method(LANGUAGE, "isInteger", &[TEXT], BOOLEAN, MayThrow(is_integer)),
    Row::method(LANGUAGE, "toString", &[Kind::INTEGRAL], TEXT, Gives(show)),
    Row::method(LANGUAGE, "toLong", &[Kind::INTEGRAL], LONG, MayThrow(as_long)),
    Row::method(LANGUAGE, "as long", &[MAYBE], LONG, MayThrow(to_primitive_long)).written(Form::Cast),
    Row::method(LANGUAGE, "as Long", &[MAYBE], LONG.or(Kind::NULL), MayThrow(as_long)).written(Form::Cast),
    Row::method(LANGUAGE, "as int", &[TEXT], INT, MayThrow(to_integer)).written(Form::Cast),
    Row::method(LANGUAGE, "as Integer", &[TEXT], INT, MayThrow(to_integer)).written(Form::Cast),
];

/// Whether a value counts as true.
pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Boolean(value) => *value,
        Value::Text(text) => !text.is_empty(),
        other => other.as_long().is_some_and(|number| number != 0),
    }
}

fn not(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(!truth(&values[0]))
}

/// `compareTo`: null is less than all else.
fn order(values: &[Value]) -> Ordering {
    match (&values[0], &values[1]) {
        (Value::Text(a), Value::Text(b)) => a.encode_utf16().cmp(b.encode_utf16()),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (a, b) if a.as_long().is_some() && b.as_long().is_some() => a.as_long().cmp(&b.as_long()),
        (a, b) => (*a != Value::Null).cmp(&(*b != Value::Null)),
    }
}

fn equal(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(order(values).is_eq())
}

fn unequal(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(order(values).is_ne())
}

fn less(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(order(values).is_lt())
}

fn greater(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(order(values).is_gt())
}

fn at_most(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(order(values).is_le())
}

fn at_least(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(order(values).is_ge())
}

pub(super) fn join(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    let [left, right] = [0, 1].map(|at: usize| values[at].to_text(frame.language));
    Value::text([&*left, &*right].concat())
}

pub(super) fn show(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Text(values[0].to_text(frame.language))
}

/// A whole number in a text; surrounding spaces are ignored.
fn parsed<T: std::str::FromStr>(text: &str) -> Result<T, ScriptFailure> {
    read(text.trim_matches(|c| c <= ' '))
}

/// As Java's `parseInt` and `parseLong` read a text.
pub(super) fn read<T: std::str::FromStr>(text: &str) -> Result<T, ScriptFailure> {
    text.parse().map_err(|_| {
        // Java reads digits of all scripts.
        if text.contains(|c: char| c.is_numeric() && !c.is_ascii()) {
            return unsupported(format!("the number `{text}` needs a script engine"));
        }
        exception(format!("java.lang.NumberFormatException: For input string: \"{text}\""))
    })
}

fn to_integer(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    parsed(text(&values[0])).map(Value::Int)
}

fn to_long(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    parsed(text(&values[0])).map(Value::Long)
}

/// `as long`, `toLong`: null stays null.
fn as_long(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    match &values[0] {
        Value::Text(text) => parsed(text).map(Value::Long),
        other => Ok(other.as_long().map_or(Value::Null, Value::Long)),
    }
}

/// `as long`: null is none.
fn to_primitive_long(frame: &mut Frame<'_>, values: &[Value]) -> Outcome {
    match as_long(frame, values)? {
        Value::Null => Err(exception("org.codehaus.groovy.runtime.typehandling.GroovyCastException")),
        number => Ok(number),
    }
}

fn to_boolean(_: &mut Frame<'_>, values: &[Value]) -> Value {
    let text = text(&values[0]).trim_matches(|c| c <= ' ');
    Value::Boolean(["true", "y", "1"].iter().any(|yes| text.eq_ignore_ascii_case(yes)))
}

fn is_integer(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    match parsed::<i32>(text(&values[0])) {
        Err(failure @ ScriptFailure::Unsupported(_)) => Err(failure),
        read => Ok(Value::Boolean(read.is_ok())),
    }
}
