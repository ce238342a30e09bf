//! siege (<https://www.joedog.org/siege-manual/>). Its times have two decimals of a second.

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "siege",
    program: "siege",
    install: "apt-get install siege",
    version: &["-V"],
    job,
    sources: &[Source::Stdout],
    reader: read,
};

/// Without these it closes each connection, loads what pages name, and has 255 users at most.
const SETTINGS: &str = "limit = 1000000\nconnection = keep-alive\nparser = false\nverbose = false\nlogging = false\ntimeout = 60\nfailures = 1000000000\n";

fn job(ask: &ToolRequest) -> Job {
    let users = ask.users.to_string();
    let time = format!("{}S", ask.seconds);
    Job::of(["-R", "siegerc", "-b", "-j", "-c", &users, "-t", &time, &ask.url()])
        .with_file("siegerc", SETTINGS.to_owned())
}

fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    // Some versions write text before the object.
    let start = text.find('{')?;
    let end = text.rfind('}')?;
    let found = serde_json::from_str(text.get(start..=end)?).ok()?;
    let seconds = |name: &str| scan::at(&found, &[name]).map(|seconds| seconds * 1e3);
    // A mean below its resolution is unknown and not zero.
    let known = |ms: Option<f64>| ms.filter(|ms| *ms > 0.0);
    let done = scan::at(&found, &["transactions"])?;
    let failed = scan::at(&found, &["failed_transactions"])?;
    Some(Reading {
        requests: Some(done + failed),
        errors: Some(failed),
        per_s: scan::at(&found, &["transaction_rate"]),
        mean_ms: known(seconds("response_time")),
        max_ms: known(seconds("longest_transaction")),
        ..Reading::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_below_its_resolution_is_unknown() {
        let fast = b"words {\"transactions\": 9, \"failed_transactions\": 1, \"response_time\": 0.00, \"longest_transaction\": 0.00}";
        let want = Reading { requests: Some(10.0), errors: Some(1.0), ..Reading::default() };
        super::super::assert_reading("siege", &[fast], want);
    }
}
