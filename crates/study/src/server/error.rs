//! What can go wrong with a server.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use super::UnknownSetting;

/// A server that ended without being stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// Its command.
    pub command: String,
    /// How its first process ended.
    pub status: ExitStatus,
    /// The last lines of its output, 20 at most.
    pub last_lines: Vec<String>,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, status, last_lines } = self;
        match (status.code(), status.signal()) {
            (Some(code), _) => write!(f, "the server exited with status {code}")?,
            (None, Some(signal)) => write!(f, "the server was killed by signal {signal}")?,
            (None, None) => f.write_str("the server exited")?,
        }
        write!(f, ": {command}")?;
        lines(f, last_lines)
    }
}

/// Why a server is not there.
#[derive(Debug)]
pub enum ServerError {
    /// A text names a setting that there is not.
    Setting(UnknownSetting),
    /// The system did not start it.
    Start(io::Error),
    /// It ended before it was ready.
    Died(Death),
    /// It was not ready in time.
    NotReady {
        /// Its command.
        command: String,
        /// The awaited sign, as text.
        waited_for: String,
        /// The time it had.
        within: Duration,
        /// The last lines of its output, 20 at most.
        last_lines: Vec<String>,
    },
    /// The caller did not want to wait any longer.
    GivenUp,
    /// A hook failed.
    Hook(Death),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(error) => error.fmt(f),
            Self::Start(error) => write!(f, "cannot start the server: {error}"),
            Self::Died(death) => write!(f, "before it was ready, {death}"),
            Self::NotReady { command, waited_for, within, last_lines } => {
                write!(f, "the server was not ready within {} s: {command}\n  ", within.as_secs_f64())?;
                write!(f, "waited for {waited_for}")?;
                lines(f, last_lines)
            }
            Self::GivenUp => f.write_str("interrupted during the start of the server"),
            Self::Hook(death) => {
                let text = death.to_string();
                f.write_str(&text.replacen("the server", "the hook", 1))
            }
        }
    }
}

impl std::error::Error for ServerError {}

fn lines(f: &mut fmt::Formatter<'_>, last: &[String]) -> fmt::Result {
    if last.is_empty() {
        return f.write_str("\n  it printed nothing");
    }
    f.write_str("\n  the last lines it printed:")?;
    last.iter().try_for_each(|line| write!(f, "\n  | {line}"))
}
