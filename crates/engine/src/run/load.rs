//! Load changes by control during a run. The request path writes nothing here.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::ramp::Ramp;

/// Changes that apply to the whole run.
pub(crate) struct LoadChanges {
    /// Raised by each change, so that those who wait can tell that there was one.
    count: AtomicU32,
    /// By what all load is multiplied.
    factor: Mutex<Ramp>,
    /// Bits of the factor that holds from `factor_from_ns` on: until then the line is looked at.
    factor_at_last: AtomicU64,
    factor_from_ns: AtomicI64,
    paused: AtomicBool,
    resumed_ns: AtomicI64,
}

impl Default for LoadChanges {
    fn default() -> Self {
        Self {
            count: AtomicU32::new(0),
            factor: Mutex::new(Ramp::constant(1.0)),
            factor_at_last: AtomicU64::new(1.0_f64.to_bits()),
            factor_from_ns: AtomicI64::new(i64::MIN),
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

    /// By what the load of the plan is multiplied at that time.
    pub(crate) fn factor(&self, now_ns: i64) -> f64 {
        // The value comes first: with that of a new line, the time from which it holds is seen as
        // well.
        let last = f64::from_bits(self.factor_at_last.load(Ordering::Acquire));
        if now_ns >= self.factor_from_ns.load(Ordering::Acquire) {
            last
        } else {
            self.factor_ramp().at(now_ns)
        }
    }

    /// The factor over time.
    pub(super) fn factor_ramp(&self) -> Ramp {
        *self.factor.lock()
    }

    /// Leads the factor from what it is to that one.
    pub(super) fn set_factor(&self, to: f64, now_ns: i64, over_ns: i64) {
        let mut factor = self.factor.lock();
        *factor = Ramp::new(factor.at(now_ns), to, now_ns, over_ns);
        // From here on who reads the factor looks at the line.
        self.factor_from_ns.store(i64::MAX, Ordering::Release);
        self.factor_at_last.store(to.to_bits(), Ordering::Release);
        self.factor_from_ns.store(now_ns.saturating_add(over_ns), Ordering::Release);
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

    /// When the last pause ended; what was due before is not made up for. `i64::MIN` without a
    /// pause.
    pub(crate) fn resumed_ns(&self) -> i64 {
        self.resumed_ns.load(Ordering::Relaxed)
    }
}

/// Changes of one thread group. Its launchers and its status read them; users do not.
#[derive(Default)]
pub(crate) struct GroupChanges {
    users: Mutex<Option<Ramp>>,
    per_second: Mutex<Option<Ramp>>,
}

impl GroupChanges {
    /// How many users control wants over time; none if that is left to the plan.
    pub(crate) fn users(&self) -> Option<Ramp> {
        *self.users.lock()
    }

    pub(super) fn set_users(&self, users: Option<Ramp>) {
        *self.users.lock() = users;
    }

    /// How many arrivals a second control wants over time; none if that is left to the plan.
    pub(crate) fn per_second(&self) -> Option<Ramp> {
        *self.per_second.lock()
    }

    pub(super) fn set_per_second(&self, per_second: Option<Ramp>) {
        *self.per_second.lock() = per_second;
    }
}
