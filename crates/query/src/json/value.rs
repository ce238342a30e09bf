//! A JSON value with Java's types of numbers.

use std::borrow::Cow;

/// A JSON value. Strings without escapes are borrowed from the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'d> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// `Integer` or `Long`, by its size.
    Int(i64),
    /// `BigInteger`: a whole number beyond 64 bits, in canonical digits.
    BigInt(Cow<'d, str>),
    /// `Double`.
    Double(f64),
    /// `BigDecimal`: a number with a fraction or exponent and more than 18 characters, in Java's
    /// canonical text.
    BigDecimal(Cow<'d, str>),
    /// `Float`: only NaN comes as one.
    NotANumber,
    /// A string.
    Text(Cow<'d, str>),
    /// An array.
    Array(Vec<Self>),
    /// Keys are unique, in the order they first came.
    Object(Vec<(Cow<'d, str>, Self)>),
    /// Keys of an object: Jayway's `keys()` gives a Java set, which is neither array nor object.
    Keys(Vec<Cow<'d, str>>),
}

impl<'d> Json<'d> {
    /// The value of a key of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Sets a key of an object: a known one keeps its place.
    pub fn set(members: &mut Vec<(Cow<'d, str>, Self)>, key: Cow<'d, str>, value: Self) {
        match members.iter_mut().find(|(name, _)| *name == key) {
            Some((_, old)) => *old = value,
            None => members.push((key, value)),
        }
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// The name of its Java class, as messages show it.
    pub fn class_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "java.lang.Boolean",
            Self::Int(number) if i32::try_from(*number).is_ok() => "java.lang.Integer",
            Self::Int(_) => "java.lang.Long",
            Self::BigInt(_) => "java.math.BigInteger",
            Self::Double(_) => "java.lang.Double",
            Self::BigDecimal(_) => "java.math.BigDecimal",
            Self::NotANumber => "java.lang.Float",
            Self::Text(_) => "java.lang.String",
            Self::Array(_) => "net.minidev.json.JSONArray",
            Self::Object(_) => "java.util.LinkedHashMap",
            Self::Keys(_) => "java.util.LinkedHashMap$LinkedKeySet",
        }
    }

    /// How many values it is with all that are in it.
    pub fn weight(&self) -> usize {
        match self {
            Self::Array(members) => 1 + members.iter().map(Self::weight).sum::<usize>(),
            Self::Object(members) => 1 + members.iter().map(|(_, value)| value.weight()).sum::<usize>(),
            _ => 1,
        }
    }

    /// A number as a floating-point value; `None` for other values.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Double(number) => Some(*number),
            Self::BigInt(text) | Self::BigDecimal(text) => text.parse().ok(),
            Self::NotANumber => Some(f64::NAN),
            _ => None,
        }
    }

    /// Java's `equals`: numbers of different classes differ, the order of keys does not matter.
    pub fn equals(&self, other: &Json<'_>) -> bool {
        match (self, other) {
            (Self::Null, Json::Null) | (Self::NotANumber, Json::NotANumber) => true,
            (Self::Bool(a), Json::Bool(b)) => a == b,
            (Self::Int(a), Json::Int(b)) => a == b,
            // Double.equals compares bits: NaN equals itself, the zeros differ.
            (Self::Double(a), Json::Double(b)) => a.to_bits() == b.to_bits(),
            (Self::BigInt(a), Json::BigInt(b))
            | (Self::BigDecimal(a), Json::BigDecimal(b))
            | (Self::Text(a), Json::Text(b)) => a == b,
            (Self::Array(a), Json::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b))
            }
            (Self::Object(a), Json::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(k, v)| other.get(k).is_some_and(|found| v.equals(found)))
            }
            _ => false,
        }
    }

    /// The same value without borrowed texts.
    pub fn into_static(self) -> Json<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(value),
            Self::Int(number) => Json::Int(number),
            Self::BigInt(text) => Json::BigInt(own(text)),
            Self::Double(number) => Json::Double(number),
            Self::BigDecimal(text) => Json::BigDecimal(own(text)),
            Self::NotANumber => Json::NotANumber,
            Self::Text(text) => Json::Text(own(text)),
            Self::Array(members) => Json::Array(members.into_iter().map(Json::into_static).collect()),
            Self::Object(members) => Json::Object(
                members.into_iter().map(|(key, value)| (own(key), value.into_static())).collect(),
            ),
            Self::Keys(keys) => Json::Keys(keys.into_iter().map(own).collect()),
        }
    }
}
