//! Whether the controller hears the broker. Agents are silent to a controller that is cut off or
//! was stopped itself, which says nothing about them.

use super::S;

/// The controller's messages come back within that time; otherwise it receives nothing. Shorter
/// than the silence by which an agent is lost.
const DEAF_NS: i64 = 3 * S;
/// It looks ten times a second: after so long without a look it was stopped itself.
const STOPPED_NS: i64 = S;

/// How well the controller receives, by its messages that the broker returns each second. Times are
/// nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct BrokerLiveness {
    /// It has heard without a break since then.
    since: i64,
    last: i64,
    looked: i64,
}

impl BrokerLiveness {
    /// The state of a controller that has just connected.
    pub(super) fn new(now_ns: i64) -> Self {
        Self { since: now_ns, last: now_ns, looked: now_ns }
    }

    /// The controller checks. A controller that was suspended for a while starts again.
    pub(super) fn look(&mut self, now_ns: i64) {
        if now_ns - self.looked > STOPPED_NS {
            *self = Self::new(now_ns);
        }
        self.looked = now_ns;
    }

    /// Its own word has come back.
    pub(super) fn heard(&mut self, now_ns: i64) {
        if self.deaf_ns(now_ns).is_some() {
            self.since = now_ns;
        }
        self.last = now_ns;
    }

    /// For how long it has received nothing, if so.
    pub(super) fn deaf_ns(&self, now_ns: i64) -> Option<i64> {
        let silent_ns = now_ns - self.last;
        (silent_ns > DEAF_NS).then_some(silent_ns)
    }

    /// How long a sender that was heard at that time has been silent; nothing if it could not have
    /// been heard.
    pub(super) fn silence_ns(&self, seen_ns: i64, now_ns: i64) -> i64 {
        if self.deaf_ns(now_ns).is_some() { 0 } else { now_ns - seen_ns.max(self.since) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_counts_only_while_the_controller_hears() {
        let mut hearing = BrokerLiveness::new(0);
        (1..=5).for_each(|second| hearing.heard(second * S));
        assert_eq!(hearing.silence_ns(2 * S, 6 * S), 4 * S);
        assert_eq!((hearing.deaf_ns(8 * S), hearing.deaf_ns(9 * S)), (None, Some(4 * S)));
        assert_eq!(hearing.silence_ns(2 * S, 9 * S), 0, "no agent can be heard");
        hearing.heard(15 * S);
        assert_eq!(hearing.silence_ns(2 * S, 16 * S), S, "all start again");
        assert_eq!(hearing.silence_ns(16 * S, 17 * S), S);
    }

    #[test]
    fn a_controller_that_was_stopped_gives_everybody_time() {
        let mut hearing = BrokerLiveness::new(0);
        for tenth in 1..50 {
            hearing.look(tenth * S / 10);
            hearing.heard(tenth * S / 10);
        }
        hearing.look(60 * S);
        assert_eq!((hearing.deaf_ns(61 * S), hearing.silence_ns(4 * S, 61 * S)), (None, S));
    }
}
