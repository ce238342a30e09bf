//! What controller and agents say to each other. `docs/reference/fleet.md` has the subjects.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use swell_engine::{GroupStatus, LoadChange, Phase, Status, Stopped};
use swell_shape::{Shape, Spacing};
use swell_stats::Load;

use crate::offset::Offset;

/// Raised when anything here changes: both sides must have the same.
pub const PROTOCOL: u32 = 3;

/// A run, as its controller describes it. JSON, in the object store.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the run")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`PROTOCOL`] of the controller.
    pub protocol: u32,
    /// Version of Swell of the controller.
    pub version: String,
    /// The run.
    pub run: String,
    /// Name of the plan's file, without folders.
    pub plan: String,
    /// Files, the plan first.
    pub files: Vec<FileEntry>,
    /// Properties of the test.
    pub properties: BTreeMap<String, String>,
    /// How many slices the load is cut into.
    pub slices: u32,
    /// Each agent runs the whole plan, as JMeter's servers do.
    pub multiply: bool,
    /// Slices of lost agents go to others.
    pub redistribute: bool,
    /// A results file is wanted besides those of the plan's listeners (`-l`).
    pub wants_rows: bool,
    /// Timers round as JMeter's.
    pub compat: bool,
    /// Makes users' random numbers the same in each run.
    pub seed: Option<u64>,
    /// The load over time in the place of the plan's, if there is one.
    pub shape: Option<SentShape>,
    /// Agents end after the run.
    pub exit_after: bool,
    /// Scripts of the plan run in a JVM or start processes: an agent may refuse that.
    pub needs: Needs,
}

impl Manifest {
    /// Why an agent cannot read it, if it cannot.
    pub fn unreadable(&self) -> Option<String> {
        (self.protocol != PROTOCOL || self.version != env!("CARGO_PKG_VERSION")).then(|| {
            format!(
                "the controller is Swell {} (protocol {}), and this is {} ({PROTOCOL}); run the same version everywhere",
                self.version,
                self.protocol,
                env!("CARGO_PKG_VERSION")
            )
        })
    }
}

/// A load over time. Each agent makes its slices of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentShape {
    /// Its levels.
    pub shape: Shape,
    /// How arrivals lie between each other.
    pub spacing: Spacing,
}

/// What of a plan an agent may refuse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// Scripts and classes that run in a JVM.
    pub scripts: bool,
    /// Processes of the system.
    pub processes: bool,
}

/// A file of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// As the plan names it; of the plan its name.
    pub name: String,
    /// Its name in the object store.
    pub object: String,
    /// SHA-256, hexadecimal.
    pub sha256: String,
    /// Length.
    pub bytes: u64,
}

/// A sign of life, each second. JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// [`PROTOCOL`] of the agent.
    pub protocol: u32,
    /// Version of Swell of the agent.
    pub version: String,
    /// The agent: its name and a part by chance.
    pub agent: String,
    /// What it is called.
    pub name: String,
    /// Its host.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// How many slices it wants.
    pub workers: u32,
    /// What it does.
    pub state: State,
    /// How far its clock was off, before it was corrected.
    pub clock: Offset,
    /// How far it is off now.
    pub drift: Offset,
    /// Messages that the broker has not taken yet.
    pub unsent: u64,
    /// For how many seconds it has taken none of them.
    pub unsent_s: u64,
    /// What it said to the last one that it did not take.
    pub refusal: Option<String>,
    /// Slices whose leases it holds.
    pub holds: Vec<u32>,
}

/// What an agent does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum State {
    /// It fetches the plan and makes it ready.
    Preparing,
    /// It is ready.
    Ready,
    /// It makes load; the phase for whose release all its shares wait, if they do (0, 1, 2).
    Running {
        /// The phase.
        held: Option<u8>,
    },
    /// It cannot take part.
    Failed {
        /// Why.
        why: String,
    },
}

/// From the controller to all, in order and kept: who comes later reads all. JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Down {
    /// The manifest is there.
    Manifest,
    /// Agents take this many slices.
    Take(BTreeMap<String, u32>),
    /// A phase begins (0, 1, 2).
    Go {
        /// The phase.
        phase: u8,
        /// When, on the controller's clock in nanoseconds.
        start_ns: i64,
    },
    /// The load changes.
    Change(LoadChange),
    /// The test ends.
    Stop(Stopped),
    /// A share is not this agent's any more: it stops at once.
    Evict {
        /// The share.
        share: String,
    },
    /// The run is over: agents leave it.
    Over,
}

/// An agent asks to make a slice that the broker gave it. JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The agent.
    pub agent: String,
    /// What it counts for the slice under.
    pub share: String,
    /// The slice.
    pub slice: u32,
    /// How often the broker has given it out.
    pub epoch: u64,
}

/// The answer to a [`Claim`]. JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Grant {
    /// The slice is the agent's.
    Yes {
        /// The phase to begin with.
        from: u8,
        /// Where another had it: how far it was.
        taken_over: Option<LeftOff>,
    },
    /// It is on its way to another agent, which has fewer: it is given back at once.
    Kept,
    /// It is not.
    No {
        /// Why.
        why: String,
    },
}

/// How far a slice was where it was made before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LeftOff {
    /// When that was lost, on the controller's clock in nanoseconds.
    pub lost_ns: i64,
    /// Users that had ended, by thread group.
    pub ended: Vec<u32>,
    /// Rows that were read of data files.
    pub rows_read: BTreeMap<String, u64>,
}

/// What an agent counts and says, each once. postcard, in the stream of measurements.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Up {
    /// The agent.
    pub agent: String,
    /// The share that this is of.
    pub share: String,
    /// Number of this message of the agent, from 0.
    pub seq: u64,
    /// What it says.
    pub body: Body,
}

/// Reads an [`Up`].
///
/// # Errors
/// The bytes are something else.
pub fn up(bytes: &[u8]) -> Result<Up, postcard::Error> {
    postcard::from_bytes(bytes)
}

/// What an [`Up`] says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Body {
    /// A slice was granted: so that a controller that comes later knows.
    Granted {
        /// The slice.
        slice: u32,
        /// Its epoch.
        epoch: u64,
    },
    /// What was counted, as an encoded [`swell_stats::Snapshot`].
    Counts {
        /// The second, in whole seconds since the epoch.
        at_s: i64,
        /// The snapshot, or a piece of it.
        snapshot: Vec<u8>,
    },
    /// How a share goes; all counts of seconds before `through_s` are told.
    Goes {
        /// Seconds before this one are told.
        through_s: i64,
        /// Samples counted so far, transactions among them.
        samples: u64,
        /// Users and phases.
        status: ShareStatus,
        /// How busy the machine is.
        load: Load,
    },
    /// A share is over.
    End(Box<ShareEnd>),
}

/// The end of a share.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ShareEnd {
    /// Samples counted, transactions among them.
    pub samples: u64,
    /// An encoded [`swell_engine::Outcome`]; none if the engine broke or was abandoned.
    pub outcome: Option<Vec<u8>>,
    /// An encoded [`swell_stats::verdict::Evidence`].
    pub evidence: Vec<u8>,
    /// A script that was not understood.
    pub refusal: Option<String>,
    /// Addresses that samples connected to.
    pub servers: Vec<std::net::SocketAddr>,
    /// Rows for results files.
    pub rows: Vec<Rows>,
    /// Rows that could not be kept.
    pub rows_lost: u64,
    /// It ended since the agent had to give it up, and others make the rest.
    pub given_up: Option<String>,
    /// When its first user was to start and did, on the controller's clock in nanoseconds: how well it began together with others.
    pub began: Option<(i64, i64)>,
}

/// Rows of a results file of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// The listener's element in the plan.
    pub listener: u32,
    /// Their name in the object store.
    pub object: String,
}

/// [`Status`] of a share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareStatus {
    /// The phase (0, 1, 2); none before and after.
    pub phase: Option<u8>,
    /// The phase waits for its release.
    pub is_held: bool,
    /// The share is paused.
    pub is_paused: bool,
    /// When it started.
    pub started_ns: i64,
    /// When it is over, if that is known.
    pub expected_end_ns: Option<i64>,
    /// Samples of samplers.
    pub samples: u64,
    /// Thread groups.
    pub groups: Vec<GroupCounts>,
    /// Rows that were read of data files that users share, by the file and who shares it.
    pub rows_read: BTreeMap<String, u64>,
}

/// [`GroupStatus`] of a share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupCounts {
    /// Name.
    pub name: String,
    /// Its phase.
    pub phase: u8,
    /// Users that run.
    pub active: u32,
    /// Users that have started.
    pub started: u32,
    /// Users that have ended.
    pub finished: u32,
    /// Users of the whole group, on all agents.
    pub planned: u32,
    /// Users that are wanted of the whole group.
    pub wanted_users: Option<u32>,
    /// Arrivals a second that are wanted of the whole group.
    pub wanted_per_s: Option<f64>,
}

/// The number of the last phase, tear-down.
pub(crate) const LAST_PHASE: u8 = 2;

/// The number of a phase on the wire.
pub fn phase_number(phase: Phase) -> u8 {
    phase as u8
}

/// The phase of a number.
pub fn phase_of(number: u8) -> Phase {
    match number {
        0 => Phase::SetUp,
        1 => Phase::Main,
        _ => Phase::TearDown,
    }
}

impl From<&Status> for ShareStatus {
    fn from(status: &Status) -> Self {
        let group = |group: &GroupStatus| GroupCounts {
            name: group.name.clone(),
            phase: phase_number(group.phase),
            active: group.active,
            started: group.started,
            finished: group.finished,
            planned: group.planned,
            wanted_users: group.wanted_users,
            wanted_per_s: group.wanted_per_second,
        };
        Self {
            phase: status.phase.map(phase_number),
            is_held: status.is_held,
            is_paused: status.is_paused,
            started_ns: status.started_ns,
            expected_end_ns: status.expected_end_ns,
            samples: status.samples,
            groups: status.groups.iter().map(group).collect(),
            rows_read: status.rows_read.clone(),
        }
    }
}

/// The status of a run from those of its shares; `multiply`: each of them has all users of the plan, else all of them together. None
/// without one.
pub fn whole_status<'a>(shares: impl IntoIterator<Item = &'a ShareStatus>, multiply: bool) -> Option<Status> {
    let mut whole: Option<Status> = None;
    for share in shares {
        match &mut whole {
            None => whole = Some(status_of(share)),
            Some(whole) => add(whole, share, multiply),
        }
    }
    whole
}

fn status_of(share: &ShareStatus) -> Status {
    let groups: Vec<_> = share
        .groups
        .iter()
        .map(|group| GroupStatus {
            name: group.name.clone(),
            phase: phase_of(group.phase),
            active: group.active,
            started: group.started,
            finished: group.finished,
            planned: group.planned,
            wanted_users: group.wanted_users,
            wanted_per_second: group.wanted_per_s,
        })
        .collect();
    let sum = |count: fn(&GroupStatus) -> u32| groups.iter().map(count).fold(0, u32::saturating_add);
    Status {
        phase: share.phase.map(phase_of),
        is_held: share.is_held,
        is_paused: share.is_paused,
        active: sum(|group| group.active),
        started: sum(|group| group.started),
        finished: sum(|group| group.finished),
        planned: sum(|group| group.planned),
        started_ns: share.started_ns,
        expected_end_ns: share.expected_end_ns,
        samples: share.samples,
        spent: swell_engine::TimeSpent::default(),
        foreign: swell_engine::PoolFigures::default(),
        checks: swell_engine::PoolFigures::default(),
        groups,
        rows_read: BTreeMap::new(),
    }
}

fn add(whole: &mut Status, share: &ShareStatus, multiply: bool) {
    let other = status_of(share);
    whole.phase = match (whole.phase, other.phase) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    whole.is_held &= other.is_held;
    whole.is_paused |= other.is_paused;
    whole.started_ns = whole.started_ns.min(other.started_ns);
    whole.expected_end_ns = whole.expected_end_ns.max(other.expected_end_ns);
    whole.samples = whole.samples.saturating_add(other.samples);
    for (group, other) in whole.groups.iter_mut().zip(&other.groups) {
        group.active = group.active.saturating_add(other.active);
        group.started = group.started.saturating_add(other.started);
        group.finished = group.finished.saturating_add(other.finished);
        if multiply {
            group.planned = group.planned.saturating_add(other.planned);
            group.wanted_users = sum(group.wanted_users, other.wanted_users, u32::saturating_add);
            group.wanted_per_second = sum(group.wanted_per_second, other.wanted_per_second, |a, b| a + b);
        } else {
            group.planned = group.planned.max(other.planned);
            group.wanted_users = group.wanted_users.max(other.wanted_users);
            group.wanted_per_second = sum(group.wanted_per_second, other.wanted_per_second, f64::max);
        }
    }
    let of_groups =
        |count: fn(&GroupStatus) -> u32| whole.groups.iter().map(count).fold(0, u32::saturating_add);
    (whole.active, whole.started) = (of_groups(|group| group.active), of_groups(|group| group.started));
    (whole.finished, whole.planned) = (of_groups(|group| group.finished), of_groups(|group| group.planned));
}

fn sum<T>(one: Option<T>, other: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_add_up_and_what_is_planned_is_the_plans() {
        let share = |active, phase| ShareStatus {
            phase,
            groups: vec![GroupCounts {
                name: "g".into(),
                phase: 1,
                active,
                started: active + 1,
                planned: 10,
                wanted_users: Some(10),
                ..GroupCounts::default()
            }],
            ..ShareStatus::default()
        };
        let shares = [share(3, Some(1)), share(4, Some(0)), share(2, None)];
        let whole = whole_status(&shares, false).expect("there are shares");
        assert_eq!(
            (whole.active, whole.started, whole.planned, whole.phase),
            (9, 12, 10, Some(Phase::SetUp))
        );
        assert_eq!(whole.groups[0].wanted_users, Some(10));
        let multiplied = whole_status(&shares, true).expect("there are shares");
        assert_eq!((multiplied.planned, multiplied.groups[0].wanted_users), (30, Some(30)));
        assert!(whole_status([], false).is_none());
    }
}
