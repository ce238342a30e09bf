//! oha (<https://github.com/hatoo/oha>).

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "oha",
    program: "oha",
    install: "cargo install oha",
    version: &["--version"],
    job,
    sources: &[Source::Stdout],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let users = ask.users.to_string();
    let time = format!("{}s", ask.seconds);
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
    // Requests that its end cut off are not errors ("aborted due to deadline").
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

    /// What it wrote of runs in which each fourth request was answered by 503, or its connection
    /// was closed; and of one against a closed port.
    #[test]
    fn failures_are_counted_without_those_that_its_end_cut_off() {
        let counts = |distributions: &str| {
            let text = format!("{{\"summary\":{{\"requestsPerSec\":9.5}},{distributions}}}");
            let found = ADAPTER.read(&[text.as_bytes()]).expect("its output");
            (found.requests, found.errors)
        };
        assert_eq!(
            counts(
                r#""statusCodeDistribution":{"200":7395,"503":2464},"errorDistribution":{"aborted due to deadline":20}"#
            ),
            (Some(9859.0), Some(2464.0))
        );
        assert_eq!(
            counts(
                r#""statusCodeDistribution":{"200":5092},"errorDistribution":{"aborted due to deadline":20,"connection closed before message completed":1697}"#
            ),
            (Some(6789.0), Some(1697.0))
        );
        assert_eq!(
            counts(
                r#""statusCodeDistribution":{},"errorDistribution":{"Connection refused (os error 111)":38084,"aborted due to deadline":16}"#
            ),
            (Some(38084.0), Some(38084.0))
        );
    }
}
