//! Waiting that ends when the test or the thread group stops.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::group_run::GroupRun;
use super::live::StopMode;

/// How a user that waits is reached.
#[derive(Default)]
pub(crate) struct Handle {
    waker: RefCell<Option<Waker>>,
}

/// Handles of the users of a worker.
#[derive(Default)]
pub(crate) struct Handles {
    all: RefCell<Vec<Entry>>,
    free: RefCell<Vec<usize>>,
}

/// Beside each other in memory: a million are looked through in a few milliseconds.
#[derive(Default)]
struct Entry {
    handle: Option<Rc<Handle>>,
    /// The user only waits: see [`super::idle`].
    idle: bool,
}

impl Handles {
    /// A handle with its place.
    pub(crate) fn add(&self) -> (usize, Rc<Handle>) {
        let handle = Rc::new(Handle::default());
        let mut all = self.all.borrow_mut();
        let place = self.free.borrow_mut().pop().unwrap_or_else(|| {
            all.push(Entry::default());
            all.len() - 1
        });
        all[place].handle = Some(handle.clone());
        (place, handle)
    }

    pub(crate) fn remove(&self, place: usize) {
        self.all.borrow_mut()[place] = Entry::default();
        self.free.borrow_mut().push(place);
    }

    pub(super) fn set_idle(&self, place: usize, idle: bool) {
        self.all.borrow_mut()[place].idle = idle;
    }

    /// Wakes all that wait.
    pub(crate) fn wake_all(&self) {
        self.wake_if(|_| true);
    }

    /// Wakes those who do more than wait.
    pub(crate) fn wake_busy(&self) {
        self.wake_if(|entry| !entry.idle);
    }

    fn wake_if(&self, wanted: impl Fn(&Entry) -> bool) {
        let all = self.all.borrow();
        let handles = all.iter().filter(|entry| wanted(entry)).filter_map(|entry| entry.handle.as_ref());
        handles.for_each(|handle| handle.wake());
    }
}

impl Handle {
    /// Wakes who waits.
    pub(crate) fn wake(&self) {
        if let Some(waker) = &*self.waker.borrow() {
            waker.wake_by_ref();
        }
    }

    pub(crate) fn register(&self, cx: &Context<'_>) {
        let mut known = self.waker.borrow_mut();
        if !known.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            *known = Some(cx.waker().clone());
        }
    }

    /// The task that awaits this is the user.
    pub(crate) async fn is_me(&self) {
        poll_fn(|cx| {
            self.register(cx);
            Poll::Ready(())
        })
        .await;
    }
}

/// How waiting for a future ended.
pub(crate) struct Awaited<T> {
    /// What the future gave; none if something else came first.
    pub(crate) value: Option<T>,
    /// It had to be waited for.
    pub(crate) waited: bool,
    /// Control wanted fewer users and let this one go.
    pub(crate) released: bool,
}

/// Waits for a future as long as nothing else comes first.
///
/// Written by hand: users who wait hold it, and an asynchronous function would keep its arguments twice.
pub(crate) struct Unless<'a, F> {
    group: &'a GroupRun,
    stop_mode: StopMode,
    may_leave: bool,
    /// How many changes of the load the waiting does not end for.
    changes: Option<u32>,
    waited: bool,
    future: F,
}

/// Waits for a future, unless the group is stopped that far first. Who awaits this is reached by a [`Handle`].
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
    type Output = Awaited<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(value) = Pin::new(&mut self.future).poll(cx) {
            return Poll::Ready(Awaited { value: Some(value), waited: self.waited, released: false });
        }
        self.waited = true;
        let changed = || self.changes.is_some_and(|count| count != self.group.worker.live.changes.count());
        let ends = self.group.live().stop_mode() >= self.stop_mode || changed();
        let released = !ends && self.may_leave && self.group.releases();
        if ends || released {
            Poll::Ready(Awaited { value: None, waited: true, released })
        } else {
            Poll::Pending
        }
    }
}
