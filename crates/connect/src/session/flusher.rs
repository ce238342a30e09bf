//! Sends what several exchanges have written at once.

use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use swell_net::{AtTurnEnd, at_turn_end, spawn_detached};

use super::{Inner, Session, SessionError, Shared};

/// How far the frames are that wait to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Flush {
    #[default]
    Nothing,
    /// At the end of the turn.
    AtTurnEnd,
    /// The flusher waits until the connection takes more: whatever is written meanwhile goes with
    /// it.
    AwaitsRoom,
}

impl Session {
    /// Sends what was written: at once where one exchange has the connection for itself, otherwise
    /// when the tasks that are ready have written theirs.
    pub(super) fn flush(&self, is_alone: bool) {
        match self.0.flush.get() {
            Flush::Nothing if is_alone => self.0.clone().send(),
            Flush::Nothing => {
                self.0.flush.set(Flush::AtTurnEnd);
                at_turn_end(self.0.clone());
            }
            Flush::AtTurnEnd | Flush::AwaitsRoom => {}
        }
    }
}

impl AtTurnEnd for Shared {
    fn at_turn_end(self: Rc<Self>) {
        if self.flush.get() == Flush::AtTurnEnd {
            self.send();
        }
    }
}

impl Shared {
    /// Sends what the connection takes; the flusher sends the rest.
    fn send(self: Rc<Self>) {
        if self.poll_send(&Context::from_waker(Waker::noop())).is_pending() {
            self.await_room();
        }
    }

    fn poll_send(&self, cx: &Context<'_>) -> Poll<()> {
        let mut inner = self.inner.borrow_mut();
        let flushed = inner.poll_flush(cx);
        self.flush.set(if flushed.is_pending() { Flush::AwaitsRoom } else { Flush::Nothing });
        flushed.map(|sent| {
            if let Err(error) = sent {
                note_unsent(&mut inner, &error);
            }
        })
    }

    /// Lets the flusher send as soon as there is room.
    #[cold]
    fn await_room(self: Rc<Self>) {
        if let Some(waker) = &*self.flusher.borrow() {
            waker.wake_by_ref();
            return;
        }
        let shared = Rc::downgrade(&self);
        spawn_detached(poll_fn(move |cx| poll_flushes(&shared, cx)));
    }
}

/// The connection broke while something was sent. What the server said before is to be read.
fn note_unsent(inner: &mut Inner, error: &SessionError) {
    let noop = Context::from_waker(Waker::noop());
    while inner.broken.is_none() && inner.poll_read(&noop, None).is_ready() {}
    inner.break_off(error);
}

/// The task of a session whose server did not take all at once, which ends with it.
fn poll_flushes(shared: &Weak<Shared>, cx: &Context<'_>) -> Poll<()> {
    let Some(shared) = shared.upgrade() else { return Poll::Ready(()) };
    shared.flusher.borrow_mut().get_or_insert_with(|| cx.waker().clone());
    if shared.flush.get() == Flush::AwaitsRoom {
        // If it does not take all, it wakes this task again.
        let _ = shared.poll_send(cx);
    }
    Poll::Pending
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(waker) = self.flusher.take() {
            waker.wake();
        }
    }
}
