//! wrk (<https://github.com/wg/wrk>).

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "wrk",
    program: "wrk",
    install: "apt-get install wrk",
    version: &["-v"],
    job,
    sources: &[Source::Stdout],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let users = ask.users.to_string();
    let threads = ask.threads.to_string();
    let time = format!("{}s", ask.seconds);
    // Longer than any answer of the site: an answer that comes late is an answer.
    Job::of(["-t", &threads, "-c", &users, "-d", &time, "--timeout", "60s", "--latency", &ask.url()])
}

fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let mut latency = scan::line(&text, "Latency ").into_iter().flat_map(str::split_whitespace);
    let mean_ms = latency.next().and_then(scan::time_ms);
    let max_ms = latency.nth(1).and_then(scan::time_ms);
    let percentile = |word: &str| scan::line(&text, word).and_then(scan::time_ms);
    // Lines that it writes only where there is something to say.
    let refused = scan::after(&text, "Non-2xx or 3xx responses:").unwrap_or(0.0);
    let broken = scan::line(&text, "Socket errors:").map_or(0.0, |line| {
        ["connect", "read", "write", "timeout"].iter().filter_map(|word| scan::after(line, word)).sum()
    });
    // It counts the answered ones.
    let answered = scan::before(&text, " requests in");
    Some(Reading {
        requests: answered.map(|answered| answered + broken),
        errors: answered.map(|_| refused + broken),
        per_s: scan::after(&text, "Requests/sec:"),
        mean_ms,
        p50_ms: percentile("50%"),
        p90_ms: percentile("90%"),
        p99_ms: percentile("99%"),
        max_ms,
        ..Reading::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_bad_statuses_and_broken_sockets() {
        let text: &[u8] = include_bytes!("../recorded/wrk.txt");
        let more =
            b"  Socket errors: connect 1, read 20, write 0, timeout 3\n  Non-2xx or 3xx responses: 6\n";
        let found = ADAPTER.read(&[&[text, more].concat()]).expect("its output");
        assert_eq!((found.requests, found.errors), (Some(4386.0), Some(30.0)));
    }
}
