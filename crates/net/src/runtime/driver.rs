//! The interface between a loop and the kernel.
//!
//! Apart from system calls on its sockets, a loop needs only this from the kernel: register a
//! descriptor, unregister it, wait for events. [`Uring`] also moves data for sockets that it has
//! adopted; see there.

use std::io;
use std::os::fd::RawFd;

use super::SourceId;
use super::uring::Uring;
use crate::{Io, sys};

/// Events taken from the kernel at once: enough to spread the cost of the call, few enough that
/// timers are not late.
const EVENTS: usize = 128;

/// The kernel interface that a loop uses.
pub(crate) enum Driver {
    Epoll(sys::Epoll),
    Uring(Box<Uring>),
    /// A simulated kernel, and the number that it knows the loop by.
    #[cfg(feature = "simulated")]
    Simulated(sys::SimulatedLoop),
}

impl Driver {
    /// What is wanted, and why it is another if it is.
    ///
    /// # Errors
    /// No descriptors left.
    pub(crate) fn open(wanted: Io) -> io::Result<(Self, Option<io::Error>)> {
        #[cfg(feature = "simulated")]
        if let Some(simulated) = sys::SimulatedLoop::open() {
            return Ok((Self::Simulated(simulated), None));
        }
        let refused = match wanted.resolved() {
            Io::Uring => match Uring::open() {
                Ok(uring) => return Ok((Self::Uring(Box::new(uring)), None)),
                Err(error) => Some(error),
            },
            _ => None,
        };
        Ok((Self::Epoll(sys::Epoll::new()?), refused))
    }

    /// Reports readiness in both directions, each time it is new, with this key; until the
    /// descriptor is closed, or [`Driver::forget`].
    pub(crate) fn watch(&self, fd: RawFd, key: u64) -> io::Result<()> {
        match self {
            Self::Epoll(epoll) => epoll.add(fd, key),
            Self::Uring(uring) => {
                uring.watch(fd, key);
                Ok(())
            }
            #[cfg(feature = "simulated")]
            Self::Simulated(simulated) => {
                simulated.watch(fd, key);
                Ok(())
            }
        }
    }

    /// The descriptor of this source is about to be closed.
    pub(crate) fn forget(&self, id: SourceId) {
        if let Self::Uring(uring) = self {
            uring.forget(id);
        }
    }

    /// A task was polled.
    pub(crate) fn after_poll(&self) {
        if let Self::Uring(uring) = self {
            uring.after_poll();
        }
    }

    /// The loop is about to sleep without a wait: what is queued has to be handed over.
    pub(crate) fn before_sleep(&self) {
        if let Self::Uring(uring) = self {
            uring.submit();
        }
    }

    pub(crate) fn uring(&self) -> Option<&Uring> {
        match self {
            Self::Epoll(_) => None,
            Self::Uring(uring) => Some(uring),
            #[cfg(feature = "simulated")]
            Self::Simulated(_) => None,
        }
    }

    /// What is ready; waits until something is, if `block` says so. A signal may end that early.
    pub(crate) fn wait<'e>(&self, events: &'e mut Vec<sys::Event>, block: bool) -> &'e [sys::Event] {
        match self {
            Self::Epoll(epoll) => {
                events.resize(EVENTS, sys::Event::EMPTY);
                let timeout_ms = if block { -1 } else { 0 };
                let count = epoll.wait(events, timeout_ms).expect("the loop's epoll instance is valid");
                &events[..count]
            }
            Self::Uring(uring) => {
                uring.wait(events, block);
                events
            }
            #[cfg(feature = "simulated")]
            Self::Simulated(simulated) => {
                simulated.take(events, EVENTS, block);
                events
            }
        }
    }
}
