//! A value of the command line with its text, for another program that gets the same option.

use std::fmt;
use std::str::FromStr;

/// A value with its text.
#[derive(Clone)]
pub(crate) struct Given<T> {
    pub(crate) value: T,
    /// It may hold a password.
    pub(crate) text: String,
}

impl<T: FromStr> FromStr for Given<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        Ok(Self { value: text.parse()?, text: text.to_owned() })
    }
}

impl<T: fmt::Debug> fmt::Debug for Given<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
