//! Locks of critical sections across workers: one user at a time, in the order of requests.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use swell_net::Sender;

/// A user of a run: group and number.
pub(crate) type UserKey = (usize, u32);

/// All locks by name.
#[derive(Default)]
pub(crate) struct Locks {
    all: Mutex<HashMap<Arc<str>, Lock>>,
}

#[derive(Default)]
struct Lock {
    owner: Option<UserKey>,
    /// How often the owner has taken it.
    depth: u32,
    waiting: VecDeque<(UserKey, Sender<()>)>,
}

impl Locks {
    fn all(&self) -> MutexGuard<'_, HashMap<Arc<str>, Lock>> {
        self.all.lock()
    }

    /// Takes a lock if it is free, or once more if it is this user's.
    pub(crate) fn try_lock(&self, name: &Arc<str>, user: UserKey) -> bool {
        let mut all = self.all();
        let lock = all.entry(name.clone()).or_default();
        if lock.owner.is_some_and(|owner| owner != user) {
            return false;
        }
        lock.owner = Some(user);
        lock.depth += 1;
        true
    }

    /// Reserves a lock for a user as soon as it is free; the sender is notified then, or true is
    /// returned if it is free now.
    pub(crate) fn ask(&self, name: &Arc<str>, user: UserKey, sender: Sender<()>) -> bool {
        let mut all = self.all();
        let lock = all.entry(name.clone()).or_default();
        if lock.owner.is_none() {
            lock.owner = Some(user);
            return true;
        }
        lock.waiting.push_back((user, sender));
        false
    }

    /// Gives a lock back.
    pub(crate) fn unlock(&self, name: &Arc<str>, user: UserKey) {
        if let Some(lock) = self.all().get_mut(name)
            && lock.owner == Some(user)
        {
            lock.depth = lock.depth.saturating_sub(1);
            if lock.depth == 0 {
                lock.pass_on();
            }
        }
    }

    /// A user that waits no longer.
    pub(crate) fn give_up(&self, name: &Arc<str>, user: UserKey) {
        if let Some(lock) = self.all().get_mut(name) {
            lock.waiting.retain(|(waiting, _)| *waiting != user);
            if lock.owner == Some(user) && lock.depth == 0 {
                lock.pass_on();
            }
        }
    }
}

impl Lock {
    fn pass_on(&mut self) {
        self.owner = None;
        while let Some((user, sender)) = self.waiting.pop_front() {
            if sender.send(()).is_ok() {
                self.owner = Some(user);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_taken_again_by_its_owner_and_passed_on_in_order() {
        let (locks, name): (Locks, Arc<str>) = (Locks::default(), "l".into());
        let [a, b, c] = [(0, 0), (0, 1), (1, 0)];
        assert!(locks.try_lock(&name, a) && locks.try_lock(&name, a));
        assert!(!locks.try_lock(&name, b));
        let (to_b, mut told_b) = swell_net::channel();
        let (to_c, mut told_c) = swell_net::channel();
        assert!(!locks.ask(&name, b, to_b));
        assert!(!locks.ask(&name, c, to_c));
        locks.unlock(&name, a);
        assert_eq!(told_b.try_recv(), None, "taken twice");
        locks.unlock(&name, a);
        assert_eq!((told_b.try_recv(), told_c.try_recv()), (Some(()), None));
        assert!(!locks.try_lock(&name, a), "b has it");
        locks.give_up(&name, b);
        assert_eq!(told_c.try_recv(), Some(()));
        assert!(locks.try_lock(&name, c));
        locks.unlock(&name, c);
        assert!(locks.try_lock(&name, a));
    }
}
