//! One cell: what was measured at a setting and a load.

use serde::Serialize;
use swell_run::TrialReport;

use super::CellPosition;
use crate::limit::{Level, TrialFigures, share_of_processors};
use crate::processes::Used;
use crate::trials::{MeasuredTrial, WarmUp, steady_part};

/// The figures of a cell: those of its steady part. None where a figure is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// What was cut off at the beginning, seconds.
    pub warm_up_s: f64,
    /// Whether the rest was steady.
    pub is_steady: bool,
    /// Length of the rest, seconds.
    pub length_s: f64,
    /// Samples.
    pub samples: u64,
    /// Those that failed.
    pub errors: u64,
    /// The most frequent cause of failures, over the whole trial.
    pub error: Option<String>,
    /// Why not one request of the whole trial succeeded, where none did.
    pub nothing_worked: Option<String>,
    /// Samples a second.
    pub per_s: f64,
    /// Mean service time, milliseconds; none without samples, and so are the next.
    pub mean_ms: Option<f64>,
    /// Median.
    pub p50_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// Largest.
    pub max_ms: Option<f64>,
    /// Mean of the tasks of this machine that ran or wanted to.
    pub run_queue: Option<f64>,
    /// Processors that the server kept busy.
    pub server_processors: Option<f64>,
    /// Most threads of the server.
    pub server_threads: Option<u64>,
    /// How many processes and threads its user may have; none without a limit.
    pub server_process_limit: Option<u64>,
    /// Most memory of the server, bytes.
    pub server_rss_bytes: Option<u64>,
    /// How good the tool was: VALID, DEGRADED, INVALID.
    pub verdict: Option<String>,
    /// Why, where it was not VALID.
    pub reasons: Vec<String>,
    /// Why the cell was ended before its time, if it was.
    pub aborted: Option<String>,
    /// Figures for whose limit it was.
    pub level: Level,
}

/// How a cell ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CellEnd {
    /// At the end of its time.
    Measured,
    /// The server ended while it was measured; what is there was measured before.
    ServerDied(String),
    /// The server was not there, so nothing was measured.
    NoServer(String),
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Number of the combination of settings.
    pub setting: usize,
    /// Number of the load.
    pub load: usize,
    /// From 0 on.
    pub round: usize,
    /// How it ended.
    pub ending: CellEnd,
    /// Its figures; none if nothing ran.
    pub figures: Option<Figures>,
}

impl Cell {
    pub(super) fn new(place: CellPosition, ending: CellEnd, figures: Option<Figures>) -> Self {
        let CellPosition { setting, load, round } = place;
        Self { setting, load, round, ending, figures }
    }

    /// The figures, if the cell was measured to its end.
    pub fn measured(&self) -> Option<&Figures> {
        self.figures.as_ref().filter(|_| self.ending == CellEnd::Measured)
    }
}

impl Figures {
    /// A cell from a trial and the observations of the machine during it.
    pub fn of(measured: &MeasuredTrial, used: &Used, warm_up: WarmUp) -> Self {
        let part = steady_part(&measured.seconds, warm_up);
        let row = &part.row;
        let known = |ms: f64| (row.samples > 0).then_some(ms);
        let quantile = |wanted: f64| {
            let found = row.quantiles.iter().find(|found| (found.quantile - wanted).abs() < 1e-9)?;
            known(found.ms)
        };
        let report = &measured.report;
        let seen = TrialFigures {
            all: &part.all,
            seconds: part.length_s,
            report,
            readings: &part.readings,
            tool_cpu: Some(share_of_processors(part.tool_busy)),
        };
        let seen = seen.level();
        Self {
            warm_up_s: part.cut_s,
            is_steady: part.is_steady,
            length_s: part.length_s,
            samples: row.samples,
            errors: row.errors,
            error: first_error(report),
            nothing_worked: report.nothing_worked(),
            per_s: part.per_s,
            mean_ms: known(row.mean_ms),
            p50_ms: quantile(0.5),
            p95_ms: quantile(0.95),
            p99_ms: quantile(0.99),
            max_ms: known(row.max_ms),
            run_queue: used.run_queue,
            server_processors: used.processors,
            server_threads: used.threads_peak,
            server_process_limit: None,
            server_rss_bytes: used.rss_peak_bytes,
            verdict: report.verdict.as_ref().map(|verdict| verdict.grade.to_string()),
            reasons: report.verdict.as_ref().map(swell_report::reasons).unwrap_or_default(),
            aborted: measured.aborted.clone(),
            level: Level { server_cpu: seen.server_cpu.or(used.processors.map(share_of_processors)), ..seen },
        }
    }

    /// Whether the server has all the threads that its limit of processes allows.
    pub fn is_at_process_limit(&self) -> bool {
        // A thread that is about to start counts and is not seen yet.
        self.server_threads
            .zip(self.server_process_limit)
            .is_some_and(|(threads, limit)| threads + 2 >= limit)
    }

    /// Failed samples of a hundred.
    pub fn error_percent(&self) -> f64 {
        if self.samples == 0 { 0.0 } else { 100.0 * self.errors as f64 / self.samples as f64 }
    }
}

fn first_error(report: &TrialReport) -> Option<String> {
    let error = report.summary.errors.first()?;
    let what = if error.assertion.is_empty() { &error.message } else { &error.assertion };
    Some(format!("{} {what}", error.code).trim().to_owned())
}
