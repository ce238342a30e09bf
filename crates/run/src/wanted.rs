//! The load requested from a trial, if it is a number.

use std::time::Duration;

use swell_engine::{LoadShape, RunOutcome, ShapeOf};
use swell_shape::Spacing;
use swell_stats::Summary;

use crate::evidence::Wanted;

/// Starts of so long before a stop may have been on their way.
const ON_THE_WAY_S: f64 = 0.1;

/// A requested rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WantedLoad {
    /// Starts a second.
    pub rate_per_s: f64,
    /// How many starts there are in all; none: as many as fit the time.
    pub requests: Option<u64>,
    /// The time that the trial has, where `requests` is none.
    pub time: Duration,
}

/// The starts that a shape of throughput timers owed. Random arrivals have no number that they must
/// have, and thread groups with arrivals count themselves what they could not start.
pub(crate) fn of_shape(shape: &LoadShape, outcome: Option<&RunOutcome>, summary: &Summary) -> Option<Wanted> {
    if shape.of != ShapeOf::Timers || shape.spacing != Spacing::Even {
        return None;
    }
    let stopped_ns = outcome.and_then(|outcome| outcome.stopped_ns);
    let until_stop_s = stopped_ns.zip(summary.start_ns).map(|(stop, start)| (stop - start) as f64 / 1e9);
    let starts = until_stop_s.map_or_else(|| shape.shape.total(), |s| shape.shape.sum(s - ON_THE_WAY_S));
    Some(Wanted { starts })
}

impl WantedLoad {
    /// The starts that a trial owed, whether it ran to its end or was stopped.
    pub(crate) fn of(self, outcome: Option<&RunOutcome>, summary: &Summary) -> Wanted {
        let stopped_ns = outcome.and_then(|outcome| outcome.stopped_ns);
        let until_stop_s = stopped_ns.zip(summary.start_ns).map(|(stop, start)| (stop - start) as f64 / 1e9);
        let starts = until_stop_s.map_or_else(|| self.whole(summary.duration_s), |s| self.until_stop(s));
        Wanted { starts }
    }

    /// The starts in the time that was given, or in the time that all the requests took.
    fn whole(self, took_s: f64) -> f64 {
        match self.requests {
            // Up to the last of them; the first is made at once.
            Some(requests) => (self.rate_per_s * took_s).max(requests as f64),
            None => self.rate_per_s * self.time.as_secs_f64(),
        }
    }

    /// The starts until the trial was stopped, `stop_s` seconds after its first.
    fn until_stop(self, stop_s: f64) -> f64 {
        let until_stop = self.rate_per_s * (stop_s - ON_THE_WAY_S).max(0.0);
        self.requests.map_or(until_stop, |requests| until_stop.min(requests as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_test_owes_the_starts_until_then() {
        let until = |requests, stop_s| {
            let load = WantedLoad { rate_per_s: 100.0, requests, time: Duration::from_secs(10) };
            load.until_stop(stop_s)
        };
        let close = |starts: f64, to: f64| (starts - to).abs() < 1e-9;
        assert!(close(until(None, 2.0), 190.0));
        assert!(close(until(None, 0.05), 0.0));
        assert!(close(until(Some(150), 2.0), 150.0));
    }

    #[test]
    fn a_test_that_ran_to_its_end_owes_its_time_or_its_requests() {
        let load = WantedLoad { rate_per_s: 100.0, requests: None, time: Duration::from_secs(10) };
        let of = |requests, took_s| WantedLoad { requests, ..load }.whole(took_s);
        for (starts, wanted) in
            [(of(None, 3.0), 1000.0), (of(Some(150), 1.0), 150.0), (of(Some(150), 2.0), 200.0)]
        {
            assert!((starts - wanted).abs() < 1e-9, "{starts} {wanted}");
        }
    }
}
