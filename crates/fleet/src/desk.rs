//! What a controller decides: who takes part, who makes which slice, when phases begin, when a run is over. Pure: it gets messages with
//! their times and gives what is to be done ([`Action`]); nothing here knows of a broker.

use std::collections::{BTreeMap, BTreeSet};

use swell_engine::{LoadChange, Outcome, Status, Stopped};
use swell_run::MachineReport;
use swell_stats::encoding::decode;
use swell_stats::verdict::Evidence;
use swell_stats::{Load, Snapshot};

use crate::ledger::Ledger;
use crate::wire::{
    Body, Claim, Down, Grant, Heartbeat, Manifest, PROTOCOL, Rows, ShareEnd, ShareStatus, State, Up,
    whole_status,
};

const S: i64 = 1_000_000_000;
/// An agent that gave no sign for so long is lost.
const SILENT_NS: i64 = 4 * S;
/// A second of the test is closed when all have told of it, or after that.
const LATE_S: i64 = 5;
/// Without a single agent for so long, nobody will make the load any more.
const ALONE_NS: i64 = 20 * S;
/// How often those who are waited for are named.
const NAMES_EVERY_NS: i64 = 10 * S;
/// From the decision to the first start: the word has to reach everybody.
const NOTICE_NS: i64 = S;
/// How far clocks may be uncertain.
const MOST_SKEW_NS: i64 = 50_000_000;

/// What becomes of the slices of a lost agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLoss {
    /// Others take them.
    #[default]
    Redistribute,
    /// The rest goes on without them.
    Continue,
    /// The test ends.
    Abort,
}

/// What a desk is told.
#[derive(Clone, Debug)]
pub struct DeskOptions {
    /// Agents to wait for.
    pub agents: usize,
    /// These agents, by their names or hosts; empty: any.
    pub named: Vec<String>,
    /// How long they are waited for, in nanoseconds.
    pub timeout_ns: i64,
    /// Begin with those that are there when the time is over.
    pub begin_without: bool,
    /// What becomes of the slices of a lost agent.
    pub on_loss: OnLoss,
    /// Each agent runs the whole plan.
    pub multiply: bool,
    /// Slices; none: as many as all agents have workers.
    pub slices: Option<u32>,
    /// Clocks may be as uncertain as they are.
    pub allow_skew: bool,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Action {
    /// A message for all agents.
    Send(Down),
    /// The load is cut into so many slices.
    Slice(u32),
    /// All agents are ready: results files are made ready for rows.
    Begin,
    /// What was counted in a second.
    Counted(i64, Box<Snapshot>),
    /// How busy the busiest machine is.
    Busy(Load),
    /// A line for who watches.
    Say(String),
    /// The run is over.
    Finish(Box<End>),
}

/// How a run on several machines ended.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// What all made.
    pub outcome: Outcome,
    /// What each machine knows of itself.
    pub machines: Vec<MachineReport>,
    /// Addresses that samples connected to.
    pub servers: Vec<std::net::SocketAddr>,
    /// Rows for results files.
    pub rows: Vec<Rows>,
    /// Samples whose rows are lost.
    pub rows_lost: u64,
    /// Why the run could not begin or go on.
    pub failed: Option<String>,
    /// Why the figures do not hold.
    pub invalid: Option<String>,
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
}

#[derive(Clone, Debug, Default)]
struct Share {
    agent: String,
    slices: Vec<u32>,
    status: ShareStatus,
    load: Load,
    through_s: i64,
    end: Option<ShareEnd>,
    /// Its slices have other owners.
    evicted: bool,
}

/// The state of a run.
pub struct Desk {
    options: DeskOptions,
    stage: Stage,
    began_ns: i64,
    agents: BTreeMap<String, Agent>,
    slices: Vec<Slice>,
    shares: BTreeMap<String, Share>,
    ledger: Ledger,
    pending: BTreeMap<i64, Snapshot>,
    closed_s: i64,
    released: BTreeMap<u8, i64>,
    stopped: Option<Stopped>,
    aborted: Option<String>,
    restarted: u32,
    told_ns: i64,
    refused: BTreeSet<String>,
    alone_since_ns: Option<i64>,
    actions: Vec<Action>,
}

impl Desk {
    /// Of a run that begins now.
    pub fn new(options: DeskOptions, now_ns: i64) -> Self {
        Self {
            options,
            stage: Stage::Gathering,
            began_ns: now_ns,
            agents: BTreeMap::new(),
            slices: Vec::new(),
            shares: BTreeMap::new(),
            ledger: Ledger::default(),
            pending: BTreeMap::new(),
            closed_s: i64::MIN,
            released: BTreeMap::new(),
            stopped: None,
            aborted: None,
            restarted: 0,
            told_ns: now_ns,
            refused: BTreeSet::new(),
            alone_since_ns: None,
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

    /// An agent gives a sign of life.
    pub fn heartbeat(&mut self, heart: Heartbeat, now_ns: i64) {
        if self.stage == Stage::Over || !self.is_wanted(&heart) || self.refused.contains(&heart.agent) {
            return;
        }
        if let Some(why) = unfit(&heart, self.options.allow_skew) {
            self.refused.insert(heart.agent.clone());
            let text = format!("agent {} cannot take part: {why}", heart.name);
            if self.stage == Stage::Gathering {
                return self.fail(text);
            }
            return self.say(text);
        }
        if let State::Failed { why } = &heart.state {
            self.refused.insert(heart.agent.clone());
            let text = format!("agent {} cannot take part: {why}", heart.name);
            self.agents.remove(&heart.agent);
            if self.stage == Stage::Running {
                return self.say(text);
            }
            return self.fail(text);
        }
        let known = self.agents.get_mut(&heart.agent);
        if let Some(agent) = known {
            (agent.last, agent.seen_ns) = (heart, now_ns);
            if std::mem::take(&mut agent.lost) {
                let name = agent.last.name.clone();
                self.say(format!("agent {name} is heard again"));
            }
        } else {
            let Heartbeat { name, host, workers, clock, .. } = &heart;
            let (offset_ms, error_us) = (clock.offset_ns as f64 / 1e6, clock.error_ns as f64 / 1e3);
            self.say(format!(
                "agent {name} on {host} has joined with {workers} workers; its clock was {offset_ms:+.3} ms off (± {error_us:.0} µs), and is corrected"
            ));
            let takes_part = self.shares.values().any(|share| share.agent == heart.agent);
            let agent = Agent { last: heart, seen_ns: now_ns, lost: false, takes_part };
            self.agents.insert(agent.last.agent.clone(), agent);
        }
    }

    fn is_wanted(&self, heart: &Heartbeat) -> bool {
        let named = &self.options.named;
        named.is_empty() || named.iter().any(|name| *name == heart.name || *name == heart.host)
    }

    /// An agent asks for a slice that the broker gave it.
    pub fn claim(&mut self, claim: &Claim, now_ns: i64) -> Grant {
        let no = |why: String| Grant::No { why };
        if self.stage == Stage::Over || self.stopped.is_some() {
            return no("the test is over".into());
        }
        let Some(slice) = self.slices.get(claim.slice as usize) else {
            return no(format!("there is no slice {}", claim.slice));
        };
        if slice.done {
            return no(format!("slice {} is done", claim.slice));
        }
        let repeated = slice.epoch == claim.epoch && slice.share.as_ref() == Some(&claim.share);
        if claim.epoch <= slice.epoch && !repeated {
            return no(format!(
                "slice {} was given out {} times, and not {}",
                claim.slice, slice.epoch, claim.epoch
            ));
        }
        let before = slice.share.clone().filter(|share| *share != claim.share);
        let from = self.released.keys().last().copied().unwrap_or(0);
        let taken_over =
            before.filter(|_| !self.released.is_empty()).map(|share| self.left_by(&share, now_ns));
        if let Some((_, ended)) = &taken_over {
            let name = self.name_of(&claim.agent);
            let started: u32 = self.status_started(claim.slice);
            self.restarted += started.saturating_sub(ended.iter().sum());
            self.say(format!("slice {} goes on at agent {name}", claim.slice));
        }
        self.own(&claim.agent, &claim.share, claim.slice, claim.epoch);
        Grant::Yes { from, taken_over }
    }

    /// Users of a slice that had started where it was.
    fn status_started(&self, slice: u32) -> u32 {
        let share = self.shares.values().find(|share| share.evicted && share.slices.contains(&slice));
        share.map_or(0, |share| {
            let started: u32 = share.status.groups.iter().map(|group| group.started).sum();
            started / share.slices.len().max(1) as u32
        })
    }

    /// How far a share was that another takes over.
    fn left_by(&mut self, share: &str, now_ns: i64) -> (i64, Vec<u32>) {
        let Some(known) = self.shares.get_mut(share) else { return (now_ns, Vec::new()) };
        let first = !std::mem::replace(&mut known.evicted, true);
        let slices = known.slices.len().max(1) as u32;
        let ended = known.status.groups.iter().map(|group| group.finished / slices).collect();
        let lost_ns = if known.through_s > 0 { known.through_s * S } else { now_ns };
        if first {
            self.actions.push(Action::Send(Down::Evict { share: share.to_owned() }));
        }
        (lost_ns, ended)
    }

    fn own(&mut self, agent: &str, share: &str, slice: u32, epoch: u64) {
        let place = slice as usize;
        if self.slices.len() <= place {
            self.slices.resize_with(place + 1, Slice::default);
        }
        self.slices[place] = Slice { epoch, share: Some(share.to_owned()), done: self.slices[place].done };
        let known = self.shares.entry(share.to_owned()).or_default();
        agent.clone_into(&mut known.agent);
        if !known.slices.contains(&slice) {
            known.slices.push(slice);
        }
    }

    /// What an agent counts or says. A share that was never granted counts for nothing.
    pub fn up(&mut self, up: Up, now_ns: i64) {
        if let Body::Granted { slice, epoch } = up.body {
            // Only a controller that has taken over does not know this already; a lie would be an epoch that is not newer.
            if self.ledger.message(&up.agent, up.seq)
                && self.slices.get(slice as usize).is_none_or(|known| known.epoch < epoch)
            {
                self.own(&up.agent, &up.share, slice, epoch);
            }
            return;
        }
        let granted = self.shares.get(&up.share).is_some_and(|share| share.agent == up.agent);
        if !granted {
            if self.refused.insert(up.share.clone()) {
                let name = self.name_of(&up.agent);
                self.say(format!(
                    "agent {name} counts for {}, which it was not given: that is ignored",
                    up.share
                ));
            }
            return;
        }
        if !self.ledger.message(&up.agent, up.seq) {
            return;
        }
        match up.body {
            Body::Granted { .. } => {}
            Body::Counts { at_s, snapshot } => self.counts(&up.share, at_s, &snapshot),
            Body::Goes { through_s, samples, status, load } => {
                self.ledger.tell(&up.share, samples);
                let share = self.shares.entry(up.share).or_default();
                share.through_s = share.through_s.max(through_s);
                (share.status, share.load) = (status, load);
                self.tell_load();
            }
            Body::End(end) => self.ended(&up.share, *end),
        }
        self.close_seconds(now_ns);
    }

    fn counts(&mut self, share: &str, at_s: i64, bytes: &[u8]) {
        match decode::<Snapshot>(bytes) {
            Ok(snapshot) => {
                self.ledger.count(share, snapshot.rows.iter().map(|row| row.stats.samples).sum());
                self.pending.entry(at_s).or_default().merge(&snapshot);
            }
            // Its samples are missing in the account, which names the share.
            Err(error) => self.say(format!("{share}: {error}")),
        }
    }

    fn tell_load(&mut self) {
        let live = self.shares.values().filter(|share| !share.evicted && share.end.is_none());
        let mut busiest = swell_stats::Interval::default();
        for share in live {
            let one = swell_stats::Interval { length_ms: 1, load: share.load, ..Default::default() };
            busiest.merge(&one);
        }
        self.actions.push(Action::Busy(busiest.load));
    }

    fn ended(&mut self, name: &str, end: ShareEnd) {
        self.ledger.end(name, end.samples);
        let share = self.shares.entry(name.to_owned()).or_default();
        for group in &mut share.status.groups {
            group.active = 0;
            if end.given_up.is_none() {
                group.finished = group.started;
            }
        }
        (share.status.phase, share.status.is_held) = (None, false);
        let (slices, given_up, agent) = (share.slices.clone(), end.given_up.clone(), share.agent.clone());
        share.end = Some(end);
        if let Some(why) = given_up {
            let agent = self.name_of(&agent);
            return self.say(format!("agent {agent} has given up {} slices: {why}", slices.len()));
        }
        for slice in slices {
            if self.slices[slice as usize].share.as_deref() == Some(name) {
                self.slices[slice as usize].done = true;
            }
        }
    }

    /// Time has passed.
    pub fn tick(&mut self, now_ns: i64) {
        self.look_for_lost(now_ns);
        match self.stage {
            Stage::Gathering => self.gather(now_ns),
            Stage::Dealing => self.wait_for_slices(now_ns),
            Stage::Running => self.run(now_ns),
            Stage::Over => {}
        }
        self.close_seconds(now_ns);
    }

    fn look_for_lost(&mut self, now_ns: i64) {
        let silent = |agent: &&mut Agent| !agent.lost && now_ns - agent.seen_ns > SILENT_NS;
        let mut lost = Vec::new();
        for agent in self.agents.values_mut().filter(silent) {
            agent.lost = true;
            if agent.takes_part {
                lost.push((agent.last.name.clone(), agent.last.agent.clone(), now_ns - agent.seen_ns));
            }
        }
        for (name, agent, silent_ns) in lost {
            let shares = self.shares.values().filter(|share| share.agent == agent && share.end.is_none());
            let slices: usize = shares.filter(|share| !share.evicted).map(|share| share.slices.len()).sum();
            if slices == 0 && self.stage == Stage::Running {
                continue;
            }
            let then = match self.options.on_loss {
                OnLoss::Redistribute => "others take its slices",
                OnLoss::Continue => "the others go on without its slices",
                OnLoss::Abort => "the test ends (--on-agent-loss)",
            };
            let text = format!(
                "agent {name} is lost: no sign of it for {:.1} s; {then} ({slices})",
                silent_ns as f64 / 1e9
            );
            self.say(text.clone());
            match self.options.on_loss {
                OnLoss::Redistribute => {}
                OnLoss::Abort => {
                    self.aborted = Some(text);
                    self.stop(Stopped::Immediate);
                }
                OnLoss::Continue => self.leave_out(&agent),
            }
        }
    }

    fn leave_out(&mut self, agent: &str) {
        let shares: Vec<_> = self.shares.iter_mut().filter(|(_, share)| share.agent == agent).collect();
        for (name, share) in shares {
            share.evicted = true;
            for slice in &share.slices {
                let slice = &mut self.slices[*slice as usize];
                slice.done |= slice.share.as_deref() == Some(name);
            }
        }
    }

    fn ready(&self) -> Vec<&Agent> {
        self.agents.values().filter(|agent| !agent.lost && agent.last.state == State::Ready).collect()
    }

    fn gather(&mut self, now_ns: i64) {
        if self.stopped.is_some() {
            return self.finish(Some("the test was stopped before it began".into()));
        }
        let ready = self.ready().len();
        let in_time = now_ns - self.began_ns < self.options.timeout_ns;
        if ready < self.options.agents && in_time {
            return;
        }
        if ready < self.options.agents && (ready == 0 || !self.options.begin_without) {
            let missing = self.missing();
            let text = format!(
                "{ready} of {} agents are ready after {:.0} s: {missing}",
                self.options.agents,
                (now_ns - self.began_ns) as f64 / 1e9
            );
            return self.fail(text);
        }
        let mut takes = BTreeMap::new();
        for agent in self.agents.values_mut().filter(|agent| !agent.lost && agent.last.state == State::Ready)
        {
            agent.takes_part = true;
            let workers = if self.options.multiply { 1 } else { agent.last.workers.max(1) };
            takes.insert(agent.last.agent.clone(), workers);
        }
        let slices = dealt(&mut takes, self.options.slices.filter(|_| !self.options.multiply));
        self.slices = vec![Slice::default(); slices as usize];
        self.stage = Stage::Dealing;
        self.told_ns = now_ns;
        self.actions.push(Action::Slice(slices));
        self.actions.push(Action::Send(Down::Take(takes)));
    }

    /// Who is waited for, and what they do.
    fn missing(&self) -> String {
        let mut told: Vec<_> = self
            .agents
            .values()
            .filter(|agent| agent.lost || agent.last.state != State::Ready)
            .map(|agent| {
                let what = if agent.lost { "is lost" } else { "is not ready yet" };
                format!("agent {} {what}", agent.last.name)
            })
            .collect();
        let here = |name: &&String| {
            !self.agents.values().any(|agent| agent.last.name == **name || agent.last.host == **name)
        };
        told.extend(self.options.named.iter().filter(here).map(|name| format!("{name} has not joined")));
        if told.is_empty() {
            let joined = self.agents.len();
            told.push(format!("{} have not joined", self.options.agents.saturating_sub(joined)));
        }
        told.join(", ")
    }

    fn wait_for_slices(&mut self, now_ns: i64) {
        let owned = |slice: &&Slice| slice.share.is_some();
        if self.slices.iter().filter(owned).count() == self.slices.len() {
            self.stage = Stage::Running;
            self.told_ns = now_ns;
            self.actions.push(Action::Begin);
            return self.say(format!(
                "{} slices on {} agents",
                self.slices.len(),
                self.agents.values().filter(|agent| agent.takes_part).count()
            ));
        }
        if self.stopped.is_some() {
            return self.finish(Some("the test was stopped before it began".into()));
        }
        if now_ns - self.told_ns > self.options.timeout_ns {
            let have: BTreeSet<_> = self.shares.values().map(|share| share.agent.as_str()).collect();
            let missing =
                self.agents.iter().filter(|(id, agent)| agent.takes_part && !have.contains(id.as_str()));
            let names: Vec<_> = missing.map(|(_, agent)| agent.last.name.clone()).collect();
            let text = format!(
                "not all slices were taken within {:.0} s; without any: {}",
                (now_ns - self.told_ns) as f64 / 1e9,
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            );
            self.fail(text);
        }
    }

    /// Shares that make load or are to.
    fn live(&self) -> impl Iterator<Item = (&String, &Share)> {
        self.shares.iter().filter(|(_, share)| !share.evicted && share.end.is_none())
    }

    fn run(&mut self, now_ns: i64) {
        self.release_phase(now_ns);
        let all_done = self.slices.iter().all(|slice| slice.done);
        let stopping = self.stopped.is_some();
        let left = self.live().filter(|(_, share)| !self.is_lost(&share.agent)).count();
        if all_done || (stopping && left == 0) {
            return self.finish(None);
        }
        let alone = self.agents.values().all(|agent| agent.lost);
        match self.alone_since_ns.filter(|_| alone) {
            Some(since_ns) if now_ns - since_ns > ALONE_NS => {
                self.finish(Some("there is no agent left".into()));
            }
            Some(_) => {}
            None => self.alone_since_ns = alone.then_some(now_ns),
        }
    }

    fn is_lost(&self, agent: &str) -> bool {
        self.agents.get(agent).is_none_or(|agent| agent.lost)
    }

    /// A phase begins when all wait for it.
    fn release_phase(&mut self, now_ns: i64) {
        let next = self.released.keys().last().map_or(0, |phase| phase + 1);
        let held = |share: &Share| match self.agents.get(&share.agent).map(|agent| &agent.last.state) {
            _ if share.status.is_held => share.status.phase,
            Some(State::Running { held }) => *held,
            _ => None,
        };
        let waits: Vec<_> =
            self.live().map(|(_, share)| (share, held(share).filter(|phase| *phase >= next))).collect();
        if waits.is_empty() {
            return;
        }
        let missing: Vec<_> = waits
            .iter()
            .filter(|(share, phase)| phase.is_none() && !self.is_lost(&share.agent))
            .map(|(share, _)| self.name_of(&share.agent))
            .collect();
        let first = waits.iter().filter_map(|(_, phase)| *phase).min();
        let all = waits.iter().all(|(_, phase)| phase.is_some());
        if let Some(phase) = first.filter(|_| all) {
            let start_ns = now_ns + NOTICE_NS;
            // Those before have no thread groups, or are over.
            for phase in next..=phase {
                self.released.insert(phase, start_ns);
                self.actions.push(Action::Send(Down::Go { phase, start_ns }));
            }
            self.told_ns = now_ns;
        } else if first.is_some() && now_ns - self.told_ns > NAMES_EVERY_NS && !missing.is_empty() {
            self.told_ns = now_ns;
            let phase = ["set-up", "main", "tear-down"][usize::from(first.unwrap_or(0).min(2))];
            self.say(format!("the {phase} phase waits for {}", missing.join(", ")));
        }
    }

    /// What another controller of this run had said, in its order.
    pub fn replay(&mut self, down: &Down, now_ns: i64) {
        match down {
            Down::Take(takes) => {
                self.slices = vec![Slice::default(); takes.values().sum::<u32>() as usize];
                self.stage = Stage::Running;
                self.told_ns = now_ns;
                self.actions.push(Action::Begin);
            }
            Down::Go { phase, start_ns } => drop(self.released.insert(*phase, *start_ns)),
            Down::Stop(how) => self.stopped = Some(*how),
            Down::Evict { share } => self.shares.entry(share.clone()).or_default().evicted = true,
            Down::Manifest | Down::Change(_) | Down::Over => {}
        }
    }

    /// The load is to change.
    pub fn change(&mut self, change: LoadChange) {
        self.actions.push(Action::Send(Down::Change(change)));
    }

    /// The test is to end.
    pub fn stop(&mut self, how: Stopped) {
        if self.stopped.is_none_or(|known| known < how) {
            self.stopped = Some(how);
            self.actions.push(Action::Send(Down::Stop(how)));
        }
    }

    /// Seconds that all have told of go into the figures.
    fn close_seconds(&mut self, now_ns: i64) {
        let told = self
            .live()
            .filter(|(_, share)| !self.is_lost(&share.agent))
            .map(|(_, share)| share.through_s)
            .min();
        let through_s = told.unwrap_or(i64::MAX).max(now_ns / S - LATE_S);
        while let Some((at_s, _)) = self.pending.first_key_value() {
            if *at_s >= through_s {
                return;
            }
            let Some((at_s, counted)) = self.pending.pop_first() else { return };
            self.closed_s = self.closed_s.max(at_s);
            self.actions.push(Action::Counted(at_s, Box::new(counted)));
        }
    }

    fn fail(&mut self, why: String) {
        self.finish(Some(why));
    }

    fn finish(&mut self, failed: Option<String>) {
        if self.stage == Stage::Over {
            return;
        }
        self.stage = Stage::Over;
        while let Some((at_s, counted)) = self.pending.pop_first() {
            self.actions.push(Action::Counted(at_s, Box::new(counted)));
        }
        if !self.shares.is_empty() {
            self.tell_account();
        }
        let end = self.end(failed);
        self.actions.push(Action::Send(Down::Over));
        self.actions.push(Action::Finish(Box::new(end)));
    }

    fn tell_account(&mut self) {
        let account = self.ledger.account();
        self.say(account.to_string());
        if account.duplicates > 0 {
            self.say(format!("{} messages came twice and count once", account.duplicates));
        }
        if self.restarted > 0 {
            self.say(format!("{} users were started anew on other agents", self.restarted));
        }
        let skews: Vec<_> = self.shares.values().filter_map(|share| share.end.as_ref()?.began).collect();
        let late = skews.iter().map(|(wanted, began)| began - wanted);
        if let (Some(least), Some(most)) = (late.clone().min(), late.max()) {
            let error = self.agents.values().map(|agent| agent.last.clock.error_ns).max().unwrap_or(0);
            self.say(format!(
                "common start: {} shares began within {:.3} ms of each other, the last {:.3} ms late (clocks ± {:.0} µs)",
                skews.len(),
                (most - least) as f64 / 1e6,
                most as f64 / 1e6,
                error as f64 / 1e3
            ));
        }
    }

    fn end(&self, failed: Option<String>) -> End {
        let account = self.ledger.account();
        let mut end = End { failed: failed.or_else(|| self.aborted.clone()), ..End::default() };
        let mut outcome: Option<Outcome> = None;
        for (name, share) in &self.shares {
            let Some(of_share) = &share.end else { continue };
            end.rows.extend(of_share.rows.iter().cloned());
            end.rows_lost += of_share.rows_lost;
            for server in &of_share.servers {
                if !end.servers.contains(server) {
                    end.servers.push(*server);
                }
            }
            if let Ok(evidence) = decode::<Evidence>(&of_share.evidence) {
                let agent = self.name_of(&share.agent);
                end.machines.push(MachineReport {
                    name: agent.into(),
                    evidence,
                    refusal: of_share.refusal.clone(),
                });
            } else {
                end.invalid = Some(format!("{name} ended without evidence of how well it measured"));
            }
            let made = of_share.outcome.as_ref().and_then(|bytes| decode::<Outcome>(bytes).ok());
            outcome = match (outcome, made) {
                (Some(one), Some(other)) => Some(together(one, other)),
                (one, other) => one.or(other),
            };
        }
        end.outcome = outcome.unwrap_or_default();
        if !end.rows.is_empty() {
            // Rows of a lost machine are lost with it.
            end.rows_lost += account.lost.iter().map(|share| self.ledger.counted(share)).sum::<u64>();
        }
        end.outcome.stopped = end.outcome.stopped.max(self.stopped);
        if !account.wrong.is_empty() {
            end.invalid = Some(format!("the figures of {} are not whole", account.wrong.join(", ")));
        }
        end
    }

    fn name_of(&self, agent: &str) -> String {
        self.agents.get(agent).map_or_else(|| agent.to_owned(), |agent| agent.last.name.clone())
    }

    fn say(&mut self, text: String) {
        self.actions.push(Action::Say(text));
    }
}

/// Two parts of a run as one.
fn together(mut one: Outcome, other: Outcome) -> Outcome {
    one.started_ns = one.started_ns.min(other.started_ns);
    one.ended_ns = one.ended_ns.max(other.ended_ns);
    one.users += other.users;
    one.samples += other.samples;
    one.external_samples += other.external_samples;
    one.cut += other.cut;
    one.left_waiting += other.left_waiting;
    one.missed += other.missed;
    one.spent.merge(&other.spent);
    one.stopped = one.stopped.max(other.stopped);
    one.stopped_ns = one.stopped_ns.into_iter().chain(other.stopped_ns).min();
    one.workers += other.workers;
    one.failed_workers += other.failed_workers;
    for problem in other.problems {
        if !one.problems.contains(&problem) {
            one.problems.push(problem);
        }
    }
    one.refusal = one.refusal.or(other.refusal);
    one
}

/// Why an agent cannot take part, if it cannot.
fn unfit(heart: &Heartbeat, allow_skew: bool) -> Option<String> {
    if heart.protocol != PROTOCOL || heart.version != env!("CARGO_PKG_VERSION") {
        return Some(format!(
            "it is Swell {} (protocol {}), and this is {} ({PROTOCOL}); run the same version everywhere",
            heart.version,
            heart.protocol,
            env!("CARGO_PKG_VERSION")
        ));
    }
    (heart.clock.error_ns > MOST_SKEW_NS && !allow_skew).then(|| {
        format!(
            "its clock is known only within {:.0} ms; --allow-skew begins all the same",
            heart.clock.error_ns as f64 / 1e6
        )
    })
}

/// How many slices each takes, if there are to be so many; gives how many there are.
fn dealt(takes: &mut BTreeMap<String, u32>, slices: Option<u32>) -> u32 {
    let Some(slices) = slices else { return takes.values().sum() };
    let agents = takes.len().max(1) as u32;
    // Each has one at least, else it would stand by.
    let slices = slices.max(agents);
    for (place, take) in takes.values_mut().enumerate() {
        *take = slices / agents + u32::from((place as u32) < slices % agents);
    }
    slices
}

/// What a manifest says of a run that a desk leads.
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

#[cfg(test)]
#[path = "desk_tests.rs"]
mod tests;
