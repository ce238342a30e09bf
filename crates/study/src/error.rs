//! Why a study ended before it had its answer, and on whose side the cause is.

use std::fmt;

/// Why a study ended. `F` is a failure of its caller, as the caller has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyError<F> {
    /// The caller could not make, observe or keep a trial, or does not allow it.
    Caller(F),
    /// What was asked for cannot be measured: a load above the ceiling, a trial without a second
    /// that counts, a server command without a setting.
    Settings(String),
    /// The server under test did not start.
    Server(String),
    /// This machine cannot run a trial.
    Machine(String),
}

impl<F> StudyError<F> {
    /// No thread could be had.
    pub(crate) fn no_thread(error: &std::io::Error) -> Self {
        Self::Machine(format!("cannot start a thread: {error}"))
    }
}

impl<F> From<F> for StudyError<F> {
    fn from(failure: F) -> Self {
        Self::Caller(failure)
    }
}

impl<F: fmt::Display> fmt::Display for StudyError<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caller(failure) => failure.fmt(f),
            Self::Settings(why) | Self::Server(why) | Self::Machine(why) => f.write_str(why),
        }
    }
}
