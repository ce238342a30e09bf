//! What reaches the thread that watches a trial.

use ratatui::crossterm::event::KeyEvent;

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
    /// Something happened at the terminal of the full-screen view.
    Input(Input),
}

/// What happened at the terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input {
    Key(KeyEvent),
    /// Its size is another one.
    Resized,
}

/// Told of a change of the run: its kind in the journal, and what was done.
pub(crate) type Announce = Box<dyn Fn(&str, String)>;
