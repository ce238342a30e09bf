//! Wakes a task from another thread: a queue and an eventfd for each loop.

use std::io;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use parking_lot::Mutex;

use super::waker::TaskKey;
use crate::sys;

/// The queue of one loop. It has at most one entry per wake-up, and each turn empties it.
pub(crate) struct WakeQueue {
    woken: Mutex<Vec<TaskKey>>,
    event_fd: sys::EventFd,
}

type Queues = Vec<Option<Arc<WakeQueue>>>;

/// The queues of all loops of the process. The standard library's lock, because simulated runs side
/// by side share it: when it is contended, parking_lot's asks for the real time, which they forbid.
static LOOPS: RwLock<Queues> = RwLock::new(Vec::new());

fn read() -> RwLockReadGuard<'static, Queues> {
    LOOPS.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, Queues> {
    LOOPS.write().unwrap_or_else(PoisonError::into_inner)
}

impl WakeQueue {
    pub(crate) fn event_fd(&self) -> &sys::EventFd {
        &self.event_fd
    }

    /// The tasks that were woken since the last time.
    pub(crate) fn take(&self) -> Vec<TaskKey> {
        std::mem::take(&mut *self.woken.lock())
    }

    fn push(&self, key: TaskKey) {
        let mut woken = self.woken.lock();
        woken.push(key);
        // One signal wakes for all that is queued: the loop empties the queue after it took the
        // signal.
        if woken.len() == 1 {
            self.event_fd.signal();
        }
    }
}

/// Makes the queue of a new loop. Numbers of loops that have ended are used again.
pub(crate) fn register() -> io::Result<(u16, Arc<WakeQueue>)> {
    let wakes = Arc::new(WakeQueue { woken: Mutex::default(), event_fd: sys::EventFd::new()? });
    let mut loops = write();
    let id = loops.iter().position(Option::is_none).unwrap_or(loops.len());
    if id == loops.len() {
        loops.push(None);
    }
    loops[id] = Some(wakes.clone());
    let id = u16::try_from(id).map_err(|_| io::Error::other("more than 65,536 event loops in a process"))?;
    Ok((id, wakes))
}

pub(crate) fn unregister(id: u16) {
    write()[usize::from(id)] = None;
}

/// Wakes a task of any loop; nothing if the loop has ended.
pub(crate) fn wake(id: u16, key: TaskKey) {
    let loops = read();
    if let Some(Some(wakes)) = loops.get(usize::from(id)) {
        wakes.push(key);
    }
}
