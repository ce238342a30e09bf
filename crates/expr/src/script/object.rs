//! Values that are neither texts nor numbers.

use std::rc::Rc;

use super::sample_bindings::Binding;
use super::value::Value;

/// An object of Java.
#[derive(Debug)]
pub(super) enum Object {
    /// The parts of a text, or the words of the parameters.
    Array(Box<[Value]>),
    Random,
    /// `UUID`: its text.
    Uuid(Rc<str>),
    /// A sample, or the result of an assertion.
    Binding(Binding),
}

/// An object is equal to itself only.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Object {
    /// Java's text of it; only of a `UUID` it is ever asked for.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Uuid(text) => text.to_string(),
            _ => format!("{self:?}"),
        }
    }
}
