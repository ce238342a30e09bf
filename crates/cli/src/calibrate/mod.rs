//! `swell calibrate`: what this machine can measure, against the built-in target.

mod search;
mod trials;

use std::fmt::Write;

use serde::Serialize;
use swell_stats::Summary;
use swell_stats::verdict::Verdict;

use crate::args::CalibrateArgs;
use crate::doctor::OWN_DESCRIPTORS;
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, print_stdout};
use crate::run::setup;
use search::{Highest, highest};
use trials::Trials;

/// Users that make the highest rate.
const RATE_USERS: u64 = 200;
/// Rate at which the highest number of users is looked for, a second.
const USERS_RATE: u64 = 1000;

/// What one trial says; times in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Measured {
    verdict: String,
    reasons: Vec<String>,
    achieved_per_s: f64,
    service_p50_ms: f64,
    service_p99_ms: f64,
    late_start_p50_ms: f64,
    late_start_p99_ms: f64,
    late_read_p50_ms: f64,
    late_read_p99_ms: f64,
}

#[derive(Serialize)]
struct Calibration {
    floor: Measured,
    /// Requests a second; none: not even the lowest that was tried.
    highest_valid_rate_per_s: Option<u64>,
    /// Why the next higher rate was not valid.
    rate_limit: Vec<String>,
    highest_valid_users: Option<u64>,
    users_limit: Vec<String>,
}

/// Runs the command.
pub(crate) fn calibrate(args: &CalibrateArgs) -> Result<Exit, Failure> {
    let target = setup::target()?;
    let base = format!("http://{}", target.address);
    let mut trials = Trials::new(args)?;
    let mut trial = |path: &str, users: u64, rate: u64| {
        let report = trials.run(&format!("{base}{path}"), users, rate)?;
        measured(&report.summary, report.verdict.as_ref()).ok_or_else(|| trials::failed("it has no verdict"))
    };

    print_stderr("The floor: one user, 100 requests a second");
    let floor = trial("/bytes/100", 1, 100)?;
    let (rate, rate_limit) =
        find("requests a second", 1000, 10_000_000, |rate| trial("/bytes/100", RATE_USERS, rate))?;
    let descriptors = swell_net::machine::descriptor_limits().map_or(1024, |(_, hard)| hard);
    let most = args.most_users.unwrap_or(descriptors.saturating_sub(OWN_DESCRIPTORS).max(1));
    let (users, users_limit) = find("users", 1000, most, |users| trial("/delay/50ms", users, USERS_RATE))?;
    trials.settle(&[
        Some((1, 100)),
        rate.good.map(|rate| (RATE_USERS, rate)),
        users.good.map(|users| (users, USERS_RATE)),
    ]);
    let found = Calibration {
        floor,
        highest_valid_rate_per_s: rate.good,
        rate_limit,
        highest_valid_users: users.good,
        users_limit,
    };
    let text = if args.json { swell_report::json::indented(&found) } else { table(&found, most) };
    print_stdout(&text)?;
    trials.end(Exit::Fine)
}

/// Searches, and says each trial; gives the reasons of the last bad one.
fn find(
    what: &str,
    first: u64,
    limit: u64,
    mut trial: impl FnMut(u64) -> Result<Measured, Failure>,
) -> Result<(Highest, Vec<String>), Failure> {
    let mut reasons = Vec::new();
    let found = highest(first, limit, |load| -> Result<bool, Failure> {
        let told = trial(load)?;
        print_stderr(&format!("{load} {what}: {} {}", told.verdict, told.reasons.join("; ")));
        let good = told.verdict == "VALID";
        if !good {
            reasons = told.reasons;
        }
        Ok(good)
    })?;
    if found.bad.is_none() {
        reasons.clear();
    }
    Ok((found, reasons))
}

/// The figures of a trial, to the nanosecond; none without a verdict.
fn measured(summary: &Summary, verdict: Option<&Verdict>) -> Option<Measured> {
    let total = &summary.total;
    let verdict = verdict?;
    let mut reasons = swell_report::reasons(verdict);
    let mut level = verdict.grade.to_string();
    if total.errors > 0 {
        reasons.push(format!("{} samples failed", total.errors));
        "INVALID".clone_into(&mut level);
    }
    let [median, .., p99, _] = &total.quantiles;
    let ms = |ms: f64| rounded(ms, 6);
    Some(Measured {
        verdict: level,
        reasons,
        achieved_per_s: rounded(total.throughput_per_s, 3),
        service_p50_ms: ms(median.ms),
        service_p99_ms: ms(p99.ms),
        late_start_p50_ms: ms(total.start_delay.p50_ms),
        late_start_p99_ms: ms(total.start_delay.p99_ms),
        late_read_p50_ms: ms(total.read_delay.p50_ms),
        late_read_p99_ms: ms(total.read_delay.p99_ms),
    })
}

fn rounded(value: f64, decimals: i32) -> f64 {
    let unit = 10_f64.powi(decimals);
    (value * unit).round() / unit
}

fn table(found: &Calibration, most_users: u64) -> String {
    let mut out = String::new();
    let floor = &found.floor;
    let mut line = |text: String| writeln!(out, "{text}").expect("a String takes it");
    line("floor, one user               p50 ms     p99 ms".to_owned());
    for (name, p50, p99) in [
        ("  service time on loopback", floor.service_p50_ms, floor.service_p99_ms),
        ("  late starts", floor.late_start_p50_ms, floor.late_start_p99_ms),
        ("  late reads", floor.late_read_p50_ms, floor.late_read_p99_ms),
    ] {
        line(format!("{name:26}  {p50:>8.3}   {p99:>8.3}"));
    }
    let highest = |load: Option<u64>, what: &str, limit: &[String], none_beyond: String| match load {
        None => format!("highest VALID {what}: none; {}", limit.join("; ")),
        Some(load) if limit.is_empty() => format!("highest VALID {what}: {load}, {none_beyond}"),
        Some(load) => format!("highest VALID {what}: {load}; beyond, {}", limit.join("; ")),
    };
    line(highest(
        found.highest_valid_rate_per_s,
        "rate a second",
        &found.rate_limit,
        "none higher was tried".to_owned(),
    ));
    line(highest(
        found.highest_valid_users,
        "number of users",
        &found.users_limit,
        format!("and no more than {most_users} have descriptors here"),
    ));
    line("The target shared this machine; against one elsewhere the tool has it alone.".to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::verdict::{Evidence, Grade};
    use swell_stats::{Observation, Recorder};

    fn of(failed: usize, seen: &Evidence) -> Option<Measured> {
        let mut recorder = Recorder::default();
        let one = Observation {
            elapsed_ns: 2_000_000,
            start_delay_ns: Some(10_000),
            read_delay_ns: Some(20_000),
            ..Observation::default()
        };
        for n in 0..1000 {
            recorder.record(&Observation { success: n >= failed, ..one });
        }
        measured(&Summary::of(&recorder.take_interval()), Some(&swell_stats::verdict(seen)))
    }

    #[test]
    fn a_trial_is_read_from_its_summary() {
        let busy = Evidence { cpu_busy: Some((1, 0.99)), ..Evidence::default() };
        let trial = of(0, &busy).expect("judged");
        let judged = swell_stats::verdict(&busy);
        assert_ne!(judged.grade, Grade::Valid);
        assert_eq!((&trial.verdict, trial.reasons.len()), (&judged.grade.to_string(), 1));
        assert!(trial.reasons[0].contains("worker 1 was 99"), "{:?}", trial.reasons);
        let close = |ms: f64, to: f64| (ms - to).abs() < to / 100.0;
        assert!(close(trial.service_p99_ms, 2.0) && close(trial.late_start_p50_ms, 0.01), "{trial:?}");
        assert!(close(trial.late_read_p99_ms, 0.02), "{trial:?}");
        let failed = of(3, &Evidence::default()).expect("judged");
        assert_eq!(
            (failed.verdict.as_str(), &*failed.reasons),
            ("INVALID", &["3 samples failed".to_owned()][..])
        );
        assert_eq!(measured(&Summary::of(&Recorder::default().take_interval()), None), None);
    }

    #[test]
    fn the_table_says_what_stood_in_the_way() {
        let found = Calibration {
            floor: of(0, &Evidence::default()).expect("judged"),
            highest_valid_rate_per_s: Some(32_000),
            rate_limit: vec!["too busy".to_owned()],
            highest_valid_users: Some(19_900),
            users_limit: Vec::new(),
        };
        let text = table(&found, 19_900);
        assert!(text.contains("rate a second: 32000; beyond, too busy"), "{text}");
        assert!(text.contains("users: 19900, and no more than 19900 have descriptors"), "{text}");
    }
}
