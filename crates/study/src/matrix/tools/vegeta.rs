//! vegeta (<https://github.com/tsenart/vegeta>): an open model; without a rate and with as many
//! workers as users it is a closed one.

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "vegeta",
    program: "vegeta",
    install: "go install github.com/tsenart/vegeta/v12@v12.13.0",
    version: &["-version"],
    job,
    sources: &[Source::File("vegeta.json")],
    reader: read,
};

/// The program is run by a shell, since its report is a second process; `$0` is the program.
const SCRIPT: &str = "\"$0\" attack -rate=0 -max-workers=\"$1\" -workers=\"$1\" -connections=\"$1\" -duration=\"$2\"s -timeout=60s -targets=targets.txt -output=results.bin && \"$0\" report -type=json results.bin > vegeta.json";

fn job(ask: &ToolRequest) -> Job {
    let job = Job::of([ask.users.to_string(), ask.seconds.to_string()]);
    Job { script: Some(SCRIPT), ..job }.with_file("targets.txt", format!("GET {}\n", ask.url()))
}

fn read(output: &Output<'_>) -> Option<Reading> {
    let found = scan::json(output, 0)?;
    let ms = |name: &str| scan::at(&found, &["latencies", name]).map(|ns| ns / 1e6);
    let requests = scan::at(&found, &["requests"]);
    let success = scan::at(&found, &["success"]);
    Some(Reading {
        requests,
        errors: requests.zip(success).map(|(all, good)| (all * (1.0 - good)).round()),
        // `rate` is what was sent a second, `throughput` good answers a second over attack and
        // wait.
        per_s: scan::at(&found, &["throughput"]),
        mean_ms: ms("mean"),
        p50_ms: ms("50th"),
        p90_ms: ms("90th"),
        p95_ms: ms("95th"),
        p99_ms: ms("99th"),
        max_ms: ms("max"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_what_is_no_success() {
        let text = br#"{"latencies":{"total":237119463,"mean":2371194,"50th":2854306,"90th":3228223,"95th":3478629,"99th":3530000,"max":3660505,"min":1949582},
            "duration":3000000000,"requests":1000,"rate":333.4,"throughput":330.5,"success":0.99,"status_codes":{"200":990,"503":10},"errors":["503 Service Unavailable"]}"#;
        let want = Reading {
            requests: Some(1000.0),
            errors: Some(10.0),
            per_s: Some(330.5),
            mean_ms: Some(2.371_194),
            p50_ms: Some(2.854_306),
            p90_ms: Some(3.228_223),
            p95_ms: Some(3.478_629),
            p99_ms: Some(3.53),
            max_ms: Some(3.660_505),
        };
        super::super::assert_reading("vegeta", &[text], want);
    }
}
