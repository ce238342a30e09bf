//! Wakers for tests, which count how often they wake.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Wake, Waker};

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// How often each of `N` wakers has woken.
pub(super) struct WakeCounts<const N: usize>([Arc<Count>; N]);

impl<const N: usize> WakeCounts<N> {
    pub(super) fn new() -> Self {
        Self([(); N].map(|()| Arc::default()))
    }

    pub(super) fn wakers(&self) -> [Waker; N] {
        self.0.clone().map(Waker::from)
    }

    pub(super) fn woken(&self) -> [usize; N] {
        self.0.each_ref().map(|count| count.0.load(Ordering::Relaxed))
    }
}
