//! The dead-man switch of an agent: it may make load only as long as it knows that its leases hold.
//!
//! The broker gives a slice to another agent [`LEASE`] after the last sign of its holder. The
//! holder counts from when it *sent* the last sign that was answered, and stops [`SAFETY`] earlier,
//! so that two never make the same load, whatever the network did to the answer. Clocks must differ
//! in rate by less than a hundredth.

mod held;

use std::time::Duration;

pub use held::{Answer, Leases, WorkMessage};

/// After which time without a sign the broker gives a slice to another agent (`ack_wait`).
///
/// Long enough that a broker that is away for ten seconds breaks no load, and short enough that a
/// lost agent is replaced within fifteen.
pub const LEASE: Duration = Duration::from_millis(12_500);

/// How much earlier the holder stops by itself.
pub const SAFETY: Duration = Duration::from_secs(1);

/// How often the holder gives a sign.
pub const SIGN_EVERY: Duration = Duration::from_secs(1);

/// A slice that an agent holds. Times are nanoseconds on a clock that also counts while the process
/// is stopped or its machine is suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// When the last sign was sent that the broker answered.
    answered_ns: i64,
    /// When a sign was sent last, answered or not.
    sent_ns: i64,
}

/// What a lease wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseAction {
    /// Nothing until then.
    Wait {
        /// When to look again.
        until_ns: i64,
    },
    /// A sign is due.
    Sign,
    /// It has expired: no more load.
    Over,
}

impl Lease {
    /// A slice that was asked for at `asked_ns` and has come: the broker counts from no earlier.
    pub fn begin(asked_ns: i64) -> Self {
        Self { answered_ns: asked_ns, sent_ns: asked_ns }
    }

    /// Until when load may be made.
    pub fn until_ns(&self) -> i64 {
        self.answered_ns + (LEASE.as_nanos() - SAFETY.as_nanos()) as i64
    }

    /// What is to be done now.
    pub fn due(&self, now_ns: i64) -> LeaseAction {
        if now_ns >= self.until_ns() {
            return LeaseAction::Over;
        }
        let next_ns = self.sent_ns + SIGN_EVERY.as_nanos() as i64;
        if now_ns >= next_ns {
            LeaseAction::Sign
        } else {
            LeaseAction::Wait { until_ns: next_ns.min(self.until_ns()) }
        }
    }

    /// A sign is sent.
    pub fn sign(&mut self, now_ns: i64) {
        self.sent_ns = now_ns;
    }

    /// The sign that was sent then was answered. An answer after the lease has expired does not
    /// restore it: the slice may have another holder.
    pub fn answered(&mut self, sent_ns: i64, now_ns: i64) {
        if self.due(now_ns) != LeaseAction::Over {
            self.answered_ns = self.answered_ns.max(sent_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const S: i64 = 1_000_000_000;

    #[test]
    fn signs_are_due_each_second_and_silence_ends_it_a_second_before_the_broker_does() {
        let mut lease = Lease::begin(0);
        assert_eq!(lease.due(S / 2), LeaseAction::Wait { until_ns: S });
        assert_eq!(lease.due(S), LeaseAction::Sign);
        lease.sign(S);
        lease.answered(S, S + 1000);
        assert_eq!(lease.due(S + 2000), LeaseAction::Wait { until_ns: 2 * S });
        lease.sign(2 * S);
        lease.sign(12 * S);
        let over_ns = 12 * S + S / 2;
        assert_eq!(
            lease.due(12 * S + 1),
            LeaseAction::Wait { until_ns: over_ns },
            "11.5 s after the last answer"
        );
        assert_eq!(lease.due(over_ns), LeaseAction::Over);
        lease.answered(12 * S, over_ns + 1);
        assert_eq!(
            lease.due(over_ns + 2),
            LeaseAction::Over,
            "an answer that is too late brings nothing back"
        );
    }

    proptest! {
        /// The broker counts from when it saw a sign; that is never before it was sent.
        #[test]
        fn no_two_hold_a_slice(
            signs in proptest::collection::vec((0_i64..6 * S, any::<bool>(), 0_i64..8 * S), 1..20),
        ) {
            let mut lease = Lease::begin(0);
            let mut now = 0;
            let mut broker_until = LEASE.as_nanos() as i64;
            for (pause, arrives, answer_takes) in signs {
                now += pause;
                let holds = lease.due(now) != LeaseAction::Over;
                prop_assert!(!holds || now < broker_until, "load is made at {now}, the broker's lease ends at {broker_until}");
                if !holds {
                    break;
                }
                lease.sign(now);
                if arrives {
                    broker_until = broker_until.max(now + LEASE.as_nanos() as i64);
                    lease.answered(now, now + answer_takes);
                }
            }
        }
    }
}
