//! k6 (<https://grafana.com/docs/k6/>).

use super::{Adapter, Ask, Job, Output, Reading, Source, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "k6",
    program: "k6",
    install: "go install go.k6.io/k6@v1.8.1",
    version: &["version"],
    is_recorded: false,
    job,
    sources: &[Source::File("k6.json")],
    reader: read,
};

fn job(ask: &Ask) -> Job {
    let script =
        format!("import http from 'k6/http';\nexport default function () {{ http.get('{}'); }}\n", ask.url());
    let (users, time) = (ask.users.to_string(), format!("{}s", ask.seconds));
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
    // Of a rate, `passes` are the samples that are true: here those that failed.
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

    #[test]
    fn output_as_documented_is_read() {
        let text = br#"{"metrics":{"http_reqs":{"count":4000,"rate":1333.3},"http_req_failed":{"value":0.001,"passes":4,"fails":3996},
            "http_req_duration":{"avg":14.5,"med":12.1,"p(90)":20.5,"p(95)":25.25,"p(99)":40.75,"max":99.5}}}"#;
        let want = Reading {
            requests: Some(4000.0),
            errors: Some(4.0),
            per_s: Some(1333.3),
            mean_ms: Some(14.5),
            p50_ms: Some(12.1),
            p90_ms: Some(20.5),
            p95_ms: Some(25.25),
            p99_ms: Some(40.75),
            max_ms: Some(99.5),
        };
        super::super::assert_reading("k6", &[text], want);
    }
}
