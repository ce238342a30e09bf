//! Decisions of a controller: which agents take part and make which slice, when phases start, when
//! a run has finished. Pure: it receives messages with their times and returns [`Action`]s; nothing
//! here knows of a broker.

mod counting;
mod ending;
mod joining;
mod liveness;
mod losses;
mod lost_load;
mod phases;
mod rebalancing;
mod returning;
mod slices;
mod speakers;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use swell_engine::{LoadChange, RunOutcome, Status, Stopped};
use swell_net::IoInterface;
use swell_run::{LostMachines, MachineReport};
use swell_stats::{Load, Snapshot};

use crate::ledger::Ledger;
use crate::wire::{ControllerMessage, Heartbeat, LAST_PHASE, Rows, ShareEnd, ShareStatus, whole_status};

const S: i64 = 1_000_000_000;
/// Without a single agent for this long, no agent will make the load any more.
const ALONE_NS: i64 = 20 * S;
/// Without the broker for so long, nothing that agents still do is known any more, and they have
/// stopped by themselves.
const DEAF_NS: i64 = 30 * S;
/// How often those who are waited for are named.
const NAMES_EVERY_NS: i64 = 10 * S;
/// From the decision to the first start: the word has to reach everybody.
const NOTICE_NS: i64 = S;
/// Default limit of a phase: longer than any intended set-up.
pub const PHASE_TIMEOUT: Duration = Duration::from_hours(1);
/// More tell what they count more seldom: each message costs the controller as much as what is in
/// it.
const MANY_AGENTS: usize = 200;
/// Slices of a test, at most: the broker has this many under way.
pub(crate) const MOST_SLICES: u32 = 10_000;

/// How often this many agents report their counts by default, in seconds.
pub const fn interval_of(agents: usize) -> u32 {
    if agents > MANY_AGENTS { 5 } else { 1 }
}

/// Treatment of the slices of a lost agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnLoss {
    /// Others take them.
    #[default]
    Redistribute,
    /// The rest continues without them.
    Continue,
    /// The test ends.
    Abort,
}

/// Options of a coordinator.
#[derive(Clone, Debug)]
pub struct CoordinatorOptions {
    /// Agents to wait for.
    pub agents: usize,
    /// These agents, by their names or hosts; empty: any.
    pub named: Vec<String>,
    /// How long they are waited for, in nanoseconds.
    pub timeout_ns: i64,
    /// Start with the agents that are there when the time has passed.
    pub begin_without: bool,
    /// Treatment of the slices of a lost agent.
    pub on_loss: OnLoss,
    /// Each agent runs the whole plan.
    pub multiply: bool,
    /// Slices; none: as many as all agents have workers.
    pub slices: Option<u32>,
    /// Clocks may be as uncertain as they are.
    pub allow_skew: bool,
    /// Seconds between two messages of an agent with what it counts.
    pub interval_s: u32,
    /// How long set-up and tear-down may take, in nanoseconds, and main thread groups after their
    /// time.
    pub phase_timeout_ns: i64,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Action {
    /// A message for all agents.
    Send(ControllerMessage),
    /// The load is cut into this many slices.
    Slice(u32),
    /// All agents are ready: results files are made ready for rows.
    Begin,
    /// What was counted in an interval.
    Counted(i64, Box<Snapshot>),
    /// How busy the busiest machine is.
    Busy(Load),
    /// A failure that an agent of that name kept, packed.
    Failure(String, Vec<u8>),
    /// A line for the user.
    Say(String),
    /// The run has finished.
    Finish(Box<End>),
    /// It continues under another controller, and agents receive no message.
    HandOver(Box<End>),
}

/// How a run on several machines ended.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// What all made.
    pub outcome: RunOutcome,
    /// What each machine knows of itself.
    pub machines: Vec<MachineReport>,
    /// Addresses that samples connected to.
    pub servers: Vec<std::net::SocketAddr>,
    /// What event loops used.
    pub io: Option<IoInterface>,
    /// Rows for results files.
    pub rows: Vec<RowsOfShare>,
    /// Samples whose rows are lost.
    pub rows_lost: u64,
    /// Why the run could not start or continue.
    pub failed: Option<String>,
    /// Load that no agent made.
    pub lost: Option<LostMachines>,
    /// Why the figures do not hold.
    pub invalid: Option<String>,
    /// What is known with three digits.
    pub fine: Arc<Snapshot>,
}

/// Rows of results that a share made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowsOfShare {
    /// The share.
    pub share: String,
    /// Its files as its agent wrote them; none of a share whose agent was lost: what of them has
    /// come is all that there is.
    pub files: Option<Vec<Rows>>,
    /// Samples of the share: about as many as there are rows.
    pub samples: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Agents come.
    Gathering,
    /// They take slices.
    Dealing,
    /// They make load.
    Running,
    Over,
}

struct Agent {
    last: Heartbeat,
    seen_ns: i64,
    lost: bool,
    takes_part: bool,
}

#[derive(Clone, Debug, Default)]
struct Slice {
    epoch: u64,
    share: Option<String>,
    done: bool,
    /// Shares that made it, in their order, and from when on (nanoseconds).
    owners: Vec<(String, i64)>,
}

#[derive(Clone, Debug, Default)]
struct Share {
    agent: String,
    slices: Vec<u32>,
    status: ShareStatus,
    load: Load,
    through_s: i64,
    /// Seconds that its agent reported.
    reported: lost_load::ReportedSeconds,
    end: Option<ShareEnd>,
    /// Its slices have other owners.
    evicted: bool,
    /// Its agent was found to be lost before it ended; it may have come back since.
    was_lost: bool,
    /// When it was given its first slice.
    since_ns: i64,
    /// When it last told of a sample.
    counted_ns: i64,
    /// When it last told anything, or rows of it came.
    told_ns: i64,
    /// It did not end in time, and is no longer awaited.
    is_given_up_on: bool,
}

/// The state of a run.
pub struct RunCoordinator {
    options: CoordinatorOptions,
    stage: Stage,
    began_ns: i64,
    agents: BTreeMap<String, Agent>,
    /// Under which name each agent speaks.
    speakers: BTreeMap<String, String>,
    slices: Vec<Slice>,
    shares: BTreeMap<String, Share>,
    ledger: Ledger,
    pending: BTreeMap<i64, Snapshot>,
    /// What is known with three digits.
    fine: Snapshot,
    /// Third digits that came before the figures that they are of.
    early: Vec<counting::EarlyDigits>,
    closed_s: i64,
    released: BTreeMap<u8, i64>,
    stopped: Option<Stopped>,
    /// When the test was told to end.
    stopped_ns: Option<i64>,
    /// The time at the last event.
    now_ns: i64,
    aborted: Option<String>,
    /// When the test was ended since a phase took too long.
    cut_ns: Option<i64>,
    /// When all slices had owners.
    running_ns: i64,
    /// When all slices were done.
    done_ns: Option<i64>,
    /// Those whose figures are waited for at the end were named.
    has_named_open: bool,
    restarted: u32,
    told_ns: i64,
    refused: BTreeSet<String>,
    alone_since_ns: Option<i64>,
    liveness: liveness::BrokerLiveness,
    moving: Option<rebalancing::SliceMove>,
    /// Another controller led the run before.
    has_taken_over: bool,
    actions: Vec<Action>,
}

impl RunCoordinator {
    /// The coordinator of a run that starts now.
    pub fn new(options: CoordinatorOptions, now_ns: i64) -> Self {
        Self {
            options,
            stage: Stage::Gathering,
            began_ns: now_ns,
            agents: BTreeMap::new(),
            speakers: BTreeMap::new(),
            slices: Vec::new(),
            shares: BTreeMap::new(),
            ledger: Ledger::default(),
            pending: BTreeMap::new(),
            fine: Snapshot::default(),
            early: Vec::new(),
            closed_s: i64::MIN,
            released: BTreeMap::new(),
            stopped: None,
            stopped_ns: None,
            now_ns,
            aborted: None,
            cut_ns: None,
            running_ns: now_ns,
            done_ns: None,
            has_named_open: false,
            restarted: 0,
            told_ns: now_ns,
            refused: BTreeSet::new(),
            alone_since_ns: None,
            liveness: liveness::BrokerLiveness::new(now_ns),
            moving: None,
            has_taken_over: false,
            actions: Vec::new(),
        }
    }

    /// What is to be done since the last call.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// How the run goes; none before it makes load.
    pub fn status(&self) -> Option<Status> {
        let live = self.shares.values().filter(|share| !share.evicted);
        whole_status(live.map(|share| &share.status), self.options.multiply)
    }

    /// Whether the agents of the run make load.
    pub fn is_running(&self) -> bool {
        self.stage == Stage::Running
    }

    /// A word of the controller has come back from the broker, which it sends each second: it hears
    /// what agents say.
    pub fn hears(&mut self, now_ns: i64) {
        self.liveness.heard(now_ns);
    }

    /// The controller cannot continue.
    pub fn give_up(&mut self, why: String) {
        self.finish(Some(why));
    }

    /// Time has passed.
    pub fn tick(&mut self, now_ns: i64) {
        self.now_ns = now_ns;
        self.liveness.look(now_ns);
        if self.liveness.deaf_ns(now_ns).is_some_and(|deaf_ns| deaf_ns > DEAF_NS) {
            self.finish(Some(format!("no answer from the broker for {} s", DEAF_NS / S)));
        }
        self.look_for_lost(now_ns);
        match self.stage {
            Stage::Gathering => self.gather(now_ns),
            Stage::Dealing => self.wait_for_slices(now_ns),
            Stage::Running => self.run(now_ns),
            Stage::Over => {}
        }
        if self.is_running() {
            self.tell_load();
        }
        self.close_seconds(now_ns);
    }

    fn run(&mut self, now_ns: i64) {
        self.release_phase(now_ns);
        self.even_out(now_ns);
        self.look_for_stuck();
        let all_done = self.slices.iter().all(|slice| slice.done);
        let stopping = self.stopped.is_some();
        let left = self.live().filter(|(_, share)| !self.is_lost(&share.agent)).count();
        if all_done || (stopping && left == 0) {
            return self.finish_when_told(now_ns);
        }
        let alone = self.agents.values().all(|agent| agent.lost);
        match self.alone_since_ns.filter(|_| alone) {
            Some(since_ns) if now_ns - since_ns > ALONE_NS => {
                self.finish(Some("no agent is left".into()));
            }
            Some(_) => {}
            None => self.alone_since_ns = alone.then_some(now_ns),
        }
    }

    /// What another controller of this run had said, in its order.
    pub fn replay(&mut self, down: &ControllerMessage, now_ns: i64) {
        if self.stage == Stage::Over {
            return;
        }
        self.now_ns = now_ns;
        self.has_taken_over = true;
        match down {
            // The load is cut once.
            ControllerMessage::Take(_) if !self.slices.is_empty() => {}
            ControllerMessage::Take(takes) => {
                let slices = takes.values().copied().fold(0, u32::saturating_add).min(MOST_SLICES);
                self.slices = vec![Slice::default(); slices as usize];
                self.stage = Stage::Running;
                (self.told_ns, self.running_ns) = (now_ns, now_ns);
                self.actions.push(Action::Begin);
            }
            ControllerMessage::Go { phase, start_ns } => {
                self.released.insert((*phase).min(LAST_PHASE), *start_ns);
            }
            ControllerMessage::Stop(how) => {
                self.stopped = Some(*how);
                self.stopped_ns.get_or_insert(now_ns);
            }
            ControllerMessage::Evict { share } => {
                self.shares.entry(share.clone()).or_default().evicted = true;
            }
            ControllerMessage::Manifest
            | ControllerMessage::Change(_)
            | ControllerMessage::RowsAgain
            | ControllerMessage::Over => {}
        }
    }

    /// The load is to change.
    pub fn change(&mut self, change: LoadChange) {
        self.actions.push(Action::Send(ControllerMessage::Change(change)));
    }

    /// The test is to end.
    pub fn stop(&mut self, how: Stopped) {
        if self.stopped.is_none_or(|known| known < how) {
            self.stopped = Some(how);
            self.stopped_ns.get_or_insert(self.now_ns);
            self.actions.push(Action::Send(ControllerMessage::Stop(how)));
        }
    }

    fn name_of(&self, agent: &str) -> String {
        self.agents.get(agent).map_or_else(|| agent.to_owned(), |agent| agent.last.name.clone())
    }

    fn say(&mut self, text: String) {
        self.actions.push(Action::Say(text));
    }
}
