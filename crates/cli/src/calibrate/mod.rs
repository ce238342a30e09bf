//! `swell calibrate`: what this machine can measure, against the built-in site.

mod search;

use std::fmt::Write;
use std::process::Command;

use serde::Serialize;
use serde_json::Value;

use crate::args::CalibrateArgs;
use crate::doctor::OWN_DESCRIPTORS;
use crate::exit::{Exit, Failure};
use crate::output::{data, words};
use crate::run::setup;
use search::{Highest, highest};

/// Users that make the highest rate.
const RATE_USERS: u64 = 200;
/// Rate at which the highest number of users is looked for, a second.
const USERS_RATE: u64 = 1000;

/// What one trial says; times in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Trial {
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
    floor: Trial,
    /// Requests a second; none: not even the lowest that was tried.
    highest_valid_rate_per_s: Option<u64>,
    /// Why the next higher rate was not valid.
    rate_limit: Vec<String>,
    highest_valid_users: Option<u64>,
    users_limit: Vec<String>,
}

/// Runs the command.
pub(crate) fn calibrate(args: &CalibrateArgs) -> Result<Exit, Failure> {
    let site = setup::site()?;
    let seconds = args.duration.as_secs_f64();
    let base = format!("http://{}", site.address);
    let trial = |path: &str, users: u64, rate: u64| run_trial(&format!("{base}{path}"), users, rate, seconds);

    words("The floor: one user, 100 requests a second");
    let floor = trial("/bytes/100", 1, 100)?;
    let (rate, rate_limit) =
        find("requests a second", 1000, 10_000_000, |rate| trial("/bytes/100", RATE_USERS, rate))?;
    let descriptors = swell_net::machine::descriptor_limits().map_or(1024, |(_, hard)| hard);
    let most = args.most_users.unwrap_or(descriptors.saturating_sub(OWN_DESCRIPTORS).max(1));
    let (users, users_limit) = find("users", 1000, most, |users| trial("/delay/50ms", users, USERS_RATE))?;
    let found = Calibration {
        floor,
        highest_valid_rate_per_s: rate.good,
        rate_limit,
        highest_valid_users: users.good,
        users_limit,
    };
    let text = if args.json {
        serde_json::to_string_pretty(&found).expect("plain data") + "\n"
    } else {
        table(&found, most)
    };
    data(&text)?;
    Ok(Exit::Fine)
}

/// Searches, and says each trial; gives the reasons of the last bad one.
fn find(
    what: &str,
    first: u64,
    limit: u64,
    trial: impl Fn(u64) -> Result<Trial, Failure>,
) -> Result<(Highest, Vec<String>), Failure> {
    let mut reasons = Vec::new();
    let found = highest(first, limit, |load| {
        let told = trial(load)?;
        words(&format!("{load} {what}: {} {}", told.verdict, told.reasons.join("; ")));
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

/// A trial in a process of its own, so that no trial has what another left behind.
fn run_trial(url: &str, users: u64, rate: u64, seconds: f64) -> Result<Trial, Failure> {
    let failed = |cause: String| Failure::settings(format!("a trial failed: {cause}"));
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let (users, rate, time) = (users.to_string(), rate.to_string(), format!("{seconds}s"));
    let ran = Command::new(program)
        .args(["hit", url, "-c", &users, "-r", &rate, "-d", &time, "--json"])
        .output()
        .map_err(|error| failed(error.to_string()))?;
    let told = || String::from_utf8_lossy(&ran.stderr).trim().to_owned();
    if !ran.status.success() {
        return Err(failed(told()));
    }
    let summary: Value = serde_json::from_slice(&ran.stdout).map_err(|error| failed(error.to_string()))?;
    read(&summary).ok_or_else(|| failed("its summary lacks figures".to_owned()))
}

fn read(summary: &Value) -> Option<Trial> {
    let (total, verdict) = (&summary["total"], &summary["verdict"]);
    let errors = total["errors"].as_u64()?;
    let mut reasons: Vec<String> = verdict["gates"]
        .as_array()?
        .iter()
        .filter_map(|gate| gate["reason"].as_str().map(str::to_owned))
        .collect();
    let mut level = verdict["level"].as_str()?.to_owned();
    if errors > 0 {
        reasons.push(format!("{errors} samples failed"));
        "INVALID".clone_into(&mut level);
    }
    Some(Trial {
        verdict: level,
        reasons,
        achieved_per_s: total["throughput_per_s"].as_f64()?,
        service_p50_ms: total["p50_ms"].as_f64()?,
        service_p99_ms: total["p99_ms"].as_f64()?,
        late_start_p50_ms: total["start_delay"]["p50_ms"].as_f64()?,
        late_start_p99_ms: total["start_delay"]["p99_ms"].as_f64()?,
        late_read_p50_ms: total["read_delay"]["p50_ms"].as_f64()?,
        late_read_p99_ms: total["read_delay"]["p99_ms"].as_f64()?,
    })
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
    line("The site shared this machine; against one elsewhere the tool has it alone.".to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn summary(errors: u64, level: &str) -> Value {
        let delay = json!({ "p50_ms": 0.01, "p99_ms": 0.1 });
        json!({
            "total": { "errors": errors, "throughput_per_s": 99.9, "p50_ms": 1.0, "p99_ms": 2.0,
                       "start_delay": delay, "read_delay": delay },
            "verdict": { "level": level, "gates": [{ "reason": null }, { "reason": "too busy" }] },
        })
    }

    #[test]
    fn a_trial_is_read_from_its_summary() {
        let trial = read(&summary(0, "DEGRADED")).expect("whole");
        assert_eq!(
            (trial.verdict.as_str(), trial.reasons.as_slice()),
            ("DEGRADED", &["too busy".to_owned()][..])
        );
        assert_eq!((trial.service_p99_ms, trial.late_read_p50_ms), (2.0, 0.01));
        assert_eq!(read(&summary(3, "VALID")).expect("whole").verdict, "INVALID");
        assert_eq!(read(&json!({})), None);
    }

    #[test]
    fn the_table_says_what_stood_in_the_way() {
        let floor = read(&summary(0, "VALID")).expect("whole");
        let found = Calibration {
            floor,
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
