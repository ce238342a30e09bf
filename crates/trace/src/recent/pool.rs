//! Bounds how many users of a load run are recorded.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::RecentSteps;

/// Users that are recorded at a time, at most.
pub(super) const USERS: usize = 1024;

/// How much is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecentLimits {
    /// Bytes of one body; none: bodies are not recorded.
    pub body_bytes: Option<usize>,
    /// Bytes of one user.
    pub user_bytes: usize,
}

/// Bounds how many users are recorded.
#[derive(Debug)]
pub struct RecentPool {
    limits: RecentLimits,
    is_closed: AtomicBool,
    /// Users that are recorded, by the place of their thread group.
    users: Mutex<HashMap<usize, usize>>,
}

/// The record of one user, which samples at the same time share.
pub type SharedRecent = Rc<RefCell<RecentSteps>>;

impl RecentPool {
    /// No user is recorded yet.
    pub fn new(limits: RecentLimits) -> Self {
        Self { limits, is_closed: AtomicBool::new(false), users: Mutex::default() }
    }

    /// How much is recorded.
    pub fn limits(&self) -> RecentLimits {
        self.limits
    }

    /// A user of that thread group begins; none if enough are recorded. A group gets at most as
    /// much room as is left after it, so that the first one does not take all.
    pub fn take(self: &Arc<Self>, group: usize) -> Option<SharedRecent> {
        if self.is_closed() {
            return None;
        }
        let mut users = self.users.lock();
        let taken: usize = users.values().sum();
        let own = users.entry(group).or_default();
        if *own >= USERS.saturating_sub(taken) {
            return None;
        }
        *own += 1;
        drop(users);

        Some(Rc::new(RefCell::new(RecentSteps::new(self.clone(), group))))
    }

    /// A recorded user of that thread group has ended.
    pub(super) fn give_back(&self, group: usize) {
        if let Some(own) = self.users.lock().get_mut(&group) {
            *own -= 1;
        }
    }

    /// No failure will be kept any more.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }
}
