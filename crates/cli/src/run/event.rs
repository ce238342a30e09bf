//! What reaches the thread that watches a trial.

use super::commands::Command;
use crate::signals::Signal;

/// What reaches the watch.
pub(crate) enum Event {
    /// There are seconds of the trial to show, or it is over.
    Seconds,
    /// A signal of the system.
    Signal(Signal),
    /// A command by UDP.
    Command(Command),
    /// The trial says something.
    Say(String),
}
