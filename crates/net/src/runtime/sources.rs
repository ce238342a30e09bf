//! Descriptors of a loop and their readiness.
//!
//! Each descriptor is registered once, edge-triggered. The loop remembers the readiness that the
//! kernel reported until a call would block.

use std::task::{Context, Waker};

use super::keep_waker;
use crate::sys::Event;

/// The part of a generation that a key has room for.
const GENERATION: u32 = 0x0fff_ffff;

/// A registered descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceId {
    index: u32,
    generation: u32,
}

impl SourceId {
    /// The key that comes back in events: 60 bits, of which the last few are the loop's own keys.
    pub(crate) fn key(self) -> u64 {
        u64::from(self.generation & GENERATION) << 32 | u64::from(self.index)
    }
}

/// The direction of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
}

#[derive(Default)]
struct Side {
    ready: bool,
    waker: Option<Waker>,
}

impl Side {
    fn mark(&mut self) {
        self.ready = true;
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

#[derive(Default)]
struct Slot {
    generation: u32,
    ended: bool,
    read: Side,
    write: Side,
}

/// All descriptors of one loop.
#[derive(Default)]
pub(crate) struct Sources {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

impl Sources {
    pub(crate) fn add(&mut self) -> SourceId {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        SourceId { index, generation: self.slots[index as usize].generation }
    }

    pub(crate) fn remove(&mut self, id: SourceId) {
        let slot = &mut self.slots[id.index as usize];
        *slot = Slot { generation: slot.generation.wrapping_add(1), ..Slot::default() };
        self.free.push(id.index);
    }

    /// Notes an event and wakes who waits for it. Events of descriptors that are gone are dropped.
    pub(crate) fn mark(&mut self, event: Event) {
        let key = event.key();
        let Some(slot) = self.slots.get_mut(key as u32 as usize) else { return };
        if u64::from(slot.generation & GENERATION) != key >> 32 {
            return;
        }
        slot.ended |= event.ended();
        if event.readable() {
            slot.read.mark();
        }
        if event.writable() {
            slot.write.mark();
        }
    }

    /// Whether a call may succeed; if not, the task is woken when it may.
    pub(crate) fn poll(&mut self, id: SourceId, direction: Direction, cx: &Context<'_>) -> bool {
        let side = self.side(id, direction);
        if !side.ready {
            keep_waker(&mut side.waker, cx);
        }
        side.ready
    }

    /// A call would block: forget the readiness.
    pub(crate) fn clear(&mut self, id: SourceId, direction: Direction) {
        self.side(id, direction).ready = false;
    }

    /// A read got less than it offered room for: nothing is left unless the peer has ended, since
    /// what comes later makes a new edge. Returns whether it has.
    pub(crate) fn drained(&mut self, id: SourceId) -> bool {
        let slot = &mut self.slots[id.index as usize];
        slot.read.ready = slot.ended;
        slot.ended
    }

    /// Whether anything was reported for reading since the last read: cheap, without a system call.
    pub(crate) fn is_readable(&self, id: SourceId) -> bool {
        self.slots[id.index as usize].read.ready
    }

    /// Tasks that wait for a descriptor.
    #[cfg(feature = "simulated")]
    pub(crate) fn waiting(&self) -> Vec<super::simulated::Waiting> {
        use super::simulated::{WaitKind, Waiting};
        let of_slot = |(index, slot): (usize, &Slot)| {
            let id = SourceId { index: index as u32, generation: slot.generation };
            let of = |side: &Side, direction| {
                let waker = side.waker.as_ref()?;
                Some(Waiting::of(waker, WaitKind::of(direction, id.key())))
            };
            [of(&slot.read, Direction::Read), of(&slot.write, Direction::Write)]
        };
        self.slots.iter().enumerate().flat_map(of_slot).flatten().collect()
    }

    fn side(&mut self, id: SourceId, direction: Direction) -> &mut Side {
        let slot = &mut self.slots[id.index as usize];
        match direction {
            Direction::Read => &mut slot.read,
            Direction::Write => &mut slot.write,
        }
    }
}
