//! Loops that a simulated world drives, turn by turn.

use std::future::Future;
use std::pin::Pin;
use std::task::Context;

use super::{Direction, Inside, Runtime, waker};

/// The state of a loop after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The root future has ended.
    Ended,
    /// There is more to do at once.
    Busy,
    /// Nothing until an event.
    Waits,
}

/// A task that waits for a descriptor or an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The number of the task in its loop; none for the root future.
    pub task: Option<u32>,
    /// What it waits for.
    pub kind: WaitKind,
}

/// What a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    /// Something to read from the descriptor that was registered with this key.
    Read(u64),
    /// Room to write to it.
    Write(u64),
    /// An instant on the clock of [`crate::now_ns`].
    Until(i64),
}

impl Runtime {
    /// One turn of the loop as [`Runtime::block_on`] makes it, without waiting: events, timers, the
    /// root future, the tasks that are ready.
    ///
    /// # Panics
    /// Inside another loop of this thread.
    pub fn turn(&mut self, root: Pin<&mut (dyn Future<Output = ()> + 'static)>) -> Turn {
        let core = &self.core;
        let _guard = Inside::enter(core);
        let mut events = Vec::new();
        core.take_events(&mut events, false);
        let waker = waker::root(core.id);
        if core.root_woken.replace(false) && root.poll(&mut Context::from_waker(&waker)).is_ready() {
            return Turn::Ended;
        }
        core.run_ready();
        if core.before_events() { Turn::Waits } else { Turn::Busy }
    }

    /// Runs `f` as a task of this loop would: to drop a root future.
    ///
    /// # Panics
    /// Inside another loop of this thread.
    pub fn inside<R>(&mut self, f: impl FnOnce() -> R) -> R {
        let _guard = Inside::enter(&self.core);
        f()
    }

    /// Tasks that wait for descriptors or instants, in the order of their tables; and how many
    /// tasks there are.
    pub fn waiting(&self) -> (Vec<Waiting>, usize) {
        let mut all = self.core.sources.borrow().waiting();
        all.extend(self.core.timers.borrow().waiting());
        (all, self.core.tasks.borrow().alive())
    }
}

impl Waiting {
    pub(super) fn of(waker: &std::task::Waker, kind: WaitKind) -> Self {
        let task = waker.data().addr() as u64 as u32;
        Self { task: (task != u32::MAX).then_some(task), kind }
    }
}

impl WaitKind {
    pub(super) fn of(direction: Direction, key: u64) -> Self {
        match direction {
            Direction::Read => Self::Read(key),
            Direction::Write => Self::Write(key),
        }
    }
}
