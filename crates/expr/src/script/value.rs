//! Values of all the languages.

use std::rc::Rc;

use super::javascript_number::javascript_text;
use super::language::Language;
use swell_java::format::double_to_string;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// JavaScript only.
    Undefined,
    Null,
    Boolean(bool),
    /// `Integer` of Groovy and BeanShell.
    Int(i32),
    /// `Long` of Groovy and BeanShell.
    Long(i64),
    /// A whole number of JEXL: `Integer`, `Long` or `BigInteger`.
    Whole(i128),
    Double(f64),
    Text(Rc<str>),
}

impl Value {
    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A text or null.
    pub(super) fn optional(text: Option<impl Into<Rc<str>>>) -> Self {
        text.map_or(Self::Null, Self::text)
    }

    /// A whole number as a language has it.
    pub(super) fn whole(number: i32, language: Language) -> Self {
        match language {
            Language::JavaScript => Self::Double(f64::from(number)),
            Language::Jexl2 | Language::Jexl3 => Self::Whole(i128::from(number)),
            Language::Groovy | Language::BeanShell => Self::Int(number),
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

    /// Java's `String.valueOf`, or JavaScript's text.
    pub(super) fn to_text(&self, language: Language) -> Rc<str> {
        match self {
            Self::Undefined => "undefined".into(),
            Self::Null => "null".into(),
            Self::Boolean(value) => value.to_string().into(),
            Self::Int(number) => number.to_string().into(),
            Self::Long(number) => number.to_string().into(),
            Self::Whole(number) => number.to_string().into(),
            Self::Double(number) if language == Language::JavaScript => javascript_text(*number).into(),
            Self::Double(number) => double_to_string(*number).into(),
            Self::Text(text) => text.clone(),
        }
    }

    /// The result of a function: null is nothing, but for JavaScript.
    pub(super) fn shown(&self, language: Language) -> Rc<str> {
        match self {
            Self::Null if language != Language::JavaScript => "".into(),
            value => value.to_text(language),
        }
    }
}
