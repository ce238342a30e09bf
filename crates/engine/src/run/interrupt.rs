//! Waits that end when the test or the thread group stops.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::group_run::GroupRun;
use super::live::StopMode;

/// How a wait for a future ended.
pub(crate) struct WaitResult<T> {
    /// What the future gave; none if something else came first.
    pub(crate) value: Option<T>,
    /// It had to be waited for.
    pub(crate) waited: bool,
    /// Control wanted fewer users and let this one go.
    pub(crate) released: bool,
}

/// Waits for a future unless an interruption comes first.
///
/// Written by hand, because waiting users hold it, and an asynchronous function would store its
/// arguments twice.
pub(crate) struct Unless<'a, F> {
    group: &'a GroupRun,
    stop_mode: StopMode,
    may_leave: bool,
    /// How many changes of the load the waiting does not end for.
    changes: Option<u32>,
    waited: bool,
    future: F,
}

/// Waits for a future, unless the group is stopped that far first. Who awaits this is reached by a
/// [`super::handles::Handle`].
pub(crate) fn unless<F>(group: &GroupRun, stop_mode: StopMode, future: F) -> Unless<'_, F> {
    Unless { group, stop_mode, may_leave: false, changes: None, waited: false, future }
}

impl<F> Unless<'_, F> {
    /// It also ends where control wants fewer users and lets this one go.
    pub(crate) fn or_released(mut self, may_leave: bool) -> Self {
        self.may_leave = may_leave;
        self
    }

    /// It also ends when the load has changed more often than that.
    pub(crate) fn or_changed(mut self, changes: Option<u32>) -> Self {
        self.changes = changes;
        self
    }
}

impl<F: Future + Unpin> Future for Unless<'_, F> {
    type Output = WaitResult<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(value) = Pin::new(&mut self.future).poll(cx) {
            return Poll::Ready(WaitResult { value: Some(value), waited: self.waited, released: false });
        }
        self.waited = true;
        let changed = || self.changes.is_some_and(|count| count != self.group.worker.live.changes.count());
        let ends = self.group.live().stop_mode() >= self.stop_mode || changed();
        let released = !ends && self.may_leave && self.group.releases();
        if ends || released {
            Poll::Ready(WaitResult { value: None, waited: true, released })
        } else {
            Poll::Pending
        }
    }
}
