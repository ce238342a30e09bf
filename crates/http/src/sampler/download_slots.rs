//! Slots for parallel downloads, which keep their connections.

use std::cell::{Cell, RefCell};

use swell_connect::Pool;

/// Parallel downloads for the samples of a user.
#[derive(Default)]
pub(super) struct DownloadSlots {
    /// Those that are done, the last to be used first.
    pub(super) idle: RefCell<Vec<Slot>>,
    /// How many there are.
    made: Cell<usize>,
}

/// The state that a download thread of JMeter keeps.
pub(super) struct Slot {
    pub(super) number: usize,
    pub(super) pool: Pool,
}

impl DownloadSlots {
    pub(super) fn take(&self) -> Slot {
        let idle = self.idle.borrow_mut().pop();
        idle.unwrap_or_else(|| {
            self.made.set(self.made.get() + 1);
            Slot { number: self.made.get(), pool: Pool::default() }
        })
    }
}
