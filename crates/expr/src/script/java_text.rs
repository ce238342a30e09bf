//! Methods of Java's `String`, which all languages can call.

use std::rc::Rc;

use super::frame::Frame;
use super::kind::Kind;
use super::language::Language::{self, BeanShell, Groovy, JavaScript, Jexl2, Jexl3};
use super::row::Run::{Gives, MayThrow};
use super::row::{OperandPlace, Outcome, Row};
use super::value::Value;
use crate::script_failure::{ScriptFailure, exception, unsupported};

const STATEMENTS: &[Language] = &[Groovy, BeanShell];
const JEXL: &[Language] = &[Jexl2, Jexl3];
const JAVA: &[Language] = &[Groovy, BeanShell, Jexl2, Jexl3];
const RHINO: &[Language] = &[JavaScript];

const TEXT: Kind = Kind::TEXT;
const MAYBE: Kind = Kind::MAYBE_TEXT;
const JAVA_TEXT: Kind = Kind::JAVA_TEXT;
const BOOLEAN: Kind = Kind::BOOLEAN;
/// Where a text may hold what only an engine can tell, the JVM takes the script of an element as a
/// whole.
const FUNCTIONS: OperandPlace = OperandPlace::Functions;
const TWO: &[Kind] = &[TEXT, TEXT];

pub(super) const ROWS: &[Row] = &[
    Row::method(JAVA, "equals", &[TEXT, MAYBE], BOOLEAN, Gives(equals)),
    Row::method(JAVA, "equalsIgnoreCase", &[TEXT, MAYBE], BOOLEAN, Gives(equals_ignoring_case)),
    Row::method(JAVA, "contains", TWO, BOOLEAN, Gives(contains)),
    Row::method(JAVA, "startsWith", TWO, BOOLEAN, Gives(starts_with)),
    Row::method(JAVA, "endsWith", TWO, BOOLEAN, Gives(ends_with)),
    Row::method(JAVA, "isEmpty", &[TEXT], BOOLEAN, Gives(is_empty)),
    Row::method(JAVA, "trim", &[TEXT], TEXT, Gives(trim)),
    Row::method(JAVA, "toLowerCase", &[TEXT], TEXT, MayThrow(to_lower_case)).only_in(FUNCTIONS),
    Row::method(JAVA, "toUpperCase", &[TEXT], TEXT, Gives(to_upper_case)),
    Row::method(JAVA, "concat", TWO, TEXT, Gives(concat)),
    Row::method(JAVA, "replace", &[TEXT, TEXT, TEXT], TEXT, MayThrow(replace)).only_in(FUNCTIONS),
    Row::method(JAVA, "toString", &[TEXT], TEXT, Gives(itself)),
    Row::method(STATEMENTS, "length", &[TEXT], Kind::INT, Gives(length)),
    Row::method(STATEMENTS, "indexOf", TWO, Kind::INT, Gives(index_of)),
    Row::method(STATEMENTS, "lastIndexOf", TWO, Kind::INT, Gives(last_index_of)),
    Row::method(STATEMENTS, "substring", &[TEXT, Kind::INT], TEXT, MayThrow(substring)).only_in(FUNCTIONS),
    Row::method(STATEMENTS, "substring", &[TEXT, Kind::INT, Kind::INT], TEXT, MayThrow(substring))
        .only_in(FUNCTIONS),
    Row::method(JEXL, "length", &[TEXT], Kind::WHOLE, Gives(length)),
    Row::method(JEXL, "indexOf", TWO, Kind::WHOLE, Gives(index_of)),
    Row::method(JEXL, "lastIndexOf", TWO, Kind::WHOLE, Gives(last_index_of)),
    Row::method(RHINO, "equals", &[JAVA_TEXT, TEXT], BOOLEAN, Gives(equals)),
    Row::method(RHINO, "equals", &[JAVA_TEXT, Kind::MAYBE_JAVA_TEXT], BOOLEAN, Gives(equals)),
    Row::method(RHINO, "equalsIgnoreCase", &[JAVA_TEXT, TEXT], BOOLEAN, Gives(equals_ignoring_case)),
    Row::method(RHINO, "contains", &[JAVA_TEXT, TEXT], BOOLEAN, Gives(contains)),
    Row::method(RHINO, "startsWith", &[JAVA_TEXT, TEXT], BOOLEAN, Gives(starts_with)),
    Row::method(RHINO, "endsWith", &[JAVA_TEXT, TEXT], BOOLEAN, Gives(ends_with)),
    Row::method(RHINO, "isEmpty", &[JAVA_TEXT], BOOLEAN, Gives(is_empty)),
    Row::method(RHINO, "length", &[JAVA_TEXT], Kind::DOUBLE, Gives(length)),
    Row::method(RHINO, "indexOf", &[JAVA_TEXT, TEXT], Kind::DOUBLE, Gives(index_of)),
];

/// The text that a row takes.
///
/// # Panics
/// The value is none, which the kinds of the row rule out.
pub(super) fn text(value: &Value) -> &Rc<str> {
    match value {
        Value::Text(text) => text,
        other => unreachable!("the row accepts only texts, not {other:?}"),
    }
}

/// The index of a place in UTF-16 units.
pub(super) fn place(text: &str, at: Option<usize>, language: Language) -> Value {
    Value::whole(at.map_or(-1, |at| units(&text[..at])), language)
}

/// The length in UTF-16 units.
pub(super) fn units(text: &str) -> i32 {
    i32::try_from(text.encode_utf16().count()).unwrap_or(i32::MAX)
}

pub(super) fn equals(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(values[0] == values[1])
}

/// Java compares letter by letter, each as upper case and then as lower case.
pub(super) fn equals_ignoring_case(_: &mut Frame<'_>, values: &[Value]) -> Value {
    let Value::Text(other) = &values[1] else { return Value::Boolean(false) };
    let folded = |text: &str| -> Vec<char> { text.chars().map(fold).collect() };
    Value::Boolean(folded(text(&values[0])) == folded(other))
}

/// `Character.toLowerCase(Character.toUpperCase(c))`: letters whose other case is several letters
/// stay as they are.
fn fold(c: char) -> char {
    let single =
        |mut letters: &mut dyn Iterator<Item = char>, c| match (letters.next(), (&mut letters).next()) {
            (Some(one), None) => one,
            _ => c,
        };
    let upper = single(&mut c.to_uppercase(), c);
    single(&mut upper.to_lowercase(), upper)
}

pub(super) fn contains(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(text(&values[0]).contains(&**text(&values[1])))
}

pub(super) fn starts_with(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(text(&values[0]).starts_with(&**text(&values[1])))
}

pub(super) fn ends_with(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(text(&values[0]).ends_with(&**text(&values[1])))
}

fn is_empty(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::Boolean(text(&values[0]).is_empty())
}

fn trim(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::text(text(&values[0]).trim_matches(|c| c <= ' '))
}

pub(super) fn to_lower_case(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    // Java has its own rules for word ends, which decide how this letter is converted.
    if text(&values[0]).contains('Σ') {
        return Err(unsupported("`Σ` in lower case needs a script engine"));
    }
    Ok(Value::text(text(&values[0]).to_lowercase()))
}

pub(super) fn to_upper_case(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::text(text(&values[0]).to_uppercase())
}

pub(super) fn concat(_: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::text([&**text(&values[0]), text(&values[1])].concat())
}

fn replace(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    // Java puts the new text between the halves of a letter, too.
    if text(&values[1]).is_empty() && text(&values[0]).chars().any(|c| c.len_utf16() > 1) {
        return Err(half_a_letter());
    }
    Ok(Value::text(text(&values[0]).replace(&**text(&values[1]), text(&values[2]))))
}

pub(super) fn itself(_: &mut Frame<'_>, values: &[Value]) -> Value {
    values[0].clone()
}

pub(super) fn length(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    Value::whole(units(text(&values[0])), frame.language)
}

pub(super) fn index_of(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    let whole = text(&values[0]);
    place(whole, whole.find(&**text(&values[1])), frame.language)
}

fn last_index_of(frame: &mut Frame<'_>, values: &[Value]) -> Value {
    let whole = text(&values[0]);
    place(whole, whole.rfind(&**text(&values[1])), frame.language)
}

fn substring(_: &mut Frame<'_>, values: &[Value]) -> Outcome {
    let units: Vec<u16> = text(&values[0]).encode_utf16().collect();
    let bound = |at: usize| values.get(at).and_then(Value::as_long).map(|bound| usize::try_from(bound).ok());
    let begin = bound(1).flatten();
    let end = bound(2).unwrap_or(Some(units.len()));
    let part = begin.zip(end).and_then(|(begin, end)| units.get(begin..end));
    let part = part.ok_or_else(|| exception("java.lang.StringIndexOutOfBoundsException"))?;
    whole_letters(part)
}

/// The text of UTF-16 units; half a letter, which Java can hold, is left to the engine.
pub(super) fn whole_letters(units: &[u16]) -> Outcome {
    String::from_utf16(units).map(Value::text).map_err(|_| half_a_letter())
}

fn half_a_letter() -> ScriptFailure {
    unsupported("half of a letter beyond U+FFFF needs a script engine")
}
