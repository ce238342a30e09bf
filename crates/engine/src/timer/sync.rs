//! `SyncTimer`: users wait for each other and go together.

use std::sync::{Arc, Mutex, PoisonError};

use swell_expr::{Context, Template};
use swell_net::Sender;
use swell_plan::Node;

use super::{Delay, MS, Moment};
use crate::number;
use crate::program::CompileContext;

/// A compiled Synchronizing Timer.
pub(crate) struct Sync {
    size: Template,
    timeout_ms: Template,
    barrier: Arc<Barrier>,
}

/// Where users of all workers meet (`CyclicBarrier`).
#[derive(Default)]
pub(crate) struct Barrier {
    meeting: Mutex<Meeting>,
}

#[derive(Default)]
struct Meeting {
    parties: u32,
    waiting: Vec<Sender<()>>,
}

/// What an arrival means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// All are there: go.
    Go,
    /// Wait to be told.
    Wait,
}

impl Sync {
    pub(super) fn compile(node: &Node, context: &CompileContext<'_>) -> Self {
        let key = format!("synchronizing timer {} of group {}", node.id.0, context.group);
        Self {
            size: context.compile.template(&node.element, "groupSize", "0"),
            timeout_ms: context.compile.template(&node.element, "timeoutInMs", "0"),
            barrier: context.compile.expr.shared.get(&key, Barrier::default),
        }
    }

    pub(super) fn delay(&self, cx: &mut Context, moment: &Moment) -> Delay {
        let size = number::int(&self.size.eval(cx));
        let timeout_ms = number::long(&self.timeout_ms.eval(cx));
        if cx.thrown.is_some() {
            return Delay::For(0);
        }
        if size < 0 || timeout_ms < 0 {
            return Delay::For(0);
        }
        let parties = if size == 0 { moment.group_users } else { size as u32 };
        self.barrier.set_parties(parties);
        let timeout = (timeout_ms > 0).then(|| moment.now_ns.saturating_add(timeout_ms.saturating_mul(MS)));
        let ends = (moment.end_ns != i64::MAX).then_some(moment.end_ns);
        let until = match (timeout, ends) {
            (Some(timeout), Some(end)) => Some(timeout.min(end)),
            (either, None) | (None, either) => either,
        };
        Delay::Meet(self.barrier.clone(), until)
    }
}

impl Barrier {
    /// How many meet is settled by who comes first.
    fn set_parties(&self, parties: u32) {
        let mut meeting = self.meeting.lock().unwrap_or_else(PoisonError::into_inner);
        if meeting.parties == 0 {
            meeting.parties = parties.max(1);
        }
    }

    /// A user arrives; the last one sends all on.
    pub(crate) fn arrive(&self, sender: Sender<()>) -> Arrived {
        let mut meeting = self.meeting.lock().unwrap_or_else(PoisonError::into_inner);
        if meeting.waiting.len() as u32 + 1 >= meeting.parties {
            meeting.send_on();
            return Arrived::Go;
        }
        meeting.waiting.push(sender);
        Arrived::Wait
    }

    /// A user has waited long enough: the barrier breaks, and all who wait go on.
    pub(crate) fn give_up(&self) {
        self.meeting.lock().unwrap_or_else(PoisonError::into_inner).send_on();
    }
}

impl Meeting {
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
        assert_eq!(barrier.arrive(first.clone()), Arrived::Wait);
        assert_eq!(barrier.arrive(second), Arrived::Wait);
        assert_eq!(told_first.try_recv(), None);
        assert_eq!(barrier.arrive(third), Arrived::Go);
        assert_eq!((told_first.try_recv(), told_second.try_recv()), (Some(()), Some(())));
        assert_eq!(barrier.arrive(first), Arrived::Wait);
        barrier.give_up();
        assert_eq!(told_first.try_recv(), Some(()));
    }
}
