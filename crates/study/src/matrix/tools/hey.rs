//! hey (<https://github.com/rakyll/hey>), of old boom.

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "hey",
    program: "hey",
    install: "apt-get install hey, or go install github.com/rakyll/hey@latest",
    version: &[],
    job,
    sources: &[Source::Stdout],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let users = ask.users.to_string();
    let time = format!("{}s", ask.seconds);
    Job::of(["-z", &time, "-c", &users, "-t", "60", &ask.url()])
}

fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let seconds = |words: &str| scan::line(&text, words).and_then(scan::number).map(|seconds| seconds * 1e3);
    // Newer ones write the sign twice.
    let percentile = |percent: u8| {
        [format!("{percent}% in"), format!("{percent}%% in")].iter().find_map(|words| seconds(words))
    };
    let (_, statuses) = text.split_once("Status code distribution:").unwrap_or_default();
    let (statuses, errors) = statuses.split_once("Error distribution:").unwrap_or((statuses, ""));
    let counted = |lines: &str, is_one: fn(&str) -> bool| -> f64 {
        lines
            .lines()
            .filter_map(|line| line.trim().strip_prefix('[')?.split_once(']'))
            .filter(|(of, _)| is_one(of))
            .filter_map(|(_, count)| scan::number(count))
            .sum()
    };
    let answered = counted(statuses, |_| true);
    let refused = counted(statuses, |status| !status.starts_with(['2', '3']));
    // `[12]	Get "http://…": EOF`: here the count is in the brackets.
    let broken: f64 = errors.lines().filter_map(|line| scan::number(line.trim().strip_prefix('[')?)).sum();
    Some(Reading {
        requests: (answered + broken > 0.0).then_some(answered + broken),
        errors: Some(refused + broken),
        per_s: scan::after(&text, "Requests/sec:"),
        mean_ms: seconds("Average:"),
        p50_ms: percentile(50),
        p90_ms: percentile(90),
        p95_ms: percentile(95),
        p99_ms: percentile(99),
        max_ms: seconds("Slowest:"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_bad_statuses_and_errors() {
        let text = include_bytes!("../recorded/hey.txt").trim_ascii_end();
        let more = b"\n  [503]\t8 responses\n\nError distribution:\n  [5]\tGet \"http://a\": EOF\n";
        let found = ADAPTER.read(&[&[text, more].concat()]).expect("its output");
        assert_eq!((found.requests, found.errors), (Some(4230.0), Some(13.0)));
    }

    #[test]
    fn no_errors_are_0_and_not_below() {
        let text: &[u8] = include_bytes!("../recorded/hey-2026.txt");
        let errors = ADAPTER.read(&[text]).and_then(|found| found.errors);
        assert!(errors.is_some_and(f64::is_sign_positive), "none of them is 0 and not -0");
    }
}
