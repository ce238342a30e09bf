//! Artillery (<https://www.artillery.io/docs>): users arrive within a second and go on until the time is over.

use super::{Adapter, Ask, Job, Output, Reading, Source, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "artillery",
    program: "artillery",
    install: "npm install -g artillery",
    version: &["--version"],
    is_recorded: false,
    job,
    sources: &[Source::File("artillery.json")],
    reader: read,
};

fn job(ask: &Ask) -> Job {
    let Ask { host, port, path, users, seconds, .. } = ask;
    let plan = format!(
        "config:\n  target: http://{host}:{port}\n  processor: ./goes-on.js\n  http:\n    timeout: 60\n  phases:\n    - duration: 1\n      arrivalCount: {users}\n\
         scenarios:\n  - flow:\n      - loop:\n          - get:\n              url: {path}\n        whileTrue: goesOn\n"
    );
    let script = format!(
        "'use strict';\nconst end = Date.now() + {seconds} * 1000;\nmodule.exports = {{ goesOn: (context, next) => next(Date.now() < end) }};\n"
    );
    let mut job = Job::of(["run", "--quiet", "--output", "artillery.json", "matrix.yml"])
        .with_file("matrix.yml", plan)
        .with_file("goes-on.js", script);
    job.env.push(("ARTILLERY_DISABLE_TELEMETRY".to_owned(), "true".to_owned()));
    job
}

fn read(output: &Output<'_>) -> Option<Reading> {
    let found = scan::json(output, 0)?;
    let all = found.get("aggregate")?;
    let counters = all.get("counters")?.as_object()?;
    let count = |is_one: fn(&str) -> bool| -> f64 {
        counters
            .iter()
            .filter(|(name, _)| is_one(name))
            .filter_map(|(_, count)| count.as_f64())
            .fold(0.0, |a, b| a + b)
    };
    let answered = count(|name| name == "http.responses");
    let refused = count(|name| {
        name.starts_with("http.codes.")
            && !name.starts_with("http.codes.2")
            && !name.starts_with("http.codes.3")
    });
    let broken = count(|name| name.starts_with("errors."));
    let ms = |name: &str| scan::at(all, &["summaries", "http.response_time", name]);
    // Its own rate is a mean over windows that are not full.
    let times = ["firstMetricAt", "lastMetricAt"].map(|name| scan::at(all, &[name]));
    let per_s = match times {
        [Some(from), Some(to)] if to > from => Some(answered / (to - from) * 1e3),
        _ => scan::at(all, &["rates", "http.request_rate"]),
    };
    Some(Reading {
        requests: (answered > 0.0).then_some(answered + broken),
        errors: (answered > 0.0).then_some(refused + broken),
        per_s: per_s.filter(|_| answered > 0.0),
        mean_ms: ms("mean"),
        p50_ms: ms("p50").or_else(|| ms("median")),
        p90_ms: ms("p90"),
        p95_ms: ms("p95"),
        p99_ms: ms("p99"),
        max_ms: ms("max"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_as_documented_is_read() {
        let text = br#"{"aggregate":{"counters":{"vusers.created":20,"http.requests":2010,"http.responses":2000,"http.codes.200":1990,"http.codes.503":10,"errors.ETIMEDOUT":10},
            "rates":{"http.request_rate":500},"firstMetricAt":1000,"lastMetricAt":5000,
            "summaries":{"http.response_time":{"min":10,"max":90,"count":2000,"mean":15.5,"p50":12.1,"median":12.1,"p90":20.1,"p95":25.8,"p99":40.9}}}}"#;
        let want = Reading {
            requests: Some(2010.0),
            errors: Some(20.0),
            per_s: Some(500.0),
            mean_ms: Some(15.5),
            p50_ms: Some(12.1),
            p90_ms: Some(20.1),
            p95_ms: Some(25.8),
            p99_ms: Some(40.9),
            max_ms: Some(90.0),
        };
        super::super::assert_reading("artillery", &[text], want);
    }
}
