//! Servers that turn requests away above a rate: admission control at a known limit.
//!
//! The Generic Cell Rate Algorithm (ITU-T I.371, the leaky bucket as a meter): each admitted
//! request moves the theoretical arrival time on by 1 / rate, and a request that comes earlier than
//! that by more than the tolerance is turned away. The tolerance is a tenth of a second: at 100 a
//! second and more, nearly all that comes by chance (Poisson) at less than the rate is admitted;
//! and a trial of a few seconds is not carried by what was saved up before it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use parking_lot::Mutex;

/// More keys than this are refused.
const KEYS_MAX: usize = 1_024;
/// How far ahead of the rate requests may be.
const TOLERANCE_NS: i64 = 100_000_000;

/// What a request asks of an admission control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AdmissionAsk {
    /// The key of a limit.
    pub(crate) key: String,
    /// Time between admitted requests at the limit.
    pub(crate) interval_ns: i64,
}

/// All admission controls of a target.
#[derive(Debug, Default)]
pub(crate) struct Admissions {
    /// When the next request of each key is due at the limit.
    due_ns: Mutex<HashMap<String, i64>>,
}

impl Admissions {
    /// Whether a request that arrived at that time is admitted; `None` where there are too many
    /// keys.
    pub(crate) fn admit(&self, ask: &AdmissionAsk, arrival_ns: i64) -> Option<bool> {
        let mut all = self.due_ns.lock();
        let keys = all.len();
        let due_ns = match all.entry(ask.key.clone()) {
            Entry::Occupied(of_key) => of_key.into_mut(),
            Entry::Vacant(_) if keys >= KEYS_MAX => return None,
            Entry::Vacant(of_key) => of_key.insert(arrival_ns),
        };
        let is_admitted = *due_ns - arrival_ns <= TOLERANCE_NS;
        if is_admitted {
            *due_ns = (*due_ns).max(arrival_ns) + ask.interval_ns;
        }
        Some(is_admitted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: i64 = 1_000_000_000;

    /// How many of the requests of twenty seconds are admitted at a limit of 100 a second, the
    /// first five left out.
    fn admitted(per_s: i64) -> usize {
        let all = Admissions::default();
        let ask = AdmissionAsk { key: String::new(), interval_ns: SECOND_NS / 100 };
        let arrivals = (0..20 * per_s).map(|n| n * SECOND_NS / per_s);
        arrivals.filter(|at| all.admit(&ask, *at) == Some(true) && *at >= 5 * SECOND_NS).count()
    }

    #[test]
    fn what_comes_faster_is_cut_to_the_rate() {
        assert_eq!(admitted(50), 15 * 50);
        assert_eq!(admitted(100), 15 * 100);
        for per_s in [150, 400, 1000] {
            let count = admitted(per_s);
            assert!(count.abs_diff(15 * 100) <= 1, "{per_s}: {count}");
        }
    }

    #[test]
    fn keys_have_limits_of_their_own_and_are_limited_themselves() {
        let all = Admissions::default();
        let ask = |key: &str| AdmissionAsk { key: key.into(), interval_ns: 2 * SECOND_NS };
        let seen = ["a", "a", "b", "b"].map(|key| all.admit(&ask(key), 0));
        assert_eq!(seen, [Some(true), Some(false), Some(true), Some(false)]);
        assert_eq!(all.admit(&ask("a"), SECOND_NS), Some(false));
        assert_eq!(all.admit(&ask("a"), 2 * SECOND_NS), Some(true));
        assert!((2..KEYS_MAX).all(|key| all.admit(&ask(&key.to_string()), 0) == Some(true)));
        assert_eq!(all.admit(&ask("one more"), 0), None);
    }
}
