//! Waking all tasks of this thread that wait for something.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::task::{Poll, Waker};

/// A place to wait at. Local to its thread.
#[derive(Debug, Default)]
pub struct Notify {
    times: Cell<u64>,
    waiting: RefCell<Vec<Waker>>,
}

impl Notify {
    /// Wakes everybody who waits now.
    pub fn notify_all(&self) {
        self.times.set(self.times.get() + 1);
        let waiting = std::mem::take(&mut *self.waiting.borrow_mut());
        for waker in waiting {
            waker.wake();
        }
    }

    /// Waits for the next [`Notify::notify_all`] after this call (not after its first poll).
    pub fn notified(&self) -> impl Future<Output = ()> + '_ {
        let seen = self.times.get();
        let mut waiting = false;
        std::future::poll_fn(move |cx| {
            if self.times.get() != seen {
                return Poll::Ready(());
            }
            if !waiting {
                waiting = true;
                self.waiting.borrow_mut().push(cx.waker().clone());
            }
            Poll::Pending
        })
    }
}
