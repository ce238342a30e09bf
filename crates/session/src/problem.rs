//! Why something that the user asked for cannot be done.

use std::fmt;

use swell_results::run_folder::ReadError;

/// What a problem concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The plan, an option or a property: the run cannot begin.
    Settings,
    /// A file that the run leaves cannot be written.
    Output,
}

/// Why something that the user asked for cannot be done, in one line, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it concerns.
    pub kind: ProblemKind,
    /// What happened, and to what.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// An option, a property or a plan that cannot be used.
    pub fn settings(message: impl Into<String>) -> Self {
        Self { kind: ProblemKind::Settings, message: message.into(), hint: None }
    }

    /// A file that cannot be written.
    pub fn output(message: impl Into<String>) -> Self {
        Self { kind: ProblemKind::Output, ..Self::settings(message) }
    }

    /// With what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        Self::settings(error.to_string())
    }
}
