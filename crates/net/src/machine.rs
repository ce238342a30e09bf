//! This machine and process: limits, CPU time, memory.

use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicI64, Ordering};

use crate::sys;

/// Soft and hard limit of open descriptors.
///
/// # Errors
/// As the system's `getrlimit`.
pub fn descriptor_limits() -> io::Result<(u64, u64)> {
    sys::nofile()
}

/// As many descriptors get a place at once; the table of more than these grows when it must.
const ROOM_FOR_DESCRIPTORS: u64 = 1 << 17;

/// Raises the soft limit of open descriptors to the hard one and returns it, and has the kernel
/// make its table of them that large at once. To be called before threads are there.
///
/// A table that is full is doubled by the thread that opens the next descriptor, and in a process
/// with threads Linux then waits until every processor has passed a quiescent state
/// (`expand_fdtable`, `synchronize_rcu`): some 10 to 30 ms for which a worker stalls, eight times
/// on the way to 10,000 connections.
///
/// # Errors
/// As the system's `setrlimit` and `fcntl`.
pub fn raise_descriptor_limit() -> io::Result<u64> {
    let (soft, hard) = sys::nofile()?;
    if soft < hard {
        sys::set_nofile(hard, hard)?;
    }
    sys::grow_descriptor_table(hard.min(ROOM_FOR_DESCRIPTORS))?;
    Ok(hard)
}

/// Lets this thread, when it wakes, wait until what runs on its core has done its piece
/// (`SCHED_BATCH`), instead of interrupting it. For work that keeps no schedule: a server on the
/// same core answers many requests before this thread takes the answers, all at once, and receive
/// stamps hold whenever they are read. Not for work with timers, which would fire late by what the
/// other runs (milliseconds).
///
/// Measured with a closed loop against nginx on the same two cores, CPU a request at 20 and 1,000
/// connections: 10.1 and 12.0 µs without, 8.8 and 9.2 with; 0.30 and 0.20 context switches a
/// request without, 0.16 and 0.01 with.
///
/// False if the kernel will not; then nothing has changed.
pub fn prefer_throughput() -> bool {
    sys::schedule_as_batch()
}

/// Lets this thread, when it wakes, preempt threads on its core with longer time slices (its own
/// slice is 0.1 ms, Linux 6.12). It gets no more of the processor than others. For work that keeps
/// a schedule next to a server on the same cores.
///
/// Measured with 1,000 requests a second against a server on the same two cores, three times: 99th
/// percentile of late starts 0.33, 0.31 and 0.15 ms without, 0.08 each time with, for the same CPU
/// a request; at 50,000 a second 1.9 ms without, 0.6 to 1.1 with.
///
/// False if the kernel will not; then nothing has changed.
pub fn prefer_punctuality() -> bool {
    sys::ask_for_turns_of(100_000)
}

/// Lets this thread come after others on its core: niceness 10, a tenth of the processor where
/// others want all of it, and it interrupts no thread when it wakes (`SCHED_BATCH`). For
/// calculations next to threads that keep a schedule: such a thread wakes a helper and would
/// otherwise be interrupted by it. (With `SCHED_IDLE` a check could take forever next to workers
/// that need all processors.)
///
/// False if the kernel will not; then nothing has changed.
pub fn give_way() -> bool {
    sys::give_way(10)
}

/// While this exists, the processors of this machine avoid sleep states that are slow to leave.
#[derive(Debug)]
pub struct Awake {
    _request: File,
}

/// Keeps the processors of this machine out of sleeps that they are slow to wake from (kernel
/// documentation, power/pm_qos_interface). An idle processor that sleeps starts a request late, and
/// stamps what arrives late as well, since its own interrupt has to wake it. They draw more power
/// meanwhile; a virtual machine that has its processors poll keeps them.
///
/// Measured in a virtual machine with 600 timers a second on two idle processors: lateness of a
/// wake-up 56 µs in the median and 160 µs in the 99th percentile without, 19 and 85 with.
///
/// # Errors
/// `PermissionDenied`: only root may, unless the device is opened to others. `NotFound`: this
/// kernel does not manage power.
pub fn disable_deep_idle() -> io::Result<Awake> {
    let mut request = File::options().write(true).open("/dev/cpu_dma_latency")?;
    let governor = std::fs::read_to_string("/sys/devices/system/cpu/cpuidle/current_governor");
    let latency_us = tolerable_latency_us(governor.unwrap_or_default().trim());
    request.write_all(&latency_us.to_ne_bytes())?;
    Ok(Awake { _request: request })
}

/// The slowest wake that is good enough: that of the lightest sleep (C1) on a real machine. A
/// guest's processors either poll or are given back to the host, which its governor does for all
/// but 0.
fn tolerable_latency_us(governor: &str) -> i32 {
    if governor == "haltpoll" { 0 } else { 2 }
}

/// The number of this thread in `/proc/self/task`.
pub fn thread_id() -> u32 {
    sys::thread_id()
}

/// CPU time of this thread so far, nanoseconds.
pub fn thread_cpu_ns() -> i64 {
    sys::thread_cpu_ns()
}

/// CPU time of this process so far, user and system, nanoseconds.
pub fn process_cpu_ns() -> i64 {
    sys::process_cpu_ns()
}

/// Nanoseconds between two times that freed memory goes back.
const BETWEEN_RETURNS_NS: i64 = 5_000_000;

/// When freed memory last went back, on the clock of [`crate::now_ns`].
static RETURNED_NS: AtomicI64 = AtomicI64::new(0);

/// Gives freed memory back to the system soon, on a helper thread, and not more often than each 5
/// ms. The allocator keeps what is freed for a second, to use it again: that is cheap, and too much
/// where bodies of many megabytes come and go.
pub fn return_freed_memory() {
    let now_ns = crate::now_ns();
    let last_ns = RETURNED_NS.load(Ordering::Relaxed);
    let is_due = now_ns - last_ns >= BETWEEN_RETURNS_NS;
    let order = Ordering::Relaxed;
    if is_due && RETURNED_NS.compare_exchange(last_ns, now_ns, order, order).is_ok() {
        crate::blocking::aside(sys::return_freed_memory);
    }
}

/// Host name of this machine.
pub fn host_name() -> String {
    sys::host_name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_polls_and_a_real_machine_sleeps_lightly() {
        let of = |governor| tolerable_latency_us(governor);
        assert_eq!((of("haltpoll"), of("menu"), of("teo"), of("")), (0, 2, 2, 2));
    }

    #[test]
    fn who_may_keeps_processors_awake_and_who_may_not_is_told() {
        match disable_deep_idle() {
            Ok(awake) => drop(awake),
            Err(error) => {
                let kind = error.kind();
                assert!(
                    [io::ErrorKind::PermissionDenied, io::ErrorKind::NotFound].contains(&kind),
                    "{error}"
                );
            }
        }
    }
}
