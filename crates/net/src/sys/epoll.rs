//! epoll, eventfd and timerfd.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::check;

/// Both directions, edge-triggered.
pub(crate) const BOTH_WAYS: u32 = READABLE | WRITABLE | (libc::EPOLLRDHUP | libc::EPOLLET) as u32;
/// There is something to read.
pub(crate) const READABLE: u32 = libc::EPOLLIN as u32;
/// There is room to write.
pub(crate) const WRITABLE: u32 = libc::EPOLLOUT as u32;

/// One readiness event.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Event(libc::epoll_event);

impl Event {
    pub(crate) const EMPTY: Self = Self(libc::epoll_event { events: 0, u64: 0 });

    /// Readiness that was learnt in another way than from an epoll instance.
    pub(crate) fn new(mask: u32, key: u64) -> Self {
        Self(libc::epoll_event { events: mask, u64: key })
    }

    /// The key the descriptor was registered with.
    pub(crate) fn key(&self) -> u64 {
        self.0.u64
    }

    pub(crate) fn readable(&self) -> bool {
        self.has(libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR)
    }

    pub(crate) fn writable(&self) -> bool {
        self.has(libc::EPOLLOUT | libc::EPOLLHUP | libc::EPOLLERR)
    }

    /// The peer has closed, or the connection is broken: what is there to read ends. Not
    /// `EPOLLERR`, which comes with either where a connection breaks, and without them where the
    /// stamp of a send waits to be fetched.
    pub(crate) fn ended(&self) -> bool {
        self.has(libc::EPOLLRDHUP | libc::EPOLLHUP)
    }

    fn has(&self, mask: libc::c_int) -> bool {
        let events = self.0.events;
        events & mask as u32 != 0
    }
}

/// An epoll instance.
pub(crate) struct Epoll(OwnedFd);

impl Epoll {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: no pointers; the result is a new descriptor without another owner.
        let fd = check(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        // SAFETY: `fd` was just created and has no owner.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Registers for both directions, edge-triggered: once in the life of a descriptor.
    pub(crate) fn add(&self, fd: RawFd, key: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events: BOTH_WAYS, u64: key };
        // SAFETY: `event` lives during the call; a wrong descriptor is an error, not undefined.
        check(unsafe { libc::epoll_ctl(self.0.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &raw mut event) })
            .map(drop)
    }

    /// Waits up to `timeout_ms` (-1: without end) and returns how many events were written.
    pub(crate) fn wait(&self, events: &mut [Event], timeout_ms: i32) -> io::Result<usize> {
        let first = events.as_mut_ptr().cast::<libc::epoll_event>();
        let count = events.len() as i32;
        // SAFETY: `Event` is a transparent `epoll_event`, and the slice has room for `count` of
        // them.
        match check(unsafe { libc::epoll_wait(self.0.as_raw_fd(), first, count, timeout_ms) }) {
            Ok(count) => Ok(count as usize),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(0),
            Err(error) => Err(error),
        }
    }
}

/// Wakes a loop from another thread.
pub(crate) struct EventFd(OwnedFd);

impl EventFd {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: no pointers; the result is a new descriptor.
        let fd = check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })?;
        // SAFETY: `fd` was just created and has no owner.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Adds one. The only way to fail is a full counter, which wakes as well.
    pub(crate) fn signal(&self) {
        let one = 1u64;
        // SAFETY: eight bytes are read from `one`, which has them.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const one).cast(), 8) };
    }
}

impl AsRawFd for EventFd {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A timer with absolute nanosecond deadlines on the monotonic clock.
pub(crate) struct TimerFd(OwnedFd);

impl TimerFd {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: no pointers; the result is a new descriptor.
        let fd = check(unsafe {
            libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC | libc::TFD_NONBLOCK)
        })?;
        // SAFETY: `fd` was just created and has no owner.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Arms it for an instant of the monotonic clock. Setting it again makes a new edge, so it need
    /// not be read.
    pub(crate) fn arm(&self, monotonic_ns: i64) -> io::Result<()> {
        let at = monotonic_ns.max(1);
        let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let value = libc::timespec { tv_sec: at / 1_000_000_000, tv_nsec: at % 1_000_000_000 };
        let spec = libc::itimerspec { it_interval: zero, it_value: value };
        let fd = self.0.as_raw_fd();
        let flags = libc::TFD_TIMER_ABSTIME;
        // SAFETY: `spec` lives during the call; the old value is not asked for.
        check(unsafe { libc::timerfd_settime(fd, flags, &raw const spec, std::ptr::null_mut()) }).map(drop)
    }
}

#[cfg(test)]
impl TimerFd {
    /// How long it has still to run, in nanoseconds; 0 if it is not armed.
    pub(crate) fn left_ns(&self) -> i64 {
        let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let mut spec = libc::itimerspec { it_interval: zero, it_value: zero };
        // SAFETY: `spec` has room for what is written.
        let got = check(unsafe { libc::timerfd_gettime(self.0.as_raw_fd(), &raw mut spec) });
        got.expect("the descriptor is a timer");
        spec.it_value.tv_sec * 1_000_000_000 + spec.it_value.tv_nsec
    }
}

impl AsRawFd for TimerFd {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_that_waits_is_no_end() {
        let event = |events: libc::c_int| Event(libc::epoll_event { events: events as u32, u64: 0 });
        let stamp = event(libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLERR);
        assert!(stamp.readable() && !stamp.ended());
        let reset =
            event(libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLERR | libc::EPOLLHUP | libc::EPOLLRDHUP);
        assert!(reset.readable() && reset.ended());
    }
}
