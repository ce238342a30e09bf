//! Locust (<https://docs.locust.io>) with its fast client.

use serde_json::Value;

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "locust",
    program: "locust",
    install: "pip install locust",
    version: &["--version"],
    job,
    sources: &[Source::Stdout],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let file = format!(
        "from locust import FastHttpUser, constant, task\n\n\nclass User(FastHttpUser):\n    wait_time = constant(0)\n\n    @task\n    def get(self):\n        self.client.get(\"{}\")\n",
        ask.path
    );
    let users = ask.users.to_string();
    let time = format!("{}s", ask.seconds);
    let host = format!("http://{}:{}", ask.host, ask.port);
    Job::of([
        "-f",
        "matrix.py",
        "--headless",
        "--only-summary",
        "--json",
        "-u",
        &users,
        "-r",
        &users,
        "-t",
        &time,
        "-H",
        &host,
    ])
    .with_file("matrix.py", file)
}

/// Times are counted by whole milliseconds below 100, by tens below 1,000.
fn read(output: &Output<'_>) -> Option<Reading> {
    let found = scan::json(output, 0)?;
    let entry = found.as_array()?.first()?;
    let figure = |name: &str| scan::at(entry, &[name]);
    let requests = figure("num_requests")?;
    let total_ms = figure("total_response_time");
    let count = |(ms, count): (&String, &Value)| Some((ms.parse::<f64>().ok()?, count.as_f64()?));
    let mut times: Vec<(f64, f64)> =
        entry.get("response_times")?.as_object()?.iter().filter_map(count).collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let span_s = figure("last_request_timestamp").zip(figure("start_time")).map(|(to, from)| to - from);
    let quantile = |part: f64| scan::quantile(&times, part);
    Some(Reading {
        requests: Some(requests),
        errors: figure("num_failures"),
        per_s: span_s.filter(|span| *span > 0.0).map(|span| requests / span),
        mean_ms: total_ms.filter(|_| requests > 0.0).map(|total| total / requests),
        p50_ms: quantile(0.5),
        p90_ms: quantile(0.9),
        p95_ms: quantile(0.95),
        p99_ms: quantile(0.99),
        max_ms: figure("max_response_time"),
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_recorded_run_is_read() {
        let text: &[u8] = include_bytes!("../recorded/locust.json");
        let found = super::super::named("locust").expect("it is one").read(&[text]).expect("its output");
        assert_eq!((found.requests, found.errors), (Some(2518.0), Some(0.0)));
        let close =
            |found: Option<f64>, want: f64| found.is_some_and(|found| (found - want).abs() < want / 100.0);
        assert!(
            close(found.per_s, 1189.1) && close(found.mean_ms, 16.309) && close(found.max_ms, 162.62),
            "{found:?}"
        );
        assert!(
            found.p50_ms >= Some(10.0) && found.p50_ms <= found.p90_ms && found.p90_ms <= found.p99_ms,
            "{found:?}"
        );
    }
}
