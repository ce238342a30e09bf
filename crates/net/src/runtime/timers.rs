//! Deadlines of a loop: a heap of instants over a slab of timers.
//!
//! A timer that is moved later keeps its place in the heap, which is corrected when that place
//! comes up. A timer that is dropped leaves its entry behind. So setting a new timeout for each
//! request is free, and the heap has at most twice as many entries as there are timers: it is
//! cleaned when more than half of them are stale.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::task::{Context, Waker};

use super::keep_waker;

/// A timer of a loop. Its owner must release it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimerId(u32);

struct Slot {
    generation: u32,
    /// Deadline; `i64::MAX` when disarmed.
    at_ns: i64,
    /// Instant of its valid place in the heap; `i64::MAX` if it has none.
    placed_ns: i64,
    fired: bool,
    /// A sleep, which a stop of the test may cut short; not a timeout.
    sleeper: bool,
    waker: Option<Waker>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct HeapEntry {
    at_ns: i64,
    index: u32,
    generation: u32,
}

/// Stale places that are not worth a cleaning.
const FEW: usize = 64;

#[derive(Default)]
pub(crate) struct Timers {
    slots: Vec<Slot>,
    free: Vec<u32>,
    heap: BinaryHeap<Reverse<HeapEntry>>,
    stale: usize,
    /// Slots that are sleepers.
    sleepers: usize,
}

impl Timers {
    /// A new timer, not armed.
    pub(crate) fn add(&mut self, sleeper: bool) -> TimerId {
        let at_ns = i64::MAX;
        let placed_ns = i64::MAX;
        self.sleepers += usize::from(sleeper);
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            (slot.at_ns, slot.placed_ns, slot.fired, slot.sleeper) = (at_ns, placed_ns, false, sleeper);
            return TimerId(index);
        }
        self.slots.push(Slot { generation: 0, at_ns, placed_ns, fired: false, sleeper, waker: None });
        TimerId(self.slots.len() as u32 - 1)
    }

    /// Sets or moves the deadline; `i64::MAX` disarms.
    pub(crate) fn arm(&mut self, id: TimerId, at_ns: i64) {
        let slot = &mut self.slots[id.0 as usize];
        (slot.at_ns, slot.fired) = (at_ns, false);
        if at_ns < slot.placed_ns {
            if slot.placed_ns != i64::MAX {
                self.stale += 1;
                // Two entries of one generation: the instant identifies the old one.
            }
            slot.placed_ns = at_ns;
            self.heap.push(Reverse(HeapEntry { at_ns, index: id.0, generation: slot.generation }));
            self.clean();
        }
    }

    /// Whether the deadline has passed; if not, the task is woken when it does.
    pub(crate) fn poll(&mut self, id: TimerId, cx: &Context<'_>) -> bool {
        let slot = &mut self.slots[id.0 as usize];
        if !slot.fired {
            keep_waker(&mut slot.waker, cx);
        }
        slot.fired
    }

    /// Gives a timer up.
    pub(crate) fn release(&mut self, id: TimerId) {
        let slot = &mut self.slots[id.0 as usize];
        slot.generation = slot.generation.wrapping_add(1);
        slot.waker = None;
        slot.at_ns = i64::MAX;
        self.sleepers -= usize::from(std::mem::take(&mut slot.sleeper));
        if slot.placed_ns != i64::MAX {
            self.stale += 1;
        }
        self.free.push(id.0);
        self.clean();
    }

    /// Fires what is due.
    pub(crate) fn fire_due(&mut self, now_ns: i64) {
        while let Some(Reverse(entry)) = self.heap.peek()
            && entry.at_ns <= now_ns
        {
            let Some(Reverse(entry)) = self.heap.pop() else { break };
            self.fire(&entry);
        }
    }

    fn fire(&mut self, entry: &HeapEntry) {
        let slot = &mut self.slots[entry.index as usize];
        if !valid(slot, entry) {
            self.stale = self.stale.saturating_sub(1);
            return;
        }
        slot.placed_ns = i64::MAX;
        if slot.at_ns > entry.at_ns {
            // It was moved later meanwhile.
            if slot.at_ns != i64::MAX {
                slot.placed_ns = slot.at_ns;
                self.heap.push(Reverse(HeapEntry { at_ns: slot.at_ns, ..*entry }));
            }
            return;
        }
        Self::wake(slot);
    }

    fn wake(slot: &mut Slot) {
        slot.fired = true;
        if let Some(waker) = slot.waker.take() {
            waker.wake();
        }
    }

    /// Fires every sleep now. How many slots were looked at: no more than it takes to find them
    /// all.
    pub(crate) fn wake_sleepers(&mut self) -> usize {
        let mut left = self.sleepers;
        let mut seen = 0;
        for slot in &mut self.slots {
            if left == 0 {
                break;
            }
            seen += 1;
            left -= usize::from(slot.sleeper);
            if slot.sleeper && slot.at_ns != i64::MAX {
                Self::wake(slot);
            }
        }
        seen
    }

    /// The earliest deadline, `i64::MAX` if there is none.
    pub(crate) fn next_ns(&mut self) -> i64 {
        while let Some(Reverse(entry)) = self.heap.peek() {
            let slot = &self.slots[entry.index as usize];
            if valid(slot, entry) && slot.at_ns <= entry.at_ns {
                return entry.at_ns;
            }
            let Some(Reverse(entry)) = self.heap.pop() else { break };
            self.fire(&entry);
        }
        i64::MAX
    }

    /// Tasks that wait for an instant.
    #[cfg(feature = "simulated")]
    pub(crate) fn waiting(&self) -> Vec<super::simulated::Waiting> {
        use super::simulated::{WaitKind, Waiting};
        let armed = self.slots.iter().filter(|slot| slot.at_ns != i64::MAX);
        let of = |slot: &Slot| Some(Waiting::of(slot.waker.as_ref()?, WaitKind::Until(slot.at_ns)));
        armed.filter_map(of).collect()
    }

    fn clean(&mut self) {
        if self.stale <= FEW || self.stale * 2 <= self.heap.len() {
            return;
        }
        self.stale = 0;
        let slots = &self.slots;
        self.heap.retain(|Reverse(entry)| valid(&slots[entry.index as usize], entry));
    }
}

fn valid(slot: &Slot, entry: &HeapEntry) -> bool {
    slot.generation == entry.generation && slot.placed_ns == entry.at_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fired(timers: &mut Timers, id: TimerId) -> bool {
        timers.poll(id, &Context::from_waker(Waker::noop()))
    }

    #[test]
    fn fires_in_order_and_not_early() {
        let mut timers = Timers::default();
        let ids: Vec<_> = [30, 10, 20]
            .map(|at| {
                let id = timers.add(true);
                timers.arm(id, at);
                id
            })
            .into();
        assert_eq!(timers.next_ns(), 10);
        timers.fire_due(9);
        assert!(!fired(&mut timers, ids[1]));
        timers.fire_due(20);
        assert_eq!(ids.iter().map(|&id| fired(&mut timers, id)).collect::<Vec<_>>(), [false, true, true]);
        assert_eq!(timers.next_ns(), 30);
    }

    /// A loop that always wakes exactly when it asked to: what it does then is the timers' own
    /// doing.
    #[test]
    fn deadlines_each_twenty_microseconds_fire_one_by_one_and_not_in_bursts() {
        const COUNT: i64 = 50_000;
        let mut timers = Timers::default();
        let start = 1_700_000_000_123_456_789;
        // In an order that is not theirs: users come back when they are done.
        let ids: Vec<_> = (0..COUNT)
            .map(|n| {
                let id = timers.add(true);
                let slot = n * 7_919 % COUNT;
                timers.arm(id, start + slot * 20_000);
                (slot, id)
            })
            .collect();
        let by_slot: std::collections::BTreeMap<_, _> = ids.into_iter().collect();
        assert_eq!(by_slot.len(), COUNT as usize);
        for (slot, id) in by_slot {
            let now_ns = timers.next_ns();
            assert_eq!(now_ns, start + slot * 20_000, "the loop would wake at another time");
            timers.fire_due(now_ns);
            assert!(fired(&mut timers, id));
            assert_ne!(timers.next_ns(), now_ns, "and the next one with it");
        }
        assert_eq!(timers.next_ns(), i64::MAX);
    }

    #[test]
    fn a_deadline_moved_later_or_earlier_holds() {
        let mut timers = Timers::default();
        let id = timers.add(false);
        timers.arm(id, 10);
        timers.arm(id, 50);
        timers.fire_due(49);
        assert!(!fired(&mut timers, id));
        assert_eq!(timers.next_ns(), 50);
        timers.arm(id, 20);
        assert_eq!(timers.next_ns(), 20);
        timers.fire_due(20);
        assert!(fired(&mut timers, id));
        timers.fire_due(100);
        assert_eq!(timers.next_ns(), i64::MAX);
    }

    #[test]
    fn arming_for_each_request_does_not_grow_the_heap() {
        let mut timers = Timers::default();
        let id = timers.add(false);
        for at in 0..100_000 {
            timers.arm(id, at + 1_000_000);
        }
        assert_eq!(timers.heap.len(), 1);
        for at in 0..100_000 {
            let other = timers.add(true);
            timers.arm(other, at + 5_000_000);
            timers.release(other);
        }
        assert!(timers.heap.len() <= 2 * FEW + 2, "{}", timers.heap.len());
        assert!(timers.slots.len() <= 2);
    }

    #[test]
    fn a_released_timer_does_not_fire_for_its_successor() {
        let mut timers = Timers::default();
        let first = timers.add(true);
        timers.arm(first, 10);
        timers.release(first);
        let second = timers.add(true);
        assert_eq!(first, second);
        timers.arm(second, 100);
        timers.fire_due(50);
        assert!(!fired(&mut timers, second));
    }

    #[test]
    fn a_stop_wakes_sleepers_but_not_timeouts() {
        let mut timers = Timers::default();
        let sleep = timers.add(true);
        let timeout = timers.add(false);
        timers.arm(sleep, 100);
        timers.arm(timeout, 100);
        timers.wake_sleepers();
        assert!(fired(&mut timers, sleep));
        assert!(!fired(&mut timers, timeout));
    }

    #[test]
    fn a_stop_does_not_look_at_a_million_waits_that_it_does_not_end() {
        let mut timers = Timers::default();
        let gone = timers.add(true);
        timers.release(gone);
        let sleeps = [timers.add(true), timers.add(true)];
        for id in sleeps {
            timers.arm(id, 100);
        }
        for _ in 0..1_000_000 {
            let wait = timers.add(false);
            timers.arm(wait, 1_000_000);
        }
        assert_eq!(timers.wake_sleepers(), 2);
        assert!(sleeps.into_iter().all(|id| fired(&mut timers, id)));
    }
}
