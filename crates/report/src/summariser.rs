//! The lines that JMeter's non-GUI mode prints while a test runs
//! (`org.apache.jmeter.reporters.Summariser`).
//!
//! ```text
//! summary +    104 in 00:00:13 =    7.7/s Avg:    12 Min:     0 Max:   201 Err:     0 (0.00%) Active: 5 Started: 5 Finished: 0
//! summary =    624 in 00:01:13 =    8.5/s Avg:    11 Min:     0 Max:   311 Err:     1 (0.16%)
//! ```
//!
//! CI scrapers parse them, so they are the same to the byte. The caller knows the clock.

use std::fmt::Write;

use swell_stats::{Tally, Users};

/// Default of `summariser.interval`, in seconds.
pub const DEFAULT_INTERVAL_S: i64 = 30;

/// A report is made up to this long after the boundary, and no second one sooner, in seconds
/// (`Summariser.INTERVAL_WINDOW`).
const WINDOW_S: i64 = 5;

/// Counts for the lines: since the last line, and in all. Times are wall-clock milliseconds since
/// the epoch.
#[derive(Clone, Debug)]
pub struct Summariser {
    name: String,
    interval_s: i64,
    last_s: i64,
    delta: RunningSample,
    total: RunningSample,
}

/// `SummariserRunningSample`.
#[derive(Clone, Copy, Debug)]
struct RunningSample {
    tally: Tally,
    start_ms: i64,
}

impl RunningSample {
    fn new(start_ms: i64) -> Self {
        Self { tally: Tally::default(), start_ms }
    }
}

impl Summariser {
    /// A summariser of that name (`summariser.name`: `summary`) for a test that starts now.
    pub fn new(name: &str, interval_s: i64, now_ms: i64) -> Self {
        let empty = RunningSample::new(now_ms);
        Self { name: name.to_owned(), interval_s: interval_s.max(1), last_s: 0, delta: empty, total: empty }
    }

    /// The test began then, not when this was made. What was counted already stays.
    pub fn began(&mut self, start_ms: i64) {
        (self.delta.start_ms, self.total.start_ms) = (start_ms, start_ms);
    }

    /// Adds what was counted over an interval, transactions left out unless
    /// `summariser.ignore_transaction_controller_sample_result` is false.
    pub fn add(&mut self, counted: &Tally) {
        self.delta.tally.merge(counted);
    }

    /// Lines that are due now: none, or the `+` line and, from the second report on, the `=` line.
    /// Reports fall on multiples of the interval on the wall clock, so that tests which run side by
    /// side report together.
    pub fn report(&mut self, now_ms: i64, users: Users) -> Vec<String> {
        let now_s = now_ms.div_euclid(1000);
        let due = now_s > self.last_s + WINDOW_S && now_s % self.interval_s <= WINDOW_S;
        if !due || self.delta.tally.samples == 0 {
            return Vec::new();
        }
        self.last_s = now_s;
        let mut lines = vec![line(&self.name, &self.delta, now_ms, Some(users))];
        let reported = self.delta.tally.samples;
        self.move_delta(now_ms);
        if self.total.tally.samples != reported {
            lines.push(line(&self.name, &self.total, now_ms, None));
        }
        lines
    }

    /// Lines at the end of the test.
    pub fn finish(&mut self, now_ms: i64, users: Users) -> Vec<String> {
        let mut lines = Vec::new();
        if self.delta.tally.samples > 0 && self.total.tally.samples > 0 {
            lines.push(line(&self.name, &self.delta, now_ms, Some(users)));
        }
        self.move_delta(now_ms);
        lines.push(line(&self.name, &self.total, now_ms, None));
        lines
    }

    fn move_delta(&mut self, now_ms: i64) {
        self.total.tally.merge(&self.delta.tally);
        self.delta = RunningSample::new(now_ms);
    }
}

/// `Summariser.format`. `users` makes it a `+` line.
fn line(name: &str, run: &RunningSample, now_ms: i64, users: Option<Users>) -> String {
    let RunningSample { tally, start_ms } = run;
    let elapsed_ms = if tally.samples == 0 { 0 } else { now_ms - start_ms };
    let seconds = (elapsed_ms + 500) / 1000;
    let hours = seconds / 3600;
    let minutes = seconds % 3600 / 60;
    let rest = seconds % 60;
    let rate = if elapsed_ms > 0 {
        format!("{:6.1}", tally.samples as f64 / elapsed_ms as f64 * 1000.0)
    } else {
        "******".to_owned()
    };
    let average_ms = tally.sum_ms.checked_div(tally.samples).unwrap_or(0);
    // Without samples, JMeter shows the limits of Java's long.
    let min_ms = tally.min_ms.map_or(i64::MAX, |ms| ms as i64);
    let max_ms = tally.max_ms.map_or(i64::MIN, |ms| ms as i64);
    let failed = if tally.samples == 0 { 0.0 } else { tally.errors as f64 / tally.samples as f64 };
    let sign = if users.is_some() { '+' } else { '=' };
    let mut text = format!(
        "{name} {sign} {:6} in {hours:02}:{minutes:02}:{rest:02} = {rate}/s Avg: {average_ms:5} Min: {min_ms:5} \
         Max: {max_ms:5} Err: {:5} ({:.2}%)",
        tally.samples,
        tally.errors,
        failed * 100.0,
    );
    if let Some(Users { active, started, finished }) = users {
        write!(text, " Active: {active} Started: {started} Finished: {finished}").expect("a String takes it");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: Users = Users { active: 5, started: 7, finished: 2 };

    fn counted(times_ms: &[u64], errors: usize) -> Tally {
        let mut tally = Tally::default();
        for (number, &elapsed_ms) in times_ms.iter().enumerate() {
            tally.record(elapsed_ms, number >= errors);
        }
        tally
    }

    #[test]
    fn lines_are_jmeters_to_the_byte() {
        let mut summariser = Summariser::new("summary", 30, 1_000_013_000);
        summariser.add(&counted(&[10, 20, 201], 1));
        assert_eq!(summariser.report(1_000_019_000, USERS), Vec::<String>::new());
        assert_eq!(
            summariser.report(1_000_020_400, USERS),
            ["summary +      3 in 00:00:07 =    0.4/s Avg:    77 Min:    10 Max:   201 Err:     1 (33.33%) \
              Active: 5 Started: 7 Finished: 2"]
        );
        summariser.add(&counted(&[5], 0));
        assert_eq!(
            summariser.report(1_000_050_000, USERS),
            [
                "summary +      1 in 00:00:30 =    0.0/s Avg:     5 Min:     5 Max:     5 Err:     0 (0.00%) \
                 Active: 5 Started: 7 Finished: 2",
                "summary =      4 in 00:00:37 =    0.1/s Avg:    59 Min:     5 Max:   201 Err:     1 (25.00%)"
            ]
        );
        summariser.add(&counted(&[1_000_000; 2], 2));
        assert_eq!(
            summariser.finish(1_003_673_500, USERS),
            [
                "summary +      2 in 01:00:24 =    0.0/s Avg: 1000000 Min: 1000000 Max: 1000000 Err:     2 (100.00%) \
                 Active: 5 Started: 7 Finished: 2",
                "summary =      6 in 01:01:01 =    0.0/s Avg: 333372 Min:     5 Max: 1000000 Err:     3 (50.00%)"
            ]
        );
    }

    #[test]
    fn a_short_test_has_only_its_total() {
        let mut summariser = Summariser::new("summary", 30, 10_000);
        summariser.add(&counted(&[3; 1500], 0));
        let line =
            "summary =   1500 in 00:00:00 = 3750.0/s Avg:     3 Min:     3 Max:     3 Err:     0 (0.00%)";
        assert_eq!(summariser.finish(10_400, USERS), [line]);
    }

    #[test]
    fn a_test_without_samples_shows_what_jmeter_shows() {
        let line = "summary =      0 in 00:00:00 = ******/s Avg:     0 Min: 9223372036854775807 \
                    Max: -9223372036854775808 Err:     0 (0.00%)";
        assert_eq!(Summariser::new("summary", 30, 0).finish(9_000, USERS), [line]);
    }

    #[test]
    fn a_test_of_no_length_has_no_rate() {
        let mut summariser = Summariser::new("s", 30, 7);
        summariser.add(&counted(&[1], 0));
        assert!(summariser.finish(7, USERS)[0].starts_with("s =      1 in 00:00:00 = ******/s Avg:     1"));
    }

    #[test]
    fn reports_fall_once_into_the_window_after_each_boundary() {
        let mut summariser = Summariser::new("summary", 30, 1_000_000);
        let mut reported = Vec::new();
        for now_s in 1_000..1_100 {
            summariser.add(&counted(&[1], 0));
            if !summariser.report(now_s * 1000, USERS).is_empty() {
                reported.push(now_s);
            }
        }
        assert_eq!(reported, [1020, 1050, 1080]);
    }

    #[test]
    fn a_boundary_that_was_missed_is_made_up_for_within_the_window() {
        let mut summariser = Summariser::new("summary", 30, 0);
        summariser.add(&counted(&[1], 0));
        assert_eq!(summariser.report(66_000, USERS).len(), 0);
        assert_eq!(summariser.report(95_999, USERS).len(), 1);
    }
}
