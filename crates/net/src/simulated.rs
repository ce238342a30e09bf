//! The contract of a simulated kernel: what the loops of a thread ask instead of the system.
//!
//! Only tests have this module (feature `simulated`). While a [`Kernel`] is installed on a thread,
//! every loop, socket, timer and clock of that thread is its own; other threads are not affected.
//! `crates/world` has the kernel and what drives the loops.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::RawFd;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use crate::tcp_totals;
use crate::{LoopOptions, NetContext, sys};

pub use crate::runtime::simulated::{Turn, WaitKind, Waiting};

/// The first number of simulated descriptors: more than a process can have real ones.
pub const FIRST_DESCRIPTOR: RawFd = 1 << 24;

/// There is something to read (`EPOLLIN`).
pub const READABLE: u32 = sys::READABLE;
/// There is room to write (`EPOLLOUT`).
pub const WRITABLE: u32 = sys::WRITABLE;
/// The peer has ended its side (`EPOLLRDHUP`).
pub const PEER_ENDED: u32 = libc::EPOLLRDHUP as u32;
/// Both sides have ended (`EPOLLHUP`).
pub const HUNG_UP: u32 = libc::EPOLLHUP as u32;
/// An error, or the stamp of a send, waits to be fetched (`EPOLLERR`).
pub const ERROR: u32 = libc::EPOLLERR as u32;

/// What a connection has sent: segments, and those of them that were sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SentSegments {
    /// All that went out (`tcpi_segs_out` of tcp(7)).
    pub sent: u64,
    /// Those that were sent again (`tcpi_total_retrans`).
    pub sent_again: u64,
}

impl From<SentSegments> for tcp_totals::Segments {
    fn from(SentSegments { sent, sent_again }: SentSegments) -> Self {
        Self { sent, sent_again }
    }
}

/// A process that another one starts ([`crate::spawn_loop()`]).
pub struct NewProcess {
    /// Its name.
    pub name: String,
    /// What its loop shares with other loops.
    pub context: Arc<NetContext>,
    /// The future of its loop.
    pub root: Pin<Box<dyn Future<Output = ()>>>,
}

/// A simulated kernel. Calls mean what the system calls of the same name mean for non-blocking
/// sockets, with their errors; times are nanoseconds on the clocks of the process that runs now.
pub trait Kernel {
    /// `CLOCK_MONOTONIC`.
    fn monotonic_ns(&self) -> i64;
    /// `CLOCK_REALTIME`.
    fn wall_ns(&self) -> i64;
    /// `CLOCK_BOOTTIME`.
    fn boot_ns(&self) -> i64;
    /// CPU time of the process.
    fn cpu_ns(&self) -> i64;
    /// Wall clock minus monotonic clock when the process began, and what
    /// [`crate::shift_clock`] added.
    fn anchor_ns(&self) -> i64;
    /// [`crate::shift_clock`].
    fn shift_anchor(&self, by_ns: i64);

    /// Starts a process on the machine of the one that runs now, soon.
    fn spawn(&self, process: NewProcess);

    /// A new loop of the process; its number.
    fn open_loop(&self) -> usize;
    /// Events of a descriptor go to a loop with this key, edge-triggered in both directions.
    fn watch(&self, loop_number: usize, fd: RawFd, key: u64);
    /// Up to `most` events of a loop, as mask and key.
    fn take_events(&self, loop_number: usize, most: usize) -> Vec<(u32, u64)>;
    /// A timer descriptor.
    fn timer(&self) -> RawFd;
    /// Arms a timer for an instant of the monotonic clock.
    fn arm(&self, fd: RawFd, at_ns: i64);
    /// When a timer fires, on the monotonic clock; none if it is not armed.
    fn armed_ns(&self, fd: RawFd) -> Option<i64>;
    /// A descriptor that [`Kernel::signal`] makes readable.
    fn event(&self) -> RawFd;
    /// Adds one to an event descriptor.
    fn signal(&self, fd: RawFd);
    /// Closes a descriptor of any kind.
    fn close(&self, fd: RawFd);

    /// Starts a connect, from an address if one is given; whether it is made already.
    fn connect(&self, to: SocketAddr, source: Option<IpAddr>) -> io::Result<(RawFd, bool)>;
    /// A listening socket that shares its port with others of its machine.
    fn listen(&self, at: SocketAddr, backlog: i32) -> io::Result<RawFd>;
    /// Whether a port of this machine is free.
    fn is_free(&self, at: SocketAddr) -> io::Result<()>;
    /// Takes a connection from a listening socket.
    fn accept(&self, fd: RawFd) -> io::Result<(RawFd, SocketAddr)>;
    /// Sends; how many bytes were taken.
    fn send(&self, fd: RawFd, bytes: &[u8]) -> io::Result<usize>;
    /// Receives, and the wall-clock time at which the last byte arrived, if stamps are on.
    fn recv(&self, fd: RawFd, into: &mut [u8]) -> io::Result<(usize, Option<i64>)>;
    /// [`Kernel::recv`] that drops the bytes.
    fn skip(&self, fd: RawFd, most: usize) -> io::Result<(usize, Option<i64>)>;
    /// How many bytes, at most one, a read would give.
    fn peek(&self, fd: RawFd) -> io::Result<usize>;
    /// Ends this side.
    fn shutdown_write(&self, fd: RawFd) -> io::Result<()>;
    /// Closing sends a reset.
    fn set_linger_zero(&self, fd: RawFd) -> io::Result<()>;
    /// Receives bring stamps (`SO_TIMESTAMPNS`).
    fn stamp_receives(&self, fd: RawFd) -> io::Result<()>;
    /// Sends are stamped from now on, or no more.
    fn stamp_sends(&self, fd: RawFd, on: bool) -> io::Result<()>;
    /// The last stamp of a send, wall clock; takes all that are there.
    fn sent_stamp(&self, fd: RawFd) -> Option<i64>;
    /// Takes the pending error of a socket.
    fn take_error(&self, fd: RawFd) -> io::Result<()>;
    /// What the connection has sent.
    fn segments(&self, fd: RawFd) -> io::Result<SentSegments>;
    /// `getsockname`.
    fn local_addr(&self, fd: RawFd) -> io::Result<SocketAddr>;
    /// `getpeername`.
    fn peer_addr(&self, fd: RawFd) -> io::Result<SocketAddr>;
}

/// Has this kernel serve the loops of this thread until the guard is dropped.
///
/// # Panics
/// The thread has one already.
#[must_use]
pub fn install(kernel: Rc<dyn Kernel>) -> Installed {
    sys::install_simulated(Some(kernel));
    Installed(())
}

/// Starts a loop in the world of this thread.
///
/// # Panics
/// There is none.
pub(crate) fn spawn(options: &LoopOptions, root: Pin<Box<dyn Future<Output = ()>>>) {
    let LoopOptions { name, context, .. } = options.clone();
    sys::simulated_kernel().expect("a world").spawn(NewProcess { name, context, root });
}

/// A kernel serves this thread as long as this lives.
pub struct Installed(());

impl Drop for Installed {
    fn drop(&mut self) {
        sys::install_simulated(None);
    }
}
