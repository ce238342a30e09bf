//! Why a text is not a load profile.

use std::fmt;

/// Why a text is not a load profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    /// What is wrong, and what is expected.
    pub why: String,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for ShapeError {}

pub(crate) fn wrong<T>(why: impl Into<String>) -> Result<T, ShapeError> {
    Err(ShapeError { why: why.into() })
}
