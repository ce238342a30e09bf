//! Handles for waking users that wait.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A handle for waking a user that waits.
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

/// Contiguous in memory: a million are scanned in a few milliseconds.
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
