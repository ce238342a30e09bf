//! Computes as BeanShell 2.0b6 does (`bsh.Primitive.binaryOperation`, `bsh.BSHBinaryExpression`).
//! It compares strings by identity, so `==` of strings is left to the engine.

use super::frame::Frame;
use super::groovy::{join, read, show};
use super::integral::{self, add, divide, multiply, remainder, subtract};
use super::kind::Kind;
use super::language::Language;
use super::row::Run::{Gives, MayThrow};
use super::row::{OperandPlace, Outcome, Row};
use super::value::Value;
use crate::script_failure::{ScriptFailure, exception};

const LANGUAGE: &[Language] = &[Language::BeanShell];
const STATEMENTS: &[Language] = &[Language::Groovy, Language::BeanShell];

const BOOLEAN: Kind = Kind::BOOLEAN;
const INT: Kind = Kind::INT;
const LONG: Kind = Kind::LONG;
const TEXT: Kind = Kind::TEXT;
const INTS: &[Kind] = &[INT, INT];
const NUMBERS: &[Kind] = &[Kind::INTEGRAL, Kind::INTEGRAL];
const BOOLEANS: &[Kind] = &[BOOLEAN, BOOLEAN];
/// Null with a text that may be null.
const NULL_LEFT: &[Kind] = &[Kind::NULL, Kind::MAYBE_TEXT];
const NULL_RIGHT: &[Kind] = &[Kind::MAYBE_TEXT, Kind::NULL];
const SHOWN: Kind = Kind::MAYBE_TEXT.or(Kind::INTEGRAL).or(BOOLEAN);

pub(super) const ROWS: &[Row] = &[
    Row::between(LANGUAGE, "==", NUMBERS, BOOLEAN, Gives(|_, v| number(v, |a, b| a == b))),
    Row::between(LANGUAGE, "==", BOOLEANS, BOOLEAN, Gives(same)),
    Row::between(LANGUAGE, "==", NULL_LEFT, BOOLEAN, Gives(same)),
    Row::between(LANGUAGE, "==", NULL_RIGHT, BOOLEAN, Gives(same)),
    Row::between(LANGUAGE, "!=", NUMBERS, BOOLEAN, Gives(|_, v| number(v, |a, b| a != b))),
    Row::between(LANGUAGE, "!=", BOOLEANS, BOOLEAN, Gives(different)),
    Row::between(LANGUAGE, "!=", NULL_LEFT, BOOLEAN, Gives(different)),
    Row::between(LANGUAGE, "!=", NULL_RIGHT, BOOLEAN, Gives(different)),
    Row::between(LANGUAGE, "<", NUMBERS, BOOLEAN, Gives(|_, v| number(v, |a, b| a < b))),
    Row::between(LANGUAGE, ">", NUMBERS, BOOLEAN, Gives(|_, v| number(v, |a, b| a > b))),
    Row::between(LANGUAGE, "<=", NUMBERS, BOOLEAN, Gives(|_, v| number(v, |a, b| a <= b))),
    Row::between(LANGUAGE, ">=", NUMBERS, BOOLEAN, Gives(|_, v| number(v, |a, b| a >= b))),
    Row::between(LANGUAGE, "+", &[TEXT, SHOWN], TEXT, Gives(join)),
    Row::between(LANGUAGE, "+", &[SHOWN, TEXT], TEXT, Gives(join)),
    Row::between(LANGUAGE, "+", INTS, INT, Gives(add)),
    Row::between(LANGUAGE, "+", NUMBERS, LONG, Gives(add)),
    Row::between(LANGUAGE, "-", INTS, INT, Gives(subtract)),
    Row::between(LANGUAGE, "-", NUMBERS, LONG, Gives(subtract)),
    Row::between(LANGUAGE, "*", INTS, INT, Gives(multiply)),
    Row::between(LANGUAGE, "*", NUMBERS, LONG, Gives(multiply)),
    Row::between(LANGUAGE, "/", INTS, INT, MayThrow(divide)),
    Row::between(LANGUAGE, "/", NUMBERS, LONG, MayThrow(divide)),
    Row::between(LANGUAGE, "%", INTS, INT, MayThrow(remainder)),
    Row::between(LANGUAGE, "%", NUMBERS, LONG, MayThrow(remainder)),
    Row::before(LANGUAGE, "-", &[INT], INT, Gives(integral::negate)),
    Row::before(LANGUAGE, "-", &[LONG], LONG, Gives(integral::negate)),
    Row::before(LANGUAGE, "!", &[BOOLEAN], BOOLEAN, Gives(not)),
    Row::call(
        STATEMENTS,
        OperandPlace::Objects,
        "Integer.parseInt",
        &[Kind::MAYBE_TEXT],
        INT,
        MayThrow(parse_int),
    ),
    Row::call(
        STATEMENTS,
        OperandPlace::Objects,
        "Long.parseLong",
        &[Kind::MAYBE_TEXT],
        LONG,
        MayThrow(parse_long),
    ),
    Row::call(STATEMENTS, OperandPlace::Objects, "Integer.toString", &[INT], TEXT, Gives(show)),
    Row::call(STATEMENTS, OperandPlace::Objects, "Long.toString", &[LONG], TEXT, Gives(show)),
    Row::call(STATEMENTS, OperandPlace::Objects, "String.valueOf", &[Kind::INTEGRAL], TEXT, Gives(show)),
    Row::call(STATEMENTS, OperandPlace::Objects, "String.valueOf", &[BOOLEAN], TEXT, Gives(show)),
];

fn number(values: &[Value], compare: fn(i64, i64) -> bool) -> Value {
    let [left, right] = [0, 1].map(|at: usize| values[at].as_long().unwrap_or_default());
    Value::Boolean(compare(left, right))
}

fn same(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(values[0] == values[1])
}

fn different(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(values[0] != values[1])
}

fn not(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(values[0] != Value::Boolean(true))
}

fn parse_int(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    read(written(&values[0])?).map(Value::Int)
}

fn parse_long(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    read(written(&values[0])?).map(Value::Long)
}

/// The text of a number; null is none.
fn written(value: &Value) -> Result<&str, ScriptFailure> {
    match value {
        Value::Text(text) => Ok(text),
        _ => Err(exception("java.lang.NumberFormatException: Cannot parse null string")),
    }
}
