//! Accounts for the time of virtual users, to check runs with Little's law.

use std::cell::Cell;

/// Time of virtual users, summed over all of them, in nanoseconds. The tool took what neither
/// samples nor the plan's pauses account for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TimeSpent {
    /// From the start of users to their end.
    pub lived_ns: u128,
    /// In samples, from their start to their end; of those that were cut, from when they were due
    /// to the cut.
    pub sampled_ns: u128,
    /// Waiting because the plan wants it: timers, pauses, meetings, locks.
    pub waited_ns: u128,
}

impl TimeSpent {
    /// Adds what others spent.
    pub fn merge(&mut self, other: &Self) {
        self.lived_ns += other.lived_ns;
        self.sampled_ns += other.sampled_ns;
        self.waited_ns += other.waited_ns;
    }
}

/// The sums of one worker. Days of tens of thousands of users exceed 64 bits of nanoseconds.
#[derive(Default)]
pub(crate) struct TimeAccounting {
    lived: Cell<u128>,
    sampled: Cell<u128>,
    waited: Cell<u128>,
}

impl TimeAccounting {
    pub(crate) fn lived(&self, ns: i64) {
        add(&self.lived, ns);
    }

    /// Users have lived so long together.
    pub(crate) fn lived_all(&self, ns: i128) {
        self.lived.set(self.lived.get() + ns.max(0).cast_unsigned());
    }

    pub(crate) fn samples(&self, ns: i64) {
        add(&self.sampled, ns);
    }

    pub(crate) fn waits(&self, ns: i64) {
        add(&self.waited, ns);
    }

    /// What was counted as waiting beforehand turns out longer, or shorter.
    pub(crate) fn waits_longer(&self, by_ns: i128) {
        self.waited.set(self.waited.get().saturating_add_signed(by_ns));
    }

    pub(crate) fn spent(&self) -> TimeSpent {
        let Self { lived, sampled, waited } = self;
        TimeSpent { lived_ns: lived.get(), sampled_ns: sampled.get(), waited_ns: waited.get() }
    }
}

fn add(sum: &Cell<u128>, ns: i64) {
    sum.set(sum.get() + u128::from(ns.max(0).cast_unsigned()));
}
