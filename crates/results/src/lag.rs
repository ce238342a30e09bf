//! How far a writer lags, and the users that wait until it has caught up.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Instant;

use parking_lot::Mutex;
use swell_expr::Backlog;

/// Data that waits for a writer, counted in batches or bytes. Adding data never waits.
#[derive(Debug)]
pub(crate) struct Lag {
    /// With more than that, users wait, until half of it is left.
    limit: usize,
    queued: AtomicUsize,
    wakers: Mutex<Vec<Waker>>,
    waits: Arc<WaitTimes>,
}

/// Time spent waiting for writers, in nanoseconds, summed over all that waited.
#[derive(Debug, Default)]
pub(crate) struct WaitTimes {
    users_ns: AtomicU64,
    threads_ns: AtomicU64,
}

impl WaitTimes {
    pub(crate) fn get(&self) -> DiskWaits {
        let users_ns = &self.users_ns;
        let threads_ns = &self.threads_ns;
        DiskWaits {
            users_ns: users_ns.load(Ordering::Relaxed),
            threads_ns: threads_ns.load(Ordering::Relaxed),
        }
    }
}

/// Time spent waiting for disks, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskWaits {
    /// Summed over users that waited because writers were behind.
    pub users_ns: u64,
    /// Summed over threads that stood still: until a file that is read was written, or the log had
    /// room.
    pub threads_ns: u64,
}

impl std::ops::Add for DiskWaits {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { users_ns: self.users_ns + other.users_ns, threads_ns: self.threads_ns + other.threads_ns }
    }
}

impl Lag {
    /// Times of waiting go to `waits`.
    pub(crate) fn new(limit: usize, waits: Arc<WaitTimes>) -> Arc<Self> {
        let (queued, wakers) = Default::default();
        Arc::new(Self { limit, queued, wakers, waits })
    }

    /// To be called before the writer can get at it.
    pub(crate) fn add(&self, count: usize) {
        self.queued.fetch_add(count, Ordering::AcqRel);
    }

    /// The writer is done with that.
    pub(crate) fn sub(&self, count: usize) {
        let left = self.queued.fetch_sub(count, Ordering::AcqRel) - count;
        if left <= self.limit / 2 {
            // Who waits looks at `queued` with this lock held, so it sees this or is woken.
            let wakers = std::mem::take(&mut *self.wakers.lock());
            wakers.into_iter().for_each(Waker::wake);
        }
    }

    pub(crate) fn queued(&self) -> usize {
        self.queued.load(Ordering::Acquire)
    }

    pub(crate) fn is_behind(&self) -> bool {
        self.queued() > self.limit
    }

    /// What users wait for; none if there is no need to.
    pub(crate) fn backlog(self: &Arc<Self>) -> Option<Backlog> {
        self.is_behind().then(|| Box::pin(self.until(self.limit / 2, false)) as Backlog)
    }

    /// Holds up this thread until no more than that is left.
    pub(crate) fn block_until(self: &Arc<Self>, left: usize) {
        if self.queued() <= left {
            return;
        }
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut waiting = pin!(self.until(left, true));
        while waiting.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            std::thread::park();
        }
    }

    fn until(self: &Arc<Self>, left: usize, is_thread: bool) -> Until {
        Until { lag: self.clone(), left: left.min(self.limit / 2), since: None, is_thread }
    }
}

/// Waits until no more than that is left, and counts for how long, also where it is dropped before.
struct Until {
    lag: Arc<Lag>,
    left: usize,
    since: Option<Instant>,
    is_thread: bool,
}

impl Future for Until {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let lag = self.lag.clone();
        let mut wakers = lag.wakers.lock();
        if lag.queued() <= self.left {
            return Poll::Ready(());
        }
        self.since.get_or_insert_with(Instant::now);
        if !wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
            wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for Until {
    fn drop(&mut self) {
        if let Some(since) = self.since {
            let WaitTimes { users_ns, threads_ns } = &*self.lag.waits;
            let sum = if self.is_thread { threads_ns } else { users_ns };
            sum.fetch_add(since.elapsed().as_nanos() as u64, Ordering::Relaxed);
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts how often it is woken.
    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn users_wait_beyond_the_limit_until_half_of_it_is_left() {
        let waits = Arc::<WaitTimes>::default();
        let lag = Lag::new(10, waits.clone());
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let mut cx = Context::from_waker(&waker);
        lag.add(10);
        assert!(lag.backlog().is_none(), "it holds that much");
        lag.add(1);
        let mut backlog = lag.backlog().expect("it is behind");
        assert!(backlog.as_mut().poll(&mut cx).is_pending());
        lag.sub(5);
        assert_eq!(woken.0.load(Ordering::Relaxed), 0);
        assert!(backlog.as_mut().poll(&mut cx).is_pending());
        lag.sub(1);
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        assert!(backlog.as_mut().poll(&mut cx).is_ready());
        drop(backlog);
        let DiskWaits { users_ns, threads_ns } = waits.get();
        assert!(users_ns > 0 && threads_ns == 0);
    }

    #[test]
    fn a_thread_waits_until_all_is_written() {
        let lag = Lag::new(10, Arc::default());
        lag.add(3);
        std::thread::scope(|scope| {
            scope.spawn(|| (0..3).for_each(|_| lag.sub(1)));
            lag.block_until(0);
        });
        assert_eq!(lag.queued(), 0);
    }
}
