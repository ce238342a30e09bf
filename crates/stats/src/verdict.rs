//! Whether the tool itself was good enough for its numbers to be believed.

use std::fmt;

/// How good the tool was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The numbers are right within their intervals.
    Valid,
    /// The tool can be seen in the numbers.
    Degraded,
    /// The numbers describe the tool as much as the server.
    Invalid,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Valid => "VALID",
            Self::Degraded => "DEGRADED",
            Self::Invalid => "INVALID",
        })
    }
}

/// What is known of the tool in a run; what was not measured is none and is not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// 99th percentile of the delay between intended and actual start, in nanoseconds.
    pub start_delay_p99_ns: Option<u64>,
    /// 99th percentile of the delay between arrival and read, in nanoseconds.
    pub read_delay_p99_ns: Option<u64>,
    /// Median service time in nanoseconds, for the limits of the read delay.
    pub elapsed_p50_ns: u64,
    /// Starts that the plan wanted.
    pub wanted_starts: u64,
    /// Starts that were dropped for want of users, ports or memory.
    pub dropped_starts: Option<u64>,
    /// Busy part (0..1) of the busiest worker, the largest that lasted five seconds.
    pub cpu_busy: Option<f64>,
    /// Part (0..1) of the time that workers waited for a processor.
    pub run_queue_wait: Option<f64>,
    /// Part (0..1) of the time that the law of Little cannot account for; see [`little_gap`].
    pub little_gap: Option<f64>,
    /// Achieved over wanted rate, minus 1.
    pub rate_error: Option<f64>,
}

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// Late starts, in milliseconds.
    StartDelay,
    /// Late reads, in milliseconds.
    ReadDelay,
    /// Dropped starts, as a part of the wanted ones.
    DroppedStarts,
    /// Busiest worker.
    CpuBusy,
    /// Waiting for a processor.
    RunQueueWait,
    /// Unaccounted time.
    LittleGap,
    /// Distance from the wanted rate.
    RateError,
}

/// A criterion with its measured value and limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    /// What was looked at.
    pub criterion: Criterion,
    /// What was found: milliseconds for delays, else a part (0..1).
    pub value: f64,
    /// Valid up to here.
    pub valid_limit: f64,
    /// Degraded up to here, invalid beyond.
    pub degraded_limit: f64,
}

impl Gate {
    /// How good the tool was by this criterion.
    pub fn level(&self) -> Level {
        if self.value <= self.valid_limit {
            Level::Valid
        } else if self.value <= self.degraded_limit {
            Level::Degraded
        } else {
            Level::Invalid
        }
    }
}

/// The judgement on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The worst level of all gates; valid if nothing was measured.
    pub level: Level,
    /// Gates of what was measured.
    pub gates: Vec<Gate>,
}

/// Judges a run. The limits are those of the project's accuracy notes, section 7.2, starting values that measurements
/// may change. The read delay may be 1 % of the median or 0.2 ms, whichever is more, and five times that when degraded.
pub fn verdict(seen: &Evidence) -> Verdict {
    let ms = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e6);
    let read_limit_ms = (seen.elapsed_p50_ns as f64 / 1e6 * 0.01).max(0.2);
    let dropped = seen.dropped_starts.map(|dropped| dropped as f64 / seen.wanted_starts.max(1) as f64);
    let table = [
        (Criterion::StartDelay, ms(seen.start_delay_p99_ns), 1.0, 10.0),
        (Criterion::ReadDelay, ms(seen.read_delay_p99_ns), read_limit_ms, 5.0 * read_limit_ms),
        (Criterion::DroppedStarts, dropped, 0.0, 0.001),
        (Criterion::CpuBusy, seen.cpu_busy, 0.5, 0.8),
        (Criterion::RunQueueWait, seen.run_queue_wait, 0.001, 0.01),
        (Criterion::LittleGap, seen.little_gap.map(f64::abs), 0.005, 0.02),
        (Criterion::RateError, seen.rate_error.map(f64::abs), 0.01, 0.05),
    ];
    let measured = table.into_iter().filter_map(|(criterion, value, valid_limit, degraded_limit)| {
        Some(Gate { criterion, value: value?, valid_limit, degraded_limit })
    });
    let gates: Vec<_> = measured.collect();
    let level = gates.iter().map(Gate::level).max().unwrap_or(Level::Valid);
    Verdict { level, gates }
}

/// The part of a user's cycle that nobody accounts for: users = throughput · (response time + think time + gap), with
/// the gap over the response and think time. None where there is no throughput or no time.
pub fn little_gap(users: f64, throughput_per_s: f64, response_s: f64, think_s: f64) -> Option<f64> {
    let known_s = response_s + think_s;
    (throughput_per_s > 0.0 && known_s > 0.0).then(|| (users / throughput_per_s - known_s) / known_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(evidence: Evidence) -> Level {
        verdict(&evidence).level
    }

    #[test]
    fn limits_of_each_criterion() {
        let parts = |make: fn(f64) -> Evidence, valid: f64, degraded: f64| {
            [valid, valid * 1.01 + 1e-9, degraded, degraded * 1.01].map(|value| level(make(value)))
        };
        let expected = [Level::Valid, Level::Degraded, Level::Degraded, Level::Invalid];
        let none = Evidence::default;
        let start = |ms: f64| Evidence { start_delay_p99_ns: Some((ms * 1e6) as u64), ..Evidence::default() };
        assert_eq!(parts(start, 1.0, 10.0), expected);
        assert_eq!(parts(|x| Evidence { cpu_busy: Some(x), ..Evidence::default() }, 0.5, 0.8), expected);
        assert_eq!(
            parts(|x| Evidence { run_queue_wait: Some(x), ..Evidence::default() }, 0.001, 0.01),
            expected
        );
        assert_eq!(
            parts(|x| Evidence { little_gap: Some(-x), ..Evidence::default() }, 0.005, 0.02),
            expected
        );
        assert_eq!(parts(|x| Evidence { rate_error: Some(-x), ..Evidence::default() }, 0.01, 0.05), expected);
        let dropped =
            |count| level(Evidence { dropped_starts: Some(count), wanted_starts: 10_000, ..none() });
        assert_eq!([0, 1, 10, 11].map(dropped), expected);
    }

    #[test]
    fn the_limit_of_late_reads_grows_with_the_time_that_is_measured() {
        let read = |delay_us: u64, median_ms: u64| {
            let (read_delay_p99_ns, elapsed_p50_ns) = (Some(delay_us * 1000), median_ms * 1_000_000);
            level(Evidence { read_delay_p99_ns, elapsed_p50_ns, ..Evidence::default() })
        };
        assert_eq!([read(200, 1), read(201, 1), read(1000, 1), read(1001, 1)].map(|l| l as u8), [0, 1, 1, 2]);
        assert_eq!(
            [read(1000, 100), read(1001, 100), read(5000, 100), read(5001, 100)].map(|l| l as u8),
            [0, 1, 1, 2]
        );
    }

    #[test]
    fn the_worst_gate_decides_and_what_was_not_measured_is_not_judged() {
        assert_eq!(verdict(&Evidence::default()), Verdict { level: Level::Valid, gates: Vec::new() });
        let seen = Evidence { cpu_busy: Some(0.9), little_gap: Some(0.01), ..Evidence::default() };
        let found = verdict(&seen);
        assert_eq!((found.level, found.gates.len()), (Level::Invalid, 2));
    }

    #[test]
    fn little_accounts_for_the_time_of_users() {
        let close = |gap: Option<f64>, to: f64| gap.is_some_and(|gap| (gap - to).abs() < 1e-9);
        assert!(close(little_gap(100.0, 50.0, 0.5, 1.5), 0.0));
        assert!(close(little_gap(100.0, 40.0, 0.5, 1.5), 0.25));
        assert_eq!((little_gap(1.0, 0.0, 1.0, 1.0), little_gap(1.0, 1.0, 0.0, 0.0)), (None, None));
    }
}
