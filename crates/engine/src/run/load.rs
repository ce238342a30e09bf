//! What control has changed of the load while a run goes on. Nothing here is written on the request path.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};

/// No number of users is set.
const PLANNED: u64 = u64::MAX;

/// Changes that hold for the whole run.
pub(crate) struct LoadChanges {
    /// Raised by each change, so that those who wait can tell that there was one.
    count: AtomicU32,
    /// Bits of the factor by which all load is multiplied.
    factor: AtomicU64,
    paused: AtomicBool,
    resumed_ns: AtomicI64,
}

impl Default for LoadChanges {
    fn default() -> Self {
        Self {
            count: AtomicU32::new(0),
            factor: AtomicU64::new(1.0_f64.to_bits()),
            paused: AtomicBool::new(false),
            resumed_ns: AtomicI64::new(i64::MIN),
        }
    }
}

impl LoadChanges {
    /// How many changes there were.
    pub(crate) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }

    /// To be called after a change, before anybody is woken for it.
    pub(super) fn changed(&self) {
        self.count.fetch_add(1, Ordering::Release);
    }

    /// By what the load of the plan is multiplied.
    pub(crate) fn factor(&self) -> f64 {
        f64::from_bits(self.factor.load(Ordering::Relaxed))
    }

    pub(super) fn set_factor(&self, factor: f64) {
        self.factor.store(factor.to_bits(), Ordering::Relaxed);
    }

    /// No sample is to be started.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    pub(super) fn pause(&self) {
        self.paused.store(true, Ordering::Relaxed);
    }

    pub(super) fn resume(&self, now_ns: i64) {
        if self.paused.swap(false, Ordering::Relaxed) {
            self.resumed_ns.store(now_ns, Ordering::Relaxed);
        }
    }

    /// When the last pause ended; what was due before is not made up for. `i64::MIN` without a pause.
    pub(crate) fn resumed_ns(&self) -> i64 {
        self.resumed_ns.load(Ordering::Relaxed)
    }
}

/// Changes of one thread group.
pub(crate) struct GroupChanges {
    users: AtomicU64,
    /// Bits of the rate; not a number if none is set.
    per_second: AtomicU64,
}

impl Default for GroupChanges {
    fn default() -> Self {
        Self { users: AtomicU64::new(PLANNED), per_second: AtomicU64::new(f64::NAN.to_bits()) }
    }
}

impl GroupChanges {
    /// How many users control wants; none if that is left to the plan.
    pub(crate) fn users(&self) -> Option<u32> {
        u32::try_from(self.users.load(Ordering::Relaxed)).ok()
    }

    pub(super) fn set_users(&self, users: Option<u32>) {
        self.users.store(users.map_or(PLANNED, u64::from), Ordering::Relaxed);
    }

    /// How many arrivals a second control wants; none if that is left to the plan.
    pub(crate) fn per_second(&self) -> Option<f64> {
        Some(f64::from_bits(self.per_second.load(Ordering::Relaxed))).filter(|rate| !rate.is_nan())
    }

    pub(super) fn set_per_second(&self, per_second: Option<f64>) {
        self.per_second.store(per_second.unwrap_or(f64::NAN).to_bits(), Ordering::Relaxed);
    }
}
