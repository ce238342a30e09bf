//! Requests that wait until the server allows another stream, in the order in which they came.

use std::collections::VecDeque;
use std::task::{Context, Waker};

/// Who waits for a stream, and who may open one now. A new request does not overtake those that
/// wait.
#[derive(Default)]
pub(super) struct StreamQueue {
    waiting: VecDeque<Waker>,
    /// Tasks that were woken, each for a stream that is kept free for it.
    granted: Vec<Waker>,
}

impl StreamQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.granted.is_empty()
    }

    /// Takes the stream that is kept free for this task, if one is.
    pub(super) fn take_grant(&mut self, cx: &Context<'_>) -> bool {
        let place = self.granted.iter().position(|waker| waker.will_wake(cx.waker()));
        place.map(|place| self.granted.swap_remove(place)).is_some()
    }

    /// Adds a task at the end, unless it waits already.
    pub(super) fn join(&mut self, cx: &Context<'_>) {
        if !self.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            self.waiting.push_back(cx.waker().clone());
        }
    }

    /// Wakes as many tasks as there are free streams.
    pub(super) fn grant(&mut self, free: usize) {
        let new = free.saturating_sub(self.granted.len()).min(self.waiting.len());
        for waker in self.waiting.drain(..new) {
            waker.wake_by_ref();
            self.granted.push(waker);
        }
    }

    /// Wakes all: each finds out for itself what happened.
    pub(super) fn wake_all(&mut self) {
        self.granted.drain(..).chain(self.waiting.drain(..)).for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use super::super::wake_counts::WakeCounts;
    use super::*;

    #[test]
    fn streams_go_to_those_that_waited_longest() {
        let counts = WakeCounts::<3>::new();
        let wakers = counts.wakers();
        let tasks = [0, 1, 2].map(|task| Context::from_waker(&wakers[task]));
        let mut queue = StreamQueue::default();
        for task in [&tasks[0], &tasks[1], &tasks[1], &tasks[2]] {
            queue.join(task);
        }
        let woken = || counts.woken();
        queue.grant(1);
        queue.grant(1);
        assert_eq!(woken(), [1, 0, 0]);
        queue.grant(2);
        assert_eq!(woken(), [1, 1, 0]);
        let grants = [2, 0, 0].map(|task| queue.take_grant(&tasks[task]));
        assert_eq!((grants, queue.is_empty()), ([false, true, false], false));
        queue.wake_all();
        assert_eq!((woken(), queue.is_empty()), ([1, 2, 1], true));
    }
}
