//! Collects the counts between two seconds that subscribers receive.
//!
//! Workers report their counts at each whole second, one after the other. Subscribers receive a
//! second only when all workers have reported. Otherwise it would mix the counts of the first
//! worker with those of the others from the second before.

use std::sync::Arc;

use swell_stats::{LabelStats, Snapshot, Tally};

/// How long workers have after a whole second to hand over its counts; later counts go to the next
/// second.
const GRACE_NS: i64 = 100_000_000;

const SECOND_NS: i64 = 1_000_000_000;

/// The counts of an interval.
#[derive(Default)]
pub(crate) struct Interval {
    pub(crate) total: LabelStats,
    /// What JMeter's summariser counts of it.
    pub(crate) reported: Tally,
    /// Each with its second.
    pub(crate) parts: Vec<(i64, Arc<Snapshot>)>,
}

/// The current interval, and the next one.
#[derive(Default)]
pub(crate) struct Intervals {
    current: Interval,
    /// What was counted after `over_s`.
    next: Interval,
    /// The whole second at which the current interval ends, until it is sent.
    over_s: Option<i64>,
}

impl Intervals {
    /// Counts of a second.
    pub(crate) fn count(&mut self, at_s: i64, counts: Arc<Snapshot>, total: &LabelStats, reported: &Tally) {
        let is_next = self.over_s.is_some_and(|over_s| at_s >= over_s);
        let interval = if is_next { &mut self.next } else { &mut self.current };
        interval.total.merge(total);
        interval.reported.merge(reported);
        interval.parts.push((at_s, counts));
    }

    /// A whole second has begun: the current interval ends with it.
    pub(crate) fn end_at(&mut self, second: i64) {
        self.over_s = Some(second);
    }

    /// Until when counts of the finished interval are awaited; none if there is none.
    pub(crate) fn due_ns(&self) -> Option<i64> {
        self.over_s.map(|over_s| over_s * SECOND_NS + GRACE_NS)
    }

    /// The finished interval, with its end; none if none is due.
    pub(crate) fn take_due(&mut self, now_ns: i64) -> Option<(i64, Interval)> {
        self.due_ns().filter(|due_ns| now_ns >= *due_ns)?;
        self.take_over()
    }

    /// The same, due or not.
    pub(crate) fn take_over(&mut self) -> Option<(i64, Interval)> {
        let over_s = self.over_s.take()?;
        let following = std::mem::take(&mut self.next);
        Some((over_s * SECOND_NS, std::mem::replace(&mut self.current, following)))
    }

    /// The running interval, now.
    pub(crate) fn take(&mut self) -> Interval {
        std::mem::take(&mut self.current)
    }
}

/// The halves of seconds, if counts are sent twice a second.
pub(crate) struct Halves {
    /// The end of the first half of a second that was not told.
    next_ns: i64,
}

impl Halves {
    pub(crate) fn after(now_ns: i64) -> Self {
        let second_ns = now_ns - now_ns.rem_euclid(SECOND_NS);
        let half_ns = second_ns + SECOND_NS / 2;
        Self { next_ns: if half_ns > now_ns { half_ns } else { half_ns + SECOND_NS } }
    }

    /// Until when counts of it are waited for.
    pub(crate) fn due_ns(&self) -> i64 {
        self.next_ns + GRACE_NS
    }

    /// The end of the last finished half second. If several have finished, they are sent as one.
    pub(crate) fn take_due(&mut self, now_ns: i64) -> Option<i64> {
        if now_ns < self.due_ns() {
            return None;
        }
        let half_ns = self.next_ns;
        *self = Self::after(now_ns);
        Some(half_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    fn count(intervals: &mut Intervals, at_s: i64, label: &str) {
        let mut recorder = Recorder::default();
        recorder.record(&Observation { label, ..Observation::default() });
        let counts = recorder.take_interval();
        let total = counts.total();
        intervals.count(at_s, Arc::new(counts), &total, &Tally::from(&total));
    }

    #[test]
    fn halves_come_once_a_second_and_those_that_were_missed_as_one() {
        let half_ns = 10 * SECOND_NS + SECOND_NS / 2;
        let mut halves = Halves::after(10 * SECOND_NS + 1);
        assert_eq!((halves.take_due(half_ns + GRACE_NS - 1), halves.due_ns()), (None, half_ns + GRACE_NS));
        assert_eq!(halves.take_due(half_ns + GRACE_NS), Some(half_ns));
        assert_eq!(halves.take_due(half_ns + GRACE_NS), None);
        assert_eq!(halves.take_due(half_ns + 20 * SECOND_NS), Some(half_ns + SECOND_NS), "it was stopped");
        assert_eq!(halves.due_ns(), half_ns + 21 * SECOND_NS + GRACE_NS);
    }

    fn seconds(interval: &Interval) -> Vec<i64> {
        interval.parts.iter().map(|(at_s, _)| *at_s).collect()
    }

    #[test]
    fn a_second_has_the_counts_of_all_workers() {
        let mut intervals = Intervals::default();
        count(&mut intervals, 9, "first worker");
        assert!(intervals.take_due(10 * SECOND_NS).is_none(), "it is not over");
        intervals.end_at(10);
        assert!(intervals.take_due(10 * SECOND_NS + GRACE_NS - 1).is_none(), "another worker may come yet");
        count(&mut intervals, 9, "second worker");
        // A worker that has ended has counts of the running second.
        count(&mut intervals, 10, "third worker");
        let (end_ns, told) = intervals.take_due(10 * SECOND_NS + GRACE_NS).expect("it is due");
        assert_eq!((end_ns, seconds(&told), told.total.samples), (10 * SECOND_NS, vec![9, 9], 2));
        // One that is later than that.
        count(&mut intervals, 9, "fourth worker");
        assert_eq!(seconds(&intervals.take()), [10, 9]);
        assert!(intervals.take_over().is_none());
    }
}
