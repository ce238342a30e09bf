//! Judges whether the tool's own behaviour was good enough for its numbers to be trusted.

use std::fmt;
use std::sync::Arc;

use crate::Changed;

mod evidence;
mod processors;

pub use evidence::{Evidence, LostLoad, MachineTcp, Neighbour, ScriptTime, UsersTime};
pub use processors::{Culprit, ProcessorUse, Program};

/// The grade of the tool's behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The numbers are right within their intervals.
    Valid,
    /// The tool can be seen in the numbers.
    Degraded,
    /// The numbers describe the tool as much as the server.
    Invalid,
}

impl Grade {
    /// The grade whose name is written in files: `VALID`, `DEGRADED` or `INVALID`.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Valid, Self::Degraded, Self::Invalid].into_iter().find(|grade| grade.to_string() == name)
    }

    /// The grade in a word for readers who ask whether the figures can be used.
    pub fn measurement(self) -> &'static str {
        match self {
            Self::Valid => "good",
            Self::Degraded => "doubtful",
            Self::Invalid => "unusable",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Valid => "VALID",
            Self::Degraded => "DEGRADED",
            Self::Invalid => "INVALID",
        })
    }
}

/// The criterion that was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// What late starts did to a figure, in milliseconds.
    StartDelay,
    /// Late reads that are part of the times, in milliseconds.
    ReadDelay,
    /// Late sends, in milliseconds.
    SendDelay,
    /// Starts that were not made.
    DroppedStarts,
    /// Distance from the wanted rate.
    RateError,
    /// Unaccounted time of the users.
    LittleGap,
    /// Busiest worker.
    CpuBusy,
    /// Waiting for a processor.
    RunQueueWait,
    /// Samples that failed due to lack of descriptors, ports or memory.
    ResourceExhaustion,
    /// Samples that never reached a server that answers.
    Unreached,
    /// Segments of the run's own connections that were sent again, for no reason that is known.
    Retransmits,
    /// Segments that a full queue of the server dropped.
    AcceptQueue,
    /// Connections that were made only when the kernel had asked again.
    ConnectRetries,
    /// Waiting for files that the run writes.
    DiskWait,
    /// Waiting of scripts for a thread, in milliseconds.
    ScriptWait,
    /// Samples whose times something else took.
    TimedElsewhere,
    /// Time that the hypervisor took.
    Steal,
    /// Memory in use.
    MemoryUsed,
    /// Steps of the wall clock, a number.
    ClockSteps,
    /// Smallest difference that the clock tells, in milliseconds.
    ClockGrain,
    /// Load that no agent made.
    LostLoad,
    /// Users that an error ended.
    FailedUsers,
}

impl Criterion {
    /// It tells how well the tool bore the load, which is a server's load only where samples reach
    /// one.
    fn is_of_load(self) -> bool {
        use Criterion as C;
        matches!(
            self,
            C::StartDelay | C::DroppedStarts | C::RateError | C::LittleGap | C::CpuBusy | C::RunQueueWait
        )
    }

    /// Whether work of others on the same machine can be the cause.
    fn suffers_from_neighbours(self) -> bool {
        self.is_of_load() || matches!(self, Self::ReadDelay | Self::SendDelay)
    }
}

/// A criterion with its measured value and limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// What was looked at.
    pub criterion: Criterion,
    /// What was found: milliseconds for delays, a number for steps, else a part (0..1).
    pub value: f64,
    /// Valid up to here.
    pub valid_limit: f64,
    /// Degraded up to here, invalid beyond. Infinite where the machine and not the tool is at
    /// fault: that is noted, and no more.
    pub degraded_limit: f64,
    /// The worker that was found worst, where it was one.
    pub worker: Option<usize>,
    /// The machine that was found worst, where several took part.
    pub machine: Option<Arc<str>>,
    /// When and how much of the load was missing, for [`Criterion::LostLoad`].
    pub lost_load: Option<LostLoad>,
    /// The figure that late starts changed, for [`Criterion::StartDelay`]; none where only a
    /// percentile of the delays is known.
    pub changed: Option<Changed>,
}

impl Gate {
    /// How good the tool was by this criterion.
    pub fn grade(&self) -> Grade {
        if self.value <= self.valid_limit {
            Grade::Valid
        } else if self.value <= self.degraded_limit {
            Grade::Degraded
        } else {
            Grade::Invalid
        }
    }
}

/// The verdict on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The worst level of all gates; valid if nothing was measured.
    pub grade: Grade,
    /// Gates of what was measured.
    pub gates: Vec<Gate>,
    /// As [`Evidence::read_delay_counts`].
    pub read_delay_counts: bool,
    /// The server under test, if it runs on this machine and that can be why a gate is not valid.
    pub neighbour: Option<Neighbour>,
    /// As [`Evidence::processors`].
    pub processors: Option<ProcessorUse>,
    /// Whose doing it can be that a gate is not valid, as far as that is one of the load.
    pub culprit: Option<Culprit>,
    /// Where the culprit is, where several machines took part.
    pub culprit_machine: Option<Arc<str>>,
    /// As [`Evidence::machine_tcp`].
    pub machine_tcp: Option<MachineTcp>,
    /// As [`Evidence::scripts`].
    pub scripts: Option<ScriptTime>,
    /// Why what ran is not what the plan says, in a sentence; the run is invalid then, whatever the
    /// gates say.
    pub refusal: Option<String>,
}

impl Verdict {
    /// The verdict on a run that is not what the plan says.
    #[must_use]
    pub fn refused(self, why: String) -> Self {
        Self { grade: Grade::Invalid, refusal: Some(why), ..self }
    }
}

/// Judges a run. `docs/measurement.md` has the reasons for each limit.
pub fn verdict(seen: &Evidence) -> Verdict {
    // What a tool does that only knocks at closed doors says nothing of the load on a server.
    let no_load = seen.unreached.is_some_and(|part| part > UNREACHED_LIMITS.0);
    let gates = [lost(seen), starts(seen), reads(seen), sends(seen)].into_iter().flatten().chain(parts(seen));
    let gates: Vec<_> = gates.filter(|gate| !(no_load && gate.criterion.is_of_load())).collect();
    let grade = gates.iter().map(Gate::grade).max().unwrap_or(Grade::Valid);
    let culprit = processors::culprit(&gates, seen);
    let neighbour = seen.neighbour.filter(|_| culprit == Some(Culprit::Server));
    let read_delay_counts = seen.read_delay_counts;
    let scripts = seen.scripts;
    let machine_tcp = seen.machine_tcp;
    Verdict {
        grade,
        gates,
        read_delay_counts,
        neighbour,
        processors: seen.processors.clone(),
        culprit,
        culprit_machine: None,
        machine_tcp,
        scripts,
        refusal: None,
    }
}

fn gate(criterion: Criterion, value: f64, (valid_limit, degraded_limit): (f64, f64)) -> Gate {
    Gate {
        criterion,
        value,
        valid_limit,
        degraded_limit,
        worker: None,
        machine: None,
        lost_load: None,
        changed: None,
    }
}

const DELAY_LIMITS_MS: (f64, f64) = (1.0, 10.0);
/// What changes figures is invalid beyond this many times what is valid: 5 % where that is 1 %.
const MORE: f64 = 5.0;

/// A server at its end may refuse a tenth of the connections; where all are refused there is
/// nothing to judge.
const UNREACHED_LIMITS: (f64, f64) = (0.1, NEARLY_ALL);

/// A larger part than this is nearly all: what else there was says nothing.
const NEARLY_ALL: f64 = 0.999;

/// Whether this many samples without an answer, of all samples, mean that no server answers.
pub fn is_nothing(unanswered: u64, samples: u64) -> bool {
    samples > 0 && unanswered as f64 > NEARLY_ALL * samples as f64
}

/// Lost load is never valid. As a rate it is invalid from 5 % on, and always where no agent was
/// left.
const LOST_LIMITS: (f64, f64) = (0.0, 0.05);

fn lost(seen: &Evidence) -> Option<Gate> {
    let lost = seen.lost_load?;
    let limits = if lost.none_left { (LOST_LIMITS.0, LOST_LIMITS.0) } else { LOST_LIMITS };
    // A machine that was lost for a moment is lost all the same.
    let part = lost.part.max(f64::MIN_POSITIVE);
    Some(Gate { lost_load: Some(lost), ..gate(Criterion::LostLoad, part, limits) })
}

/// Late starts are judged by what they did to the figures: where that is not known, by how late
/// they were.
fn starts(seen: &Evidence) -> Option<Gate> {
    let Some(changed) = seen.late_starts else {
        let p99_ms = seen.start_delay_p99_ns? as f64 / 1e6;
        return Some(gate(Criterion::StartDelay, p99_ms, DELAY_LIMITS_MS));
    };
    let [by_ms, allowed_ms] = [changed.by_ns, changed.allowed_ns()].map(|ns| ns as f64 / 1e6);
    let limits = (allowed_ms, (0.05 * changed.measured_ns as f64 / 1e6).max(1.0));
    Some(Gate { changed: Some(changed), ..gate(Criterion::StartDelay, by_ms, limits) })
}

/// A read delay that is not part of the times only makes users late: the start that follows is late
/// by it, and judged as that.
fn reads(seen: &Evidence) -> Option<Gate> {
    let p99_ms = seen.read_delay_p99_ns.filter(|_| seen.read_delay_counts)? as f64 / 1e6;
    Some(gate(Criterion::ReadDelay, p99_ms, limits_in_the_times(seen)))
}

/// Late sends are always part of the times.
fn sends(seen: &Evidence) -> Option<Gate> {
    let p99_ms = seen.send_delay_p99_ns? as f64 / 1e6;
    Some(gate(Criterion::SendDelay, p99_ms, limits_in_the_times(seen)))
}

/// A delay that is part of the times may be 1 % of their median or 0.2 ms, whichever is more; five
/// times that when degraded.
fn limits_in_the_times(seen: &Evidence) -> (f64, f64) {
    let valid_ms = (seen.elapsed_p50_ns as f64 / 1e6 * 0.01).max(0.2);
    (valid_ms, MORE * valid_ms)
}

fn parts(seen: &Evidence) -> impl Iterator<Item = Gate> {
    const NOTED: f64 = f64::INFINITY;
    let little = seen.users_time.and_then(|time| Some((time.gap()?, little_limits(time.cycle_s()))));
    let (busiest, busy) = seen.cpu_busy.unzip();
    let table = [
        (Criterion::DroppedStarts, seen.dropped_starts, (0.0, 0.001)),
        (Criterion::RateError, seen.rate_error.map(f64::abs), (0.01, 0.05)),
        (Criterion::LittleGap, little.map(|l| l.0), little.map_or((0.0, 0.0), |l| l.1)),
        (Criterion::CpuBusy, busy, (0.7, 0.9)),
        (Criterion::RunQueueWait, seen.run_queue_wait, (0.2, 0.4)),
        (Criterion::ResourceExhaustion, seen.resource_exhaustion, (0.0, 0.001)),
        (Criterion::Unreached, seen.unreached, UNREACHED_LIMITS),
        (Criterion::FailedUsers, seen.failed_users, LOST_LIMITS),
        (Criterion::Retransmits, seen.retransmits, (0.001, NOTED)),
        (Criterion::AcceptQueue, seen.accept_queue, (0.001, NOTED)),
        (Criterion::ConnectRetries, seen.connect_retries, (0.001, NOTED)),
        (Criterion::DiskWait, seen.disk_wait, (0.001, 0.01)),
        (Criterion::ScriptWait, seen.scripts.and_then(script_wait_ms), (DELAY_LIMITS_MS.0, NOTED)),
        (Criterion::TimedElsewhere, seen.timed_elsewhere, (0.0, NOTED)),
        (Criterion::Steal, seen.steal, (0.01, NOTED)),
        (Criterion::MemoryUsed, seen.memory_free.map(|free| 1.0 - free), (0.97, NOTED)),
        (Criterion::ClockSteps, seen.clock_steps.map(|steps| steps as f64), (0.0, NOTED)),
        (Criterion::ClockGrain, seen.clock_grain_ns.map(|grain| grain as f64 / 1e6), (0.005, 0.1)),
    ];
    table.into_iter().filter_map(move |(criterion, value, limits)| {
        let worker = busiest.filter(|_| criterion == Criterion::CpuBusy);
        Some(Gate { worker, ..gate(criterion, value?, limits) })
    })
}

/// The mean wait of a call for a thread, where there were enough calls that the start of the
/// threads does not make it.
fn script_wait_ms(scripts: ScriptTime) -> Option<f64> {
    const LEAST: u64 = 100;
    (scripts.calls >= LEAST).then(|| scripts.mean_wait_ms())
}

/// One percent of the users' time, which costs as much of the rate, or what a cycle of that length
/// cannot do without: 0.2 ms.
fn little_limits(cycle_s: f64) -> (f64, f64) {
    let valid = (0.0002 / cycle_s.max(1e-9)).max(0.01);
    (valid, MORE * valid)
}

#[cfg(test)]
mod tests;
