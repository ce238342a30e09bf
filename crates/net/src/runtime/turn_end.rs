//! What runs within a turn of the loop, before the kernel is asked for events.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Waker;

use super::with_core;

/// Work that several tasks of a turn leave to its end, such as one send of what they all wrote.
pub trait AtTurnEnd {
    /// Does the work. The tasks of the turn have run.
    fn at_turn_end(self: Rc<Self>);
}

/// The rest of the current turn.
#[derive(Default)]
pub(super) struct RestOfTurn {
    works: RefCell<Vec<Rc<dyn AtTurnEnd>>>,
    /// Tasks that were woken to run in this turn.
    woken: Cell<usize>,
}

impl RestOfTurn {
    /// How many tasks were woken to run in this turn since the last call.
    #[inline]
    pub(super) fn take_woken(&self) -> usize {
        self.woken.take()
    }

    /// Does the work that was left to the end.
    #[inline]
    pub(super) fn end(&self) {
        while !self.works.borrow().is_empty() {
            self.work();
        }
    }

    #[inline(never)]
    fn work(&self) {
        let mut works = self.works.take();
        for work in works.drain(..) {
            work.at_turn_end();
        }
        let mut new = self.works.borrow_mut();
        if new.is_empty() {
            *new = works;
        }
    }

    /// Drops the work that is left.
    pub(super) fn clear(&self) {
        let left = self.works.take();
        drop(left);
    }
}

/// Has that work done when the tasks that are ready have run, before the loop looks for events.
///
/// # Panics
/// Outside of [`super::Runtime::block_on`].
pub fn at_turn_end(work: Rc<dyn AtTurnEnd>) {
    with_core(|core| core.rest_of_turn.works.borrow_mut().push(work));
}

/// Wakes a task of this loop that is to run in this turn already, not in the next one as others:
/// what it waits for was read by another task.
///
/// # Panics
/// Outside of [`super::Runtime::block_on`].
pub fn wake_in_turn(waker: Waker) {
    with_core(|core| {
        let woken = &core.rest_of_turn.woken;
        woken.set(woken.get() + 1);
    });
    waker.wake();
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Poll;

    use super::*;
    use crate::{Runtime, spawn, yield_now};

    #[derive(Default)]
    struct Log(RefCell<Vec<&'static str>>);

    impl AtTurnEnd for Log {
        fn at_turn_end(self: Rc<Self>) {
            self.0.borrow_mut().push("end");
        }
    }

    #[test]
    fn a_task_that_is_woken_in_a_turn_runs_before_its_end() {
        let log = Rc::<Log>::default();
        let seen = log.clone();
        Runtime::new().expect("three descriptors").block_on(async move {
            let note = |what| log.0.borrow_mut().push(what);
            let place = Rc::<RefCell<Option<Waker>>>::default();
            let (waiting, waiting_log) = (place.clone(), log.clone());
            let waits = spawn(async move {
                poll_fn(|cx| {
                    if waiting.borrow().is_some() {
                        return Poll::Ready(());
                    }
                    *waiting.borrow_mut() = Some(cx.waker().clone());
                    Poll::Pending
                })
                .await;
                waiting_log.0.borrow_mut().push("woken");
            });
            yield_now().await;
            let wakes_log = log.clone();
            let wakes = spawn(async move {
                at_turn_end(wakes_log.clone());
                let waker = place.borrow().clone().expect("it waits");
                wake_in_turn(waker);
                wakes_log.0.borrow_mut().push("wakes");
                yield_now().await;
                wakes_log.0.borrow_mut().push("next turn");
            });
            waits.await;
            wakes.await;
            note("done");
        });
        assert_eq!(*seen.0.borrow(), ["wakes", "woken", "end", "next turn", "done"]);
    }
}
