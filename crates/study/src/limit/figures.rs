//! What was seen of a trial, as the figures of a level.

use swell_run::TrialReport;
use swell_stats::reading::{Figure, Known};
use swell_stats::verdict::Culprit;
use swell_stats::{FailureKind as Kind, LabelStats, Reading};

use super::Level;

/// If a connection took longer, its first segment was retransmitted: the kernel waits for a second
/// (RFC 6298).
const LATE_NS: u64 = 900_000_000;

/// What was seen of a trial.
#[derive(Clone, Copy)]
pub(crate) struct TrialFigures<'a> {
    /// The samples of its steady part.
    pub(crate) all: &'a LabelStats,
    /// Length of that part.
    pub(crate) seconds: f64,
    /// For the whole trial.
    pub(crate) report: &'a TrialReport,
    /// Figures of the target.
    pub(crate) readings: &'a [Reading],
    /// Share of the processors here that the tool's workers took.
    pub(crate) tool_cpu: Option<f64>,
}

impl TrialFigures<'_> {
    /// The figures; the owner of the trials knows their load, and whether the server could handle
    /// it.
    pub(crate) fn level(&self) -> Level {
        let Self { all, seconds, report, .. } = *self;
        let a_second = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        // Causes are counted over the whole trial, its warm-up among it.
        let errors = &report.run.snapshot.errors;
        let of_run = |count: u64| count as f64 / report.summary.total.samples.max(1) as f64;
        let turned_down = errors.rows().into_iter().filter(|row| matches!(&*row.code, "503" | "429"));
        let late = all.connect.count() - all.connect.count_up_to(LATE_NS);
        let threads = [
            self.share(Known::UserThreads, Known::UserThreadLimit),
            self.share(Known::GroupThreads, Known::GroupThreadLimit),
        ];
        Level {
            per_s: a_second(all.samples),
            mean_ms: (all.samples > 0).then(|| all.mean_ns() / 1e6),
            errors: all.errors as f64 / all.samples.max(1) as f64,
            turned_down: of_run(turned_down.map(|row| row.count).sum()),
            refused: of_run(errors.count(|kind| matches!(kind, Kind::Refused | Kind::ConnectTimeout))),
            timeouts: of_run(errors.of_kind(Kind::ResponseTimeout)),
            exhausted: of_run(errors.of_kind(Kind::ResourceExhaustion)),
            connects: all.connect.count() as f64 / all.samples.max(1) as f64,
            late_connections: late as f64 / all.connect.count().max(1) as f64,
            accept_queue: report.evidence.accept_queue.or(report.evidence.connect_retries),
            retransmits: report.evidence.retransmits,
            other_programs: other_programs(report),
            bytes_per_s: a_second(all.bytes),
            server_cpu: self.share(Known::ProcessCpu, Known::Processors),
            machine_busy: report
                .evidence
                .neighbour
                .and(self.reading(Known::MachineIdle))
                .map(|idle| 1.0 - idle),
            tool_cpu: self.tool_cpu,
            gc_time: self.reading(Known::GcTime),
            heap_after_gc: self.reading(Known::HeapAfterGc),
            threads_of_limit: threads.into_iter().flatten().reduce(f64::max),
            descriptors_of_limit: self.share(Known::Descriptors, Known::DescriptorLimit),
            ..Level::default()
        }
    }

    /// A figure of the target; of several sources the largest.
    fn reading(&self, known: Known) -> Option<f64> {
        let of = self.readings.iter().filter(|reading| reading.figure == Figure::Known(known));
        of.map(|reading| reading.value).reduce(f64::max)
    }

    fn share(&self, part: Known, of: Known) -> Option<f64> {
        self.reading(part).zip(self.reading(of)).filter(|(_, of)| *of > 0.0).map(|(part, of)| part / of)
    }
}

/// Other programs count only if they held up the tool, or if a server on this machine was slower
/// because of them.
fn other_programs(report: &TrialReport) -> Option<String> {
    let took = report.evidence.processors.as_ref()?;
    let by_verdict = report.verdict.as_ref().is_some_and(|verdict| verdict.culprit == Some(Culprit::Others));
    let starves = report.evidence.neighbour.is_some() && took.starves_server();
    (by_verdict || starves).then(|| swell_report::others(took))
}

/// This many busy processors as a share of those of this machine.
pub(crate) fn share_of_processors(busy: f64) -> f64 {
    busy / std::thread::available_parallelism().map_or(1, usize::from) as f64
}
