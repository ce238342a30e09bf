//! Measurements of the tool and its machine in a run.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::ProcessorUse;
use crate::Changed;

/// Measurements of the tool and its machine in a run. Values that were not measured are `None` and
/// are not judged. Shares are in 0..1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// 99th percentile of the tool's delay before the start, in nanoseconds; judged where
    /// [`Evidence::late_starts`] is not known.
    pub start_delay_p99_ns: Option<u64>,
    /// What those delays did to the figures.
    pub late_starts: Option<Changed>,
    /// 99th percentile of the delay between arrival and read, in nanoseconds.
    pub read_delay_p99_ns: Option<u64>,
    /// 99th percentile of the delay between start and the kernel's send, in nanoseconds; measured
    /// on a random selection of samples.
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
    /// The busiest worker by its number, and the busy part of its time: the largest that lasted
    /// five seconds.
    pub cpu_busy: Option<(usize, f64)>,
    /// Part of the time that the worker which waited longest stood in line for a processor.
    pub run_queue_wait: Option<f64>,
    /// Part of the samples that failed because the machine had no descriptors, ports or memory
    /// left.
    pub resource_exhaustion: Option<f64>,
    /// Part of the samples that never reached a server; where nearly none was answered, the part
    /// that was not.
    pub unreached: Option<f64>,
    /// Part of the users that an error ended; none where it ended none. Their load is missing.
    pub failed_users: Option<f64>,
    /// Part of the TCP segments of the run's own connections that were sent again, without those
    /// that a full queue of the server explains.
    pub retransmits: Option<f64>,
    /// Segments of the run's own connections that a full queue of the server, which runs on this
    /// machine, dropped, for each connection.
    pub accept_queue: Option<f64>,
    /// Part of the connections to a server elsewhere for which the kernel had to ask again, where
    /// the network loses far less.
    pub connect_retries: Option<f64>,
    /// What TCP of the whole machine did.
    pub machine_tcp: Option<MachineTcp>,
    /// Part of the users' time in which they waited for files that the run writes, or of the
    /// workers' time, whichever is larger.
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
    /// The programs that used the processors of the machine.
    pub processors: Option<ProcessorUse>,
    /// Load that is missing since agents of the test were lost or stopped; none if there was none.
    pub lost_load: Option<LostLoad>,
}

/// TCP counts of a whole machine during a test, from all programs: a hint that does not affect the
/// verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineTcp {
    /// Connections asked for from the machine.
    pub opened: u64,
    /// Segments sent.
    pub sent: u64,
    /// Segments sent again.
    pub sent_again: u64,
    /// Segments that listeners of the machine dropped, since a queue of theirs was full.
    pub dropped_by_listeners: u64,
}

impl MachineTcp {
    /// The most of two machines.
    pub(crate) fn most(self, other: Self) -> Self {
        Self {
            opened: self.opened.max(other.opened),
            sent: self.sent.max(other.sent),
            sent_again: self.sent_again.max(other.sent_again),
            dropped_by_listeners: self.dropped_by_listeners.max(other.dropped_by_listeners),
        }
    }
}

/// Load of a test on several agents that was planned but not made by any agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LostLoad {
    /// Part of the load of the whole test (0..1).
    pub part: f64,
    /// For how many seconds some of the load was missing.
    pub seconds: f64,
    /// Part of the load that was missing in those seconds, on average (0..1).
    pub part_then: f64,
    /// No agent was left at the end of the test.
    pub none_left: bool,
}

/// Calls of scripts and elements that run on separate threads (in a JVM). Their time is in no other
/// sample.
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

/// How virtual users spent their time, in seconds summed over users; for Little's law: users = rate
/// · (service time + waiting + unaccounted time).
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
    /// The part of the users' time that neither samples nor waiting account for: the tool took it.
    /// None without samples, and where the users lived half a second in all: their start and end
    /// are most of that.
    pub fn gap(&self) -> Option<f64> {
        const LEAST_S: f64 = 0.5;
        let known_s = self.sampled_s + self.waited_s;
        (known_s > 0.0 && self.samples > 0 && self.lived_s > LEAST_S)
            .then(|| ((self.lived_s - known_s) / known_s).max(0.0))
    }

    /// The mean time of a user from sample to sample, in seconds.
    pub(super) fn cycle_s(&self) -> f64 {
        (self.sampled_s + self.waited_s) / self.samples.max(1) as f64
    }
}
