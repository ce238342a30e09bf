//! Functions that belong to no value: those of JavaScript that stand alone, static methods of Java's classes.

use super::failure::{ScriptFailure, exception, unsupported};
use super::number::{javascript_number, parse_float, parse_int};
use super::value::Value;
use super::value_type::ValueType;
use super::{Language, javascript};
use swell_java::format::parse_double;

/// A function that belongs to no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StaticMethod {
    /// `parseInt` of JavaScript.
    ParseIntLoosely,
    /// `parseFloat` of JavaScript.
    ParseFloatLoosely,
    /// `Number` of JavaScript.
    Number,
    /// `String` of JavaScript, `String.valueOf`.
    ToText,
    /// `Integer.toString(number)`.
    NumberToText(ValueType),
    /// `Boolean` of JavaScript.
    Truth,
    /// `isNaN` of JavaScript.
    IsNaN,
    /// `Integer.parseInt`, `Integer.valueOf`.
    ParseInt,
    /// `Long.parseLong`, `Long.valueOf`.
    ParseLong,
    /// `Double.parseDouble`, `Double.valueOf`.
    ParseDouble,
    /// `Boolean.parseBoolean`, `Boolean.valueOf`.
    ParseBoolean,
    Max,
    Min,
    Abs,
    Floor,
    Ceil,
    Round,
}

/// A function of JavaScript that stands alone.
pub(super) fn function(name: &str, language: Language) -> Option<StaticMethod> {
    if language != Language::JavaScript {
        return None;
    }
    Some(match name {
        "parseInt" => StaticMethod::ParseIntLoosely,
        "parseFloat" => StaticMethod::ParseFloatLoosely,
        "Number" => StaticMethod::Number,
        "String" => StaticMethod::ToText,
        "Boolean" => StaticMethod::Truth,
        "isNaN" => StaticMethod::IsNaN,
        _ => return None,
    })
}

/// A static method of a class.
pub(super) fn of_class(class: &str, name: &str) -> Option<StaticMethod> {
    Some(match (class, name) {
        ("Math", "max") => StaticMethod::Max,
        ("Math", "min") => StaticMethod::Min,
        ("Math", "abs") => StaticMethod::Abs,
        ("Math", "floor") => StaticMethod::Floor,
        ("Math", "ceil") => StaticMethod::Ceil,
        ("Math", "round") => StaticMethod::Round,
        ("Integer", "parseInt" | "valueOf") => StaticMethod::ParseInt,
        ("Long", "parseLong" | "valueOf") => StaticMethod::ParseLong,
        ("Double", "parseDouble" | "valueOf") => StaticMethod::ParseDouble,
        ("Boolean", "parseBoolean" | "valueOf") => StaticMethod::ParseBoolean,
        ("String", "valueOf") => StaticMethod::ToText,
        ("Integer" | "Long" | "Double", "toString") => StaticMethod::NumberToText(class_kind(class)),
        _ => return None,
    })
}

fn class_kind(class: &str) -> ValueType {
    match class {
        "Integer" => ValueType::Int,
        "Long" => ValueType::Long,
        _ => ValueType::Double,
    }
}

impl StaticMethod {
    /// Whether it is known what it gives for arguments of these kinds.
    pub(super) fn takes(self, kinds: &[ValueType], language: Language) -> bool {
        let javascript = language == Language::JavaScript;
        match (self, kinds) {
            (Self::ParseIntLoosely, [text, ValueType::Double]) => text.is_plain(),
            (
                Self::ParseIntLoosely | Self::ParseFloatLoosely | Self::Number | Self::Truth | Self::IsNaN,
                [kind],
            ) => kind.is_plain(),
            (Self::ToText, [kind]) if javascript => kind.is_plain(),
            (Self::ToText, [kind]) => kind.is_number() || *kind == ValueType::Boolean,
            (Self::NumberToText(of), [kind]) => of == *kind,
            (Self::ParseInt | Self::ParseLong | Self::ParseDouble | Self::ParseBoolean, [kind]) => {
                *kind == ValueType::Text
            }
            (Self::Max | Self::Min, [a, b]) if javascript => a.is_plain() && b.is_plain(),
            (Self::Max | Self::Min, [a, b]) => {
                a == b && matches!(a, ValueType::Int | ValueType::Long | ValueType::Double)
            }
            (Self::Abs | Self::Floor | Self::Ceil | Self::Round, [kind]) if javascript => kind.is_plain(),
            (Self::Abs, [kind]) => matches!(kind, ValueType::Int | ValueType::Long | ValueType::Double),
            (Self::Floor | Self::Ceil | Self::Round, [kind]) => *kind == ValueType::Double,
            _ => false,
        }
    }

    /// The kind of what it gives.
    pub(super) fn result(self, kinds: &[ValueType], language: Language) -> ValueType {
        match self {
            Self::ToText | Self::NumberToText(_) => ValueType::Text,
            Self::Truth | Self::IsNaN | Self::ParseBoolean => ValueType::Boolean,
            Self::ParseInt => ValueType::Int,
            Self::ParseLong => ValueType::Long,
            Self::Round if language != Language::JavaScript => ValueType::Long,
            Self::Max | Self::Min | Self::Abs if language != Language::JavaScript => kinds[0],
            _ => ValueType::Double,
        }
    }

    /// Calls it.
    pub(super) fn call(self, arguments: &[Value], language: Language) -> Result<Value, ScriptFailure> {
        let first = &arguments[0];
        let javascript = language == Language::JavaScript;
        let double = |value: &Value| javascript::number(value);
        Ok(match self {
            Self::ParseIntLoosely => {
                let radix = arguments.get(1).map(radix).transpose()?;
                Value::Double(parse_int(&first.to_text(language), radix))
            }
            Self::ParseFloatLoosely => Value::Double(parse_float(&first.to_text(language))),
            Self::Number => Value::Double(match first.as_text() {
                Some(text) => javascript_number(text),
                None => double(first),
            }),
            Self::ToText | Self::NumberToText(_) => Value::literal(first.to_text(language)),
            Self::Truth => Value::Boolean(javascript::truth(first)),
            Self::IsNaN => Value::Boolean(double(first).is_nan()),
            Self::ParseInt => parsed(first, language, |text| text.parse().ok().map(Value::Int))?,
            Self::ParseLong => parsed(first, language, |text| text.parse().ok().map(Value::Long))?,
            Self::ParseDouble => parsed(first, language, |text| parse_double(text).map(Value::Double))?,
            Self::ParseBoolean => {
                Value::Boolean(first.as_text().is_some_and(|text| text.eq_ignore_ascii_case("true")))
            }
            Self::Max | Self::Min | Self::Abs => self.of_numbers(arguments, language)?,
            Self::Floor => Value::Double(double(first).floor()),
            Self::Ceil => Value::Double(double(first).ceil()),
            // Rhino rounds to a `long`.
            Self::Round if javascript && double(first).is_finite() => {
                Value::Double(rounded(double(first)) as i64 as f64)
            }
            Self::Round if javascript => Value::Double(double(first)),
            Self::Round => Value::Long(rounded(double(first)) as i64),
        })
    }

    fn of_numbers(self, arguments: &[Value], language: Language) -> Result<Value, ScriptFailure> {
        let numbers: Vec<Value> = match language {
            Language::JavaScript => arguments.iter().map(|v| Value::Double(javascript::number(v))).collect(),
            _ => arguments.to_vec(),
        };
        match (self, &numbers[..]) {
            (Self::Abs, [Value::Int(n)]) => Ok(Value::Int(n.wrapping_abs())),
            (Self::Abs, [Value::Long(n)]) => Ok(Value::Long(n.wrapping_abs())),
            (Self::Abs, [Value::Double(n)]) => Ok(Value::Double(n.abs())),
            (Self::Max, [Value::Int(a), Value::Int(b)]) => Ok(Value::Int(*a.max(b))),
            (Self::Min, [Value::Int(a), Value::Int(b)]) => Ok(Value::Int(*a.min(b))),
            (Self::Max, [Value::Long(a), Value::Long(b)]) => Ok(Value::Long(*a.max(b))),
            (Self::Min, [Value::Long(a), Value::Long(b)]) => Ok(Value::Long(*a.min(b))),
            (_, [Value::Double(a), Value::Double(b)]) if a.is_nan() || b.is_nan() => {
                Ok(Value::Double(f64::NAN))
            }
            (Self::Max, [Value::Double(a), Value::Double(b)]) => Ok(Value::Double(a.max(*b))),
            (Self::Min, [Value::Double(a), Value::Double(b)]) => Ok(Value::Double(a.min(*b))),
            _ => Err(unsupported("these numbers need a script engine")),
        }
    }
}

/// The second argument of `parseInt`.
fn radix(value: &Value) -> Result<u32, ScriptFailure> {
    let number = javascript::number(value);
    if number.fract() == 0.0 && (2.0..=36.0).contains(&number) {
        return Ok(number as u32);
    }
    Err(unsupported("`parseInt` with this base needs a script engine"))
}

/// `Math.round`: the whole number next to it, the larger one of two.
fn rounded(number: f64) -> f64 {
    let below = number.floor();
    if number - below >= 0.5 { below + 1.0 } else { below }
}

/// A text that Java reads as a number.
fn parsed(
    value: &Value,
    language: Language,
    read: impl FnOnce(&str) -> Option<Value>,
) -> Result<Value, ScriptFailure> {
    let text = value.to_text(language);
    match value.as_text().and_then(read) {
        Some(number) => Ok(number),
        // Java reads digits of all scripts.
        None if !text.is_ascii() => Err(unsupported(format!("the number `{text}` needs a script engine"))),
        None => Err(exception(format!("For input string: \"{text}\""))),
    }
}
