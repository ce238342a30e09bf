//! Messages of a trial during its run. The caller decides where they go.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use swell_results::WriteFailure;

/// An event, as a value.
#[derive(Debug)]
pub enum Message<'a> {
    /// Metrics of a Prometheus Listener can be fetched at this address.
    MetricsAt(SocketAddr),
    /// The trial is stopped since no server was reached for so long
    /// ([`crate::TrialSettings::give_up`]).
    GivenUp {
        /// How long.
        waited: Duration,
    },
    /// Elements that other code runs can run no more, for this reason; the trial is stopped at
    /// once.
    Broken(&'a str),
    /// Something about the machines of a test that several make together.
    Fleet(&'a str),
    /// A results file cannot be written any more; the trial continues, and
    /// [`crate::TrialReport::write_failures`] has the final counts.
    ResultsFail(&'a WriteFailure),
    /// Pieces of a results file cannot be compressed or deleted; nothing is lost.
    Rotation(&'a str),
    /// The log cannot be written; nothing more is logged.
    LogFails(&'a io::Error),
    /// A source of figures of the target fails, or is there again.
    Monitor(&'a str),
    /// A function or an element of the plan prints a line (`System.out.println`, `__log` to `OUT`).
    Printed {
        /// The line as the plan has it: what a response put into it may hold control characters.
        line: &'a str,
        /// For standard error, and not for standard output.
        to_stderr: bool,
    },
}

/// Receives messages. It is called on the thread of the event, which may be a worker, so it should
/// not block for long.
pub type MessageSink = Arc<dyn Fn(Message<'_>) + Send + Sync>;
