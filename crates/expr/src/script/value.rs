//! Values of all the languages.

use std::rc::Rc;

use super::Language;
use super::decimal::Decimal;
use super::number::javascript_text;
use super::object::Object;
use swell_java::format::double_to_string;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// JavaScript only.
    Undefined,
    Null,
    Boolean(bool),
    /// `Integer`. Not in JavaScript, whose numbers are all doubles.
    Int(i32),
    /// `Long`.
    Long(i64),
    /// `BigDecimal`: Groovy's numbers with a fraction.
    Decimal(Decimal),
    Double(f64),
    /// `char`: BeanShell's single quotes.
    Char(char),
    Text(Text),
    /// Anything else: samples, random numbers.
    Object(Rc<Object>),
}

/// A text, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) text: Rc<str>,
    pub(super) origin: Origin,
}

/// Where a text comes from, which decides how it compares and which methods it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The script wrote it down: BeanShell compares identities; in JavaScript it is no object of Java.
    Literal,
    /// A `String` of Java.
    Host,
    /// Groovy made it of pieces, so it is no `String` of Java.
    GString,
}

impl Text {
    pub(super) fn is_literal(&self) -> bool {
        self.origin == Origin::Literal
    }
}

impl Value {
    /// A text of the script.
    pub(super) fn literal(text: impl Into<Rc<str>>) -> Self {
        Self::Text(Text { text: text.into(), origin: Origin::Literal })
    }

    /// A text that comes from Java.
    pub(super) fn host(text: impl Into<Rc<str>>) -> Self {
        Self::Text(Text { text: text.into(), origin: Origin::Host })
    }

    /// A text or null that comes from Java.
    pub(super) fn optional(text: Option<impl Into<Rc<str>>>) -> Self {
        text.map_or(Self::Null, Self::host)
    }

    /// A whole number with the semantics of a language.
    pub(super) fn whole(number: i32, language: Language) -> Self {
        if language == Language::JavaScript { Self::Double(f64::from(number)) } else { Self::Int(number) }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            _ => None,
        }
    }

    /// A whole number of 64 bits, if it is one.
    pub(super) fn as_long(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(i64::from(*number)),
            Self::Long(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Long(_) | Self::Decimal(_) | Self::Double(_))
    }

    /// A number as a double.
    pub(super) fn as_double(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(f64::from(*number)),
            Self::Long(number) => Some(*number as f64),
            Self::Decimal(number) => Some(number.as_f64()),
            Self::Double(number) => Some(*number),
            _ => None,
        }
    }

    /// Java's `String.valueOf`, or JavaScript's text.
    pub(super) fn to_text(&self, language: Language) -> String {
        match self {
            Self::Undefined => "undefined".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Boolean(value) => value.to_string(),
            Self::Int(number) => number.to_string(),
            Self::Long(number) => number.to_string(),
            Self::Decimal(number) => number.to_string(),
            Self::Double(number) if language == Language::JavaScript => javascript_text(*number),
            Self::Double(number) => double_to_string(*number),
            Self::Char(c) => c.to_string(),
            Self::Text(text) => text.text.to_string(),
            Self::Object(object) => object.to_text(),
        }
    }

    /// An object.
    pub(super) fn object(object: Object) -> Self {
        Self::Object(Rc::new(object))
    }

    /// An array of values.
    pub(super) fn array(values: Vec<Self>) -> Self {
        Self::object(Object::Array(values.into()))
    }

    /// The result of a function: null is nothing, but for JavaScript.
    pub(super) fn shown(&self, language: Language) -> String {
        match self {
            Self::Null if language != Language::JavaScript => String::new(),
            value => value.to_text(language),
        }
    }
}
