//! Artillery (<https://www.artillery.io/docs>): users arrive within a second and continue until the
//! time has passed.

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "artillery",
    program: "artillery",
    install: "npm install -g artillery",
    version: &["--version"],
    job,
    sources: &[Source::File("artillery.json")],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let ToolRequest { host, port, path, users, seconds, .. } = ask;
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

    /// What it wrote of runs in which each fourth request was answered by 503, or its connection
    /// was reset.
    #[test]
    fn failures_are_statuses_and_errors() {
        let counts = |counters: &str| {
            let text = format!(
                "{{\"aggregate\":{{\"counters\":{{{counters}}},\"rates\":{{\"http.request_rate\":142}}}}}}"
            );
            let found = ADAPTER.read(&[text.as_bytes()]).expect("its output");
            (found.requests, found.errors)
        };
        assert_eq!(
            counts(
                r#""http.requests":142,"http.codes.503":36,"http.responses":142,"plugins.metrics-by-endpoint./fail.codes.503":36,"http.codes.200":106"#
            ),
            (Some(142.0), Some(36.0))
        );
        assert_eq!(
            counts(
                r#""http.requests":71,"plugins.metrics-by-endpoint./fail.errors.ECONNRESET":18,"errors.ECONNRESET":18,"vusers.failed":18,"http.codes.200":53,"http.responses":53"#
            ),
            (Some(71.0), Some(18.0))
        );
    }
}
