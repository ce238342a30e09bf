//! Tsung (<http://tsung.erlang-projects.org/user_manual/>). It says no percentiles.

use super::{Adapter, Ask, Job, Output, Reading, Source, scan};

pub(super) const ADAPTER: Adapter = Adapter {
    name: "tsung",
    program: "tsung",
    install: "apt-get install tsung",
    version: &["-v"],
    job,
    sources: &[Source::Below("tsung.log"), Source::File("matrix.xml")],
    reader: read,
};

fn job(ask: &Ask) -> Job {
    let Ask { host, port, path, users, seconds, .. } = ask;
    // The phase of arrivals ends when all users have come, which takes a hundredth of a second where there is a processor for it; users that have not come at
    // its end never do, so it may last as long as the load. Its document type is looked for beside each Tsung.
    let plan = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE tsung SYSTEM \"/usr/share/tsung/tsung-1.0.dtd\" []>\n<tsung loglevel=\"warning\" version=\"1.0\">\n\
         <clients><client host=\"localhost\" use_controller_vm=\"true\" maxusers=\"60000\"/></clients>\n<servers><server host=\"{host}\" port=\"{port}\" type=\"tcp\"/></servers>\n\
         <load duration=\"{seconds}\" unit=\"second\"><arrivalphase phase=\"1\" duration=\"{seconds}\" unit=\"second\"><users maxnumber=\"{users}\" arrivalrate=\"{}\" unit=\"second\"/></arrivalphase></load>\n\
         <sessions><session name=\"s\" probability=\"100\" type=\"ts_http\"><for from=\"1\" to=\"1000000000\" var=\"i\"><request><http url=\"{path}\" method=\"GET\" version=\"1.1\"/></request></for></session></sessions>\n</tsung>\n",
        users.saturating_mul(100)
    );
    Job::of(["-f", "matrix.xml", "-l", "logs", "start"]).with_file("matrix.xml", plan)
}

/// Statistics of each ten seconds and since the beginning: `stats: request COUNT MEAN DEVIATION MAX MIN MEAN_BEFORE COUNT_BEFORE`, the last two before these
/// ten seconds (the user's manual, "Statistics"). The last block is the whole.
fn read(output: &Output<'_>) -> Option<Reading> {
    let text = scan::text(output, 0)?;
    let (mut requests, mut total_ms, mut max_ms) = (0.0, 0.0, None::<f64>);
    let (mut refused, mut broken) = (0.0_f64, 0.0);
    let mut dumps = Vec::new();
    for line in text.lines() {
        if let Some(at) = scan::after(line, "# stats: dump at") {
            dumps.push(at);
        }
        let Some(rest) = line.strip_prefix("stats: ") else { continue };
        let mut words = rest.split_whitespace();
        let name = words.next().unwrap_or_default();
        let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        match (name, &numbers[..]) {
            ("request", [count, mean, _, max, ..]) => {
                requests += count;
                total_ms += count * mean;
                max_ms = Some(max_ms.map_or(*max, |known| known.max(*max)));
            }
            (status, [_, total]) if status.len() == 3 && status.starts_with(['4', '5']) => {
                refused = refused.max(*total);
            }
            (error, [_, total]) if error.starts_with("error_connect") || error == "error_timeout" => {
                broken += total;
            }
            _ => {}
        }
    }
    let (seconds, is_there) =
        (scan::text(output, 1).and_then(|plan| scan::after(&plan, "<load duration=\"")), requests > 0.0);
    Some(Reading {
        requests: is_there.then_some(requests),
        errors: is_there.then_some(refused + broken),
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
        let later = [
            log,
            b"# stats: dump at 1795418919\nstats: request 549 20.0 3.0 50.0 10.0 12.5 5451\nstats: 503 7 9\n",
        ]
        .concat();
        let found =
            super::super::named("tsung").expect("it is one").read(&[&later, plan]).expect("its output");
        assert_eq!((found.requests, found.errors, found.max_ms), (Some(6000.0), Some(9.0), Some(50.0)));
    }
}
