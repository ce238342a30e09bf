//! Tells work on another thread that its result is no longer needed.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

/// Why work was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelReason {
    /// Its user waits no longer: the test or the user was stopped at once.
    Abandoned,
    /// The run has ended.
    RunEnded,
    /// It took longer than it may.
    TimedOut,
}

impl fmt::Display for CancelReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Abandoned => "its user was stopped",
            Self::RunEnded => "the run has ended",
            Self::TimedOut => "its time limit has passed",
        })
    }
}

type Hook = Box<dyn FnOnce(CancelReason) + Send>;

#[derive(Default)]
struct State {
    reason: Option<CancelReason>,
    hook: Option<Hook>,
}

/// A token of one piece of work; clones belong to the same work. Cancelling is a request: the work
/// decides whether and when it stops.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Mutex<State>>);

impl Cancel {
    /// Why the work was cancelled; `None` while it is awaited.
    pub fn reason(&self) -> Option<CancelReason> {
        self.0.lock().reason
    }

    /// Cancels the work; the first reason counts.
    pub fn cancel(&self, reason: CancelReason) {
        let mut state = self.0.lock();
        if state.reason.is_some() {
            return;
        }
        state.reason = Some(reason);
        let hook = state.hook.take();
        drop(state);
        if let Some(hook) = hook {
            hook(reason);
        }
    }

    /// Calls `hook` when the work is cancelled, on the thread that cancels it; at once if that has
    /// happened. It must not block. The last hook counts, and only until [`Cancel::unhook`].
    pub fn on_cancel(&self, hook: impl FnOnce(CancelReason) + Send + 'static) {
        let mut state = self.0.lock();
        match state.reason {
            None => state.hook = Some(Box::new(hook)),
            Some(reason) => {
                drop(state);
                hook(reason);
            }
        }
    }

    /// Removes the hook: the work it would interrupt has finished.
    pub fn unhook(&self) {
        self.0.lock().hook = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn the_hook_is_called_once_with_the_first_reason() {
        let cancel = Cancel::default();
        let (sender, calls) = channel();
        assert_eq!(cancel.reason(), None);
        let first = sender.clone();
        cancel.on_cancel(move |reason| first.send(reason).expect("it is received"));
        cancel.clone().cancel(CancelReason::TimedOut);
        cancel.cancel(CancelReason::RunEnded);
        assert_eq!(cancel.reason(), Some(CancelReason::TimedOut));
        cancel.on_cancel(move |reason| sender.send(reason).expect("it is received"));
        assert_eq!(calls.try_iter().collect::<Vec<_>>(), [CancelReason::TimedOut; 2]);
    }

    #[test]
    fn a_hook_that_was_taken_away_is_not_called() {
        let cancel = Cancel::default();
        cancel.on_cancel(|reason| panic!("called with {reason}"));
        cancel.unhook();
        cancel.cancel(CancelReason::Abandoned);
    }
}
