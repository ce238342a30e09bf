//! The launchers of a thread group on all workers, and whether any of them still has work.
//!
//! A worker without users of the group waits for those of other workers, because control may
//! request more users, and this worker gets its share of them. worker gets its share of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The launchers of a group, one per worker.
#[derive(Default)]
pub(crate) struct Launchers {
    count: AtomicUsize,
    /// Those that have no users and no starts to come.
    done: AtomicUsize,
    over: AtomicBool,
}

impl Launchers {
    /// The number of workers about to start the group.
    pub(super) fn start(&self, count: usize) {
        self.count.store(count, Ordering::SeqCst);
    }

    /// One of them has nothing to do, unless the load changes; true if it is the last, and the
    /// group has finished.
    pub(super) fn is_done(&self) -> bool {
        let all_done = self.done.fetch_add(1, Ordering::SeqCst) + 1 == self.count.load(Ordering::SeqCst);
        all_done && !self.over.swap(true, Ordering::SeqCst)
    }

    /// One that had nothing to do has got something.
    pub(super) fn goes_on(&self) {
        self.done.fetch_sub(1, Ordering::SeqCst);
    }

    /// All were idle at the same time: the group has finished for good.
    pub(super) fn are_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_over_when_all_have_nothing_to_do_at_once() {
        let launchers = Launchers::default();
        launchers.start(2);
        assert!(!launchers.is_done());
        launchers.goes_on();
        assert!(!launchers.is_done() && !launchers.are_over());
        assert!(launchers.is_done() && launchers.are_over());
        launchers.goes_on();
        assert!(!launchers.is_done() && launchers.are_over(), "it is reported once, and stays finished");
    }
}
