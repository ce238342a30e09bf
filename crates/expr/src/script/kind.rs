//! The kinds of values that an expression may have, known when it is parsed.

use std::fmt;

/// A set of kinds. `TEXT | NULL` is a text that may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind(u16);

impl Kind {
    pub(super) const NULL: Self = Self(1);
    /// Nothing: what calls give that are made for their effect.
    pub(super) const VOID: Self = Self(4096);
    /// `undefined` of JavaScript.
    pub(super) const UNDEFINED: Self = Self(2);
    pub(super) const BOOLEAN: Self = Self(4);
    /// `int` and `Integer` of Groovy and BeanShell.
    pub(super) const INT: Self = Self(8);
    /// `long` and `Long` of Groovy and BeanShell.
    pub(super) const LONG: Self = Self(16);
    /// A whole number of JEXL, which is as wide as it needs to be.
    pub(super) const WHOLE: Self = Self(32);
    /// `double` of JEXL, and each number of JavaScript.
    pub(super) const DOUBLE: Self = Self(64);
    /// A `String`; in JavaScript a native string.
    pub(super) const TEXT: Self = Self(128);
    /// A `String` of Java in JavaScript, where it is an object.
    pub(super) const JAVA_TEXT: Self = Self(256);
    /// A value that a reference (`${...}`) has only when the test runs. The script is typed again
    /// then.
    pub(super) const LATER: Self = Self(512);
    /// `prev`, `SampleResult`: only its methods are known.
    pub(super) const SAMPLE: Self = Self(1024);
    /// `AssertionResult`: only its methods are known.
    pub(super) const RESULT: Self = Self(2048);
    pub(super) const MAYBE_TEXT: Self = Self::TEXT.or(Self::NULL);
    pub(super) const MAYBE_JAVA_TEXT: Self = Self::JAVA_TEXT.or(Self::NULL);
    /// The whole numbers of Groovy and BeanShell.
    pub(super) const INTEGRAL: Self = Self::INT.or(Self::LONG);

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all values of this kind are of the other, too.
    pub(super) const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    pub(super) const fn may_be(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it has a text, and scripts can hold it in a variable.
    pub(super) const fn is_plain(self) -> bool {
        !self.may_be(Self::SAMPLE.or(Self::RESULT).or(Self::VOID))
    }

    /// Whether its text is known where it is a script's value.
    pub(super) const fn is_shown(self) -> bool {
        !self.may_be(Self::SAMPLE.or(Self::RESULT))
    }

    /// Whether what takes the other takes this. What is known later fits now.
    pub(super) fn fits(self, other: Self) -> bool {
        self == Self::LATER || self.is_within(other)
    }

    /// The kind of what is either one or the other; none where operators would have to ask which.
    pub(super) fn joined(self, other: Self) -> Option<Self> {
        let is_later = self.or(other).may_be(Self::LATER);
        let texts = Self::MAYBE_TEXT;
        match (self, other) {
            _ if is_later => Some(Self::LATER),
            (a, b) if a == b => Some(a),
            (a, b) if a.is_within(texts) && b.is_within(texts) => Some(a.or(b)),
            _ => None,
        }
    }
}

impl Kind {
    /// The names of the kinds in the set, as users read them.
    pub(super) fn names(self) -> Vec<&'static str> {
        const NAMES: [(Kind, &str); 12] = [
            (Kind::BOOLEAN, "boolean"),
            (Kind::INT, "int"),
            (Kind::LONG, "long"),
            (Kind::WHOLE, "whole number"),
            (Kind::DOUBLE, "number"),
            (Kind::TEXT, "text"),
            (Kind::JAVA_TEXT, "text of Java"),
            (Kind::NULL, "null"),
            (Kind::UNDEFINED, "undefined"),
            (Kind::VOID, "nothing"),
            (Kind::SAMPLE, "sample"),
            (Kind::RESULT, "assertion result"),
        ];
        NAMES.iter().filter(|(kind, _)| self.may_be(*kind)).map(|(_, name)| *name).collect()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().join(" or "))
    }
}
