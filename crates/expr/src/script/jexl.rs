//! Commons JEXL 2.1.1 and 3.2.1 as JMeter sets them up: strict, null is no operand (`JexlArithmetic`).

use std::cmp::Ordering;

use super::Language;
use super::arithmetic::floating;
use super::failure::{ScriptFailure, exception, unsupported};
use super::tree::{Operator, Type};
use super::value::Value;
use swell_java::format::parse_double;

const NULL: &str = "null is no operand";

/// `toBoolean`.
pub(super) fn truth(value: &Value) -> Result<bool, ScriptFailure> {
    Ok(match value {
        Value::Null => return Err(exception(NULL)),
        Value::Boolean(value) => *value,
        Value::Text(text) => !text.text.is_empty() && *text.text != *"false",
        other => other.as_double().is_none_or(|number| number != 0.0 && !number.is_nan()),
    })
}

/// `equals`: booleans compare as such, numbers with what can be read as a number.
pub(super) fn equal(left: &Value, right: &Value) -> Result<bool, ScriptFailure> {
    match (left, right) {
        (Value::Null, Value::Null) => Ok(true),
        (Value::Null, _) | (_, Value::Null) => Ok(false),
        (Value::Boolean(_), _) | (_, Value::Boolean(_)) => Ok(truth(left)? == truth(right)?),
        _ => Ok(compare(left, right)? == Ordering::Equal),
    }
}

/// `lessThan` and its relatives: null is only as large as null.
pub(super) fn order(left: &Value, right: &Value) -> Result<Option<Ordering>, ScriptFailure> {
    match (left, right) {
        (Value::Null, Value::Null) => Ok(Some(Ordering::Equal)),
        (Value::Null, _) | (_, Value::Null) => Ok(None),
        (Value::Boolean(a), Value::Boolean(b)) => Ok(Some(a.cmp(b))),
        _ => compare(left, right).map(Some),
    }
}

/// `=~`: a pattern on the right matches the whole text of the left; else they are equal
/// (`Operators.contains`, `Interpreter.visit(ASTERNode)` of JEXL 2).
pub(super) fn within(left: &Value, right: &Value, language: Language) -> Result<bool, ScriptFailure> {
    match (left, right) {
        (Value::Null, Value::Null) => Ok(true),
        (Value::Null, _) | (_, Value::Null) => Ok(false),
        (_, Value::Text(pattern)) => super::patterns::is_match(&left.to_text(language), &pattern.text),
        _ => equal(left, right),
    }
}

/// `=^` and `=$` (`JexlArithmetic.startsWith`, `endsWith`).
pub(super) fn edge(left: &Value, right: &Value, has: fn(&str, &str) -> bool) -> Result<bool, ScriptFailure> {
    match (left, right) {
        (Value::Null, Value::Null) => Ok(true),
        (Value::Null, _) | (_, Value::Null) => Ok(false),
        (Value::Text(text), right) => Ok(has(&text.text, &right.to_text(Language::Jexl3))),
        _ => Err(unsupported("the start or end of what is no text needs a script engine")),
    }
}

fn compare(left: &Value, right: &Value) -> Result<Ordering, ScriptFailure> {
    let is_double = |value: &Value| matches!(value, Value::Double(_));
    if is_double(left) || is_double(right) {
        let (a, b) = (double(left)?, double(right)?);
        return Ok(a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())));
    }
    if left.is_number() || right.is_number() {
        return Ok(long(left)?.cmp(&long(right)?));
    }
    let (a, b) = (left.to_text(Language::Jexl3), right.to_text(Language::Jexl3));
    Ok(a.encode_utf16().cmp(b.encode_utf16()))
}

/// What more than 64 bits would hold is a number to JEXL, too.
fn no_number(text: &str) -> ScriptFailure {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !text.is_ascii() || digits.bytes().all(|b| b.is_ascii_digit()) {
        return unsupported(format!("the number `{text}` needs a script engine"));
    }
    exception(format!("For input string: \"{text}\""))
}

fn long(value: &Value) -> Result<i64, ScriptFailure> {
    match value {
        Value::Text(text) if text.text.is_empty() => Ok(0),
        Value::Text(text) => text.text.parse().map_err(|_| no_number(&text.text)),
        Value::Boolean(value) => Ok(i64::from(*value)),
        other => other.as_long().ok_or_else(|| exception(NULL)),
    }
}

fn double(value: &Value) -> Result<f64, ScriptFailure> {
    match value {
        Value::Text(text) if text.text.is_empty() => Ok(f64::NAN),
        Value::Text(text) => parse_double(&text.text).ok_or_else(|| no_number(&text.text)),
        Value::Boolean(value) => Ok(f64::from(u8::from(*value))),
        other => other.as_double().ok_or_else(|| exception(NULL)),
    }
}

/// Whether a text looks like a number with a fraction, or like any number (`FLOAT_PATTERN`).
fn is_floating(value: &Value, language: Language) -> bool {
    match value {
        Value::Double(_) => true,
        Value::Text(text) if language == Language::Jexl2 => text.text.contains(['.', 'e', 'E']),
        Value::Text(text) => {
            let text = text.text.strip_prefix(['+', '-']).unwrap_or(&text.text);
            (text.contains('.') || text.contains(['e', 'E'])) && parse_double(text).is_some()
        }
        _ => false,
    }
}

pub(super) fn computed(
    operator: Operator,
    left: &Value,
    right: &Value,
    language: Language,
) -> Result<Value, ScriptFailure> {
    if *left == Value::Null || *right == Value::Null {
        return Err(exception(NULL));
    }
    let texts = matches!(left, Value::Text(_)) || matches!(right, Value::Text(_));
    if operator == Operator::Add && texts {
        let joined = || Value::host(left.to_text(language) + &right.to_text(language));
        // JEXL 2 adds what can be read as numbers.
        return match sum(left, right) {
            Ok(sum) if language == Language::Jexl2 => Ok(sum),
            Err(_) if language == Language::Jexl2 && matches!(left, Value::Boolean(_)) => {
                Err(exception("`true` is no number"))
            }
            _ => Ok(joined()),
        };
    }
    if language == Language::Jexl2 && matches!((left, right), (Value::Boolean(_), _) | (_, Value::Boolean(_)))
    {
        return Err(exception("a boolean is no number"));
    }
    if is_floating(left, language) || is_floating(right, language) {
        let (a, b) = (double(left)?, double(right)?);
        if b == 0.0 && matches!(operator, Operator::Divide | Operator::Remainder) {
            return Err(exception("/"));
        }
        return Ok(floating(operator, a, b));
    }
    whole(operator, left, right, language)
}

/// A sum of JEXL 2, if both are numbers or texts of numbers.
fn sum(left: &Value, right: &Value) -> Result<Value, ScriptFailure> {
    if matches!(left, Value::Boolean(_)) || matches!(right, Value::Boolean(_)) {
        return Err(exception("a boolean is no number"));
    }
    if is_floating(left, Language::Jexl2) || is_floating(right, Language::Jexl2) {
        return Ok(floating(Operator::Add, double(left)?, double(right)?));
    }
    whole(Operator::Add, left, right, Language::Jexl2)
}

/// Whole numbers: as narrow as both are, unless the result does not fit.
fn whole(
    operator: Operator,
    left: &Value,
    right: &Value,
    language: Language,
) -> Result<Value, ScriptFailure> {
    let (a, b) = (i128::from(long(left)?), i128::from(long(right)?));
    let result = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        _ if b == 0 => return Err(exception("/")),
        Operator::Divide => a / b,
        // JEXL 2 takes `BigInteger.mod`, which is never negative.
        _ if language == Language::Jexl2 && b < 0 => return Err(exception("modulus not positive")),
        _ if language == Language::Jexl2 => a.rem_euclid(b),
        // Of texts it takes `BigInteger.mod`, of numbers Java's remainder.
        _ if (a < 0 || b < 0) && [left, right].iter().any(|value| matches!(value, Value::Text(_))) => {
            return Err(unsupported("the remainder of a text that is less than 0 needs a script engine"));
        }
        _ => a % b,
    };
    let wide = matches!(left, Value::Long(_)) || matches!(right, Value::Long(_));
    match (i32::try_from(result), i64::try_from(result)) {
        (Ok(narrow), _) if !wide => Ok(Value::Int(narrow)),
        (_, Ok(long)) => Ok(Value::Long(long)),
        _ => Err(unsupported("a number of more than 64 bits needs a script engine")),
    }
}

/// `empty`.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Text(text) => text.text.is_empty(),
        other => other.as_double().is_some_and(|number| number == 0.0 || number.is_nan()),
    }
}

/// `size`.
pub(super) fn size(value: &Value, language: Language) -> Result<Value, ScriptFailure> {
    match value {
        Value::Text(text) => Ok(Value::Int(text.text.encode_utf16().count() as i32)),
        Value::Null if language == Language::Jexl3 => Ok(Value::Int(0)),
        other => Err(exception(format!("`size` of {}", other.to_text(language)))),
    }
}

/// `toInteger`, `toLong`, `toDouble` of a text, which JEXL 3 takes from its arithmetic.
pub(super) fn text_to(text: &str, to: Type) -> Result<Value, ScriptFailure> {
    let value = Value::host(text);
    match to {
        Type::Long => long(&value).map(Value::Long),
        Type::Double => double(&value).map(Value::Double),
        _ => i32::try_from(long(&value)?).map(Value::Int).map_err(|_| no_number(text)),
    }
}
