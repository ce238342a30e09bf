//! A BPF program in the kernel that records in shared memory when segments of a connection arrive.
//!
//! A read that returns a stamp (`SO_TIMESTAMPNS`) costs 0.2 to 0.5 µs more than one that does not,
//! because only `recvmsg` can return it, and it makes the kernel stamp each packet of the machine.
//! This program runs as a socket filter (`BPF_PROG_TYPE_SOCKET_FILTER`) when TCP receives a
//! segment. It passes the segment on and writes the monotonic time to the slot of its connection,
//! where reading it needs no system call. It requires the right to load programs (`CAP_BPF`) and
//! Linux 5.8. Instructions and attributes: `linux/bpf.h`; kernel documentation,
//! bpf/standardization/instruction-set.

mod program;
mod ring;
#[cfg(test)]
mod tests;

use std::io;
use std::mem::{size_of, size_of_val};
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use super::socket::set;
use program::{program, program_with_rings};
use ring::Segment;
pub(crate) use ring::{SegmentRing, SegmentTimes};

/// A slot for each port, in each section.
const PORTS: usize = 1 << 16;

/// Which slot a connection has that goes out from this address: that of its port, in the section of
/// the last bits of an IPv4 address, so that a port may be used from several addresses. `sections`
/// is a power of two.
pub(crate) fn place_of(own: SocketAddr, sections: usize) -> usize {
    let section = match own {
        SocketAddr::V4(own) => usize::from(own.ip().octets()[3]) & (sections - 1),
        SocketAddr::V6(_) => 0,
    };
    section * PORTS + usize::from(own.port())
}

/// Arrival times of a connection's segments. A retransmitted segment counts if it fills a gap,
/// since only then the reader gets the data after the gap. It does not count if all of it had
/// arrived.
#[repr(C)]
pub(crate) struct PortSlot {
    data_ns: AtomicI64,
    end_ns: AtomicI64,
    /// The sequence number after all data received, gaps or not.
    high: AtomicU32,
    /// Where the data after the last gap begins; 0: no gap.
    behind_gap: AtomicU32,
    /// 0 before the first data. With a ring: the sequence number of the first byte.
    started: AtomicU32,
    /// Written to have the slot in the cache, says nothing. With a ring: the number of segments
    /// that were noted in it.
    touched: AtomicU32,
}

impl PortSlot {
    /// Starts to bring the slot into the cache: the program wrote it on another processor, and to
    /// wait for that costs as much as the program.
    pub(crate) fn fetch(&self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: it changes nothing but what is in the cache.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self).cast());
        }
    }

    /// When the newest segment with data arrived, nanoseconds of the monotonic clock.
    pub(crate) fn data_ns(&self) -> Option<i64> {
        noted(&self.data_ns)
    }

    /// When it was known that no data follows: the end may come before what fills a gap.
    pub(crate) fn end_ns(&self) -> Option<i64> {
        noted(&self.end_ns).max(self.data_ns())
    }

    /// With a ring: the sequence number of the first byte that was noted.
    pub(crate) fn first(&self) -> u32 {
        self.started.load(Ordering::Relaxed)
    }

    /// The sequence number after all data, if some was noted and there is no gap.
    pub(crate) fn end(&self) -> Option<u32> {
        let started = self.started.load(Ordering::Relaxed) != 0;
        (started && self.behind_gap.load(Ordering::Relaxed) == 0).then(|| self.high.load(Ordering::Acquire))
    }

    fn clear(&self) {
        self.data_ns.store(0, Ordering::Relaxed);
        self.end_ns.store(0, Ordering::Relaxed);
        self.behind_gap.store(0, Ordering::Relaxed);
        self.started.store(0, Ordering::Relaxed);
        self.touched.store(0, Ordering::Relaxed);
    }
}

fn noted(at: &AtomicI64) -> Option<i64> {
    // Written before the segment could be read.
    let at_ns = at.load(Ordering::Acquire);
    (at_ns != 0).then_some(at_ns)
}

/// The program and its memory, which exist for the life of the process.
pub(crate) struct RxTimestampProgram {
    program: OwnedFd,
    memory: OwnedFd,
    slots: &'static [PortSlot],
}

/// The program that also notes the times of the last segments, for connections that carry several
/// exchanges at once. Its memory is 16 MB, so it is loaded where it is wanted.
pub(crate) struct RingProgram {
    program: OwnedFd,
    rings: &'static [SegmentRing],
}

impl RxTimestampProgram {
    /// Loads the program.
    ///
    /// # Errors
    /// `PermissionDenied`: not the right to (`CAP_BPF`), or containers and lockdown forbid it;
    /// others where the kernel knows too little.
    pub(crate) fn load(sections: usize) -> io::Result<Self> {
        let memory = create_memory::<PortSlot>(sections * PORTS)?;
        let program = load_program(&program(memory.as_raw_fd(), sections))?;
        let slots = map(&memory, sections * PORTS)?;
        Ok(Self { program, memory, slots })
    }

    /// Loads the program that also notes segments.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub(crate) fn load_with_rings(&self) -> io::Result<RingProgram> {
        let sections = self.slots.len() / PORTS;
        let memory = create_memory::<SegmentRing>(SegmentRing::RINGS)?;
        let code = program_with_rings(self.memory.as_raw_fd(), memory.as_raw_fd(), sections);
        Ok(RingProgram { program: load_program(&code)?, rings: map(&memory, SegmentRing::RINGS)? })
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// From now on arrivals on this socket are recorded at its slot ([`place_of`]), which must not
    /// have another user; with `rings` also its segments, in a ring without another user.
    pub(crate) fn attach(
        &self,
        fd: &impl AsRawFd,
        place: usize,
        rings: Option<&RingProgram>,
    ) -> io::Result<(&'static PortSlot, Option<&'static SegmentRing>)> {
        let slot = &self.slots[place];
        slot.clear();
        let program = rings.map_or(&self.program, |rings| &rings.program);
        set(fd, libc::SOL_SOCKET, libc::SO_ATTACH_BPF, program.as_raw_fd())?;
        Ok((slot, rings.map(|rings| &rings.rings[SegmentRing::place_of(place)])))
    }
}

/// What comes to this socket is not noted any more: its port may be another's from now on, and the
/// kernel may still get segments for this one after it is closed.
pub(crate) fn detach_program(fd: &impl AsRawFd) {
    // It has the program attached, so this cannot fail.
    let _ = set(fd, libc::SOL_SOCKET, libc::SO_DETACH_FILTER, 0);
}

/// `bpf_attr` of `BPF_MAP_CREATE`, as far as it is used.
#[repr(C)]
struct MapAttributes {
    kind: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
    flags: u32,
}

/// `bpf_attr` of `BPF_PROG_LOAD`, as far as it is used.
#[repr(C)]
struct ProgramAttributes {
    kind: u32,
    count: u32,
    instructions: u64,
    license: u64,
}

/// Memory for `count` times a `T`.
fn create_memory<T>(count: usize) -> io::Result<OwnedFd> {
    const MAP_CREATE: libc::c_long = 0;
    const ARRAY: u32 = 2;
    const MAPPABLE: u32 = 1 << 10;
    let value_size = u32::try_from(count * size_of::<T>())
        .map_err(|_| io::Error::other("too many source addresses for one array of the kernel"))?;
    let attributes = MapAttributes { kind: ARRAY, key_size: 4, value_size, max_entries: 1, flags: MAPPABLE };
    bpf(MAP_CREATE, &attributes)
}

fn load_program(program: &[u64]) -> io::Result<OwnedFd> {
    const PROGRAM_LOAD: libc::c_long = 5;
    const SOCKET_FILTER: u32 = 1;
    let license = c"Apache-2.0";
    let attributes = ProgramAttributes {
        kind: SOCKET_FILTER,
        count: program.len() as u32,
        instructions: program.as_ptr() as u64,
        license: license.as_ptr() as u64,
    };
    bpf(PROGRAM_LOAD, &attributes)
}

/// A command that makes a descriptor.
fn bpf<A>(command: libc::c_long, attributes: &A) -> io::Result<OwnedFd> {
    // SAFETY: attributes may be shorter than the kernel's, the rest counts as zeroes; what they
    // point to lives during the call.
    let fd = unsafe {
        libc::syscall(libc::SYS_bpf, command, std::ptr::from_ref(attributes), size_of_val(attributes))
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `fd` was just created and has no owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) })
}

/// `T` consists of atomics, for which all zeroes are valid.
fn map<T: Sync>(memory: &OwnedFd, count: usize) -> io::Result<&'static [T]> {
    let length = count * size_of::<T>();
    let ways = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping where the kernel finds room.
    let at =
        unsafe { libc::mmap(std::ptr::null_mut(), length, ways, libc::MAP_SHARED, memory.as_raw_fd(), 0) };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the mapping has this length, is aligned to pages, holds zeroes, is written by others
    // only through whole numbers, which `T` takes as atomics, and is never unmapped.
    Ok(unsafe { std::slice::from_raw_parts(at.cast::<T>(), count) })
}
