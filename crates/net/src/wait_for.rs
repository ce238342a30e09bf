//! Waits on a thread without an event loop for a future that others wake.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use crate::runtime;

thread_local! {
    /// When the future that this thread waits for wants to be polled, on the clock of
    /// [`crate::now_ns`].
    static WANTED_NS: Cell<i64> = const { Cell::new(i64::MAX) };
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks this thread until a future has ended. The future may use channels
/// ([`crate::Receiver`]), and no sockets, tasks or sleeps, which need a loop.
///
/// # Panics
/// On a thread that runs a loop, which it would stop.
pub fn wait_for<F: Future>(future: F) -> F::Output {
    assert!(runtime::try_core(|_| ()).is_none(), "a task of an event loop must not block its thread");
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        WANTED_NS.set(i64::MAX);
        if let Poll::Ready(value) = future.as_mut().poll(&mut cx) {
            return value;
        }
        match WANTED_NS.get() {
            i64::MAX => std::thread::park(),
            wanted_ns => {
                let left_ns = wanted_ns.saturating_sub(crate::now_ns());
                std::thread::park_timeout(Duration::from_nanos(u64::try_from(left_ns).unwrap_or(0)));
            }
        }
    }
}

/// Ends at an instant of [`crate::now_ns`], in a loop or in [`wait_for`].
pub(crate) async fn until(at_ns: i64) {
    if runtime::try_core(|_| ()).is_some() {
        return crate::sleep_uncut_until(at_ns).await;
    }
    std::future::poll_fn(|_| {
        if crate::now_ns() >= at_ns {
            return Poll::Ready(());
        }
        WANTED_NS.set(WANTED_NS.get().min(at_ns));
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecvError;

    #[test]
    fn a_value_of_another_thread_ends_the_wait() {
        let (sender, mut receiver) = crate::channel();
        let thread = std::thread::spawn(move || (0..100).try_for_each(|number| sender.send(number)));
        for number in 0..100 {
            assert_eq!(wait_for(receiver.recv_until(i64::MAX)), Ok(number));
        }
        thread.join().expect("no panic").expect("all were received");
        assert_eq!(wait_for(receiver.recv_until(i64::MAX)), Err(RecvError::Closed));
    }

    #[test]
    fn a_wait_ends_at_its_instant_with_and_without_a_loop() {
        let (sender, mut receiver) = crate::channel::<()>();
        let at_ns = crate::now_ns() + 2_000_000;
        assert_eq!(wait_for(receiver.recv_until(at_ns)), Err(RecvError::TimedOut));
        assert!(crate::now_ns() >= at_ns);
        let mut runtime = crate::Runtime::new().expect("descriptors");
        let at_ns = crate::now_ns() + 2_000_000;
        assert_eq!(runtime.block_on(receiver.recv_until(at_ns)), Err(RecvError::TimedOut));
        assert!(crate::now_ns() >= at_ns);
        sender.send(()).expect("it is there");
        assert_eq!(runtime.block_on(receiver.recv_until(i64::MIN)), Ok(()), "what is there comes first");
    }

    #[test]
    #[should_panic(expected = "must not block its thread")]
    fn a_task_may_not_block_its_loop() {
        crate::Runtime::new().expect("descriptors").block_on(async { wait_for(async {}) });
    }
}
