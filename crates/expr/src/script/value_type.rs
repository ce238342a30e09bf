//! What kind of value an expression has, as far as it is known before the script runs.

use super::Language;

/// The kind of an expression. Texts, objects and what JMeter gives may be null, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueType {
    /// `undefined` of JavaScript.
    Undefined,
    /// `null`, or nothing: what `vars.put` gives.
    Null,
    Boolean,
    Int,
    Long,
    /// `BigDecimal`.
    Decimal,
    Double,
    /// `char` of BeanShell.
    Char,
    /// `String`.
    Text,
    /// A text of Java in JavaScript, where it is an object.
    JavaText,
    /// A text of Groovy with values in it, which is no `String`.
    GString,
    Array,
    Random,
    Uuid,
    /// `prev`, `SampleResult`.
    Sample,
    /// `AssertionResult`.
    Assertion,
    /// One of several plain values: of `a ? 1 : "x"`, or what a reference will be.
    Plain,
}

impl ValueType {
    /// Whether it is a number for certain.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Int | Self::Long | Self::Decimal | Self::Double)
    }

    /// Whether its text is what the engine shows, and operators know it.
    pub(super) fn is_plain(self) -> bool {
        !matches!(self, Self::Array | Self::Random | Self::Uuid | Self::Sample | Self::Assertion)
    }

    /// Whether its text is what the engine shows.
    pub(super) fn is_shown(self) -> bool {
        self.is_plain() || self == Self::Uuid
    }

    /// Whether what wants a `String` takes it. Groovy makes one of a text with values in it.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::GString)
    }

    /// The kind of a text that Java gives.
    pub(super) fn foreign_text(language: Language) -> Self {
        if language == Language::JavaScript { Self::JavaText } else { Self::Text }
    }

    /// The kind of what is one or the other.
    pub(super) fn or(self, other: Self) -> Option<Self> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Self::Text, Self::Null) | (Self::Null, Self::Text) => Some(Self::Text),
            // What engines make of such a value depends on which it is.
            (Self::GString | Self::Boolean, _) | (_, Self::GString | Self::Boolean) => None,
            // Groovy makes both of one type.
            (a, b) if a.is_number() && b.is_number() => None,
            (a, b) if a.is_plain() && b.is_plain() => Some(Self::Plain),
            _ => None,
        }
    }
}

impl ValueType {
    /// Whether it has methods of its own rather than those of texts and numbers.
    pub(super) fn is_object(self) -> bool {
        matches!(self, Self::Array | Self::Random | Self::Uuid | Self::Sample | Self::Assertion)
    }
}
