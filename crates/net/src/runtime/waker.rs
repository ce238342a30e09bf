//! Wakers without reference counts: the raw waker's pointer is a number that contains the loop, the
//! task and its generation.
//!
//! Cloning copies the number, dropping does nothing, and waking looks up the task. The generation
//! tells whether the task has ended. If its 16 bits wrap around, another task is polled once
//! without need, which every future must tolerate anyway.
#![expect(
    unsafe_code,
    reason = "a raw waker has no safe constructor; its data is a number that is never dereferenced"
)]

use std::task::{RawWaker, RawWakerVTable, Waker};

/// A task of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskKey {
    pub(crate) index: u32,
    pub(crate) generation: u16,
}

impl TaskKey {
    /// The future that `block_on` runs.
    pub(crate) const ROOT: Self = Self { index: u32::MAX, generation: u16::MAX };
}

static TABLE: RawWakerVTable = RawWakerVTable::new(|data| RawWaker::new(data, &TABLE), wake, wake, |_| {});

fn pack(loop_id: u16, key: TaskKey) -> *const () {
    const { assert!(size_of::<usize>() == 8, "a waker packs 64 bits into a pointer") };
    let number = u64::from(loop_id) << 48 | u64::from(key.generation) << 32 | u64::from(key.index);
    std::ptr::without_provenance(number as usize)
}

fn wake(data: *const ()) {
    let number = data.addr() as u64;
    let key = TaskKey { index: number as u32, generation: (number >> 32) as u16 };
    super::wake_key((number >> 48) as u16, key);
}

/// The waker of a task.
pub(crate) fn task(loop_id: u16, key: TaskKey) -> Waker {
    // SAFETY: the functions of the table never dereference the data and may be called from any
    // thread.
    unsafe { Waker::from_raw(RawWaker::new(pack(loop_id, key), &TABLE)) }
}

/// The waker of the future that `block_on` runs.
pub(crate) fn root(loop_id: u16) -> Waker {
    task(loop_id, TaskKey::ROOT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_wake_the_same_task_and_other_tasks_differ() {
        let key = TaskKey { index: 7, generation: 3 };
        assert!(task(1, key).will_wake(&task(1, key).clone()));
        assert!(!task(1, key).will_wake(&task(2, key)));
        assert!(!task(1, key).will_wake(&task(1, TaskKey { index: 7, generation: 4 })));
        assert!(!task(1, key).will_wake(&root(1)));
    }
}
