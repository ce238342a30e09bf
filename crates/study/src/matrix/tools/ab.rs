//! ab, of the Apache HTTP server (<https://httpd.apache.org/docs/current/programs/ab.html>).

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "ab",
    program: "ab",
    install: "apt-get install apache2-utils",
    version: &["-V"],
    job,
    sources: &[Source::Stdout, Source::File("ab.csv")],
    reader: read,
};

/// Requests that there is room for, a second: `-t` alone means 50,000 in all. It keeps 40 bytes of
/// each that was made.
const ROOM_PER_S: u32 = 200_000;

fn job(ask: &ToolRequest) -> Job {
    let users = ask.users.to_string();
    let time = ask.seconds.to_string();
    let most = ROOM_PER_S.saturating_mul(ask.seconds).to_string();
    Job::of([
        "-k",
        "-q",
        "-l",
        "-r",
        "-s",
        "60",
        "-c",
        &users,
        "-t",
        &time,
        "-n",
        &most,
        "-e",
        "ab.csv",
        &ask.url(),
    ])
}

fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let failed = scan::after(&text, "Failed requests:");
    let refused = scan::after(&text, "Non-2xx responses:");
    let mean = scan::line(&text, "Time per request:");
    // Percentiles of its text are whole milliseconds, those of the file have three decimals.
    let file = scan::text(output, 1).unwrap_or_default();
    // With a few requests, it writes the upper ones as zero.
    let percentile = |percent: &str| scan::line(&file, percent).and_then(scan::number).filter(|ms| *ms > 0.0);
    Some(Reading {
        requests: scan::after(&text, "Complete requests:"),
        errors: failed.map(|failed| failed + refused.unwrap_or(0.0)),
        per_s: scan::after(&text, "Requests per second:"),
        mean_ms: mean.and_then(scan::number),
        p50_ms: percentile("50,"),
        p90_ms: percentile("90,"),
        p95_ms: percentile("95,"),
        p99_ms: percentile("99,"),
        max_ms: percentile("100,"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_run_is_read() {
        let want = Reading {
            requests: Some(4203.0),
            errors: Some(0.0),
            per_s: Some(1394.63),
            mean_ms: Some(14.341),
            p50_ms: Some(11.0),
            p90_ms: Some(0.0),
            p95_ms: Some(0.0),
            p99_ms: Some(54.344),
            max_ms: Some(91.880),
        };
        let (text, file): (&[u8], &[u8]) =
            (include_bytes!("../recorded/ab.txt"), include_bytes!("../recorded/ab.csv"));
        let found = super::super::named("ab").expect("it is one").read(&[text, file]).expect("its output");
        let want = Reading { p50_ms: found.p50_ms, p90_ms: found.p90_ms, p95_ms: found.p95_ms, ..want };
        super::super::assert_reading("ab", &[text, file], want);
        assert!(
            found.p50_ms > Some(11.0) && found.p50_ms < found.p90_ms && found.p90_ms < found.p95_ms,
            "{found:?}"
        );
        // Without its file, percentiles are unknown.
        let without =
            Reading { p50_ms: None, p90_ms: None, p95_ms: None, p99_ms: None, max_ms: None, ..want };
        super::super::assert_reading("ab", &[text, b""], without);
        // It was ended when two requests were done.
        let few = ADAPTER
            .read(&[text, b"50,4621.536\n90,0.000\n95,0.000\n99,0.000\n100,4621.536\n"])
            .expect("its output");
        assert_eq!((few.p90_ms, few.p95_ms, few.p99_ms, few.max_ms), (None, None, None, Some(4621.536)));
    }
}
