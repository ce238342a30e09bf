//! The end of a call's time while it waits for a stream.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use swell_net::{Sleep, now_ns, sleep_uncut_until};

/// A time at which a call ends, whatever it does then.
pub(super) struct Deadline {
    at_ns: i64,
    /// Made for the first wait: most calls wait for nothing.
    sleep: Option<Sleep>,
}

/// The time has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed;

impl Deadline {
    /// `i64::MAX`: never.
    pub(super) fn new(at_ns: i64) -> Self {
        Self { at_ns, sleep: None }
    }

    /// A step of the call; fails when the time has passed.
    pub(super) fn poll<T>(&mut self, cx: &mut Context<'_>, step: Poll<T>) -> Poll<Result<T, Passed>> {
        if let Poll::Ready(output) = step {
            return Poll::Ready(Ok(output));
        }
        if self.at_ns == i64::MAX {
            return Poll::Pending;
        }
        loop {
            let sleep = self.sleep.get_or_insert_with(|| sleep_uncut_until(self.at_ns));
            if Pin::new(sleep).poll(cx).is_pending() {
                return Poll::Pending;
            }
            if now_ns() >= self.at_ns {
                return Poll::Ready(Err(Passed));
            }
            self.sleep = None;
        }
    }
}
