//! One clock for everything: the monotonic clock, moved to the epoch once at first use.
//!
//! Kernel receive stamps come in wall-clock time. [`Correction`] brings them to this clock; slewing of the wall clock is
//! followed, a step of it is noticed and counted.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::sys;

static ANCHOR_NS: OnceLock<i64> = OnceLock::new();
static STEPS: AtomicU64 = AtomicU64::new(0);
static UNSTAMPED: AtomicU64 = AtomicU64::new(0);
static END_AT_READ: AtomicBool = AtomicBool::new(false);
static STAMPS: AtomicBool = AtomicBool::new(true);

/// A wall clock that moved by more than this between two looks has been set, not slewed.
const STEP_NS: i64 = 1_000_000;
/// How old a correction may get: slewing is at most 500 ppm, so it is wrong by at most 2.5 µs.
const REFRESH_NS: i64 = 5_000_000;

/// Nanoseconds since the epoch on a clock that never steps.
pub fn now_ns() -> i64 {
    sys::monotonic_ns() + anchor_ns()
}

/// How often the wall clock was seen to step since the start of the process.
pub fn clock_steps() -> u64 {
    STEPS.load(Ordering::Relaxed)
}

/// The smallest difference that this clock tells, in nanoseconds: its step or the time that reading it takes, whichever is
/// more. Tens on a good clock source, thousands where each read asks the hypervisor, millions where it counts ticks.
pub fn clock_grain_ns() -> i64 {
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

/// From now on measurements end after the read and not at the kernel's receive stamp, for this whole process: to see
/// what tools without stamps see.
pub fn end_at_read() {
    END_AT_READ.store(true, Ordering::Relaxed);
}

/// Whether [`end_at_read`] was called.
pub fn ends_at_read() -> bool {
    END_AT_READ.load(Ordering::Relaxed)
}

/// From now on the kernel is asked for no stamps, of what arrives or is sent, for this whole process; sockets that are open
/// keep theirs. To see what stamps cost: nothing tells late reads any more.
pub fn without_stamps() {
    end_at_read();
    STAMPS.store(false, Ordering::Relaxed);
}

/// Whether the kernel is asked for stamps; not after [`without_stamps`].
pub fn asks_for_stamps() -> bool {
    STAMPS.load(Ordering::Relaxed)
}

/// How many reads of this process came without a receive stamp. The kernel needs a moment to switch stamping on, so the
/// first few may.
pub fn unstamped_reads() -> u64 {
    UNSTAMPED.load(Ordering::Relaxed)
}

#[cold]
pub(crate) fn note_unstamped() {
    UNSTAMPED.fetch_add(1, Ordering::Relaxed);
}

/// Wall clock minus monotonic clock at first use.
pub(crate) fn anchor_ns() -> i64 {
    *ANCHOR_NS.get_or_init(offset_ns)
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

/// Brings wall-clock stamps to [`now_ns`]' clock.
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

    /// Looks at the clocks again if the last look is old.
    pub(crate) fn refresh(&mut self, now_ns: i64) {
        if now_ns - self.seen_ns < REFRESH_NS {
            return;
        }
        let offset_ns = offset_ns();
        if (offset_ns - self.offset_ns).abs() > STEP_NS {
            STEPS.fetch_add(1, Ordering::Relaxed);
        }
        self.offset_ns = offset_ns;
        self.seen_ns = now_ns;
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
        assert!(clock_grain_ns() > 0);
    }

    #[test]
    fn a_stamp_of_now_is_corrected_to_now() {
        let correction = Correction::new();
        let (before, stamp, after) = (now_ns(), sys::wall_ns(), now_ns());
        let at = correction.apply(stamp);
        assert!(at >= before - 100_000 && at <= after + 100_000, "{before} {at} {after}");
    }
}
