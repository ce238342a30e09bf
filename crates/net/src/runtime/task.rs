//! Local tasks.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};

use super::waker::TaskKey;
use super::{keep_waker, try_core, with_core};

struct Outcome<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// A handle of a spawned task: a future of its result. Dropping it leaves the task running.
pub struct Task<T> {
    key: TaskKey,
    outcome: Rc<RefCell<Outcome<T>>>,
}

/// Runs a future concurrently with the current one, on this thread.
///
/// # Panics
/// Outside of [`super::Runtime::block_on`].
pub fn spawn<F>(future: F) -> Task<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    let outcome = Rc::new(RefCell::new(Outcome { value: None, waker: None }));
    let future = Box::pin(SpawnedTask { future, outcome: outcome.clone() });
    let key = with_core(|core| core.tasks.borrow_mut().add(future));
    Task { key, outcome }
}

/// Like [`spawn`], for a task that is neither awaited nor aborted: the task is only its future.
///
/// # Panics
/// Outside of [`super::Runtime::block_on`].
pub fn spawn_detached(future: impl Future<Output = ()> + 'static) {
    let future = Box::pin(future);
    with_core(|core| core.tasks.borrow_mut().add(future));
}

/// A task's future with the place of its value. Written by hand: an asynchronous block would keep
/// the future twice, as what it was given and as what it waits for.
struct SpawnedTask<F: Future> {
    future: F,
    outcome: Rc<RefCell<Outcome<F::Output>>>,
}

impl<F: Future> Future for SpawnedTask<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let (future, outcome) = pinned(self);
        let value = ready!(future.poll(cx));
        let mut outcome = outcome.borrow_mut();
        outcome.value = Some(value);
        let waker = outcome.waker.take();
        drop(outcome);
        if let Some(waker) = waker {
            waker.wake();
        }
        Poll::Ready(())
    }
}

#[expect(unsafe_code, reason = "pin projection has no safe form")]
fn pinned<F: Future>(spawned: Pin<&mut SpawnedTask<F>>) -> (Pin<&mut F>, &RefCell<Outcome<F::Output>>) {
    // SAFETY: `future` is pinned as `SpawnedTask` is: nothing moves it, `SpawnedTask` does not
    // implement `Drop`, and is `Unpin` only if `F` is. `outcome` is not pinned.
    let SpawnedTask { future, outcome } = unsafe { spawned.get_unchecked_mut() };
    // SAFETY: as above.
    (unsafe { Pin::new_unchecked(future) }, outcome)
}

impl<T> Task<T> {
    /// Ends the task at its next point of waiting. Awaiting it afterwards never ends.
    pub fn abort(&self) {
        let ended = try_core(|core| core.tasks.borrow_mut().abort(self.key));
        drop(ended);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_holds_its_future_once() {
        fn size<F: Future>(_: &F) -> (usize, usize) {
            (size_of::<SpawnedTask<F>>(), size_of::<F>())
        }
        let large = [0_u8; 1000];
        let (task, future) = size(&async move {
            super::super::yield_now().await;
            large[0]
        });
        assert!(task < future + 2 * size_of::<usize>(), "{task} for {future}");
    }
}
