//! Why a script has no value.

use std::fmt;

/// A feature that only a script engine supports, as a sentence that names the script's token.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Unsupported(pub(crate) String);

impl Unsupported {
    /// `word` is the text in the script.
    pub(crate) fn word(word: impl fmt::Display) -> Self {
        Self(format!("`{word}` needs a script engine"))
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a script has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptFailure {
    /// JMeter's engine throws, too: the element fails as it does there.
    Exception(String),
    /// It is unknown what JMeter's engine would do: the test cannot continue.
    Unsupported(Unsupported),
}

impl fmt::Display for ScriptFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exception(reason) => f.write_str(reason),
            Self::Unsupported(reason) => reason.fmt(f),
        }
    }
}

impl From<Unsupported> for ScriptFailure {
    fn from(reason: Unsupported) -> Self {
        Self::Unsupported(reason)
    }
}

/// An exception of the engine.
pub(crate) fn exception(reason: impl Into<String>) -> ScriptFailure {
    ScriptFailure::Exception(reason.into())
}

/// Something unsupported. The sentence names the token.
pub(crate) fn unsupported(reason: impl Into<String>) -> ScriptFailure {
    ScriptFailure::Unsupported(Unsupported(reason.into()))
}
