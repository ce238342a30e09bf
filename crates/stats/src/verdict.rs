//! Whether the tool itself was good enough for its numbers to be believed.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// How good the tool was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The numbers are right within their intervals.
    Valid,
    /// The tool can be seen in the numbers.
    Degraded,
    /// The numbers describe the tool as much as the server.
    Invalid,
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

/// What is known of the tool and its machine in a run; what was not measured is none and is not judged. Parts are in 0..1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// 99th percentile of the tool's delay before the start, in nanoseconds.
    pub start_delay_p99_ns: Option<u64>,
    /// 99th percentile of the delay between arrival and read, in nanoseconds.
    pub read_delay_p99_ns: Option<u64>,
    /// 99th percentile of the delay between start and the kernel's send, of the samples that were drawn, in nanoseconds.
    pub send_delay_p99_ns: Option<u64>,
    /// Times end after the read and not at the kernel's stamp, so the read delay is part of them.
    pub read_delay_counts: bool,
    /// Median service time in nanoseconds, for the limits of a read delay that counts.
    pub elapsed_p50_ns: u64,
    /// Starts that the plan wanted and that were not made, as a part of the wanted ones.
    pub dropped_starts: Option<f64>,
    /// Achieved over wanted rate, minus 1.
    pub rate_error: Option<f64>,
    /// How the users spent their time.
    pub users_time: Option<UsersTime>,
    /// The busiest worker by its number, and the busy part of its time: the largest that lasted five seconds.
    pub cpu_busy: Option<(usize, f64)>,
    /// Part of the time that the worker which waited longest stood in line for a processor.
    pub run_queue_wait: Option<f64>,
    /// Part of the samples that failed because the machine had no descriptors, ports or memory left.
    pub resource_exhaustion: Option<f64>,
    /// Part of the samples that never reached a server.
    pub unreached: Option<f64>,
    /// Part of the TCP segments that this machine sent again, without those that a full queue of the server explains.
    pub retransmits: Option<f64>,
    /// Segments that a full queue of the server, which runs on this machine, dropped, for each connection.
    pub accept_queue: Option<f64>,
    /// Part of the connections to a server elsewhere for which the kernel had to ask again, where the network loses far less.
    pub connect_retries: Option<f64>,
    /// Part of the users' time in which they waited for files that the run writes, or of the workers' time, whichever is larger.
    pub disk_wait: Option<f64>,
    /// Scripts and elements that ran in a JVM; none where nothing did.
    pub scripts: Option<ScriptTime>,
    /// Part of the samples whose times something else took, such as JMeter's engine.
    pub timed_elsewhere: Option<f64>,
    /// Part of the processors' time that the hypervisor gave to others.
    pub steal: Option<f64>,
    /// The least part of the memory that was free.
    pub memory_free: Option<f64>,
    /// How often the wall clock was set.
    pub clock_steps: Option<u64>,
    /// The smallest difference that the clock tells, in nanoseconds.
    pub clock_grain_ns: Option<u64>,
    /// The server under test, if it runs on this machine.
    pub neighbour: Option<Neighbour>,
}

/// Calls of scripts and elements that run on threads of their own (in a JVM). Their time is in no other sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScriptTime {
    /// Calls that a thread took.
    pub calls: u64,
    /// Calls that were refused, since too many were waiting.
    pub refused: u64,
    /// How long calls ran that have ended, in seconds.
    pub ran_s: f64,
    /// How long calls waited for a thread, in seconds.
    pub waited_s: f64,
    /// The longest that a call waited for a thread, in seconds.
    pub longest_wait_s: f64,
    /// The most threads that there were at a time.
    pub most_threads: u32,
    /// The most threads that there may be.
    pub thread_limit: u32,
}

impl ScriptTime {
    /// How long a call ran on average, in milliseconds.
    pub fn mean_run_ms(&self) -> f64 {
        1e3 * self.ran_s / self.calls.max(1) as f64
    }

    /// How long a call waited for a thread on average, in milliseconds.
    pub fn mean_wait_ms(&self) -> f64 {
        1e3 * self.waited_s / self.calls.max(1) as f64
    }

    /// Those of two machines together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            refused: self.refused + other.refused,
            ran_s: self.ran_s + other.ran_s,
            waited_s: self.waited_s + other.waited_s,
            longest_wait_s: self.longest_wait_s.max(other.longest_wait_s),
            most_threads: self.most_threads.max(other.most_threads),
            thread_limit: self.thread_limit.max(other.thread_limit),
        }
    }
}

/// A server under test that shares this machine with the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Where it listens.
    pub address: SocketAddr,
    /// Processors that both share.
    pub processors: usize,
}

/// How virtual users spent their time, in seconds summed over users; for Little's law: users = rate · (service time +
/// waiting + what nobody accounts for).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsersTime {
    /// From the start of users to their end.
    pub lived_s: f64,
    /// In samples.
    pub sampled_s: f64,
    /// Waiting because the plan wants it.
    pub waited_s: f64,
    /// Samples of all users.
    pub samples: u64,
}

impl UsersTime {
    /// The part of the users' time that neither samples nor waiting account for: the tool took it. None without samples,
    /// and where the users lived half a second in all: their start and end are most of that.
    pub fn gap(&self) -> Option<f64> {
        const LEAST_S: f64 = 0.5;
        let known_s = self.sampled_s + self.waited_s;
        (known_s > 0.0 && self.samples > 0 && self.lived_s > LEAST_S)
            .then(|| ((self.lived_s - known_s) / known_s).max(0.0))
    }

    /// The mean time of a user from sample to sample, in seconds.
    fn cycle_s(&self) -> f64 {
        (self.sampled_s + self.waited_s) / self.samples.max(1) as f64
    }
}

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// Late starts, in milliseconds.
    StartDelay,
    /// Late reads, in milliseconds.
    ReadDelay,
    /// Late sends, in milliseconds.
    SendDelay,
    /// Starts that were not made.
    DroppedStarts,
    /// Distance from the wanted rate.
    RateError,
    /// Time of the users that nobody accounts for.
    LittleGap,
    /// Busiest worker.
    CpuBusy,
    /// Waiting for a processor.
    RunQueueWait,
    /// Samples that failed due to lack of descriptors, ports or memory.
    ResourceExhaustion,
    /// Samples that never reached a server.
    Unreached,
    /// Segments that were sent again, for no reason that is known.
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
}

impl Criterion {
    /// It tells how well the tool bore the load, which is a server's load only where samples reach one.
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
    /// Degraded up to here, invalid beyond. Infinite where the machine and not the tool is at fault: that is noted, and no
    /// more.
    pub degraded_limit: f64,
    /// The worker that was found worst, where it was one.
    pub worker: Option<usize>,
    /// The machine that was found worst, where several took part.
    pub machine: Option<Arc<str>>,
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

/// The judgement on a run.
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
    /// As [`Evidence::scripts`].
    pub scripts: Option<ScriptTime>,
    /// Why what ran is not what the plan says, in a sentence; the run is invalid then, whatever the gates say.
    pub refusal: Option<String>,
}

impl Verdict {
    /// The verdict on a run that is not what the plan says.
    #[must_use]
    pub fn refused(self, why: String) -> Self {
        Self { grade: Grade::Invalid, refusal: Some(why), ..self }
    }
}

/// Judges a run. What each limit rests on stands in `docs/measurement.md`.
pub fn verdict(seen: &Evidence) -> Verdict {
    // What a tool does that only knocks at closed doors says nothing of the load on a server.
    let no_load = seen.unreached.is_some_and(|part| part > UNREACHED_LIMITS.0);
    let gates = [starts(seen), reads(seen), sends(seen)].into_iter().flatten().chain(parts(seen));
    let gates: Vec<_> = gates.filter(|gate| !(no_load && gate.criterion.is_of_load())).collect();
    let grade = gates.iter().map(Gate::grade).max().unwrap_or(Grade::Valid);
    let suffers = |gate: &Gate| gate.grade() > Grade::Valid && gate.criterion.suffers_from_neighbours();
    let neighbour = seen.neighbour.filter(|_| gates.iter().any(suffers));
    let (read_delay_counts, scripts) = (seen.read_delay_counts, seen.scripts);
    Verdict { grade, gates, read_delay_counts, neighbour, scripts, refusal: None }
}

fn gate(criterion: Criterion, value: f64, (valid_limit, degraded_limit): (f64, f64)) -> Gate {
    Gate { criterion, value, valid_limit, degraded_limit, worker: None, machine: None }
}

const DELAY_LIMITS_MS: (f64, f64) = (1.0, 10.0);

/// A server at its end may refuse a tenth of the connections; where all are refused there is nothing to judge.
const UNREACHED_LIMITS: (f64, f64) = (0.1, 0.999);

fn starts(seen: &Evidence) -> Option<Gate> {
    let p99_ms = seen.start_delay_p99_ns? as f64 / 1e6;
    Some(gate(Criterion::StartDelay, p99_ms, DELAY_LIMITS_MS))
}

/// A read delay that is not part of the times only makes users late, as a late start does.
fn reads(seen: &Evidence) -> Option<Gate> {
    let p99_ms = seen.read_delay_p99_ns? as f64 / 1e6;
    let limits = if seen.read_delay_counts { limits_in_the_times(seen) } else { DELAY_LIMITS_MS };
    Some(gate(Criterion::ReadDelay, p99_ms, limits))
}

/// Late sends are always part of the times.
fn sends(seen: &Evidence) -> Option<Gate> {
    let p99_ms = seen.send_delay_p99_ns? as f64 / 1e6;
    Some(gate(Criterion::SendDelay, p99_ms, limits_in_the_times(seen)))
}

/// A delay that is part of the times may be 1 % of their median or 0.2 ms, whichever is more; five times that when degraded.
fn limits_in_the_times(seen: &Evidence) -> (f64, f64) {
    let valid_ms = (seen.elapsed_p50_ns as f64 / 1e6 * 0.01).max(0.2);
    (valid_ms, 5.0 * valid_ms)
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

/// The mean wait of a call for a thread, where there were enough calls that the start of the threads does not make it.
fn script_wait_ms(scripts: ScriptTime) -> Option<f64> {
    const LEAST: u64 = 100;
    (scripts.calls >= LEAST).then(|| scripts.mean_wait_ms())
}

/// Half a percent of the users' time, or what a cycle of that length cannot do without: 0.2 ms.
fn little_limits(cycle_s: f64) -> (f64, f64) {
    let least = 0.0002 / cycle_s.max(1e-9);
    (least.max(0.005), (4.0 * least).max(0.02))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> Evidence {
        Evidence::default()
    }

    fn level(evidence: &Evidence) -> Grade {
        verdict(evidence).grade
    }

    #[test]
    fn limits_of_each_criterion() {
        let parts = |make: fn(f64) -> Evidence, valid: f64, degraded: f64| {
            [valid, valid * 1.01 + 1e-9, degraded, degraded * 1.01].map(|value| level(&make(value)))
        };
        let expected = [Grade::Valid, Grade::Degraded, Grade::Degraded, Grade::Invalid];
        let start = |ms: f64| Evidence { start_delay_p99_ns: Some((ms * 1e6) as u64), ..none() };
        assert_eq!(parts(start, 1.0, 10.0), expected);
        let read = |ms: f64| Evidence { read_delay_p99_ns: Some((ms * 1e6) as u64), ..none() };
        assert_eq!(parts(read, 1.0, 10.0), expected);
        type Case = (fn(f64) -> Evidence, f64, f64);
        let table: [Case; 8] = [
            (|x| Evidence { disk_wait: Some(x), ..none() }, 0.001, 0.01),
            (|x| Evidence { cpu_busy: Some((1, x)), ..none() }, 0.7, 0.9),
            (|x| Evidence { run_queue_wait: Some(x), ..none() }, 0.2, 0.4),
            (|x| Evidence { rate_error: Some(-x), ..none() }, 0.01, 0.05),
            (|x| Evidence { dropped_starts: Some(x), ..none() }, 0.0, 0.001),
            (|x| Evidence { resource_exhaustion: Some(x), ..none() }, 0.0, 0.001),
            (|x| Evidence { send_delay_p99_ns: Some((x * 1e6) as u64), ..none() }, 0.2, 1.0),
            (|x| Evidence { clock_grain_ns: Some((x * 1e6).round() as u64), ..none() }, 0.005, 0.1),
        ];
        for (make, valid, degraded) in table {
            assert_eq!(parts(make, valid, degraded), expected, "{:?}", make(1.0));
        }
    }

    #[test]
    fn what_the_machine_does_is_noted_and_no_more() {
        for evidence in [
            Evidence { steal: Some(0.9), ..Evidence::default() },
            Evidence { timed_elsewhere: Some(0.01), ..Evidence::default() },
            Evidence { retransmits: Some(0.9), ..Evidence::default() },
            Evidence { accept_queue: Some(0.9), ..Evidence::default() },
            Evidence { connect_retries: Some(0.9), ..Evidence::default() },
            Evidence { clock_steps: Some(1), ..Evidence::default() },
            Evidence { memory_free: Some(0.01), ..Evidence::default() },
        ] {
            assert_eq!(level(&evidence), Grade::Degraded, "{evidence:?}");
        }
        let fine = Evidence {
            steal: Some(0.0),
            clock_steps: Some(0),
            memory_free: Some(0.5),
            ..Evidence::default()
        };
        assert_eq!((level(&fine), verdict(&fine).gates.len()), (Grade::Valid, 3));
    }

    #[test]
    fn late_reads_that_are_part_of_the_times_are_judged_by_the_times() {
        let read = |delay_us: u64, median_ms: u64| {
            let (read_delay_p99_ns, elapsed_p50_ns) = (Some(delay_us * 1000), median_ms * 1_000_000);
            level(&Evidence {
                read_delay_p99_ns,
                elapsed_p50_ns,
                read_delay_counts: true,
                ..Evidence::default()
            })
        };
        assert_eq!([read(200, 1), read(201, 1), read(1000, 1), read(1001, 1)].map(|l| l as u8), [0, 1, 1, 2]);
        assert_eq!(
            [read(1000, 100), read(1001, 100), read(5000, 100), read(5001, 100)].map(|l| l as u8),
            [0, 1, 1, 2]
        );
    }

    #[test]
    fn load_is_not_judged_where_nothing_reaches_a_server() {
        let users_time = Some(UsersTime { lived_s: 10.0, sampled_s: 1.0, waited_s: 0.0, samples: 9 });
        let busy = Evidence {
            cpu_busy: Some((0, 1.0)),
            run_queue_wait: Some(0.9),
            rate_error: Some(-0.9),
            dropped_starts: Some(0.9),
            start_delay_p99_ns: Some(90_000_000),
            users_time,
            clock_steps: Some(0),
            ..none()
        };
        let judged = |part| {
            let found = verdict(&Evidence { unreached: Some(part), ..busy });
            (found.grade, found.gates.iter().map(|gate| gate.criterion).collect::<Vec<_>>())
        };
        assert_eq!(judged(0.0).1.len(), 8);
        assert_eq!(judged(0.1).0, Grade::Invalid);
        assert_eq!(judged(0.5), (Grade::Degraded, vec![Criterion::Unreached, Criterion::ClockSteps]));
        assert_eq!(judged(1.0), (Grade::Invalid, vec![Criterion::Unreached, Criterion::ClockSteps]));
    }

    #[test]
    fn the_worst_gate_decides_and_what_was_not_measured_is_not_judged() {
        assert_eq!(
            verdict(&Evidence::default()),
            Verdict {
                grade: Grade::Valid,
                gates: Vec::new(),
                read_delay_counts: false,
                neighbour: None,
                scripts: None,
                refusal: None
            }
        );
        let seen = Evidence { cpu_busy: Some((3, 0.95)), steal: Some(0.5), ..Evidence::default() };
        let found = verdict(&seen);
        assert_eq!((found.grade, found.gates.len(), found.gates[0].worker), (Grade::Invalid, 2, Some(3)));
    }

    #[test]
    fn scripts_are_the_limit_where_their_calls_wait_for_threads_and_a_few_calls_say_nothing() {
        let of = |calls, waited_s| {
            let scripts = ScriptTime { calls, waited_s, ran_s: 9.0, ..ScriptTime::default() };
            verdict(&Evidence { scripts: Some(scripts), ..none() })
        };
        assert_eq!(
            (of(1_000, 1.0).grade, of(1_000, 1.1).grade, of(1_000, 1e6).grade),
            (Grade::Valid, Grade::Degraded, Grade::Degraded)
        );
        assert_eq!((of(99, 9.0).gates.len(), of(1_000, 1.1).gates[0].criterion), (0, Criterion::ScriptWait));
    }

    #[test]
    fn a_neighbour_is_named_where_a_gate_suffers_from_it() {
        let neighbour = Some(Neighbour { address: ([127, 0, 0, 1], 8080).into(), processors: 2 });
        let named = |evidence| verdict(&Evidence { neighbour, ..evidence }).neighbour;
        assert_eq!(named(Evidence { run_queue_wait: Some(0.3), ..none() }), neighbour);
        assert_eq!(named(Evidence { run_queue_wait: Some(0.1), ..none() }), None, "it is valid");
        assert_eq!(named(Evidence { clock_steps: Some(3), ..none() }), None, "that is nobody's fault");
        assert_eq!(verdict(&Evidence { run_queue_wait: Some(0.3), ..none() }).neighbour, None);
    }

    #[test]
    fn little_accounts_for_the_time_of_users() {
        let time = |lived_s| UsersTime { lived_s, sampled_s: 25.0, waited_s: 75.0, samples: 100 };
        let close = |gap: Option<f64>, to: f64| gap.is_some_and(|gap| (gap - to).abs() < 1e-9);
        assert!(close(time(100.0).gap(), 0.0) && close(time(125.0).gap(), 0.25));
        assert!(close(time(99.0).gap(), 0.0), "a user's last wait may be cut");
        assert_eq!(UsersTime::default().gap(), None);
        let judged = |lived_s| level(&Evidence { users_time: Some(time(lived_s)), ..Evidence::default() });
        assert_eq!([100.5, 100.6, 102.0, 102.1].map(|s| judged(s) as u8), [0, 1, 1, 2]);
    }

    #[test]
    fn short_cycles_may_cost_the_tool_a_fifth_of_a_millisecond() {
        // A thousand samples of 1 ms each.
        let judged = |own_s: f64| {
            let users_time = UsersTime { lived_s: 1.0 + own_s, sampled_s: 1.0, waited_s: 0.0, samples: 1000 };
            level(&Evidence { users_time: Some(users_time), ..Evidence::default() })
        };
        assert_eq!([0.199, 0.201, 0.799, 0.801].map(|s| judged(s) as u8), [0, 1, 1, 2]);
    }
}
