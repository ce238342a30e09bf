//! Handles an unreachable server: users retry less and less often, and after a while the test ends.
//! Only `swell hit` uses it; a plan runs as written.

use std::cell::Cell;
use std::time::Duration;

use swell_api::SampleResult;
use swell_results::observe;
use swell_stats::{FailureKind, Snapshot};

/// Connections that fail in a row before users wait.
const PATIENCE: u32 = 100;

/// The pause after the n-th failed connection in a row is n times this.
const STEP_NS: i64 = 100_000;

/// A server that comes back is noticed within this time.
const LONGEST_NS: i64 = 1_000_000_000;

/// Consecutive failed connections of a worker.
#[derive(Default)]
pub(crate) struct BackOff(Cell<u32>);

impl BackOff {
    /// Notes a sample.
    pub(crate) fn sample(&self, sample: &SampleResult) {
        let unreached = !sample.success && observe(sample).kind.is_unreached();
        self.0.set(if unreached { self.0.get().saturating_add(1) } else { 0 });
    }

    /// How long the user whose sample failed is to wait, in nanoseconds.
    pub(crate) fn pause_ns(&self) -> i64 {
        let in_row = self.0.get();
        if in_row < PATIENCE { 0 } else { (i64::from(in_row) * STEP_NS).min(LONGEST_NS) }
    }
}

/// When to end a test that reaches no server.
pub(crate) struct GiveUp {
    after: Duration,
    /// Start of the first sample since the last that reached a server; none: the last one did.
    since_ns: Option<i64>,
}

impl GiveUp {
    /// The test ends once no server was reached for so long.
    pub(crate) fn new(after: Duration) -> Self {
        Self { after, since_ns: None }
    }

    /// Notes what a worker counted.
    pub(crate) fn counted(&mut self, counts: &Snapshot) {
        let total = counts.total();
        if total.samples > counts.errors.count(FailureKind::is_unreached) {
            self.since_ns = None;
        } else if total.samples > 0 {
            self.since_ns.get_or_insert(total.first_start_ns);
        }
    }

    /// The test is to end: for how long no server was reached. Said once.
    pub(crate) fn is_due(&mut self, now_ns: i64) -> Option<Duration> {
        let waited_ns = now_ns - self.since_ns?;
        let waited = Duration::from_nanos(u64::try_from(waited_ns).ok()?);
        if waited < self.after {
            return None;
        }
        (self.since_ns, self.after) = (None, Duration::MAX);
        Some(waited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    fn failed() -> SampleResult {
        SampleResult {
            code: "Non HTTP response code: org.apache.http.conn.HttpHostConnectException".into(),
            message: "Non HTTP response message: Connect to h:1 failed: Connection refused".into(),
            ..SampleResult::default()
        }
    }

    #[test]
    fn users_wait_after_a_hundred_refusals_in_a_row_and_never_longer_than_a_second() {
        let back_off = BackOff::default();
        let pause_after = |times: u32| {
            (0..times).for_each(|_| back_off.sample(&failed()));
            back_off.pause_ns()
        };
        assert_eq!([pause_after(99), pause_after(1), pause_after(100)], [0, 10_000_000, 20_000_000]);
        assert_eq!(pause_after(100_000), LONGEST_NS);
        back_off.sample(&SampleResult { success: true, ..SampleResult::default() });
        assert_eq!(pause_after(99), 0, "one that was reached makes it forget");
        let status = SampleResult { code: "503".into(), ..SampleResult::default() };
        back_off.sample(&status);
        assert_eq!(pause_after(1), 0, "an answer is an answer");
    }

    #[test]
    fn a_test_ends_when_nothing_was_reached_for_that_time() {
        let counts = |kinds: &[FailureKind], start_ns| {
            let mut recorder = Recorder::default();
            for &kind in kinds {
                recorder.record(&Observation { start_ns, kind, ..Observation::default() });
            }
            recorder.take_interval()
        };
        let refused = FailureKind::Refused;
        let status = FailureKind::Status;
        let mut give_up = GiveUp::new(Duration::from_nanos(10));
        give_up.counted(&counts(&[], 1));
        give_up.counted(&counts(&[refused, status], 2));
        assert_eq!(give_up.is_due(1000), None, "something was reached");
        give_up.counted(&counts(&[refused], 5));
        give_up.counted(&counts(&[refused], 9));
        assert!(give_up.is_due(14).is_none() && give_up.is_due(15).is_some());
        assert_eq!(give_up.is_due(1000), None, "said once");
    }
}
