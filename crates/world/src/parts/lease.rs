//! One lease: until when load may be made, and when a sign is due.

use rand::Rng;
use rand::rngs::SmallRng;
use swell_fleet::lease::{LEASE, Lease, LeaseAction};

use super::{Checked, equal, one_of};

const MS: i64 = 1_000_000;
/// The broker waits for 12.5 s, and the holder stops a second earlier.
pub(super) const HELD_NS: i64 = 11_500 * MS;
pub(super) const SIGN_NS: i64 = 1_000 * MS;

/// What is known of a lease: when the last sign that was answered was sent, and the last sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) answered_ns: i64,
    pub(super) sent_ns: i64,
}

impl Known {
    pub(super) fn until_ns(self) -> i64 {
        self.answered_ns + HELD_NS
    }

    pub(super) fn due(self, now_ns: i64) -> LeaseAction {
        let (until_ns, next_ns) = (self.until_ns(), self.sent_ns + SIGN_NS);
        if now_ns >= until_ns {
            LeaseAction::Over
        } else if now_ns >= next_ns {
            LeaseAction::Sign
        } else {
            LeaseAction::Wait { until_ns: until_ns.min(next_ns) }
        }
    }

    /// An answer that comes in time.
    pub(super) fn answered(&mut self, sent_ns: i64, now_ns: i64) {
        if now_ns < self.until_ns() {
            self.answered_ns = self.answered_ns.max(sent_ns);
        }
    }
}

/// A step of time: none, short, long, or to about an instant.
pub(super) fn step_ns(draws: &mut SmallRng, to_ns: i64) -> i64 {
    match draws.random_range(0..6) {
        0 => 0,
        1 => draws.random_range(0..300 * MS),
        2 => draws.random_range(0..1_500 * MS),
        3 => draws.random_range(0..13_000 * MS),
        _ => (to_ns + one_of(draws, &[-1, 0, 1])).max(0),
    }
}

/// Signs, answers and looks in any order.
pub(super) fn check(draws: &mut SmallRng, operations: u32) -> Checked {
    equal("the lease of the broker", &LEASE.as_millis(), &12_500)?;
    let mut now_ns = draws.random_range(0..1_000_000_000_000);
    let mut lease = Lease::begin(now_ns);
    let mut known = Known { answered_ns: now_ns, sent_ns: now_ns };
    let mut signs = vec![now_ns];
    for _ in 0..operations {
        let border_ns = one_of(draws, &[known.until_ns(), known.sent_ns + SIGN_NS]);
        now_ns += step_ns(draws, border_ns - now_ns);
        equal("due", &lease.due(now_ns), &known.due(now_ns))?;
        equal("until", &lease.until_ns(), &known.until_ns())?;
        match draws.random_range(0..8) {
            0..4 => {
                lease.sign(now_ns);
                known.sent_ns = now_ns;
                signs.push(now_ns);
            }
            4..7 => {
                let sent_ns = one_of(draws, &signs);
                lease.answered(sent_ns, now_ns);
                known.answered(sent_ns, now_ns);
            }
            _ if known.due(now_ns) == LeaseAction::Over => {
                lease = Lease::begin(now_ns);
                known = Known { answered_ns: now_ns, sent_ns: now_ns };
                signs = vec![now_ns];
            }
            _ => {}
        }
    }
    Ok(())
}
