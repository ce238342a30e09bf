//! Exit status and the last word of a command that cannot go on.

use swell_session::{Ending, Problem, ProblemKind};
use swell_study::StudyError;

/// Exit status of `swell`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// The test ran to its end, and a sample succeeded.
    Fine = 0,
    /// A command that looks for something found it: `doctor` a limit that distorts a test, `diff` a
    /// difference, `lint` a warning, `fmt --check` another layout, `import` a part that the plan
    /// lacks.
    Found = 1,
    /// Samples were taken, and not one of them succeeded, or nearly none was answered.
    NothingSucceeded = 98,
    /// A threshold was broken.
    ThresholdBroken = 99,
    /// Bad plan or settings.
    Settings = 104,
    /// Interrupted by the user.
    Interrupted = 105,
    /// A script ended the test: it was not understood while that ran, took too long, called
    /// `System.exit`, or crashed the JVM.
    EndedByScript = 107,
    /// A fault of the tool: numbers may be incomplete.
    Broken = 109,
    /// The verdict is DEGRADED, and `--strict` was asked for; a comparison cannot tell, and
    /// `--fail-on-unknown` was.
    Degraded = 110,
    /// The verdict is INVALID, and `--strict` was asked for.
    Invalid = 111,
    /// Results could not be written whole; the summary has them all.
    ResultsLost = 112,
    /// Nothing ran.
    NothingRan = 113,
}

impl From<Ending> for Exit {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Completed => Self::Fine,
            Ending::NothingSucceeded => Self::NothingSucceeded,
            Ending::ThresholdBroken => Self::ThresholdBroken,
            Ending::Settings => Self::Settings,
            Ending::Interrupted => Self::Interrupted,
            Ending::ByScript => Self::EndedByScript,
            Ending::Broken => Self::Broken,
            Ending::Degraded => Self::Degraded,
            Ending::Invalid => Self::Invalid,
            Ending::ResultsLost => Self::ResultsLost,
            Ending::NothingRan => Self::NothingRan,
        }
    }
}

/// Why a command cannot continue.
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

    /// The message with its hint, for a page.
    pub(crate) fn sentence(&self) -> String {
        let hint = self.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{}{hint}", self.message)
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        let exit = match problem.kind {
            ProblemKind::Settings => Exit::Settings,
            ProblemKind::Output => Exit::ResultsLost,
        };
        Self { exit, message: problem.message, hint: problem.hint }
    }
}

impl From<StudyError<Self>> for Failure {
    fn from(error: StudyError<Self>) -> Self {
        match error {
            StudyError::Caller(failure) => failure,
            StudyError::Settings(why) | StudyError::Server(why) | StudyError::Machine(why) => {
                Self::settings(why)
            }
        }
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        let kind =
            if failure.exit == Exit::ResultsLost { ProblemKind::Output } else { ProblemKind::Settings };
        Self { kind, message: failure.message, hint: failure.hint }
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
