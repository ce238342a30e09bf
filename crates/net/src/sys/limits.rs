//! Limits and names of this machine and process.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::check;

/// The number of this thread for the kernel.
pub(crate) fn thread_id() -> u32 {
    // glibc has a function for it since 2.30. The standard library asks for that weakly, so a program
    // that is linked for an older one would jump to address 0.
    // SAFETY: takes nothing, cannot fail.
    u32::try_from(unsafe { libc::syscall(libc::SYS_gettid) }).expect("a thread's number is a pid")
}

/// Soft and hard limit of open descriptors.
pub(crate) fn nofile() -> io::Result<(u64, u64)> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for the result.
    check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) })?;
    Ok((limit.rlim_cur, limit.rlim_max))
}

/// Sets the soft limit of open descriptors.
pub(crate) fn set_nofile(soft: u64, hard: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: `limit` lives during the call.
    check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }).map(drop)
}

/// Makes the kernel's table of this process's descriptors as large as `descriptors`: it grows for
/// the number of a copy, and keeps its size when the copy is closed.
pub(crate) fn grow_descriptor_table(descriptors: u64) -> io::Result<()> {
    let any = std::fs::File::open("/dev/null")?;
    let last = i32::try_from(descriptors.saturating_sub(1)).unwrap_or(i32::MAX);
    // SAFETY: no pointers; the descriptor lives during the call.
    let copy = check(unsafe { libc::fcntl(any.as_raw_fd(), libc::F_DUPFD_CLOEXEC, last) })?;
    // SAFETY: the copy was made above, and no other code has it.
    drop(unsafe { OwnedFd::from_raw_fd(copy) });
    Ok(())
}

/// Gives the memory that was freed back to the system. With another allocator than this one, there
/// is none.
pub(crate) fn return_freed_memory() {
    // SAFETY: no arguments that could be wrong; any thread may call it at any time, and it touches
    // free memory only.
    unsafe { libmimalloc_sys::mi_collect(true) };
}

/// Host name.
pub(crate) fn host_name() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer has the length that is given; it stays ended by a zero since one byte less
    // is offered.
    let result = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
    if result == 0 { String::from_utf8_lossy(&name[..end]).into_owned() } else { "localhost".to_owned() }
}

/// Puts this thread under `SCHED_BATCH`, unless it has another policy (`chrt`); false if not, or if
/// the kernel refuses.
pub(crate) fn schedule_as_batch() -> bool {
    // By their numbers: the C library musl has these calls and refuses both. The kernel's
    // `sched_param` is one number.
    let me = 0_usize;
    let batch = libc::c_long::from(libc::SCHED_BATCH);
    let priority = 0_i32;
    // SAFETY: no pointers; 0 is the calling thread.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, me) };
    let is_usual = policy == libc::c_long::from(libc::SCHED_OTHER);
    // SAFETY: `priority` lives during the call.
    is_usual && unsafe { libc::syscall(libc::SYS_sched_setscheduler, me, batch, &raw const priority) } == 0
}

/// Asks for turns of that length for this thread and keeps its policy and niceness; false if the
/// kernel will not. Kernels before 6.12 say yes and do nothing.
pub(crate) fn ask_for_turns_of(turn_ns: u64) -> bool {
    // SAFETY: all zeroes is a valid `sched_attr`.
    let mut attr: libc::sched_attr = unsafe { std::mem::zeroed() };
    let me = 0_usize;
    let flags = 0_usize;
    let size = size_of::<libc::sched_attr>();
    // SAFETY: `attr` has room for `size` bytes.
    let got = unsafe { libc::syscall(libc::SYS_sched_getattr, me, &raw mut attr, size, flags) };
    attr.sched_runtime = turn_ns;
    // SAFETY: `attr` lives during the call and says its size.
    got == 0 && unsafe { libc::syscall(libc::SYS_sched_setattr, me, &raw const attr, flags) } == 0
}

/// Gives this thread a niceness of at least that, time slices of the usual length and, unless it
/// has another policy, `SCHED_BATCH`; false if the kernel will not.
pub(crate) fn give_way(nice: i32) -> bool {
    // SAFETY: all zeroes is a valid `sched_attr`.
    let mut attr: libc::sched_attr = unsafe { std::mem::zeroed() };
    let me = 0_usize;
    let flags = 0_usize;
    let size = size_of::<libc::sched_attr>();
    // SAFETY: `attr` has room for `size` bytes.
    let got = unsafe { libc::syscall(libc::SYS_sched_getattr, me, &raw mut attr, size, flags) };
    if attr.sched_policy == libc::SCHED_OTHER as u32 {
        attr.sched_policy = libc::SCHED_BATCH as u32;
    }
    attr.sched_nice = attr.sched_nice.max(nice);
    attr.sched_runtime = 0;
    // SAFETY: `attr` lives during the call and says its size.
    got == 0 && unsafe { libc::syscall(libc::SYS_sched_setattr, me, &raw const attr, flags) } == 0
}

/// Puts this thread under `SCHED_IDLE`, or back under `SCHED_BATCH`; niceness stays. Only if it is
/// under one of these two or under `SCHED_OTHER`: false if it has another policy, or if the kernel
/// refuses.
pub(crate) fn run_when_idle(idle: bool) -> bool {
    run_thread_when_idle(0, idle)
}

/// [`run_when_idle`] for a thread of this process by its id; 0 is the calling thread.
pub(crate) fn run_thread_when_idle(thread: u32, idle: bool) -> bool {
    let priority = 0_i32;
    // SAFETY: no pointers.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, thread) };
    let known = [libc::SCHED_OTHER, libc::SCHED_BATCH, libc::SCHED_IDLE];
    let wanted = libc::c_long::from(if idle { libc::SCHED_IDLE } else { libc::SCHED_BATCH });
    known.iter().any(|one| policy == libc::c_long::from(*one))
        // SAFETY: `priority` lives during the call.
        && unsafe { libc::syscall(libc::SYS_sched_setscheduler, thread, wanted, &raw const priority) } == 0
}

/// Whether this thread is under `SCHED_IDLE`.
pub(crate) fn runs_when_idle() -> bool {
    let me = 0_usize;
    // SAFETY: no pointers; 0 is the calling thread.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, me) };
    policy == libc::c_long::from(libc::SCHED_IDLE)
}

/// Asks the kernel to fire this thread's timers as exactly as it can (1 ns instead of 50 µs of
/// slack).
pub(crate) fn tighten_timer_slack() {
    // SAFETY: no pointers; failure leaves the default, which is only less exact.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
}

/// Whether this process uses small pages only, by its own choice or its parent's.
pub(crate) fn huge_pages_are_disabled() -> bool {
    // SAFETY: no pointers.
    unsafe { libc::prctl(libc::PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1 }
}

/// Has new memory of this process come in small pages only, or again as the system has it. A kernel
/// without huge pages refuses, and there is nothing to change then.
pub(crate) fn disable_huge_pages(disable: bool) {
    // SAFETY: no pointers; pages that are there stay as they are.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, libc::c_ulong::from(disable), 0, 0, 0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Policy and niceness of this thread.
    fn policy() -> (libc::c_int, libc::c_int) {
        // SAFETY: no pointers.
        unsafe { (libc::sched_getscheduler(0), libc::getpriority(libc::PRIO_PROCESS, 0)) }
    }

    #[test]
    fn short_turns_change_neither_policy_nor_niceness() {
        let thread = std::thread::spawn(|| {
            let before = policy();
            let asked = ask_for_turns_of(100_000);
            assert!(asked, "any thread may ask for shorter turns");
            let batch = schedule_as_batch();
            assert!(ask_for_turns_of(200_000));
            (before, batch, policy())
        });
        let ((policy, niceness), batch, after) = thread.join().expect("no panic");
        let policy = if batch { libc::SCHED_BATCH } else { policy };
        assert_eq!(after, (policy, niceness));
    }

    #[test]
    fn a_policy_that_somebody_chose_stays() {
        let thread = std::thread::spawn(|| {
            let parameter = libc::sched_param { sched_priority: 0 };
            // SAFETY: `parameter` lives during the call.
            let idle = unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameter) };
            (idle, schedule_as_batch(), policy().0)
        });
        assert_eq!(thread.join().expect("no panic"), (0, false, libc::SCHED_IDLE));
    }
}
