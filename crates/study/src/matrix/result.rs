//! What the runs of a matrix say together.

use serde::Serialize;
use swell_report::number::without_zeros;

use super::{Reading, Record};
use crate::processes::Used;
use crate::table::Table;

/// Version of the form of `matrix.json`.
pub(super) const FORM: u32 = 1;

/// How a run of a tool ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnding {
    /// It said its figures.
    Read,
    /// What it left could not be read, or it did not end in time; the last lines that it wrote.
    Failed(String),
}

/// One run of a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Name of the tool.
    pub tool: String,
    /// Response delay of the site, milliseconds.
    pub rtt_ms: f64,
    /// Users.
    pub users: u32,
    /// From 0 on.
    pub round: usize,
    /// How it ended.
    pub ending: RunEnding,
    /// What it said.
    pub said: Reading,
    /// What the site recorded.
    pub truth: Record,
    /// What its processes used.
    pub used: Memory,
}

/// What the processes of a tool used; none where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Memory {
    /// Mean of the resident memory over the time it ran, bytes.
    pub rss_mean_bytes: Option<f64>,
    /// The most.
    pub rss_peak_bytes: Option<u64>,
    /// Processors that were busy with it.
    pub processors: Option<f64>,
}

impl From<Used> for Memory {
    fn from(used: Used) -> Self {
        let Used { rss_mean_bytes, rss_peak_bytes, processors, .. } = used;
        Self { rss_mean_bytes, rss_peak_bytes, processors }
    }
}

/// A tool of a matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolFacts {
    /// Its name.
    pub name: String,
    /// The first line that it says of its version.
    pub version: Option<String>,
    /// Its program; none: it is not there.
    pub program: Option<String>,
    /// How it is installed.
    pub install: String,
}

/// The runs of all tools until now.
#[derive(Clone, Debug, Serialize)]
pub struct Matrix {
    /// Version of this form.
    pub form: u32,
    /// The tool that made it.
    pub made_by: String,
    /// Tools that were asked for.
    pub tools: Vec<ToolFacts>,
    /// Response delays, milliseconds.
    pub rtts_ms: Vec<f64>,
    /// Numbers of users.
    pub users: Vec<u32>,
    /// Seconds a run.
    pub seconds: u32,
    /// The seed of the order; none: in the order given.
    pub seed: Option<u64>,
    /// Runs in the order in which they were made.
    pub runs: Vec<Run>,
}

/// The rounds of a tool at a delay and a number of users together: medians of what is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Name of the tool.
    pub tool: String,
    /// Rounds that were read.
    pub rounds: usize,
    /// Why one was not.
    pub failure: Option<String>,
    /// Requests a second, as the tool says.
    pub per_s: Option<f64>,
    /// The same times.
    pub mean_ms: Option<f64>,
    /// Median of times.
    pub p50_ms: Option<f64>,
    /// 90th percentile.
    pub p90_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// How far its mean is from the site's record, as a part of that.
    pub mean_error: Option<f64>,
    /// The same of the 99th percentile.
    pub p99_error: Option<f64>,
    /// Failed requests of a hundred.
    pub error_percent: Option<f64>,
    /// Most connections that the site saw at once.
    pub connections: Option<f64>,
    /// Mean of the resident memory, bytes.
    pub rss_mean_bytes: Option<f64>,
    /// The most.
    pub rss_peak_bytes: Option<f64>,
    /// Processors that were busy with it.
    pub processors: Option<f64>,
}

fn error_of(said: Option<f64>, truth: Option<f64>) -> Option<f64> {
    Some(said? / truth.filter(|truth| *truth > 0.0)? - 1.0)
}

impl Run {
    /// How far its mean is from the site's record, as a part of that.
    pub fn mean_error(&self) -> Option<f64> {
        error_of(self.said.mean_ms, self.truth.mean_ms)
    }

    /// The same of the 99th percentile.
    pub fn p99_error(&self) -> Option<f64> {
        error_of(self.said.p99_ms, self.truth.p99_ms)
    }
}

/// The median of what is known; of an even number, the mean of the two in the middle.
fn median(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut known: Vec<f64> = values.flatten().collect();
    known.sort_unstable_by(f64::total_cmp);
    let middle = known.len() / 2;
    match known.len() {
        0 => None,
        even if even % 2 == 0 => Some(f64::midpoint(known[middle - 1], known[middle])),
        _ => Some(known[middle]),
    }
}

impl Matrix {
    /// The tools at a delay and a number of users, the one with most requests a second first; those
    /// without a rate last.
    pub fn rows(&self, rtt_ms: f64, users: u32) -> Vec<Row> {
        let here = |run: &&Run| (run.rtt_ms - rtt_ms).abs() < 1e-9 && run.users == users;
        let mut rows: Vec<Row> = Vec::new();
        for tool in &self.tools {
            let all: Vec<&Run> = self.runs.iter().filter(here).filter(|run| run.tool == tool.name).collect();
            if !all.is_empty() {
                rows.push(row(&tool.name, &all));
            }
        }
        let key = |row: &Row| row.per_s.unwrap_or(-1.0);
        rows.sort_by(|a, b| key(b).total_cmp(&key(a)));
        rows
    }

    /// One row a run, in the order in which they were made; what is not known is empty.
    pub fn csv(&self) -> String {
        let mut table = Table::new([
            "tool",
            "version",
            "rtt_ms",
            "users",
            "round",
            "ending",
            "requests",
            "errors",
            "per_s",
            "mean_ms",
            "p50_ms",
            "p90_ms",
            "p95_ms",
            "p99_ms",
            "max_ms",
            "true_requests",
            "true_mean_ms",
            "true_p50_ms",
            "true_p99_ms",
            "site_late_p99_ms",
            "connections",
            "mean_error",
            "p99_error",
            "rss_mean_bytes",
            "rss_peak_bytes",
            "processors",
        ]);
        let decimal = |value: f64| without_zeros(&format!("{value:.6}")).to_owned();
        let known = |value: Option<f64>| value.map(decimal).unwrap_or_default();
        for run in &self.runs {
            let version =
                self.tools.iter().find(|tool| tool.name == run.tool).and_then(|tool| tool.version.clone());
            let said = &run.said;
            let truth = &run.truth;
            let used = &run.used;
            let mut row = vec![run.tool.clone(), version.unwrap_or_default()];
            row.extend([decimal(run.rtt_ms), run.users.to_string(), run.round.to_string()]);
            row.push(match &run.ending {
                RunEnding::Read => "read".to_owned(),
                RunEnding::Failed(why) => format!("failed: {why}"),
            });
            let figures = [
                said.requests,
                said.errors,
                said.per_s,
                said.mean_ms,
                said.p50_ms,
                said.p90_ms,
                said.p95_ms,
                said.p99_ms,
                said.max_ms,
                Some(truth.requests),
                truth.mean_ms,
                truth.p50_ms,
                truth.p99_ms,
                truth.late_p99_ms,
                Some(truth.connections),
                run.mean_error(),
                run.p99_error(),
                used.rss_mean_bytes,
                used.rss_peak_bytes.map(|bytes| bytes as f64),
                used.processors,
            ];
            row.extend(figures.map(known));
            table.rows.push(row);
        }
        table.csv()
    }
}

fn row(tool: &str, all: &[&Run]) -> Row {
    let read: Vec<&&Run> = all.iter().filter(|run| run.ending == RunEnding::Read).collect();
    let of = |figure: &dyn Fn(&Run) -> Option<f64>| median(read.iter().map(|run| figure(run)));
    let failure = all.iter().find_map(|run| match &run.ending {
        RunEnding::Failed(why) => Some(why.clone()),
        RunEnding::Read => None,
    });
    let error_percent =
        |run: &Run| Some(100.0 * run.said.errors? / run.said.requests.filter(|all| *all > 0.0)?);
    Row {
        tool: tool.to_owned(),
        rounds: read.len(),
        failure,
        per_s: of(&|run| run.said.per_s),
        mean_ms: of(&|run| run.said.mean_ms),
        p50_ms: of(&|run| run.said.p50_ms),
        p90_ms: of(&|run| run.said.p90_ms),
        p99_ms: of(&|run| run.said.p99_ms),
        mean_error: of(&Run::mean_error),
        p99_error: of(&Run::p99_error),
        error_percent: of(&error_percent),
        connections: of(&|run| Some(run.truth.connections)),
        rss_mean_bytes: of(&|run| run.used.rss_mean_bytes),
        rss_peak_bytes: of(&|run| run.used.rss_peak_bytes.map(|bytes| bytes as f64)),
        processors: of(&|run| run.used.processors),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Three rounds of two tools, one of which says no percentiles and fails once.
    pub(in crate::matrix) fn matrix() -> Matrix {
        let facts = |name: &str, program: Option<&str>| ToolFacts {
            name: name.to_owned(),
            version: None,
            program: program.map(str::to_owned),
            install: format!("apt-get install {name}"),
        };
        let run = |tool: &str, round: usize, said: Reading| Run {
            tool: tool.to_owned(),
            rtt_ms: 10.0,
            users: 20,
            round,
            ending: RunEnding::Read,
            said,
            truth: Record {
                requests: 1000.0,
                mean_ms: Some(10.0),
                p99_ms: Some(20.0),
                connections: 20.0,
                ..Record::default()
            },
            used: Memory {
                rss_mean_bytes: Some(5e6),
                rss_peak_bytes: Some(6_000_000),
                processors: Some(0.5),
            },
        };
        let wrk = |per_s: f64, p99_ms: f64| Reading {
            per_s: Some(per_s),
            mean_ms: Some(11.0),
            p99_ms: Some(p99_ms),
            requests: Some(1000.0),
            errors: Some(10.0),
            ..Reading::default()
        };
        let siege = Reading { per_s: Some(2500.0), ..Reading::default() };
        let mut runs = vec![
            run("wrk", 0, wrk(1900.0, 30.0)),
            run("siege", 0, siege),
            run("wrk", 1, wrk(2100.0, 22.0)),
            run("wrk", 2, wrk(2000.0, 24.0)),
        ];
        runs.push(Run {
            ending: RunEnding::Failed("<core> dumped".to_owned()),
            ..run("siege", 1, Reading::default())
        });
        Matrix {
            form: FORM,
            made_by: "Swell".to_owned(),
            tools: vec![
                facts("wrk", Some("/usr/bin/wrk")),
                facts("siege", Some("siege")),
                facts("oha", None),
            ],
            rtts_ms: vec![10.0],
            users: vec![20],
            seconds: 10,
            seed: Some(1),
            runs,
        }
    }

    #[test]
    fn rows_are_medians_of_what_is_known() {
        let rows = matrix().rows(10.0, 20);
        assert_eq!(rows.iter().map(|row| &*row.tool).collect::<Vec<_>>(), ["siege", "wrk"]);
        let siege = &rows[0];
        let wrk = &rows[1];
        assert_eq!(
            (wrk.per_s, wrk.p99_ms, wrk.error_percent, wrk.rounds),
            (Some(2000.0), Some(24.0), Some(1.0), 3)
        );
        let close = |found: Option<f64>, want: f64| found.is_some_and(|found| (found - want).abs() < 1e-9);
        assert!(close(wrk.mean_error, 0.1) && close(wrk.p99_error, 0.2), "{wrk:?}");
        assert_eq!(
            (siege.mean_ms, siege.mean_error, siege.p99_error, siege.error_percent),
            (None, None, None, None)
        );
        assert_eq!((siege.rounds, siege.failure.as_deref()), (1, Some("<core> dumped")));
        assert_eq!(median([Some(1.0), None, Some(4.0)].into_iter()), Some(2.5));
        assert!(matrix().rows(10.0, 21).is_empty());
    }

    #[test]
    fn unknown_figures_are_empty_in_the_file() {
        let csv = matrix().csv();
        let lines: Vec<_> = csv.lines().collect();
        assert_eq!(lines.len(), 6);
        assert!(
            lines[1].starts_with(
                "wrk,,10,20,0,read,1000,10,1900,11,,,,30,,1000,10,,20,,20,0.1,0.5,5000000,6000000,0.5"
            ),
            "{}",
            lines[1]
        );
        assert!(lines[2].starts_with("siege,,10,20,0,read,,,2500,,,,,,,1000,10,"), "{}", lines[2]);
    }
}
