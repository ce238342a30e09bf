//! This program itself.

use super::{Adapter, Ask, Job, Output, Reading, Source, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "swell",
    program: "swell",
    install: "it is this program",
    version: &["--version"],
    job,
    sources: &[Source::Stdout],
    reader: read,
};

fn job(ask: &Ask) -> Job {
    let (users, time) = (ask.users.to_string(), format!("{}s", ask.seconds));
    Job::of(["hit", &ask.url(), "-c", &users, "-d", &time, "--json"])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_run_is_read() {
        let want = Reading {
            requests: Some(4011.0),
            errors: Some(0.0),
            per_s: Some(1332.367),
            mean_ms: Some(12.830_563),
            p50_ms: Some(10.231_807),
            p90_ms: Some(15.515_647),
            p95_ms: Some(20.889_599),
            p99_ms: Some(43.352_063),
            max_ms: Some(85.054_388),
        };
        super::super::assert_reading("swell", &[include_bytes!("../recorded/swell.json")], want);
    }
}
