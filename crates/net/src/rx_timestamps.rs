//! Reports when the bytes of a connection arrived at the kernel.

use std::io;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::clock::{self, Correction};
use crate::sys::Fd;
use crate::{TimestampSource, sys};

/// One for the process: the kernel holds one program, and a port of an address belongs to one
/// connection whatever run made it.
static PORTS: OnceLock<Option<Ports>> = OnceLock::new();
/// How many sections of ports the program is to have.
static SECTIONS: AtomicUsize = AtomicUsize::new(1);

/// Connections will go out from addresses that need this many sections of ports, a power of two.
/// Too late where the program is loaded: then of those that share a port only one has its stamps
/// noted, and each read of the others brings its own.
pub(crate) fn expect_sections(sections: usize) {
    SECTIONS.fetch_max(sections, Ordering::Relaxed);
}

/// Whether the program is in the kernel; the first call loads it.
pub(crate) fn is_program_loaded() -> bool {
    Ports::get().is_some()
}

/// Which slots of the program are taken, a bit each.
struct Ports {
    program: sys::RxTimestampProgram,
    /// Loaded where it is first wanted; none where the kernel refuses it.
    with_rings: OnceLock<Option<sys::RingProgram>>,
    sections: usize,
    taken: Vec<AtomicU64>,
    /// The same for rings.
    rings_taken: Vec<AtomicU64>,
}

impl Ports {
    /// None where the kernel does not load the program.
    fn get() -> Option<&'static Self> {
        if sys::is_simulated() {
            return None;
        }
        let load = || {
            let sections = SECTIONS.load(Ordering::Relaxed);
            let program = sys::RxTimestampProgram::load(sections).ok()?;
            let taken = (0..program.slots() / 64).map(|_| AtomicU64::new(0)).collect();
            let rings_taken = (0..sys::SegmentRing::words()).map(|_| AtomicU64::new(0)).collect();
            Some(Self { program, with_rings: OnceLock::new(), sections, taken, rings_taken })
        };
        PORTS.get_or_init(load).as_ref()
    }

    fn loaded() -> Option<&'static Self> {
        PORTS.get()?.as_ref()
    }

    fn rings(&self) -> Option<&sys::RingProgram> {
        self.with_rings.get_or_init(|| self.program.load_with_rings().ok()).as_ref()
    }

    /// The ring program for the connection of a slot, if no other has its ring.
    fn take_ring(&self, place: usize) -> Option<&sys::RingProgram> {
        let rings = self.rings()?;
        take(&self.rings_taken, sys::SegmentRing::place_of(place)).then_some(rings)
    }

    fn give_back(&self, place: usize, has_ring: bool) {
        give_back(&self.taken, place);
        if has_ring {
            give_back(&self.rings_taken, sys::SegmentRing::place_of(place));
        }
    }
}

fn take(taken: &[AtomicU64], place: usize) -> bool {
    let bit = 1 << (place % 64);
    taken[place / 64].fetch_or(bit, Ordering::Relaxed) & bit == 0
}

fn give_back(taken: &[AtomicU64], place: usize) {
    taken[place / 64].fetch_and(!(1 << (place % 64)), Ordering::Relaxed);
}

/// The time at which the last byte of a read arrived, on the clock of [`crate::now_ns`].
pub(crate) type Stamp = Option<i64>;

/// The source of a connection's arrival times.
pub(crate) enum RxTimestamps {
    /// Not requested.
    None,
    /// Each read returns the stamp of its last byte. The peer's end has no stamp; if it was there
    /// when the bytes before it were read, it came with them as far as anyone can tell, and these
    /// are theirs.
    WithReads { end: Stamp },
    /// A program in the kernel notes them.
    Noted {
        slot: &'static sys::PortSlot,
        /// It also notes segments.
        ring: Option<&'static sys::SegmentRing>,
        /// Half of a `usize`: servers have one for each of their connections.
        place: u32,
    },
}

impl RxTimestamps {
    /// For a connection that was asked for, to be called before the peer can have sent anything.
    /// Where two have one slot, such as those of one port for different peers, the second has its
    /// stamps with reads. `segments`: also those that are not the newest of a read are wanted.
    pub(crate) fn of_client(fd: &Fd, source: TimestampSource, segments: bool) -> io::Result<Self> {
        Self::noted(fd, source, segments).map_or_else(|| Self::with_reads(fd, source), Ok)
    }

    /// For any socket: all that a listener accepts have one port.
    pub(crate) fn with_reads(fd: &Fd, source: TimestampSource) -> io::Result<Self> {
        if !source.asks_kernel() {
            return Ok(Self::None);
        }
        sys::stamp_receives(fd)?;
        Ok(Self::WithReads { end: None })
    }

    fn noted(fd: &Fd, source: TimestampSource, segments: bool) -> Option<Self> {
        let ports = source.uses_kernel_program().then(Ports::get)??;
        let place = sys::place_of(sys::local_addr(fd.as_raw_fd()).ok()?, ports.sections);
        let noted = u32::try_from(place).ok()?;
        if !take(&ports.taken, place) {
            return None;
        }
        let rings = if segments { ports.take_ring(place) } else { None };
        let attached = ports.program.attach(fd, place, rings).ok();
        if attached.is_none() {
            ports.give_back(place, rings.is_some());
        }
        attached.map(|(slot, ring)| Self::Noted { slot, ring, place: noted })
    }

    /// Where segments are noted, if they are.
    pub(crate) fn ring(&self) -> Option<(&'static sys::PortSlot, &'static sys::SegmentRing)> {
        match self {
            Self::Noted { slot, ring: Some(ring), .. } => Some((slot, ring)),
            _ => None,
        }
    }

    /// Where a program records them. `None`: not requested, or each read has to.
    pub(crate) fn slot(&self) -> Option<&'static sys::PortSlot> {
        match self {
            Self::Noted { slot, .. } => Some(slot),
            Self::None | Self::WithReads { .. } => None,
        }
    }

    /// Reads without blocking.
    #[inline]
    pub(crate) fn recv(
        &self,
        fd: &Fd,
        into: &mut [u8],
        correction: &Correction,
    ) -> io::Result<(usize, Stamp)> {
        let raw = fd.as_raw_fd();
        match self {
            Self::None => sys::recv(raw, into).map(|count| (count, None)),
            Self::WithReads { end } => {
                let (count, wall_ns) = sys::recv_stamped(raw, into)?;
                let stamp = wall_ns.map(|wall_ns| correction.apply(wall_ns));
                Ok((count, if count == 0 { *end } else { stamp }))
            }
            Self::Noted { slot, .. } => {
                slot.fetch();
                let count = sys::recv(raw, into)?;
                let at_ns = if count == 0 { slot.end_ns() } else { slot.data_ns() };
                Ok((count, at_ns.map(|at_ns| at_ns + clock::anchor_ns())))
            }
        }
    }

    /// Drops what is there, at most that many bytes, without blocking.
    pub(crate) fn skip(&self, fd: &Fd, most: usize, correction: &Correction) -> io::Result<(usize, Stamp)> {
        let raw = fd.as_raw_fd();
        match self {
            Self::None => sys::skip(raw, most).map(|count| (count, None)),
            Self::WithReads { end } => {
                let (count, wall_ns) = sys::skip_stamped(raw, most)?;
                let stamp = wall_ns.map(|wall_ns| correction.apply(wall_ns));
                Ok((count, if count == 0 { *end } else { stamp }))
            }
            Self::Noted { slot, .. } => {
                slot.fetch();
                let count = sys::skip(raw, most)?;
                let at_ns = if count == 0 { slot.end_ns() } else { slot.data_ns() };
                Ok((count, at_ns.map(|at_ns| at_ns + clock::anchor_ns())))
            }
        }
    }

    /// The peer's end was there when the bytes of this stamp were read.
    pub(crate) fn end_with(&mut self, stamp: Stamp) {
        if let Self::WithReads { end } = self {
            *end = stamp;
        }
    }

    /// The connection is about to be closed.
    pub(crate) fn forget(&self, fd: &Fd) {
        if let Self::Noted { place, ring, .. } = *self
            && let Some(ports) = Ports::loaded()
        {
            sys::detach_program(fd);
            ports.give_back(place as usize, ring.is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn of_two_that_have_one_port_the_second_has_its_stamps_with_reads() {
        let source = TimestampSource::Kernel;
        if !source.uses_kernel_program() {
            println!("skipped: no program may be loaded into the kernel here");
            return;
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let first = TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
        let second = first.try_clone().expect("a descriptor");
        let of = |fd: &Fd| RxTimestamps::of_client(fd, source, false).expect("a socket");
        let first = Fd::from(first);
        let second = Fd::from(second);
        let noted = of(&first);
        assert!(matches!(noted, RxTimestamps::Noted { .. }));
        assert!(matches!(of(&second), RxTimestamps::WithReads { .. }));
        noted.forget(&first);
        let again = of(&second);
        assert!(matches!(again, RxTimestamps::Noted { .. }), "the port is free again");
        again.forget(&second);
    }

    #[test]
    fn slots_are_those_of_a_port_in_a_section() {
        let place = |own: &str, sections| sys::place_of(own.parse().expect("an address"), sections);
        assert_eq!((place("10.0.0.7:80", 1), place("10.0.0.7:80", 4)), (80, 3 * 65_536 + 80));
        assert_eq!((place("10.0.0.8:65535", 4), place("[::7]:80", 4)), (65_535, 80));
    }
}
