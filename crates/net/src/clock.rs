//! One clock for everything: the monotonic clock, shifted to the epoch once at first use.
//!
//! The kernel's receive stamps are wall-clock times. [`Correction`] converts them to this clock. It
//! follows slewing of the wall clock, and detects and counts steps.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::sys;

/// One for the process, and not one a run: times of all runs, targets and threads are on one clock
/// and can be compared.
static ANCHOR_NS: OnceLock<i64> = OnceLock::new();

/// What [`shift_clock`] added.
static SHIFT_NS: AtomicI64 = AtomicI64::new(0);

/// A wall clock that moved by more than this between two looks has been set, not slewed.
const STEP_NS: i64 = 1_000_000;
/// How old a correction may get: slewing is at most 500 ppm, so it is wrong by at most 2.5 µs.
const REFRESH_NS: i64 = 5_000_000;

/// Nanoseconds since the epoch on a clock that never steps.
pub fn now_ns() -> i64 {
    sys::monotonic_ns() + anchor_ns()
}

/// Moves the clock of this process by this many nanoseconds, to that of another machine. To be
/// called while nothing is measured: times before and after cannot be compared.
pub fn shift_clock(by_ns: i64) {
    #[cfg(feature = "simulated")]
    if sys::shift_simulated_clock(by_ns) {
        return;
    }
    SHIFT_NS.fetch_add(by_ns, Ordering::Relaxed);
}

/// What [`pretend_suspension`] added.
static SUSPENDED_NS: AtomicI64 = AtomicI64::new(0);

/// Nanoseconds since the start of the machine, on a clock that also counts while the machine is
/// suspended (`CLOCK_BOOTTIME`). For leases: [`now_ns`] rests while a virtual machine does.
pub fn boot_ns() -> i64 {
    sys::boot_ns() + SUSPENDED_NS.load(Ordering::Relaxed)
}

/// As if the machine had been suspended for this many nanoseconds: [`boot_ns`] jumps and [`now_ns`]
/// does not. For tests.
pub fn pretend_suspension(by_ns: i64) {
    SUSPENDED_NS.fetch_add(by_ns, Ordering::Relaxed);
}

/// The smallest difference that this clock tells, in nanoseconds: its step or the time that reading
/// it takes, whichever is more. Tens on a good clock source, thousands where each read asks the
/// hypervisor, millions where it counts ticks.
pub fn clock_resolution_ns() -> i64 {
    smallest_step(sys::monotonic_ns)
}

/// The smallest of some differences between reads that differ.
fn smallest_step(read: impl Fn() -> i64) -> i64 {
    const STEPS: usize = 16;
    let mut last = read();
    let next = || {
        let from = last;
        while last == from {
            last = read();
        }
        last - from
    };
    std::iter::repeat_with(next).take(STEPS).min().expect("some")
}

/// Wall clock minus monotonic clock at first use, and what [`shift_clock`] added.
pub(crate) fn anchor_ns() -> i64 {
    #[cfg(feature = "simulated")]
    if let Some(anchor_ns) = sys::simulated_anchor_ns() {
        return anchor_ns;
    }
    *ANCHOR_NS.get_or_init(offset_ns) + SHIFT_NS.load(Ordering::Relaxed)
}

/// Wall clock minus monotonic clock now; of three looks the one with the shortest gap.
fn offset_ns() -> i64 {
    let look = || {
        let before = sys::monotonic_ns();
        let wall = sys::wall_ns();
        let after = sys::monotonic_ns();
        (after - before, wall - before - (after - before) / 2)
    };
    (0..3).map(|_| look()).min().expect("three looks").1
}

/// Converts wall-clock stamps to the clock of [`now_ns`].
#[derive(Debug)]
pub(crate) struct Correction {
    offset_ns: i64,
    seen_ns: i64,
}

impl Correction {
    pub(crate) fn new() -> Self {
        anchor_ns();
        Self { offset_ns: offset_ns(), seen_ns: now_ns() }
    }

    /// Looks at the clocks again if the last look is old; whether the wall clock has stepped since.
    pub(crate) fn refresh(&mut self, now_ns: i64) -> bool {
        if now_ns - self.seen_ns < REFRESH_NS {
            return false;
        }
        let offset_ns = offset_ns();
        let stepped = (offset_ns - self.offset_ns).abs() > STEP_NS;
        self.offset_ns = offset_ns;
        self.seen_ns = now_ns;
        stepped
    }

    /// A wall-clock stamp on [`now_ns`]' clock.
    pub(crate) fn apply(&self, wall_ns: i64) -> i64 {
        wall_ns - self.offset_ns + anchor_ns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_does_not_go_back_and_is_near_the_wall_clock() {
        let mut last = now_ns();
        for _ in 0..10_000 {
            let now = now_ns();
            assert!(now >= last);
            last = now;
        }
        assert!((now_ns() - sys::wall_ns()).abs() < 1_000_000_000);
    }

    #[test]
    fn a_lease_ends_while_the_machine_is_suspended() {
        const S: i64 = 1_000_000_000;
        let context = crate::NetContext::default();
        context.lease(boot_ns() + 3600 * S);
        let before_ns = now_ns();
        assert!(context.may_send());
        pretend_suspension(3600 * S);
        assert!(!context.may_send(), "nothing is sent when the machine wakes up");
        assert!(now_ns() - before_ns < 1800 * S, "times of samples do not jump");
    }

    #[test]
    fn the_grain_of_a_clock_is_its_step_or_the_time_of_a_read() {
        let ticks = std::cell::Cell::new(0_i64);
        // Counts 4 ms a tick, and a read takes a third of one; now and then it is held up.
        let of_ticks = || {
            ticks.set(ticks.get() + if ticks.get() % 10 == 9 { 7 } else { 1 });
            ticks.get() / 3 * 4_000_000
        };
        assert_eq!(smallest_step(of_ticks), 4_000_000);
        let read_takes_21_ns = || {
            ticks.set(ticks.get() + 1);
            ticks.get() * 21
        };
        assert_eq!(smallest_step(read_takes_21_ns), 21);
        assert!(clock_resolution_ns() > 0);
    }

    #[test]
    fn a_stamp_of_now_is_corrected_to_now() {
        let correction = Correction::new();
        let before = now_ns();
        let stamp = sys::wall_ns();
        let after = now_ns();
        let at = correction.apply(stamp);
        assert!(at >= before - 100_000 && at <= after + 100_000, "{before} {at} {after}");
    }
}
