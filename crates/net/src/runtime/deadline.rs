//! One time limit after the other.

use std::task::Context;

use super::{TimerId, try_core, with_core};

/// The time limit of one wait after the other. Moving it later, as for each new request, costs next
/// to nothing: the timer stays armed for the earlier instant, and is armed again only if it fires.
#[derive(Debug)]
pub struct Deadline {
    timer: Option<TimerId>,
    /// `i64::MAX`: never.
    at_ns: i64,
    /// When the timer fires: at the deadline or before it.
    armed_ns: i64,
}

impl Default for Deadline {
    fn default() -> Self {
        Self { timer: None, at_ns: i64::MAX, armed_ns: i64::MAX }
    }
}

impl Deadline {
    /// Sets the instant, on [`crate::now_ns`]' clock; `None`: never.
    #[inline]
    pub fn set(&mut self, at_ns: Option<i64>) {
        self.at_ns = at_ns.unwrap_or(i64::MAX);
        if self.at_ns < self.armed_ns {
            self.arm();
        }
    }

    #[inline(never)]
    fn arm(&mut self) {
        with_core(|core| {
            let mut timers = core.timers();
            let timer = *self.timer.get_or_insert_with(|| timers.add(false));
            timers.arm(timer, self.at_ns);
        });
        self.armed_ns = self.at_ns;
    }

    /// Whether the instant has passed; if not, the task is woken when it has, or before.
    #[inline]
    pub fn has_passed(&mut self, cx: &Context<'_>) -> bool {
        self.at_ns != i64::MAX && self.poll(cx)
    }

    fn poll(&mut self, cx: &Context<'_>) -> bool {
        while let Some(timer) = self.timer {
            if !with_core(|core| core.timers().poll(timer, cx)) {
                return false;
            }
            if self.at_ns <= crate::now_ns() {
                return true;
            }
            // It was moved later since the timer was armed.
            self.arm();
        }
        false
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            try_core(|core| core.timers().release(timer));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Poll;

    use super::*;
    use crate::{Runtime, now_ns};

    #[test]
    fn a_deadline_that_is_moved_passes_when_it_was_last_set_to() {
        Runtime::new().expect("three descriptors").block_on(async {
            let mut deadline = Deadline::default();
            let noop = Context::from_waker(std::task::Waker::noop());
            assert!(!deadline.has_passed(&noop), "none is set");
            let start_ns = now_ns();
            deadline.set(Some(start_ns + 1_000_000));
            deadline.set(Some(start_ns + 3_000_000));
            let wait =
                |cx: &mut Context<'_>| if deadline.has_passed(cx) { Poll::Ready(()) } else { Poll::Pending };
            poll_fn(wait).await;
            assert!(now_ns() >= start_ns + 3_000_000);
            assert!(deadline.has_passed(&noop), "until it is set again");
            deadline.set(None);
            assert!(!deadline.has_passed(&noop));
            deadline.set(Some(now_ns() - 1));
            poll_fn(|cx| if deadline.has_passed(cx) { Poll::Ready(()) } else { Poll::Pending }).await;
        });
    }
}
