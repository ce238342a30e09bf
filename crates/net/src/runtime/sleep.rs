//! Sleeps until an instant.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{TimerId, try_core, with_core};

/// A future that ends at an instant. See [`sleep_until`].
pub struct Sleep {
    at_ns: i64,
    timer: Option<TimerId>,
    /// [`wake_sleepers`] ends it.
    is_cut: bool,
}

/// Sleeps until an instant of [`crate::now_ns`]' clock, to the nanosecond as far as the kernel
/// goes. Ends early only by [`wake_sleepers`]. An instant in the past ends at once, without giving
/// other tasks a turn.
pub fn sleep_until(at_ns: i64) -> Sleep {
    Sleep { at_ns, timer: None, is_cut: true }
}

/// As [`sleep_until`], but [`wake_sleepers`] does not end it, nor look at it.
pub fn sleep_uncut_until(at_ns: i64) -> Sleep {
    Sleep { is_cut: false, ..sleep_until(at_ns) }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        with_core(|core| {
            let mut timers = core.timers();
            let timer = match self.timer {
                Some(timer) => timer,
                None if self.at_ns <= crate::now_ns() => return Poll::Ready(()),
                None => {
                    let timer = timers.add(self.is_cut);
                    timers.arm(timer, self.at_ns);
                    self.timer = Some(timer);
                    timer
                }
            };
            if timers.poll(timer, cx) { Poll::Ready(()) } else { Poll::Pending }
        })
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            try_core(|core| core.timers().release(timer));
        }
    }
}

/// Ends every [`Sleep`] of this thread's loop now, but those of [`sleep_uncut_until`]: a test that
/// stops does not wait for think times.
pub fn wake_sleepers() {
    with_core(|core| core.timers().wake_sleepers());
}

/// Lets the other ready tasks run first.
pub fn yield_now() -> impl Future<Output = ()> {
    let mut yielded = false;
    std::future::poll_fn(move |cx| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
}
