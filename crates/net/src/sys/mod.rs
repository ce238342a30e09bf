//! System calls. All `unsafe` of the crate is in this folder.
#![expect(unsafe_code, reason = "the system calls: each block states why it is sound")]

mod allocator;
mod clock;
mod epoll;
mod interfaces;
mod limits;
mod rx_timestamps_bpf;
#[cfg(feature = "simulated")]
mod simulated;
mod socket;
mod uring;

pub use allocator::Allocator;
pub(crate) use clock::sleep_until;
pub(crate) use epoll::{BOTH_WAYS, Epoll, Event, READABLE, WRITABLE};
pub(crate) use interfaces::addresses_of;
pub(crate) use limits::{
    ask_for_turns_of, disable_huge_pages, give_way, grow_descriptor_table, host_name,
    huge_pages_are_disabled, nofile, return_freed_memory, run_thread_when_idle, run_when_idle,
    runs_when_idle, schedule_as_batch, set_nofile, thread_id, tighten_timer_slack,
};
pub(crate) use rx_timestamps_bpf::{
    PortSlot, RingProgram, RxTimestampProgram, SegmentRing, SegmentTimes, detach_program, place_of,
};
pub(crate) use uring::{Answer, Buffers, FilledBuffer, OperationKind, Ring};

// What a simulated kernel can serve instead: the same names, either way.
#[cfg(feature = "simulated")]
pub(crate) use simulated::kernel as simulated_kernel;
#[cfg(feature = "simulated")]
pub(crate) use simulated::{
    EventFd, Fd, SimulatedLoop, TimerFd, accept, boot_ns, connect_start, connect_unix, install_simulated,
    is_free, is_simulated, linger_zero, listen, local_addr, monotonic_ns, peek, peer_addr, process_cpu_ns,
    recv, recv_stamped, segments, send, sent_stamp, set_nodelay, shift_simulated_clock, shutdown_write,
    simulated_anchor_ns, skip, skip_stamped, stamp_receives, stamp_sends, take_error, thread_cpu_ns, udp_to,
    wall_ns,
};
#[cfg(not(feature = "simulated"))]
pub(crate) use {
    clock::{boot_ns, monotonic_ns, process_cpu_ns, thread_cpu_ns, wall_ns},
    epoll::{EventFd, TimerFd},
    socket::{
        accept, connect_start, connect_unix, is_free, linger_zero, listen, local_addr, peek, peer_addr, recv,
        recv_stamped, segments, send, sent_stamp, set_nodelay, shutdown_write, skip, skip_stamped,
        stamp_receives, stamp_sends, take_error, udp_to,
    },
    std::os::fd::OwnedFd as Fd,
};

/// Whether a simulated kernel serves this thread.
#[cfg(not(feature = "simulated"))]
pub(crate) const fn is_simulated() -> bool {
    false
}

use std::io;

/// Turns a -1 of the C library into its error.
fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
