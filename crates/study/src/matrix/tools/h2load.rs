//! h2load of nghttp2, with HTTP/1.1 (<https://nghttp2.org/documentation/h2load.1.html>). It says no
//! percentiles.

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "h2load",
    program: "h2load",
    install: "apt-get install nghttp2-client",
    version: &["--version"],
    job,
    sources: &[Source::Stdout],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let users = ask.users.to_string();
    let threads = ask.threads.to_string();
    let time = ask.seconds.to_string();
    Job::of(["--h1", "-c", &users, "-t", &threads, "-D", &time, &ask.url()])
}

fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let requests = scan::line(&text, "requests:")?;
    let mut times = scan::line(&text, "time for request:").into_iter().flat_map(str::split_whitespace);
    let [_, max_ms, mean_ms] = [0; 3].map(|_| times.next().and_then(scan::time_ms));
    // Failed ones are those without a good status, errored and timed out ones among them.
    let statuses = scan::line(&text, "status codes:").unwrap_or_default();
    let refused = [" 4xx", " 5xx"].iter().filter_map(|word| scan::before(statuses, word)).sum::<f64>();
    let broken = [" errored", " timeout"].iter().filter_map(|word| scan::before(requests, word)).sum::<f64>();
    Some(Reading {
        requests: scan::before(requests, " done"),
        errors: Some(refused + broken),
        per_s: scan::before(scan::line(&text, "finished in")?, " req/s"),
        mean_ms,
        max_ms,
        ..Reading::default()
    })
}
