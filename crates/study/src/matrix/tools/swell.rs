//! This program itself.

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "swell",
    program: "swell",
    install: "it is this program",
    version: &["--version"],
    job,
    sources: &[Source::Stdout],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let users = ask.users.to_string();
    let time = format!("{}s", ask.seconds);
    let job = Job::of(["hit", &ask.url(), "-c", &users, "-d", &time, "--json"]);
    // In a job of GitHub the matrix writes one summary for all runs.
    let nothing = ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"].map(|name| (name.to_owned(), String::new()));
    Job { env: nothing.into(), ..job }
}

fn read(output: &Output<'_>) -> Option<Reading> {
    let found = scan::json(output, 0)?;
    let total = found.get("total")?;
    let of = |name: &str| scan::at(total, &[name]);
    Some(Reading {
        requests: of("samples"),
        errors: of("errors"),
        per_s: of("throughput_per_s"),
        mean_ms: of("mean_ms"),
        p50_ms: of("p50_ms"),
        p90_ms: of("p90_ms"),
        p95_ms: of("p95_ms"),
        p99_ms: of("p99_ms"),
        max_ms: of("max_ms"),
    })
}
