//! The headline of a run: how the site did, in one sentence.

use swell_stats::Summary;
use swell_stats::threshold::Judgement;

use crate::cause::{share, total_failure};
use crate::number::{self, without_zeros};
use crate::styled::Role;

/// How many thresholds a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThresholdCounts {
    /// All of them.
    pub all: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those without a figure to judge yet, during a run.
    pub open: usize,
}

impl ThresholdCounts {
    /// Those of a finished run.
    pub fn of(judgements: &[Judgement]) -> Self {
        let failed = judgements.iter().filter(|judgement| !judgement.passed).count();
        Self { all: judgements.len(), failed, open: 0 }
    }

    /// The result in a few words, the same everywhere: `2 of 3 failed`, `both passed`; with the
    /// `noun` of what was counted after the number, `2 of 3 thresholds failed`. None without
    /// thresholds.
    pub fn result(self, noun: &str) -> Option<String> {
        let Self { all, failed, open } = self;
        Some(match (all, failed) {
            (0, _) => return None,
            (1, 1) => "failed".to_owned(),
            (_, 1..) => format!("{failed} of {all} {noun}failed"),
            (1, 0) if open == 0 => "passed".to_owned(),
            (2, 0) if open == 0 => format!("both {noun}passed"),
            (_, 0) if open == 0 => format!("all {all} {noun}passed"),
            (1, 0) => "open".to_owned(),
            (_, 0) => format!("none of {all} {noun}failed, {open} open"),
        })
    }
}

/// What is called in a sentence on thresholds.
const NOUN: &str = "thresholds ";

/// The headline: `200/s for 12 s: 42 % failed, p95 20 ms; 2 of 3 thresholds failed`. The percentile
/// is that of the table (service times of all samples); where there are too few samples for it, the
/// largest time is given.
pub fn headline(summary: &Summary, thresholds: ThresholdCounts) -> String {
    let mut text = figures(summary);
    if let Some(result) = thresholds_text(thresholds) {
        text.push_str("; ");
        text.push_str(&result);
    }
    text
}

/// Whether the headline is good or bad news; none where neither thresholds nor failures say so.
pub fn headline_role(summary: &Summary, thresholds: ThresholdCounts) -> Option<Role> {
    let ThresholdCounts { all, failed, open } = thresholds;
    if failed > 0 || summary.is_empty() || total_failure(summary).is_some() {
        Some(Role::Bad)
    } else if summary.total.errors > 0 {
        Some(Role::Doubtful)
    } else {
        (all > open).then_some(Role::Good)
    }
}

fn figures(summary: &Summary) -> String {
    let total = &summary.total;
    if total.samples == 0 {
        return "no sample was completed".to_owned();
    }
    if let Some(failure) = total_failure(summary) {
        return failure;
    }
    let failed = failed(total.errors, total.samples);
    let p95 = &total.quantiles[2];
    let (name, ms) = if p95.supported { ("p95", p95.ms) } else { ("max", total.max_ms) };
    let load = load(total.samples, total.throughput_per_s, summary.duration_s);
    format!("{load}: {failed} failed, {name} {}", time(ms))
}

/// A rate says nothing of a few samples, nor of a moment.
fn load(samples: u64, per_s: f64, duration_s: f64) -> String {
    const LEAST_SAMPLES: u64 = 10;
    const LEAST_S: f64 = 1.0;
    if samples >= LEAST_SAMPLES && duration_s >= LEAST_S {
        return format!("{}/s for {}", rate(per_s), length(duration_s));
    }
    let noun = if samples == 1 { "sample" } else { "samples" };
    let count = number::count(samples);
    if duration_s < 0.05 {
        format!("{count} {noun}")
    } else {
        format!("{count} {noun} in {}", length(duration_s))
    }
}

/// Never `0 %` where a sample failed, never `100 %` where one succeeded.
fn failed(errors: u64, samples: u64) -> String {
    let text = share(errors, samples);
    match text.as_str() {
        _ if errors == 0 => "none".to_owned(),
        "0" => "less than 0.01 %".to_owned(),
        "100" if errors < samples => "more than 99.99 %".to_owned(),
        _ => format!("{text} %"),
    }
}

fn thresholds_text(thresholds: ThresholdCounts) -> Option<String> {
    let ThresholdCounts { all, open, .. } = thresholds;
    let text = thresholds.result(NOUN)?;
    Some(match (all, open) {
        (1, 0) => format!("the threshold {text}"),
        (1, _) => format!("the threshold is {text}"),
        _ => text,
    })
}

/// A rate with at most three digits before it is whole: `0.5`, `12.3`, `200`, `12,346`.
pub(crate) fn rate(per_s: f64) -> String {
    let text = if per_s >= 99.95 { number::count(per_s.round() as u64) } else { number::rate(per_s) };
    without_zeros(&text).to_owned()
}

/// Seconds for people: `0.2 s`, `12 s`, `12 min 30 s`, `3 h 20 min`.
fn length(seconds: f64) -> String {
    if seconds < 9.95 {
        return format!("{} s", without_zeros(&format!("{seconds:.1}")));
    }
    let whole = seconds.round() as u64;
    let (large, small, names) = match whole {
        0..120 => return format!("{whole} s"),
        120..7200 => (whole / 60, whole % 60, ("min", "s")),
        _ => (whole / 3600, whole % 3600 / 60, ("h", "min")),
    };
    if small == 0 {
        format!("{large} {}", names.0)
    } else {
        format!("{large} {} {small} {}", names.0, names.1)
    }
}

/// A time with two or three digits: `0.35 ms`, `2.4 ms`, `20 ms`, `12.3 s`.
pub(crate) fn time(ms: f64) -> String {
    match ms {
        ms if ms < 0.995 => format!("{} ms", without_zeros(&format!("{ms:.2}"))),
        ms if ms < 9.95 => format!("{} ms", without_zeros(&format!("{ms:.1}"))),
        ms if ms < 9_999.5 => format!("{} ms", number::count(ms.round() as u64)),
        ms => format!("{} s", without_zeros(&format!("{:.1}", ms / 1e3))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{FailureKind, Observation, Recorder};

    /// Samples of 20 ms, one every 5 ms; the first ones failed.
    fn run(samples: u64, errors: u64) -> Summary {
        let mut recorder = Recorder::default();
        for number in 0..samples {
            let start_ns = number.cast_signed() * 5_000_000;
            let elapsed_ns = 20_000_000;
            recorder.record(&Observation {
                label: "Home",
                success: number >= errors,
                kind: FailureKind::Status,
                code: "500",
                message: "Internal Server Error",
                start_ns,
                end_ns: start_ns + elapsed_ns,
                elapsed_ns: elapsed_ns.cast_unsigned(),
                ..Observation::default()
            });
        }
        Summary::of(&recorder.take_interval())
    }

    fn counts(all: usize, failed: usize, open: usize) -> ThresholdCounts {
        ThresholdCounts { all, failed, open }
    }

    #[test]
    fn the_headline_says_load_failures_percentile_and_thresholds() {
        let table = [
            (2400, 1008, (3, 2), "200/s for 12 s: 42 % failed, p95 20 ms; 2 of 3 thresholds failed"),
            (2400, 0, (0, 0), "200/s for 12 s: none failed, p95 20 ms"),
            (2400, 0, (1, 0), "200/s for 12 s: none failed, p95 20 ms; the threshold passed"),
            (2400, 1, (2, 0), "200/s for 12 s: 0.04 % failed, p95 20 ms; both thresholds passed"),
            (24_000, 1, (1, 1), "200/s for 2 min: less than 0.01 % failed, p95 20 ms; the threshold failed"),
            (24_000, 23_999, (0, 0), "200/s for 2 min: more than 99.99 % failed, p95 20 ms"),
            (1, 0, (0, 0), "1 sample: none failed, max 20 ms"),
            (12, 6, (0, 0), "12 samples in 0.1 s: 50 % failed, max 20 ms"),
            (
                3,
                3,
                (1, 1),
                "not one sample succeeded: status 500 Internal Server Error (100 % of 3 samples); the threshold failed",
            ),
            (0, 0, (1, 1), "no sample was completed; the threshold failed"),
        ];
        for (samples, errors, (all, broken), wanted) in table {
            assert_eq!(headline(&run(samples, errors), counts(all, broken, 0)), wanted);
        }
    }

    #[test]
    fn thresholds_without_a_figure_are_open_and_not_failed() {
        let text = headline(&run(2400, 0), counts(3, 0, 2));
        assert!(text.ends_with("; none of 3 thresholds failed, 2 open"), "{text}");
        assert!(headline(&run(2400, 0), counts(1, 0, 1)).ends_with("; the threshold is open"));
        assert_eq!(headline_role(&run(2400, 0), counts(2, 0, 2)), None);
    }

    #[test]
    fn good_and_bad_news_have_roles() {
        let role =
            |samples, errors, all, failed| headline_role(&run(samples, errors), counts(all, failed, 0));
        assert_eq!(role(2400, 0, 0, 0), None);
        assert_eq!(role(2400, 0, 2, 0), Some(Role::Good));
        assert_eq!(role(2400, 9, 2, 0), Some(Role::Doubtful));
        assert_eq!(role(2400, 0, 2, 1), Some(Role::Bad));
        assert_eq!(role(5, 5, 0, 0), Some(Role::Bad));
        assert_eq!(role(0, 0, 0, 0), Some(Role::Bad));
    }

    #[test]
    fn lengths_and_times_are_short() {
        let lengths = [0.04, 0.26, 9.0, 9.96, 119.4, 120.0, 750.2, 12_000.0, 14_400.0].map(length);
        let wanted = ["0 s", "0.3 s", "9 s", "10 s", "119 s", "2 min", "12 min 30 s", "3 h 20 min", "4 h"];
        assert_eq!(lengths, wanted);
        let times = [0.004, 0.35, 2.04, 2.44, 19.6, 1234.4, 12_345.0].map(time);
        assert_eq!(times, ["0 ms", "0.35 ms", "2 ms", "2.4 ms", "20 ms", "1,234 ms", "12.3 s"]);
        assert_eq!([0.5, 12.34, 99.96, 200.2, 12_345.6].map(rate), ["0.5", "12.3", "100", "200", "12,346"]);
    }
}
