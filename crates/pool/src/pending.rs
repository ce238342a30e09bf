//! Waits for work on another thread.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use crate::{Cancel, CancelReason};

/// Why work has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkError {
    /// As much work waits as may; how much that is.
    Full(usize),
    /// The pool was closed.
    Closed,
    /// No thread could be started; the system's reason.
    NoThread(String),
    /// It was cancelled before it ran.
    Cancelled(CancelReason),
    /// It panicked; what it said.
    Panicked(String),
}

impl fmt::Display for WorkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(limit) => write!(f, "{limit} calls are already waiting for a thread"),
            Self::Closed => f.write_str("the run has ended"),
            Self::NoThread(reason) => write!(f, "cannot start a thread: {reason}"),
            Self::Cancelled(reason) => write!(f, "cancelled before it ran: {reason}"),
            Self::Panicked(message) => write!(f, "internal error: {message}"),
        }
    }
}

impl std::error::Error for WorkError {}

struct Slot<T> {
    result: Option<Result<T, WorkError>>,
    waker: Option<Waker>,
}

/// The place for the result of some work.
pub(crate) struct Answer<T>(Arc<Mutex<Slot<T>>>);

/// The future result of some work, for a task of any event loop whose wakers may be used from other
/// threads. Dropping it before it is ready cancels the work ([`CancelReason::Abandoned`]).
#[must_use = "dropping it cancels the work"]
pub struct Pending<T> {
    slot: Arc<Mutex<Slot<T>>>,
    cancel: Cancel,
    is_over: bool,
}

pub(crate) fn pending<T>(cancel: Cancel) -> (Answer<T>, Pending<T>) {
    let slot = Arc::new(Mutex::new(Slot { result: None, waker: None }));
    (Answer(slot.clone()), Pending { slot, cancel, is_over: false })
}

impl<T> Answer<T> {
    pub(crate) fn give(self, result: Result<T, WorkError>) {
        let mut slot = self.0.lock();
        slot.result = Some(result);
        let waker = slot.waker.take();
        drop(slot);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Pending<T> {
    /// The token of the work.
    pub fn token(&self) -> &Cancel {
        &self.cancel
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, WorkError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut slot = self.slot.lock();
        if let Some(result) = slot.result.take() {
            drop(slot);
            self.is_over = true;
            return Poll::Ready(result);
        }
        if !slot.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            slot.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        if !self.is_over {
            self.cancel.cancel(CancelReason::Abandoned);
        }
    }
}
