//! oha (<https://github.com/hatoo/oha>).

use super::{Adapter, Ask, Job, Output, Reading, Source, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "oha",
    program: "oha",
    install: "cargo install oha",
    version: &["--version"],
    is_recorded: false,
    job,
    sources: &[Source::Stdout],
    reader: read,
};

fn job(ask: &Ask) -> Job {
    let (users, time) = (ask.users.to_string(), format!("{}s", ask.seconds));
    Job::of(["-z", &time, "-c", &users, "--no-tui", "--output-format", "json", &ask.url()])
}

fn read(output: &Output<'_>) -> Option<Reading> {
    let found = scan::json(output, 0)?;
    let seconds = |path: &[&str]| scan::at(&found, path).map(|seconds| seconds * 1e3);
    let statuses = found.get("statusCodeDistribution").and_then(|all| all.as_object());
    let refused = statuses.map(|all| {
        all.iter()
            .filter(|(status, _)| !status.starts_with(['2', '3']))
            .filter_map(|(_, count)| count.as_f64())
            .fold(0.0, |a, b| a + b)
    });
    let answered = scan::sum(found.get("statusCodeDistribution"));
    // What its own end cut off is no error ("aborted due to deadline").
    let broken = found.get("errorDistribution").and_then(|all| all.as_object()).map(|all| {
        all.iter()
            .filter(|(cause, _)| !cause.contains("deadline"))
            .filter_map(|(_, count)| count.as_f64())
            .fold(0.0, |a, b| a + b)
    });
    Some(Reading {
        requests: answered.map(|answered| answered + broken.unwrap_or(0.0)),
        errors: refused.map(|refused| refused + broken.unwrap_or(0.0)),
        per_s: scan::at(&found, &["summary", "requestsPerSec"]),
        mean_ms: seconds(&["summary", "average"]),
        p50_ms: seconds(&["latencyPercentiles", "p50"]),
        p90_ms: seconds(&["latencyPercentiles", "p90"]),
        p95_ms: seconds(&["latencyPercentiles", "p95"]),
        p99_ms: seconds(&["latencyPercentiles", "p99"]),
        max_ms: seconds(&["summary", "slowest"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_as_documented_is_read() {
        let text = br#"{"summary":{"successRate":1.0,"total":10.0,"slowest":0.09,"fastest":0.01,"average":0.0125,"requestsPerSec":1599.5},
            "latencyPercentiles":{"p10":0.01,"p50":0.011,"p90":0.02,"p95":0.03,"p99":0.04,"p99.9":0.05},
            "statusCodeDistribution":{"200":15990,"503":5},"errorDistribution":{"aborted due to deadline":20,"connection closed":2}}"#;
        let want = Reading {
            requests: Some(15997.0),
            errors: Some(7.0),
            per_s: Some(1599.5),
            mean_ms: Some(12.5),
            p50_ms: Some(11.0),
            p90_ms: Some(20.0),
            p95_ms: Some(30.0),
            p99_ms: Some(40.0),
            max_ms: Some(90.0),
        };
        super::super::assert_reading("oha", &[text], want);
    }
}
