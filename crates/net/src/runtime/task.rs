//! Local tasks.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::waker::TaskKey;
use super::{keep_waker, try_core, with_core};

struct Outcome<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// A spawned task: a future of its result. Dropping it leaves the task running.
pub struct Task<T> {
    key: TaskKey,
    outcome: Rc<RefCell<Outcome<T>>>,
}

/// Runs a future beside the current one, on this thread.
///
/// # Panics
/// Outside of [`super::Runtime::block_on`].
pub fn spawn<F>(future: F) -> Task<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    let outcome = Rc::new(RefCell::new(Outcome { value: None, waker: None }));
    let place = outcome.clone();
    let future = Box::pin(async move {
        let value = future.await;
        let mut outcome = place.borrow_mut();
        outcome.value = Some(value);
        let waker = outcome.waker.take();
        drop(outcome);
        if let Some(waker) = waker {
            waker.wake();
        }
    });
    let key = with_core(|core| core.tasks.borrow_mut().add(future));
    Task { key, outcome }
}

impl<T> Task<T> {
    /// Ends the task at its next point of waiting. Awaiting it afterwards never ends.
    pub fn abort(&self) {
        let ended = try_core(|core| core.tasks.borrow_mut().abort(self.key));
        drop(ended);
    }

    /// Whether its result is there.
    pub fn is_finished(&self) -> bool {
        self.outcome.borrow().value.is_some()
    }
}

impl<T> Future for Task<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut outcome = self.outcome.borrow_mut();
        if let Some(value) = outcome.value.take() {
            return Poll::Ready(value);
        }
        keep_waker(&mut outcome.waker, cx);
        Poll::Pending
    }
}
