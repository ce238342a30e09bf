//! The options of a run, and its outcome.

use std::rc::Rc;
use std::sync::Arc;

use swell_api::{CompileContext, Listener, PoolFigures};
use swell_expr::{BackgroundRunner, Refusal};
use swell_net::NetContext;
use swell_plan::Diagnostic;
use swell_trace::RecentPool;

use super::TimeSpent;
use crate::prepare::LoadShape;
use crate::schedule::Share;

/// Makes listeners that receive the same samples as a listener directly below the Test Plan. Called
/// once on each worker.
pub type RootListeners = Arc<dyn Fn(&CompileContext) -> Vec<Rc<dyn Listener>> + Send + Sync>;

/// Does work that must wait until it is certain that the run starts. Returns an error if the run
/// cannot start after all.
pub type BeforeUsers = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// The thread of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerThread {
    /// Number of the worker, from 0.
    pub worker: usize,
    /// Its number in `/proc/self/task`.
    pub thread_id: u32,
}

/// Called for each worker, on its thread, before the worker does anything.
pub type OnWorker = Arc<dyn Fn(WorkerThread) + Send + Sync>;

/// Options of a run.
#[derive(Clone)]
pub struct RunOptions {
    /// Number of workers; at least 1. With a share it is as many as that has slices.
    pub workers: usize,
    /// The part of the test that this run makes; none: the whole.
    pub share: Option<Share>,
    /// JMeter's behaviour where it differs from Swell's: timers in whole milliseconds, think time
    /// from when the user gets to it.
    pub compat: bool,
    /// Makes the users' random numbers the same in each run.
    pub seed: Option<u64>,
    /// A load instead of that of the plan's main thread groups.
    pub shape: Option<LoadShape>,
    /// The process ends after this run. So the memory of users who were left waiting when the test
    /// stopped is left to the kernel; else it is given back at the end of the run.
    pub ends_process: bool,
    /// Listeners at the root.
    pub root_listeners: RootListeners,
    /// Users record heads and figures of the samples of their iteration; none: they do not.
    pub recent: Option<Arc<RecentPool>>,
    /// Variables whose changes the root listeners ask for by their numbers
    /// ([`swell_expr::Vars::watch`]).
    pub watched: Arc<[String]>,
    /// Where checks of large bodies are done; none: on threads of this run's own.
    pub aside: Option<BackgroundRunner>,
    /// Called once, when all workers are ready and before the first user starts.
    pub before_users: BeforeUsers,
    /// Told of each worker.
    pub on_worker: OnWorker,
    /// What the workers' event loops share: which clock ends a sample, and what is counted about
    /// clocks and peers.
    pub net: Arc<NetContext>,
}

impl Default for RunOptions {
    /// As many workers as cores, no listeners.
    fn default() -> Self {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            workers,
            share: None,
            compat: false,
            seed: None,
            shape: None,
            ends_process: false,
            root_listeners: Arc::new(|_| Vec::new()),
            recent: None,
            watched: Arc::default(),
            aside: None,
            before_users: Arc::new(|| Ok(())),
            on_worker: Arc::new(|_| {}),
            net: Arc::default(),
        }
    }
}

/// Connections of a run for HTTP/2 ([`swell_net::SessionTotals`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct SessionCounts {
    /// Those that were made.
    pub opened: u64,
    /// Those that use HTTP/1.1 because the server chose it.
    pub refused: u64,
    /// The smallest limit of concurrent streams that a server announced.
    pub streams_limit: Option<u32>,
    /// The most requests that were in flight on one.
    pub streams_peak: u32,
    /// Segments whose arrival is that of a later one, because too many came before a read.
    pub merged_stamps: u64,
}

impl SessionCounts {
    /// Adds those of another part of the run.
    pub fn merge(&mut self, other: &Self) {
        self.opened = self.opened.saturating_add(other.opened);
        self.refused = self.refused.saturating_add(other.refused);
        self.streams_limit = self.streams_limit.into_iter().chain(other.streams_limit).min();
        self.streams_peak = self.streams_peak.max(other.streams_peak);
        self.merged_stamps = self.merged_stamps.saturating_add(other.merged_stamps);
    }

    pub(super) fn of(net: &NetContext) -> Self {
        let totals = net.session_totals();
        Self {
            opened: totals.opened,
            refused: totals.refused,
            streams_limit: totals.streams_limit,
            streams_peak: totals.streams_peak,
            merged_stamps: net.merged_stamps(),
        }
    }
}

/// How a run was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Stopped {
    /// Running samples finished.
    Graceful,
    /// Running samples were cut.
    Immediate,
}

/// A finished run.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct RunOutcome {
    /// When it started, on the clock of [`swell_api::Timing`].
    pub started_ns: i64,
    /// When it ended.
    pub ended_ns: i64,
    /// Virtual users that started.
    pub users: u64,
    /// Samples that samplers gave, transactions not counted.
    pub samples: u64,
    /// Those of them that thread groups made which something else runs: their times are not this
    /// engine's.
    pub external_samples: u64,
    /// Samples that were cut because the test stopped at once; they are in no results.
    pub cut: u64,
    /// Users who only waited when the test stopped: counted as ended, and not woken for it.
    pub left_waiting: u64,
    /// Requests that failed because they went out on kept connections which the server had closed.
    #[serde(default)]
    pub closed_idle_failed: u64,
    /// Requests that were repeated on a new connection for that reason.
    #[serde(default)]
    pub closed_idle_repeated: u64,
    /// Connections over which several requests went at once.
    #[serde(default)]
    pub sessions: SessionCounts,
    /// Starts that a schedule wanted and that were not made, since no user was free: arrivals
    /// beyond a limit of users, samples of a shaped throughput.
    pub missed: u64,
    /// How its users spent their time.
    pub spent: TimeSpent,
    /// The threads for foreign work: scripts and elements that other code runs.
    pub foreign: PoolFigures,
    /// The threads for checks of large bodies.
    pub checks: PoolFigures,
    /// Whether it was stopped before its end, by [`crate::Control`] or by an element.
    pub stopped: Option<Stopped>,
    /// When it was first asked to stop, on the clock of [`swell_api::Timing`].
    pub stopped_ns: Option<i64>,
    /// Workers that took part.
    pub workers: u32,
    /// Workers that failed because of a bug: results may be incomplete.
    pub failed_workers: u32,
    /// What went wrong: groups that could not start, a worker that failed.
    pub problems: Vec<Diagnostic>,
    /// The script that was not understood while the test ran, and ended it.
    pub refusal: Option<Refusal>,
    /// Users that an error ended, as Java's ends a thread: how many by each cause, those of most
    /// users first.
    #[serde(default)]
    pub user_faults: Vec<(String, u64)>,
}

impl RunOutcome {
    /// Users that an error ended.
    pub fn failed_users(&self) -> u64 {
        self.user_faults.iter().fold(0, |all: u64, (_, users)| all.saturating_add(*users)).min(self.users)
    }
}

impl swell_stats::encoding::Portable for RunOutcome {
    const KIND: u8 = 3;
    const NAME: &'static str = "outcome of a run";
    const VERSION: u8 = 4;
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::{Place, Severity};
    use swell_stats::encoding::{decode, encode};

    #[test]
    fn an_outcome_travels_whole() {
        let place =
            Place { file: Some(Arc::new("a.jmx".into())), line: 3, element: "a > b".into(), property: None };
        let problem = Diagnostic {
            severity: Severity::Warning,
            place,
            message: "late".into(),
            hint: Some("less".into()),
        };
        let spent = TimeSpent { lived_ns: u128::from(u64::MAX) + 1, sampled_ns: 2, waited_ns: 3 };
        let outcome = RunOutcome {
            started_ns: -5,
            samples: 7,
            spent,
            stopped: Some(Stopped::Immediate),
            stopped_ns: Some(9),
            problems: vec![problem],
            ..RunOutcome::default()
        };
        let decoded: RunOutcome = decode(&encode(&outcome)).expect("it was encoded");
        assert_eq!(format!("{decoded:?}"), format!("{outcome:?}"));
    }
}
