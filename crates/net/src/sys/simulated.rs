//! The same calls for threads that a simulated kernel serves: each asks that kernel, or the system
//! where there is none.

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::Path;
use std::rc::Rc;

use super::{Event, clock, epoll, socket};
use crate::simulated::{FIRST_DESCRIPTOR, Kernel};
use crate::tcp_totals::Segments;

thread_local! {
    static KERNEL: RefCell<Option<Rc<dyn Kernel>>> = const { RefCell::new(None) };
}

/// The kernel that serves this thread; none: the system does.
pub(crate) fn kernel() -> Option<Rc<dyn Kernel>> {
    KERNEL.try_with(|kernel| kernel.borrow().clone()).ok().flatten()
}

/// The kernel of a simulated descriptor.
fn kernel_of(fd: RawFd) -> Option<Rc<dyn Kernel>> {
    (fd >= FIRST_DESCRIPTOR).then(|| kernel().expect("the kernel of a simulated descriptor is there"))
}

pub(crate) fn install_simulated(next: Option<Rc<dyn Kernel>>) {
    let installs = next.is_some();
    let last = KERNEL.replace(next);
    assert!(!(installs && last.is_some()), "one simulated kernel per thread at a time");
}

pub(crate) fn is_simulated() -> bool {
    kernel().is_some()
}

pub(crate) fn simulated_anchor_ns() -> Option<i64> {
    kernel().map(|kernel| kernel.anchor_ns())
}

/// False: the clock of the system is to be shifted.
pub(crate) fn shift_simulated_clock(by_ns: i64) -> bool {
    kernel().map(|kernel| kernel.shift_anchor(by_ns)).is_some()
}

/// An owned descriptor of either kernel.
#[derive(Debug)]
pub(crate) enum Fd {
    Real(OwnedFd),
    Simulated(RawFd),
}

impl AsRawFd for Fd {
    fn as_raw_fd(&self) -> RawFd {
        match self {
            Self::Real(fd) => fd.as_raw_fd(),
            Self::Simulated(fd) => *fd,
        }
    }
}

impl<T: Into<OwnedFd>> From<T> for Fd {
    fn from(fd: T) -> Self {
        Self::Real(fd.into())
    }
}

impl Drop for Fd {
    fn drop(&mut self) {
        // The kernel that had it has ended with its world.
        if let (Self::Simulated(fd), Some(kernel)) = (self, kernel()) {
            kernel.close(*fd);
        }
    }
}

/// A loop of a simulated kernel, by its number.
pub(crate) struct SimulatedLoop(usize);

impl SimulatedLoop {
    /// None where the system serves this thread.
    pub(crate) fn open() -> Option<Self> {
        kernel().map(|kernel| Self(kernel.open_loop()))
    }

    fn kernel() -> Rc<dyn Kernel> {
        kernel().expect("a loop of a world ends before the world")
    }

    pub(crate) fn watch(&self, fd: RawFd, key: u64) {
        Self::kernel().watch(self.0, fd, key);
    }

    pub(crate) fn take(&self, events: &mut Vec<Event>, most: usize, block: bool) {
        assert!(!block, "nothing may block in a world: have the world drive this loop");
        let taken = Self::kernel().take_events(self.0, most);
        events.clear();
        events.extend(taken.into_iter().map(|(mask, key)| Event::new(mask, key)));
    }
}

/// A timer of either kernel.
pub(crate) enum TimerFd {
    Real(epoll::TimerFd),
    Simulated(Fd),
}

impl TimerFd {
    pub(crate) fn new() -> io::Result<Self> {
        match kernel() {
            Some(kernel) => Ok(Self::Simulated(Fd::Simulated(kernel.timer()))),
            None => epoll::TimerFd::new().map(Self::Real),
        }
    }

    pub(crate) fn arm(&self, monotonic_ns: i64) -> io::Result<()> {
        match self {
            Self::Real(timer) => timer.arm(monotonic_ns),
            Self::Simulated(fd) => {
                SimulatedLoop::kernel().arm(fd.as_raw_fd(), monotonic_ns);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
impl TimerFd {
    pub(crate) fn left_ns(&self) -> i64 {
        match self {
            Self::Real(timer) => timer.left_ns(),
            Self::Simulated(fd) => {
                let kernel = SimulatedLoop::kernel();
                kernel.armed_ns(fd.as_raw_fd()).map_or(0, |at_ns| at_ns - kernel.monotonic_ns())
            }
        }
    }
}

impl AsRawFd for TimerFd {
    fn as_raw_fd(&self) -> RawFd {
        match self {
            Self::Real(timer) => timer.as_raw_fd(),
            Self::Simulated(fd) => fd.as_raw_fd(),
        }
    }
}

/// An event descriptor of either kernel.
pub(crate) enum EventFd {
    Real(epoll::EventFd),
    Simulated(Fd),
}

impl EventFd {
    pub(crate) fn new() -> io::Result<Self> {
        match kernel() {
            Some(kernel) => Ok(Self::Simulated(Fd::Simulated(kernel.event()))),
            None => epoll::EventFd::new().map(Self::Real),
        }
    }

    pub(crate) fn signal(&self) {
        match self {
            Self::Real(event) => event.signal(),
            // Who drops the last handle of a loop of another world has no kernel to ask.
            Self::Simulated(fd) => kernel().into_iter().for_each(|kernel| kernel.signal(fd.as_raw_fd())),
        }
    }
}

impl AsRawFd for EventFd {
    fn as_raw_fd(&self) -> RawFd {
        match self {
            Self::Real(event) => event.as_raw_fd(),
            Self::Simulated(fd) => fd.as_raw_fd(),
        }
    }
}

pub(crate) fn monotonic_ns() -> i64 {
    kernel().map_or_else(clock::monotonic_ns, |kernel| kernel.monotonic_ns())
}

pub(crate) fn boot_ns() -> i64 {
    kernel().map_or_else(clock::boot_ns, |kernel| kernel.boot_ns())
}

pub(crate) fn wall_ns() -> i64 {
    kernel().map_or_else(clock::wall_ns, |kernel| kernel.wall_ns())
}

pub(crate) fn thread_cpu_ns() -> i64 {
    kernel().map_or_else(clock::thread_cpu_ns, |kernel| kernel.cpu_ns())
}

pub(crate) fn process_cpu_ns() -> i64 {
    kernel().map_or_else(clock::process_cpu_ns, |kernel| kernel.cpu_ns())
}

pub(crate) fn connect_start(to: SocketAddr, source: Option<IpAddr>) -> io::Result<(Fd, bool)> {
    match kernel() {
        Some(kernel) => kernel.connect(to, source).map(|(fd, made)| (Fd::Simulated(fd), made)),
        None => socket::connect_start(to, source).map(|(fd, made)| (fd.into(), made)),
    }
}

pub(crate) fn connect_unix(path: &Path) -> io::Result<Fd> {
    if is_simulated() {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "a world has no sockets in its file system"));
    }
    socket::connect_unix(path).map(Fd::from)
}

pub(crate) fn udp_to(peer: SocketAddr) -> io::Result<Fd> {
    if is_simulated() {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "a world has no datagrams"));
    }
    socket::udp_to(peer).map(Fd::from)
}

pub(crate) fn listen(at: SocketAddr, backlog: i32) -> io::Result<Fd> {
    match kernel() {
        Some(kernel) => kernel.listen(at, backlog).map(Fd::Simulated),
        None => socket::listen(at, backlog).map(Fd::from),
    }
}

pub(crate) fn is_free(at: SocketAddr) -> io::Result<()> {
    kernel().map_or_else(|| socket::is_free(at), |kernel| kernel.is_free(at))
}

pub(crate) fn accept(listener: RawFd) -> io::Result<(Fd, SocketAddr)> {
    match kernel_of(listener) {
        Some(kernel) => kernel.accept(listener).map(|(fd, peer)| (Fd::Simulated(fd), peer)),
        None => socket::accept(listener).map(|(fd, peer)| (fd.into(), peer)),
    }
}

pub(crate) fn send(fd: RawFd, bytes: &[u8]) -> io::Result<usize> {
    kernel_of(fd).map_or_else(|| socket::send(fd, bytes), |kernel| kernel.send(fd, bytes))
}

pub(crate) fn peek(fd: RawFd) -> io::Result<usize> {
    kernel_of(fd).map_or_else(|| socket::peek(fd), |kernel| kernel.peek(fd))
}

pub(crate) fn recv(fd: RawFd, into: &mut [u8]) -> io::Result<usize> {
    match kernel_of(fd) {
        Some(kernel) => kernel.recv(fd, into).map(|(count, _)| count),
        None => socket::recv(fd, into),
    }
}

pub(crate) fn recv_stamped(fd: RawFd, into: &mut [u8]) -> io::Result<(usize, Option<i64>)> {
    match kernel_of(fd) {
        Some(kernel) => kernel.recv(fd, into),
        None => socket::recv_stamped(fd, into),
    }
}

pub(crate) fn skip(fd: RawFd, most: usize) -> io::Result<usize> {
    match kernel_of(fd) {
        Some(kernel) => kernel.skip(fd, most).map(|(count, _)| count),
        None => socket::skip(fd, most),
    }
}

pub(crate) fn skip_stamped(fd: RawFd, most: usize) -> io::Result<(usize, Option<i64>)> {
    kernel_of(fd).map_or_else(|| socket::skip_stamped(fd, most), |kernel| kernel.skip(fd, most))
}

pub(crate) fn shutdown_write(fd: RawFd) -> io::Result<()> {
    kernel_of(fd).map_or_else(|| socket::shutdown_write(fd), |kernel| kernel.shutdown_write(fd))
}

pub(crate) fn set_nodelay(fd: &Fd, nodelay: bool) -> io::Result<()> {
    // The segments of a world never wait for an acknowledgement.
    if kernel_of(fd.as_raw_fd()).is_some() { Ok(()) } else { socket::set_nodelay(fd, nodelay) }
}

pub(crate) fn linger_zero(fd: &Fd) -> io::Result<()> {
    let raw = fd.as_raw_fd();
    kernel_of(raw).map_or_else(|| socket::linger_zero(fd), |kernel| kernel.set_linger_zero(raw))
}

pub(crate) fn stamp_receives(fd: &Fd) -> io::Result<()> {
    let raw = fd.as_raw_fd();
    kernel_of(raw).map_or_else(|| socket::stamp_receives(fd), |kernel| kernel.stamp_receives(raw))
}

pub(crate) fn stamp_sends(fd: &Fd, on: bool) -> io::Result<()> {
    let raw = fd.as_raw_fd();
    kernel_of(raw).map_or_else(|| socket::stamp_sends(fd, on), |kernel| kernel.stamp_sends(raw, on))
}

pub(crate) fn sent_stamp(fd: RawFd) -> Option<i64> {
    kernel_of(fd).map_or_else(|| socket::sent_stamp(fd), |kernel| kernel.sent_stamp(fd))
}

pub(crate) fn take_error(fd: &Fd) -> io::Result<()> {
    let raw = fd.as_raw_fd();
    kernel_of(raw).map_or_else(|| socket::take_error(fd), |kernel| kernel.take_error(raw))
}

pub(crate) fn segments(fd: &Fd) -> io::Result<Segments> {
    let raw = fd.as_raw_fd();
    match kernel_of(raw) {
        Some(kernel) => kernel.segments(raw).map(Segments::from),
        None => socket::segments(fd),
    }
}

pub(crate) fn local_addr(fd: RawFd) -> io::Result<SocketAddr> {
    kernel_of(fd).map_or_else(|| socket::local_addr(fd), |kernel| kernel.local_addr(fd))
}

pub(crate) fn peer_addr(fd: RawFd) -> io::Result<SocketAddr> {
    kernel_of(fd).map_or_else(|| socket::peer_addr(fd), |kernel| kernel.peer_addr(fd))
}
