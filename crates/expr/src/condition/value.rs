//! Values of JavaScript, their conversions and comparisons (ECMAScript 5.1, sections 9 and 11).

use std::cmp::Ordering;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Undefined,
    Null,
    Boolean(bool),
    Number(f64),
    Text(String),
}

impl Value {
    pub(super) fn truthy(&self) -> bool {
        match self {
            Value::Undefined | Value::Null => false,
            Value::Boolean(value) => *value,
            Value::Number(value) => *value != 0.0 && !value.is_nan(),
            Value::Text(text) => !text.is_empty(),
        }
    }

    pub(super) fn to_number(&self) -> f64 {
        match self {
            Value::Undefined => f64::NAN,
            Value::Null => 0.0,
            Value::Boolean(value) => f64::from(u8::from(*value)),
            Value::Number(value) => *value,
            Value::Text(text) => match text.trim() {
                "" => 0.0,
                number if number.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b)) => {
                    number.parse().unwrap_or(f64::NAN)
                }
                _ => f64::NAN,
            },
        }
    }

    pub(super) fn to_text(&self) -> String {
        match self {
            Value::Undefined => "undefined".to_owned(),
            Value::Null => "null".to_owned(),
            Value::Boolean(value) => value.to_string(),
            Value::Number(value) if value.is_infinite() => {
                if *value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
            }
            Value::Number(value) => value.to_string(),
            Value::Text(text) => text.clone(),
        }
    }

    /// `===`.
    pub(super) fn same(&self, other: &Value) -> bool {
        self == other
    }

    /// `==`: of two types both become numbers; null and undefined are equal to each other only.
    pub(super) fn equal(&self, other: &Value) -> bool {
        use Value::{Null, Undefined};
        match (self, other) {
            (Undefined | Null, Undefined | Null) => true,
            (Undefined | Null, _) | (_, Undefined | Null) => false,
            _ if std::mem::discriminant(self) == std::mem::discriminant(other) => self == other,
            _ => self.to_number().partial_cmp(&other.to_number()) == Some(Ordering::Equal),
        }
    }

    /// `<`, `>` and their relatives: two texts by UTF-16 units, else as numbers; none with NaN.
    pub(super) fn order(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Text(a), Value::Text(b)) => Some(a.encode_utf16().cmp(b.encode_utf16())),
            _ => self.to_number().partial_cmp(&other.to_number()),
        }
    }

    /// `+`: texts are joined, all else is added.
    pub(super) fn plus(&self, other: &Value) -> Value {
        match (self, other) {
            (Value::Text(_), _) | (_, Value::Text(_)) => Value::Text(self.to_text() + &other.to_text()),
            _ => Value::Number(self.to_number() + other.to_number()),
        }
    }
}
