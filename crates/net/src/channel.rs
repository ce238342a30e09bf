//! A channel from any thread to a task of a loop, or to a thread that waits
//! ([`crate::wait_for()`]).

use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

struct State<T> {
    queue: VecDeque<T>,
    waker: Option<Waker>,
    senders: usize,
    receiver: bool,
}

/// The sending end, usable by any number of threads.
pub struct Sender<T>(Arc<Mutex<State<T>>>);

/// The receiving end, for one task.
pub struct Receiver<T>(Arc<Mutex<State<T>>>);

/// A queue from any thread to a task. It is unbounded: the sender must bound what it sends
/// (commands, answers to requests).
pub fn channel<T: Send>() -> (Sender<T>, Receiver<T>) {
    let state = State { queue: VecDeque::new(), waker: None, senders: 1, receiver: true };
    let shared = Arc::new(Mutex::new(state));
    (Sender(shared.clone()), Receiver(shared))
}

impl<T> Sender<T> {
    /// Sends; the value comes back if the receiver is gone.
    ///
    /// # Errors
    /// The receiver is gone.
    pub fn send(&self, value: T) -> Result<(), T> {
        let mut state = self.0.lock();
        if !state.receiver {
            return Err(value);
        }
        state.queue.push_back(value);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.0.lock().senders += 1;
        Self(self.0.clone())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.senders -= 1;
        let waker = if state.senders == 0 { state.waker.take() } else { None };
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The reason why no value was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecvError {
    /// The instant came first.
    TimedOut,
    /// All senders are gone and nothing is left.
    Closed,
}

impl<T> Receiver<T> {
    /// The next value; none when all senders are gone and nothing is left.
    pub async fn recv(&mut self) -> Option<T> {
        std::future::poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// The next value, up to an instant of [`crate::now_ns`]; `i64::MAX`: however late it comes.
    ///
    /// # Errors
    /// The instant came first, or all senders are gone.
    pub async fn recv_until(&mut self, until_ns: i64) -> Result<T, RecvError> {
        if until_ns == i64::MAX {
            return self.recv().await.ok_or(RecvError::Closed);
        }
        let mut timer = pin!(crate::wait_for::until(until_ns));
        std::future::poll_fn(|cx| match self.poll_recv(cx) {
            Poll::Ready(value) => Poll::Ready(value.ok_or(RecvError::Closed)),
            Poll::Pending => timer.as_mut().poll(cx).map(|()| Err(RecvError::TimedOut)),
        })
        .await
    }

    fn poll_recv(&mut self, cx: &Context<'_>) -> Poll<Option<T>> {
        let mut state = self.0.lock();
        if let Some(value) = state.queue.pop_front() {
            return Poll::Ready(Some(value));
        }
        if state.senders == 0 {
            return Poll::Ready(None);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// A value that is there already.
    pub fn try_recv(&mut self) -> Option<T> {
        self.0.lock().queue.pop_front()
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.receiver = false;
        let left = std::mem::take(&mut state.queue);
        drop(state);
        drop(left);
    }
}
