//! Users of a thread group that wait for their next arrival, on all workers.

use parking_lot::{Mutex, MutexGuard};
use swell_net::{Receiver, Sender};

/// The waiting users. An arrival takes the one that came last.
#[derive(Default)]
pub(crate) struct IdleUsers {
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    places: Vec<(u64, Sender<i64>)>,
    next: u64,
}

impl IdleUsers {
    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock()
    }

    /// A user becomes idle: its index, and the sender that wakes it when its arrival is due.
    pub(crate) fn begin(&self) -> (u64, Receiver<i64>) {
        let (sender, receiver) = swell_net::channel();
        let mut all = self.all();
        all.next += 1;
        let place = all.next;
        all.places.push((place, sender));
        (place, receiver)
    }

    /// Gives an arrival to a user; false if no user is idle.
    pub(crate) fn call(&self, due_ns: i64) -> bool {
        loop {
            let Some((_, sender)) = self.all().places.pop() else { return false };
            if sender.send(due_ns).is_ok() {
                return true;
            }
            // The user is gone; the next.
        }
    }

    /// A user leaves; false if it was called before and is about to be woken.
    pub(crate) fn leave(&self, place: u64) -> bool {
        let mut all = self.all();
        let found = all.places.iter().position(|(other, _)| *other == place);
        found.map(|at| all.places.swap_remove(at)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_goes_to_one_who_rests() {
        let resting = IdleUsers::default();
        assert!(!resting.call(1));
        let (first, mut told_first) = resting.begin();
        let (second, mut told_second) = resting.begin();
        assert!(resting.call(7));
        assert_eq!((told_first.try_recv(), told_second.try_recv()), (None, Some(7)));
        assert!(!resting.leave(second), "it was called");
        assert!(resting.leave(first));
        assert!(!resting.call(8));
        let (_, gone) = resting.begin();
        drop(gone);
        assert!(!resting.call(9), "no user is idle");
    }
}
