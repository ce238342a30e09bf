//! A synchronization point for users of all workers.

use parking_lot::Mutex;
use swell_net::Sender;

/// A synchronization point for users of all workers (`CyclicBarrier`).
#[derive(Default)]
pub(crate) struct Barrier {
    meeting: Mutex<BarrierState>,
}

#[derive(Default)]
struct BarrierState {
    parties: u32,
    waiting: Vec<Sender<()>>,
}

/// The result of arriving at a barrier.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ArrivalOutcome {
    /// All are there: go.
    Go,
    /// Wait for a wake-up.
    Wait,
}

impl Barrier {
    /// How many meet is settled by who comes first.
    pub(super) fn set_parties(&self, parties: u32) {
        let mut meeting = self.meeting.lock();
        if meeting.parties == 0 {
            meeting.parties = parties.max(1);
        }
    }

    /// A user arrives; the last one sends all on.
    pub(crate) fn arrive(&self, sender: Sender<()>) -> ArrivalOutcome {
        let mut meeting = self.meeting.lock();
        if meeting.waiting.len() as u32 + 1 >= meeting.parties {
            meeting.send_on();
            return ArrivalOutcome::Go;
        }
        meeting.waiting.push(sender);
        ArrivalOutcome::Wait
    }

    /// A user has waited long enough: the barrier breaks, and all waiting users continue.
    pub(crate) fn give_up(&self) {
        self.meeting.lock().send_on();
    }
}

impl BarrierState {
    fn send_on(&mut self) {
        for waiting in self.waiting.drain(..) {
            // A user that is gone does not wait any more.
            let _ = waiting.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_to_arrive_sends_all_on() {
        let barrier = Barrier::default();
        barrier.set_parties(3);
        barrier.set_parties(9);
        let (first, mut told_first) = swell_net::channel();
        let (second, mut told_second) = swell_net::channel();
        let (third, _) = swell_net::channel();
        assert_eq!(barrier.arrive(first.clone()), ArrivalOutcome::Wait);
        assert_eq!(barrier.arrive(second), ArrivalOutcome::Wait);
        assert_eq!(told_first.try_recv(), None);
        assert_eq!(barrier.arrive(third), ArrivalOutcome::Go);
        assert_eq!((told_first.try_recv(), told_second.try_recv()), (Some(()), Some(())));
        assert_eq!(barrier.arrive(first), ArrivalOutcome::Wait);
        barrier.give_up();
        assert_eq!(told_first.try_recv(), Some(()));
    }
}
