//! hey (<https://github.com/rakyll/hey>), of old boom.

use super::{Adapter, Ask, Job, Output, Reading, Source, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "hey",
    program: "hey",
    install: "apt-get install hey, or go install github.com/rakyll/hey@latest",
    version: &[],
    job,
    sources: &[Source::Stdout],
    reader: read,
};

fn job(ask: &Ask) -> Job {
    let (users, time) = (ask.users.to_string(), format!("{}s", ask.seconds));
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
    // `[12]	Get "http://…": EOF`: here the count stands in the brackets.
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
    fn a_recorded_run_is_read() {
        let want = Reading {
            requests: Some(4217.0),
            errors: Some(0.0),
            per_s: Some(1399.1942),
            mean_ms: Some(14.1),
            p50_ms: Some(11.6),
            p90_ms: Some(18.6),
            p95_ms: Some(26.2),
            p99_ms: Some(61.9),
            max_ms: Some(73.1),
        };
        let text: &[u8] = include_bytes!("../recorded/hey.txt");
        super::super::assert_reading("hey", &[text], want);
        let more = [
            text.trim_ascii_end(),
            b"\n  [503]\t8 responses\n\nError distribution:\n  [5]\tGet \"http://a\": EOF\n",
        ]
        .concat();
        let want = Reading { requests: Some(4230.0), errors: Some(13.0), ..want };
        super::super::assert_reading("hey", &[&more], want);
    }

    #[test]
    fn percentiles_of_newer_ones_have_two_signs() {
        let text: &[u8] = include_bytes!("../recorded/hey-2026.txt");
        let want = Reading {
            requests: Some(4744.0),
            errors: Some(0.0),
            per_s: Some(1572.983),
            mean_ms: Some(12.6),
            p50_ms: Some(11.5),
            p90_ms: Some(16.5),
            p95_ms: Some(18.1),
            p99_ms: Some(21.1),
            max_ms: Some(49.1),
        };
        super::super::assert_reading("hey", &[text], want);
        let errors = ADAPTER.read(&[text]).and_then(|found| found.errors);
        assert!(errors.is_some_and(f64::is_sign_positive), "none of them is 0 and not -0");
    }
}
