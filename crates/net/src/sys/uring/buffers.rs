//! Buffers that the kernel reads into, shared by all connections of a ring.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::Submitter;
use io_uring::types::BufRingEntry;

/// The group of these buffers; a ring has no others.
pub(super) const GROUP: u16 = 0;
/// How many there are: more than the kernel fills in one turn of a loop.
const COUNT: u16 = 512;
/// Bytes of each: most answers fit into one. Together 4 MB, of which only pages that were written
/// to take memory.
const SIZE: usize = 8 * 1024;
const PAGE: usize = 4096;

/// A filled buffer, which must be given back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FilledBuffer {
    buffer: u16,
    len: u32,
}

impl FilledBuffer {
    pub(super) fn new(buffer: u16, len: u32) -> Self {
        Self { buffer, len }
    }
}

/// The buffers, and the ring through which the kernel gets the free ones.
pub(crate) struct Buffers {
    entries: NonNull<BufRingEntry>,
    bytes: NonNull<u8>,
    tail: Cell<u16>,
    /// How many are not with the kernel.
    out: Cell<u16>,
}

fn entries_layout() -> Layout {
    layout(usize::from(COUNT) * size_of::<BufRingEntry>())
}

fn bytes_layout() -> Layout {
    layout(usize::from(COUNT) * SIZE)
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, PAGE).expect("a few megabytes, aligned to pages")
}

fn allocate(layout: Layout) -> NonNull<u8> {
    // SAFETY: the size is not zero.
    NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}

impl Buffers {
    /// # Errors
    /// As `io_uring_register(IORING_REGISTER_PBUF_RING)`.
    pub(super) fn register(submitter: &Submitter<'_>) -> io::Result<Self> {
        let entries = allocate(entries_layout()).cast();
        let bytes = allocate(bytes_layout());
        let buffers = Self { entries, bytes, tail: Cell::new(0), out: Cell::new(COUNT) };
        let address = entries.as_ptr() as u64;
        // SAFETY: the entries are that many, aligned to pages, and live until the ring is closed,
        // which is before they are freed.
        unsafe { submitter.register_buf_ring_with_flags(address, COUNT, GROUP, 0) }?;
        for buffer in 0..COUNT {
            buffers.give_back(FilledBuffer::new(buffer, 0));
        }
        Ok(buffers)
    }

    /// What is in it.
    pub(crate) fn bytes(&self, filled: &FilledBuffer) -> &[u8] {
        let at = usize::from(filled.buffer) * SIZE;
        assert!(
            filled.buffer < COUNT && filled.len as usize <= SIZE,
            "the kernel fills the buffer it \
            received"
        );
        // SAFETY: within the allocation, which starts with zeroes; the kernel does not write to it
        // before it is given back, which takes the `FilledBuffer` away.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().add(at), filled.len as usize) }
    }

    /// The kernel may fill it again.
    #[expect(clippy::needless_pass_by_value, reason = "it must not be read again")]
    pub(crate) fn give_back(&self, filled: FilledBuffer) {
        let tail = self.tail.get();
        // SAFETY: the index is within the entries.
        let entry = unsafe { &mut *self.entries.as_ptr().add(usize::from(tail % COUNT)) };
        // SAFETY: within the allocation.
        entry.set_addr(unsafe { self.bytes.as_ptr().add(usize::from(filled.buffer) * SIZE) } as u64);
        entry.set_len(SIZE as u32);
        entry.set_bid(filled.buffer);
        self.tail.set(tail.wrapping_add(1));
        // SAFETY: the tail is a field of the first entry that only this code writes; the kernel
        // reads it as an atomic number.
        let shared = unsafe { &*BufRingEntry::tail(self.entries.as_ptr()).cast::<AtomicU16>() };
        shared.store(tail.wrapping_add(1), Ordering::Release);
        self.out.set(self.out.get() - 1);
    }

    /// The kernel has given one out.
    pub(crate) fn took(&self) {
        self.out.set(self.out.get() + 1);
    }

    /// Whether so few are left that what arrives is better copied.
    pub(crate) fn are_short(&self) -> bool {
        self.out.get() > COUNT / 2
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: both were allocated with these layouts, and the ring is closed: it is dropped
        // before.
        unsafe {
            dealloc(self.entries.as_ptr().cast(), entries_layout());
            dealloc(self.bytes.as_ptr(), bytes_layout());
        }
    }
}
