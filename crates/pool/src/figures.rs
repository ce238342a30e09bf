//! Measurements of a pool.

use serde::{Deserialize, Serialize};

/// Counts and times of a pool since its creation. Work that was cancelled before it ran counts only
/// as cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolFigures {
    /// Threads that there are.
    pub threads: u32,
    /// The most threads that there were at a time.
    pub most_threads: u32,
    /// The most threads that there may be.
    pub limit: u32,
    /// Work that runs now.
    pub running: u32,
    /// Work that waits now.
    pub waiting: u32,
    /// Work that has run to its end.
    pub done: u64,
    /// Work that was cancelled before a thread took it.
    pub cancelled: u64,
    /// Work that was refused, since too much was waiting.
    pub refused: u64,
    /// How long work waited for a thread, all together, in nanoseconds.
    pub waited_ns: u64,
    /// The longest that any work waited for a thread, in nanoseconds.
    pub longest_wait_ns: u64,
    /// How long work ran that has ended, all together, in nanoseconds.
    pub ran_ns: u64,
}

impl PoolFigures {
    /// Work that a thread took.
    pub fn taken(&self) -> u64 {
        self.done + u64::from(self.running)
    }
}
