//! k6 (<https://grafana.com/docs/k6/>).

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "k6",
    program: "k6",
    install: "go install go.k6.io/k6@v1.8.1",
    version: &["version"],
    job,
    sources: &[Source::File("k6.json")],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let script =
        format!("import http from 'k6/http';\nexport default function () {{ http.get('{}'); }}\n", ask.url());
    let users = ask.users.to_string();
    let time = format!("{}s", ask.seconds);
    let trend = "--summary-trend-stats=avg,med,p(90),p(95),p(99),max";
    Job::of([
        "run",
        "--quiet",
        "--no-usage-report",
        "--vus",
        &users,
        "--duration",
        &time,
        trend,
        "--summary-export",
        "k6.json",
        "matrix.js",
    ])
    .with_file("matrix.js", script)
}

fn read(output: &Output<'_>) -> Option<Reading> {
    let found = scan::json(output, 0)?;
    let metrics = found.get("metrics")?;
    let ms = |name: &str| scan::at(metrics, &["http_req_duration", name]);
    let requests = scan::at(metrics, &["http_reqs", "count"]);
    // The `passes` of a rate are the samples that are true: here those that failed.
    let failed = scan::at(metrics, &["http_req_failed", "passes"]);
    Some(Reading {
        requests,
        errors: failed,
        per_s: scan::at(metrics, &["http_reqs", "rate"]),
        mean_ms: ms("avg"),
        p50_ms: ms("med"),
        p90_ms: ms("p(90)"),
        p95_ms: ms("p(95)"),
        p99_ms: ms("p(99)"),
        max_ms: ms("max"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What it wrote of a run in which each fourth request was answered by 503.
    #[test]
    fn failures_are_the_passes_of_their_rate() {
        let text = br#"{"metrics":{"http_reqs":{"count":3843,"rate":3808.562},"http_req_failed":{"passes":960,"fails":2883,"value":0.2498}}}"#;
        let found = ADAPTER.read(&[text]).expect("its output");
        assert_eq!((found.requests, found.errors), (Some(3843.0), Some(960.0)));
    }
}
