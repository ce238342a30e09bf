//! Sends what several exchanges have written at once.

use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};

use swell_net::spawn_detached;

use super::{Session, SessionError, Shared};

impl Session {
    /// Sends what was written: at once where one exchange has the connection for itself, otherwise
    /// when the tasks that are ready have written theirs.
    pub(super) fn flush(&self, cx: &Context<'_>, is_alone: bool) {
        if !is_alone || self.0.flush_due.get() {
            self.flush_later();
            return;
        }
        let mut inner = self.0.inner.borrow_mut();
        match inner.poll_flush(cx) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(error)) => note_unsent(&mut inner, &error),
            Poll::Pending => {
                drop(inner);
                self.flush_later();
            }
        }
    }

    pub(super) fn flush_later(&self) {
        if self.0.flush_due.replace(true) {
            return;
        }
        let waker = self.0.flusher.borrow_mut().take();
        if let Some(waker) = waker {
            waker.wake();
        } else {
            let shared = Rc::downgrade(&self.0);
            spawn_detached(poll_fn(move |cx| poll_flushes(&shared, cx)));
        }
    }
}

/// The connection broke while something was sent. What the server said before is to be read.
fn note_unsent(inner: &mut super::Inner, error: &SessionError) {
    let noop = Context::from_waker(std::task::Waker::noop());
    while inner.broken.is_none() && inner.poll_read(&noop, None).is_ready() {}
    inner.break_off(error);
}

/// The task of a session with several exchanges, which ends with it.
fn poll_flushes(shared: &Weak<Shared>, cx: &Context<'_>) -> Poll<()> {
    let Some(shared) = shared.upgrade() else { return Poll::Ready(()) };
    if shared.flush_due.get() {
        let mut inner = shared.inner.borrow_mut();
        match inner.poll_flush(cx) {
            Poll::Ready(Ok(())) => shared.flush_due.set(false),
            Poll::Ready(Err(error)) => {
                shared.flush_due.set(false);
                note_unsent(&mut inner, &error);
            }
            Poll::Pending => return Poll::Pending,
        }
    }
    *shared.flusher.borrow_mut() = Some(cx.waker().clone());
    Poll::Pending
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(waker) = self.flusher.take() {
            waker.wake();
        }
    }
}
