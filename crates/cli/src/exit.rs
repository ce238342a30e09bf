//! Exit status and the last word of a command that cannot go on.

/// Exit status of `swell`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// The test ran to its end, and a sample succeeded.
    Fine = 0,
    /// `doctor` found something that will spoil a test.
    Spoiled = 1,
    /// Samples were taken, and not one of them succeeded, or nearly none was answered.
    NothingSucceeded = 98,
    /// A threshold was broken.
    ThresholdBroken = 99,
    /// Bad plan or settings.
    Settings = 104,
    /// Interrupted by the user.
    Interrupted = 105,
    /// A script ended the test: it was not understood while that ran, took too long, called `System.exit`, or crashed the JVM.
    EndedByScript = 107,
    /// A fault of the tool: numbers may be incomplete.
    Broken = 109,
    /// The verdict is DEGRADED, and `--strict` was asked for; a comparison cannot tell, and `--fail-on-unknown` was.
    Degraded = 110,
    /// The verdict is INVALID, and `--strict` was asked for.
    Invalid = 111,
    /// Results could not be written whole; the summary has them all.
    ResultsLost = 112,
    /// Nothing ran.
    NothingRan = 113,
}

/// Why a command cannot go on.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn settings(message: impl Into<String>) -> Self {
        Self { exit: Exit::Settings, message: message.into(), hint: None }
    }

    /// Something that the run leaves cannot be written.
    pub(crate) fn lost(message: impl Into<String>) -> Self {
        Self { exit: Exit::ResultsLost, ..Self::settings(message) }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}
