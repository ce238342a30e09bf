//! Tsung (<http://tsung.erlang-projects.org/user_manual/>). It says no percentiles.

use std::collections::BTreeMap;

use super::{Adapter, Job, Output, Reading, Source, ToolRequest, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "tsung",
    program: "tsung",
    install: "apt-get install tsung",
    version: &["-v"],
    job,
    sources: &[Source::Below("tsung.log"), Source::File("matrix.xml")],
    reader: read,
};

fn job(ask: &ToolRequest) -> Job {
    let ToolRequest { host, port, path, users, seconds, .. } = ask;
    // The phase of arrivals ends when all users have arrived, which takes a hundredth of a second
    // if a processor is free; users that have not arrived at its end never do, so it may last as
    // long as the load. Its document type is installed with each Tsung.
    let plan = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE tsung SYSTEM \"/usr/share/tsung/tsung-1.0.dtd\" []>\n<tsung loglevel=\"warning\" version=\"1.0\">\n\
         <clients><client host=\"localhost\" use_controller_vm=\"true\" maxusers=\"60000\"/></clients>\n<servers><server host=\"{host}\" port=\"{port}\" type=\"tcp\"/></servers>\n\
         <load duration=\"{seconds}\" unit=\"second\"><arrivalphase phase=\"1\" duration=\"{seconds}\" unit=\"second\"><users maxnumber=\"{users}\" arrivalrate=\"{}\" unit=\"second\"/></arrivalphase></load>\n\
         <sessions><session name=\"s\" probability=\"100\" type=\"ts_http\"><for from=\"1\" to=\"1000000000\" var=\"i\"><request><http url=\"{path}\" method=\"GET\" version=\"1.1\"/></request></for></session></sessions>\n</tsung>\n",
        users.saturating_mul(100)
    );
    Job::of(["-f", "matrix.xml", "-l", "logs", "start"]).with_file("matrix.xml", plan)
}

/// Statistics of each ten seconds and since the beginning: `stats: request COUNT MEAN DEVIATION MAX
/// MIN MEAN_BEFORE COUNT_BEFORE`, the last two before these ten seconds, and `stats: 503 COUNT
/// TOTAL` (the user's manual, "Statistics"). A request that got no answer is counted as one without
/// a status.
fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let mut requests = 0.0;
    let mut total_ms = 0.0;
    let mut max_ms = None::<f64>;
    let mut totals = BTreeMap::new();
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("stats: ") else { continue };
        let mut words = rest.split_whitespace();
        let name = words.next().unwrap_or_default();
        let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [count, mean, _, max, ..] if name == "request" => {
                requests += count;
                total_ms += count * mean;
                max_ms = Some(max_ms.map_or(max, |known| known.max(max)));
            }
            [_, total] => drop(totals.insert(name, total)),
            _ => {}
        }
    }
    let sum = |is_one: fn(&str) -> bool| -> f64 {
        totals.iter().filter(|(name, _)| is_one(name)).map(|(_, total)| total).sum()
    };
    let good = sum(|name| name.len() == 3 && name.starts_with(['2', '3']));
    let never_sent = sum(|name| name.starts_with("error_connect") || name == "error_timeout");
    let seconds = scan::text(output, 1).and_then(|plan| scan::after(&plan, "<load duration=\""));
    let is_there = requests > 0.0;
    Some(Reading {
        requests: is_there.then_some(requests + never_sent),
        errors: is_there.then(|| (requests - good).max(0.0) + never_sent),
        per_s: seconds.filter(|seconds| is_there && *seconds > 0.0).map(|seconds| requests / seconds),
        mean_ms: is_there.then(|| total_ms / requests),
        max_ms,
        ..Reading::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a phase of one second, a busy machine had one user of twenty.
    #[test]
    fn late_users_come_all_the_same() {
        let plan = job(&super::super::ask()).files.remove(0).1;
        assert!(plan.contains("<arrivalphase phase=\"1\" duration=\"3\" unit=\"second\">"), "{plan}");
    }

    #[test]
    fn a_recorded_run_is_read() {
        let want = Reading {
            requests: Some(5451.0),
            errors: Some(0.0),
            per_s: Some(5451.0 / 4.0),
            mean_ms: Some(12.535_999_449_642_215),
            max_ms: Some(42.993),
            ..Reading::default()
        };
        let plan = b"<load duration=\"4\" unit=\"second\">";
        let log: &[u8] = include_bytes!("../recorded/tsung.log");
        super::super::assert_reading("tsung", &[log, plan], want);
        let more = b"stats: request 549 20.0 3.0 50.0 10.0 12.5 5451\nstats: 200 540 5991\nstats: 503 9 9\n";
        let last = b"stats: request 0 0 0 50.0 10.0 12.5 6000\nstats: 503 0 9\nstats: error_connect_econnrefused 4 4\n";
        let later = [log, more, last].concat();
        let found = ADAPTER.read(&[&later, plan]).expect("its output");
        assert_eq!((found.requests, found.errors, found.max_ms), (Some(6004.0), Some(13.0), Some(50.0)));
    }

    /// What it wrote of a run in which the connection of each fourth request was reset.
    #[test]
    fn requests_without_an_answer_are_failures() {
        let log = b"stats: page 6024 8.519 8.231 83.723 0.028 0 0\nstats: request 6024 8.519 8.231 83.723 0.028 0 0\n\
            stats: connect 1518 7.962 7.745 60.919 0.193 0 0\nstats: 200 4517 4517\nstats: connected 11 11\nstats: error_abort 1 1\n";
        let found = ADAPTER.read(&[log, b"<load duration=\"3\">"]).expect("its output");
        assert_eq!((found.requests, found.errors), (Some(6024.0), Some(1507.0)));
    }
}
