//! Whose limit it was: from figures of levels to a cause with its evidence. Pure.

mod causes;
mod figures;
mod round_trip;

use serde::Serialize;

pub(crate) use figures::{TrialFigures, share_of_processors};
pub(crate) use round_trip::RoundTrips;

/// What is known of one level of load. None where a figure is not known; shares are 0..=1.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Level {
    /// Users, requests a second, or what else was varied.
    pub load: f64,
    /// The server bore it.
    pub passed: bool,
    /// Requests a second that were wanted; none where users set the pace.
    pub offered_per_s: Option<f64>,
    /// Samples a second.
    pub per_s: f64,
    /// Mean service time of good samples, milliseconds; none without samples.
    pub mean_ms: Option<f64>,
    /// Share of samples that failed.
    pub errors: f64,
    /// Share that was refused with 503 or 429.
    pub turned_down: f64,
    /// Share that found no connection: refused or too late.
    pub refused: f64,
    /// Share without a response in time.
    pub timeouts: f64,
    /// Share that failed since this machine ran out of descriptors, ports or memory.
    pub exhausted: f64,
    /// Connections that were made, as a share of the samples: 1 where each response closes its own.
    pub connects: f64,
    /// Share of connections that took 0.9 s and more: the first segment was sent again.
    pub late_connections: f64,
    /// Connections for each of which a queue of a listener dropped a segment, as a share.
    pub accept_queue: Option<f64>,
    /// Share of data segments that were sent again.
    pub retransmits: Option<f64>,
    /// How much of the processors other programs of this machine used, as text, if that explains
    /// the figures: the server is on this machine too, or the tool suffered.
    pub other_programs: Option<String>,
    /// Bytes received, a second.
    pub bytes_per_s: f64,
    /// Processors that the server kept busy, as a share of those that it has.
    pub server_cpu: Option<f64>,
    /// Share of the time of all processors here that anybody used, where the server is here.
    pub machine_busy: Option<f64>,
    /// The part of that which was the tool's.
    pub tool_cpu: Option<f64>,
    /// Share of the time that went into garbage collections.
    pub gc_time: Option<f64>,
    /// Share of the heap in use after collections.
    pub heap_after_gc: Option<f64>,
    /// Threads of the server's user or group, as a share of how many there may be.
    pub threads_of_limit: Option<f64>,
    /// Descriptors of the server's process that has the most, as a share of how many it may have.
    pub descriptors_of_limit: Option<f64>,
    /// The round trip to the server's machine: the median of handshakes during the load,
    /// milliseconds.
    pub round_trip_ms: Option<f64>,
    /// The server answered nothing any more, and did not come back.
    pub hung: bool,
    /// Users that there were, and how many of them had no response in the whole trial.
    pub starved: Option<(f64, f64)>,
    /// How the server ended in this trial, if it did.
    pub died: Option<String>,
    /// Why the tool was not accurate enough: its own text.
    pub tool: Vec<String>,
}

/// Whose limit it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The tool, or the machine that tool and server share.
    Generator,
    /// Other programs of the machine that tool and server run on.
    OtherPrograms,
    /// This machine had no ports or descriptors left.
    Resources,
    /// The server's queue of connections.
    AcceptQueue,
    /// The network.
    Network,
    /// A pool in the server.
    Pool,
    /// Processors of the server.
    ServerCpu,
    /// Memory of the server, or its garbage collector.
    ServerMemory,
    /// The number of threads or processes that the server may have.
    ProcessLimit,
    /// The number of descriptors (connections and files) that the server may have.
    DescriptorLimit,
    /// The server turns requests down when it wants to.
    AdmissionControl,
    /// The server fails a part of all requests, whatever the load.
    Errors,
    /// The server answered nothing any more, and not even a light load later.
    Hang,
    /// The server ended by itself.
    Crash,
    /// Nothing that is known explains it.
    Unknown,
}

/// A cause with what speaks for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// Whose.
    pub cause: Cause,
    /// The same as text: "a pool of about 25 in the server".
    pub words: String,
    /// The size of a pool, by Little's law.
    pub pool: Option<f64>,
    /// What speaks for it, a figure a line.
    pub evidence: Vec<String>,
    /// The line of the evidence that says how busy the server's processors were, which the answer
    /// repeats.
    #[serde(skip)]
    pub(crate) server_cpu: Option<String>,
}

/// Names the cause. `levels` in any order; `ended_by_tool` says that trials beyond the highest load
/// that passed were void.
pub fn whose(levels: &[Level], ended_by_tool: bool) -> Limit {
    let mut levels: Vec<_> = levels.iter().collect();
    levels.sort_by(|a, b| a.load.total_cmp(&b.load));
    causes::first(&levels, ended_by_tool)
}

#[cfg(test)]
mod tests;
