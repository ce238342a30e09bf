//! What reaches a run from outside: signals, commands, messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};

use crate::observer::{Event, EventSink};
use crate::stopping::Signal;

/// A command to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `Shutdown` of JMeter: no new samples are started.
    Stop,
    /// `StopTestNow` of JMeter: running samples are aborted.
    StopNow,
}

/// What reaches the thread that waits for a run.
pub(crate) enum Request {
    /// There are seconds to show, or the run has finished.
    Seconds,
    Signal(Signal),
    Command(Command),
    Event(Event),
}

/// Sends requests to a run, from any thread. Clones send to the same run.
#[derive(Clone)]
pub struct Requests {
    to: Sender<Request>,
    /// A signal wants the end.
    interrupted: Arc<AtomicBool>,
}

/// The other end of [`Requests`], for [`crate::Session::run`].
pub struct Inbox {
    pub(crate) from: Receiver<Request>,
    pub(crate) requests: Requests,
}

impl Requests {
    /// Requests to a run, and its end of them.
    pub fn new() -> (Self, Inbox) {
        let (to, from) = mpsc::channel();
        let requests = Self { to, interrupted: Arc::default() };
        (requests.clone(), Inbox { from, requests })
    }

    /// A signal has come. Says whether the run still takes requests.
    pub fn signal(&self, signal: Signal) -> bool {
        if signal != Signal::Dump {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        self.send(Request::Signal(signal))
    }

    /// A command has come. Says whether the run still takes requests.
    pub fn command(&self, command: Command) -> bool {
        self.send(Request::Command(command))
    }

    /// Shows a line between those of the run.
    pub fn say(&self, line: impl Into<String>) {
        self.send(Request::Event(Event::Notice(line.into())));
    }

    /// Set when a signal wants the end.
    pub fn interrupted(&self) -> &Arc<AtomicBool> {
        &self.interrupted
    }

    /// Where messages of the run go.
    pub fn events(&self) -> EventSink {
        let requests = self.clone();
        Arc::new(move |event| {
            requests.send(Request::Event(event));
        })
    }

    pub(crate) fn seconds(&self) -> impl Fn() + Send + Sync + 'static {
        let requests = self.clone();
        move || {
            requests.send(Request::Seconds);
        }
    }

    /// False only after the end of the run.
    fn send(&self, request: Request) -> bool {
        self.to.send(request).is_ok()
    }
}
