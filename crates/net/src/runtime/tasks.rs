//! The tasks of a loop: a slab, and a queue of those that are ready.

use std::collections::VecDeque;

use super::LocalFuture;
use super::waker::TaskKey;

#[derive(Default)]
struct Slot {
    generation: u16,
    /// In the queue.
    queued: bool,
    /// To be dropped when its poll ends.
    aborted: bool,
    /// Alive; its future is elsewhere while it is polled.
    alive: bool,
    future: Option<LocalFuture>,
}

/// All tasks of one loop.
#[derive(Default)]
pub(crate) struct Tasks {
    slots: Vec<Slot>,
    free: Vec<u32>,
    ready: VecDeque<u32>,
}

impl Tasks {
    /// Takes a task in, ready to run.
    pub(crate) fn add(&mut self, future: LocalFuture) -> TaskKey {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        (slot.future, slot.alive, slot.aborted) = (Some(future), true, false);
        let key = TaskKey { index, generation: slot.generation };
        self.make_ready(key);
        key
    }

    pub(crate) fn ready_count(&self) -> usize {
        self.ready.len()
    }

    /// Queues a task unless it is queued or has ended.
    pub(crate) fn make_ready(&mut self, key: TaskKey) {
        let Some(slot) = self.slots.get_mut(key.index as usize) else { return };
        if slot.alive && slot.generation == key.generation && !slot.queued {
            slot.queued = true;
            self.ready.push_back(key.index);
        }
    }

    /// The next ready task, taken out for its poll.
    pub(crate) fn take_ready(&mut self) -> Option<(TaskKey, LocalFuture)> {
        while let Some(index) = self.ready.pop_front() {
            let slot = &mut self.slots[index as usize];
            slot.queued = false;
            if let Some(future) = slot.future.take() {
                return Some((TaskKey { index, generation: slot.generation }, future));
            }
        }
        None
    }

    /// Gives a task back after its poll. What is returned is to be dropped by the caller.
    pub(crate) fn put_back(&mut self, key: TaskKey, future: LocalFuture, done: bool) -> Option<LocalFuture> {
        let slot = &mut self.slots[key.index as usize];
        if done || slot.aborted {
            self.release(key.index);
            return Some(future);
        }
        slot.future = Some(future);
        None
    }

    /// Ends a task. What is returned is to be dropped by the caller.
    pub(crate) fn abort(&mut self, key: TaskKey) -> Option<LocalFuture> {
        let slot = self.slots.get_mut(key.index as usize)?;
        if !slot.alive || slot.generation != key.generation {
            return None;
        }
        let future = slot.future.take();
        // It may be out for its poll (a task that ends itself): then the end of the poll ends it.
        if future.is_some() {
            self.release(key.index);
        } else {
            slot.aborted = true;
        }
        future
    }

    /// All tasks, for the end of the loop.
    pub(crate) fn take_all(&mut self) -> Vec<LocalFuture> {
        self.ready.clear();
        self.slots.iter_mut().filter_map(|slot| slot.future.take()).collect()
    }

    /// How many tasks have not ended.
    #[cfg(feature = "simulated")]
    pub(crate) fn alive(&self) -> usize {
        self.slots.iter().filter(|slot| slot.alive).count()
    }

    fn release(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        slot.alive = false;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(index);
    }
}
