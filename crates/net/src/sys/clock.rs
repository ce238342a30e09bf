//! Clocks.

use std::cell::Cell;

fn read(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the result, and these clocks exist on every supported
    // kernel.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

pub(crate) fn monotonic_ns() -> i64 {
    read(libc::CLOCK_MONOTONIC)
}

pub(crate) fn boot_ns() -> i64 {
    read(libc::CLOCK_BOOTTIME)
}

pub(crate) fn wall_ns() -> i64 {
    read(libc::CLOCK_REALTIME)
}

pub(crate) fn thread_cpu_ns() -> i64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

pub(crate) fn process_cpu_ns() -> i64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

thread_local! {
    /// Whether sleeps of this thread end on time. The kernel may let them last 50 us longer
    /// otherwise, to end several at once, which it does not for a timer that has a descriptor.
    static IS_ON_TIME: Cell<bool> = const { Cell::new(false) };
}

/// Sleeps until an instant of the monotonic clock, or a signal.
pub(crate) fn sleep_until(monotonic_ns: i64) {
    if !IS_ON_TIME.replace(true) {
        // SAFETY: it takes a number. Where it is refused, sleeps are less exact, as measured.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64) };
    }
    let until =
        libc::timespec { tv_sec: monotonic_ns / 1_000_000_000, tv_nsec: monotonic_ns % 1_000_000_000 };
    let rest = std::ptr::null_mut();
    // SAFETY: `until` lives during the call; the rest of an absolute sleep is not asked for.
    unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &raw const until, rest) };
}
