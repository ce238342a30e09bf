//! Text that is usually constant: a label, a code, a message. Samples have it, and what is recorded
//! of them, so that recording copies no text.

use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

/// A text that is either static or shared on its worker; cloning never copies it.
#[derive(Clone)]
pub enum Text {
    /// Built in.
    Static(&'static str),
    /// Shared.
    Shared(Rc<str>),
}

impl Text {
    /// No text.
    pub const EMPTY: Self = Self::Static("");

    /// Whether both are one text in memory. Equal texts need not be.
    #[inline]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Static(one), Self::Static(other)) => std::ptr::eq(*one, *other),
            (Self::Shared(one), Self::Shared(other)) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        match self {
            Self::Static(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Self {
        Self::Static(text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        if text.is_empty() { Self::EMPTY } else { Self::Shared(text.into()) }
    }
}

impl From<Rc<str>> for Text {
    fn from(text: Rc<str>) -> Self {
        Self::Shared(text)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}
