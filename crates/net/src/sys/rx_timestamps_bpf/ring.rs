//! The times of the last segments of a connection.
//!
//! The kernel merges the segments of its receive queue and keeps the stamp of the newest. Where a
//! connection carries one response at a time, that stamp is the right one. With several, each has to
//! end with its own segment.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use super::PortSlot;

/// When a segment arrived.
#[repr(C)]
pub(super) struct Segment {
    /// The sequence number after it.
    pub(super) end: AtomicU32,
    unused: AtomicU32,
    /// On the monotonic clock.
    pub(super) at_ns: AtomicI64,
}

/// The last segments of a connection. [`PortSlot`] has the number of all of them, and of the first
/// byte.
#[repr(C)]
pub(crate) struct SegmentRing {
    segments: [Segment; Self::SEGMENTS],
}

impl SegmentRing {
    /// A power of two: more than the responses that a server sends while a busy worker does other
    /// things.
    pub(super) const SEGMENTS: usize = 64;

    /// Rings of a process, a power of two; each is 1 KiB. Connections whose slots differ only beyond
    /// have the same one, which only the first gets.
    pub(super) const RINGS: usize = 1 << 14;

    /// Words with a bit for each.
    pub(crate) const fn words() -> usize {
        Self::RINGS / 64
    }

    /// The ring of the connection at this slot.
    pub(crate) fn place_of(slot: usize) -> usize {
        slot % Self::RINGS
    }

    /// Those that can be read while the program overwrites one of the others.
    const READABLE: u32 = Self::SEGMENTS as u32 - 1;
}

/// The times of some bytes that a read returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// How many of the bytes have this time.
    pub(crate) bytes: usize,
    /// On the monotonic clock; none: that of the newest segment.
    pub(crate) at_ns: Option<i64>,
    /// The time is that of a later segment, because that of the right one was overwritten.
    pub(crate) is_late: bool,
}

/// The segments that `count` bytes came in, read at once after the bytes.
pub(crate) struct SegmentTimes {
    segments: [(u32, i64); SegmentRing::READABLE as usize],
    known: usize,
    /// Older segments were overwritten.
    is_cut: bool,
    /// The sequence number of the next byte.
    next: u32,
    left: usize,
}

impl SegmentTimes {
    /// The times of the `count` bytes from this sequence number on.
    pub(crate) fn new(slot: &PortSlot, ring: &SegmentRing, next: u32, count: usize) -> Self {
        let mut segments = [(0, 0); SegmentRing::READABLE as usize];
        let mut known = 0;
        let noted = slot.touched.load(Ordering::Acquire);
        let oldest = noted.saturating_sub(SegmentRing::READABLE);
        // Most reads find one or two segments, which are the newest.
        let mut number = noted;
        while number > oldest {
            number -= 1;
            let segment = &ring.segments[number as usize % SegmentRing::SEGMENTS];
            let end = segment.end.load(Ordering::Relaxed);
            if is_after(next.wrapping_add(1), end) {
                number += 1;
                break;
            }
            segments[known] = (end, segment.at_ns.load(Ordering::Relaxed));
            known += 1;
        }
        // What the program wrote meanwhile took the places of the oldest.
        let after = slot.touched.load(Ordering::Acquire);
        let valid = after.saturating_sub(SegmentRing::READABLE);
        known -= (valid.saturating_sub(number) as usize).min(known);
        let is_cut = number.max(valid) == valid && valid > 0;
        Self { segments, known, is_cut, next, left: count }
    }
}

/// Whether the first sequence number is after the second.
fn is_after(number: u32, other: u32) -> bool {
    number.wrapping_sub(other).cast_signed() > 0
}

impl Iterator for SegmentTimes {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        if self.left == 0 {
            return None;
        }
        let Some(at) = self.known.checked_sub(1) else {
            let bytes = std::mem::take(&mut self.left);
            return Some(Part { bytes, at_ns: None, is_late: true });
        };
        self.known = at;
        let (end, at_ns) = self.segments[at];
        let bytes = (end.wrapping_sub(self.next) as usize).min(self.left);
        self.next = end;
        self.left -= bytes;
        let is_late = std::mem::take(&mut self.is_cut);
        Some(Part { bytes, at_ns: Some(at_ns), is_late })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> (PortSlot, SegmentRing) {
        let slot = PortSlot {
            data_ns: AtomicI64::new(0),
            end_ns: AtomicI64::new(0),
            high: AtomicU32::new(0),
            behind_gap: AtomicU32::new(0),
            started: AtomicU32::new(0),
            touched: AtomicU32::new(0),
        };
        let none = || Segment { end: AtomicU32::new(0), unused: AtomicU32::new(0), at_ns: AtomicI64::new(0) };
        (slot, SegmentRing { segments: std::array::from_fn(|_| none()) })
    }

    /// Notes segments of 10 bytes, each at its number, as the program does.
    fn note(slot: &PortSlot, ring: &SegmentRing, first: u32, numbers: std::ops::Range<u32>) {
        slot.started.store(first, Ordering::Relaxed);
        for number in numbers {
            let segment = &ring.segments[number as usize % SegmentRing::SEGMENTS];
            segment.end.store(first.wrapping_add((number + 1) * 10), Ordering::Relaxed);
            segment.at_ns.store(i64::from(number) + 1, Ordering::Relaxed);
            slot.touched.store(number + 1, Ordering::Release);
        }
    }

    fn parts(
        slot: &PortSlot,
        ring: &SegmentRing,
        before: u32,
        count: usize,
    ) -> Vec<(usize, Option<i64>, bool)> {
        SegmentTimes::new(slot, ring, slot.first().wrapping_add(before), count)
            .map(|part| (part.bytes, part.at_ns, part.is_late))
            .collect()
    }

    #[test]
    fn bytes_have_the_time_of_their_segment() {
        for first in [1, 0x7fff_fff8, u32::MAX - 4] {
            let (slot, ring) = memory();
            note(&slot, &ring, first, 0..3);
            let all = [(10, Some(1), false), (10, Some(2), false), (10, Some(3), false)];
            assert_eq!(parts(&slot, &ring, 0, 30), all, "first {first}");
            assert_eq!(parts(&slot, &ring, 0, 5), [(5, Some(1), false)]);
            assert_eq!(parts(&slot, &ring, 9, 2), [(1, Some(1), false), (1, Some(2), false)]);
            assert_eq!(parts(&slot, &ring, 20, 10), [(10, Some(3), false)]);
            assert_eq!(parts(&slot, &ring, 20, 0), []);
        }
    }

    #[test]
    fn what_was_overwritten_has_a_later_time_and_says_so() {
        let (slot, ring) = memory();
        note(&slot, &ring, 100, 0..68);
        // The first five are gone.
        let read = parts(&slot, &ring, 0, 70);
        assert_eq!(read, [(60, Some(6), true), (10, Some(7), false)]);
        // The oldest that is there may be the right one, or not.
        assert_eq!(parts(&slot, &ring, 50, 10), [(10, Some(6), true)]);
        assert_eq!(parts(&slot, &ring, 60, 10), [(10, Some(7), false)]);
        // Nothing is known of what comes after all.
        assert_eq!(parts(&slot, &ring, 675, 10), [(5, Some(68), false), (5, None, true)]);
    }
}
