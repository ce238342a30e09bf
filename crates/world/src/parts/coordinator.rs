//! Grants of the controller: which agent may make which slice, and who has to stop for it.

use std::collections::{BTreeMap, BTreeSet};

use rand::Rng;
use rand::rngs::SmallRng;
use swell_fleet::OnLoss;
use swell_fleet::coordinator::{Action, CoordinatorOptions, RunCoordinator};
use swell_fleet::offset::Offset;
use swell_fleet::wire::{
    AgentMessage, Body, Claim, ControllerMessage, Grant, GroupCounts, Heartbeat, PROTOCOL, ShareEnd,
    ShareStatus, State,
};
use swell_stats::Load;
use swell_stats::encoding::encode;
use swell_stats::verdict::Evidence;

use super::{Checked, equal, must, one_of};

const S: i64 = 1_000_000_000;
const TICK_NS: i64 = S / 10;
const AGENTS: [&str; 3] = ["a", "b", "c"];
/// An agent that is not heard for longer is lost.
const SILENT_NS: i64 = 4 * S;
/// A controller that does not hear the broker for longer knows nothing of agents.
const DEAF_NS: i64 = 3 * S;
/// A slice that moves is kept for the agent that it moves to.
const KEPT_NS: i64 = 15 * S;

#[derive(Clone, Debug, Default)]
struct Slice {
    epoch: u64,
    share: Option<String>,
    is_done: bool,
}

#[derive(Clone, Debug, Default)]
struct Share {
    agent: String,
    slices: Vec<u32>,
    is_evicted: bool,
    has_ended: bool,
    through_s: i64,
    finished: u32,
}

struct Agent {
    seen_ns: i64,
    is_lost: bool,
    holds: Vec<u32>,
    is_silent: bool,
    seq: u64,
}

/// The coordinator, and what is known of its run.
struct Fleet {
    coordinator: RunCoordinator,
    now_ns: i64,
    began_ns: i64,
    slices: Vec<Slice>,
    shares: BTreeMap<String, Share>,
    agents: BTreeMap<&'static str, Agent>,
    /// The last phase that was released.
    phase: Option<u8>,
    is_deaf: bool,
    heard_ns: i64,
    hears_since_ns: i64,
    /// A slice that moves, where to, and until when it is kept.
    moving: Option<(u32, String, i64)>,
    evicted: BTreeSet<String>,
    has_begun: bool,
    is_over: bool,
}

fn options(agents: usize, slices: u32) -> CoordinatorOptions {
    CoordinatorOptions {
        agents,
        named: Vec::new(),
        timeout_ns: 60 * S,
        begin_without: true,
        on_loss: OnLoss::Redistribute,
        multiply: false,
        slices: Some(slices),
        allow_skew: true,
        interval_s: 1,
        phase_timeout_ns: 3_600 * S,
    }
}

/// A fleet that claims slices, reports, falls silent and comes back, in any order.
pub(super) fn check(draws: &mut SmallRng, operations: u32) -> Checked {
    let slices = draws.random_range(2..5);
    let began_ns = 1_700_000_000 * S + draws.random_range(0..S);
    let mut fleet = Fleet {
        coordinator: RunCoordinator::new(options(2, slices), began_ns),
        now_ns: began_ns,
        began_ns,
        slices: vec![Slice::default(); slices as usize],
        shares: BTreeMap::new(),
        agents: BTreeMap::new(),
        phase: None,
        is_deaf: false,
        heard_ns: began_ns,
        hears_since_ns: began_ns,
        moving: None,
        evicted: BTreeSet::new(),
        has_begun: false,
        is_over: false,
    };
    // Late agents take slices of others, which move.
    let first = if draws.random_bool(0.5) { 2 } else { 1 };
    fleet.coordinator = RunCoordinator::new(options(first, slices), began_ns);
    AGENTS.iter().take(first).for_each(|name| fleet.joins(name));
    fleet.pass(draws, S / 2)?;
    for _ in 0..operations {
        if fleet.is_over {
            break;
        }
        fleet.operate(draws)?;
    }
    Ok(())
}

impl Fleet {
    fn joins(&mut self, name: &'static str) {
        let agent = Agent { seen_ns: 0, is_lost: false, holds: Vec::new(), is_silent: false, seq: 0 };
        self.agents.insert(name, agent);
        self.beat(name);
    }

    fn beat(&mut self, name: &'static str) {
        let Some(agent) = self.agents.get_mut(name) else { return };
        (agent.seen_ns, agent.is_lost) = (self.now_ns, false);
        let heart = Heartbeat {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agent: name.to_owned(),
            name: name.to_owned(),
            host: "world".to_owned(),
            pid: 1,
            workers: 1,
            state: if agent.holds.is_empty() { State::Ready } else { State::Running { held: None } },
            clock: Offset::default(),
            drift: Offset::default(),
            unsent: 0,
            unsent_s: 0,
            refusal: None,
            holds: agent.holds.clone(),
            rests: false,
        };
        self.coordinator.heartbeat(heart, self.now_ns);
    }

    fn is_deaf_now(&self) -> bool {
        self.now_ns - self.heard_ns > DEAF_NS
    }

    /// Time passes: the controller looks each 100 ms, and hears the broker and agents each second.
    fn pass(&mut self, draws: &mut SmallRng, by_ns: i64) -> Checked {
        for tick in 0..by_ns / TICK_NS {
            self.now_ns += TICK_NS;
            if !self.is_deaf {
                if self.is_deaf_now() {
                    self.hears_since_ns = self.now_ns;
                }
                self.heard_ns = self.now_ns;
                self.coordinator.hears(self.now_ns);
            }
            self.coordinator.tick(self.now_ns);
            let (is_deaf, since_ns, now_ns) = (self.is_deaf_now(), self.hears_since_ns, self.now_ns);
            for agent in self.agents.values_mut() {
                agent.is_lost |= !is_deaf && now_ns - agent.seen_ns.max(since_ns) > SILENT_NS;
            }
            if tick % 10 == 0 && !self.is_deaf {
                let heard: Vec<&'static str> =
                    self.agents.iter().filter(|(_, agent)| !agent.is_silent).map(|(name, _)| *name).collect();
                for name in heard {
                    self.beat(name);
                }
            }
            self.actions(draws)?;
        }
        Ok(())
    }

    /// What the coordinator decided.
    fn actions(&mut self, draws: &mut SmallRng) -> Checked {
        for action in self.coordinator.take_actions() {
            match action {
                Action::Slice(slices) => equal("slices", &slices, &(self.slices.len() as u32))?,
                Action::Send(ControllerMessage::Take(takes)) => self.takes(draws, &takes)?,
                Action::Send(ControllerMessage::Go { phase, start_ns }) => {
                    // The word has to reach everybody.
                    equal("the notice of a phase", &(start_ns - self.now_ns), &S)?;
                    self.phase = Some(phase);
                }
                Action::Send(ControllerMessage::Evict { share }) => self.evicts(&share)?,
                Action::Begin => self.has_begun = true,
                Action::Finish(_) => self.is_over = true,
                Action::Say(text) => self.says(&text),
                _ => {}
            }
        }
        Ok(())
    }

    /// A slice that moves is named before its holder has to stop.
    fn says(&mut self, text: &str) {
        let words: Vec<&str> = text.split(' ').collect();
        if let ["slice", slice, "moves", "from", "agent", _, "to", "agent", to, ..] = words[..] {
            let to = to.trim_end_matches(',').to_owned();
            let slice = slice.parse().unwrap_or(u32::MAX);
            self.moving = Some((slice, to, self.now_ns + KEPT_NS));
        }
    }

    /// Only shares stop whose slice moves, or was granted to another share.
    fn evicts(&mut self, share: &str) -> Checked {
        let known = self.shares.get(share).ok_or_else(|| format!("{share} has to stop and is not known"))?;
        let moves = self.moving.as_ref().is_some_and(|(slice, ..)| known.slices == [*slice]);
        must(moves || self.evicted.contains(share), || format!("{share} has to stop for nothing"))?;
        self.evicted.remove(share);
        Ok(())
    }

    /// Agents claim what they were assigned, each slice as its own share.
    fn takes(&mut self, draws: &mut SmallRng, takes: &BTreeMap<String, u32>) -> Checked {
        let all: u32 = takes.values().sum();
        equal("assigned slices", &all, &(self.slices.len() as u32))?;
        let (least, most) = (takes.values().min(), takes.values().max());
        must(most.zip(least).is_some_and(|(most, least)| most - least <= 1), || {
            format!("uneven: {takes:?}")
        })?;
        let mut next = 0;
        for (agent, count) in takes {
            for _ in 0..*count {
                let share = format!("{agent}.{next}");
                self.claims(draws, agent, &share, next, 1)?;
                next += 1;
            }
        }
        Ok(())
    }

    fn operate(&mut self, draws: &mut SmallRng) -> Checked {
        let some = one_of(draws, &AGENTS);
        match draws.random_range(0..12) {
            0 | 1 => {
                let ticks = one_of(draws, &[1, 3, 11, 40]);
                self.pass(draws, ticks * TICK_NS)
            }
            2 => {
                if self.has_begun && !self.agents.contains_key(some) {
                    self.joins(some);
                }
                Ok(())
            }
            3 => {
                let is_silent = draws.random_bool(0.4);
                if let Some(agent) = self.agents.get_mut(some) {
                    agent.is_silent = is_silent;
                }
                Ok(())
            }
            4 if draws.random_bool(0.3) => {
                self.is_deaf = !self.is_deaf;
                let rest = one_of(draws, &[20, 29, 30, 31, 45]);
                self.pass(draws, rest * TICK_NS)?;
                self.is_deaf = false;
                self.pass(draws, TICK_NS)
            }
            5 => {
                // What it says that it holds is its own affair.
                let holds = (0..self.slices.len() as u32).filter(|_| draws.random_bool(0.5)).collect();
                if let Some(agent) = self.agents.get_mut(some).filter(|agent| !agent.is_silent) {
                    agent.holds = holds;
                    self.beat(some);
                }
                self.actions(draws)
            }
            6 | 7 => self.reports(draws),
            8 if draws.random_bool(0.3) => self.ends(draws),
            _ => {
                let slice = draws.random_range(0..self.slices.len() as u32);
                let known = &self.slices[slice as usize];
                let share = match &known.share {
                    Some(share) if draws.random_bool(0.2) => share.clone(),
                    _ => format!("{some}.{}", draws.random_range(0..1_000)),
                };
                let agent = share.split('.').next().unwrap_or(some).to_owned();
                let epoch = (known.epoch + draws.random_range(0..4)).saturating_sub(1);
                self.claims(draws, &agent, &share, slice, epoch)
            }
        }
    }

    /// An agent claims a slice; the answer is that of the rules.
    fn claims(&mut self, draws: &mut SmallRng, agent: &str, share: &str, slice: u32, epoch: u64) -> Checked {
        // A share is one agent's.
        if self.shares.get(share).is_some_and(|known| known.agent != agent) {
            return Ok(());
        }
        let claim = Claim { agent: agent.to_owned(), share: share.to_owned(), slice, epoch };
        let expected = self.answer_to(&claim);
        let before = self.slices[slice as usize].share.clone().filter(|before| *before != share);
        let grant = self.coordinator.claim(&claim, self.now_ns);
        let is = match &grant {
            Grant::Yes { .. } => "yes",
            Grant::Kept => "kept",
            Grant::Done => "done",
            Grant::No { .. } => "no",
        };
        let known = &self.slices[slice as usize];
        must(is == expected, || {
            format!("{claim:?} of {known:?}: {is}, not {expected}; moving: {:?}", self.moving)
        })?;
        if let Grant::Yes { from, taken_over } = grant {
            equal("the phase from which it is made", &from, &self.phase.unwrap_or(0))?;
            let before = before.filter(|_| self.phase.is_some());
            equal("whether it is taken over", &taken_over.is_some(), &before.is_some())?;
            if self.phase.is_none() {
                self.loses_before_the_start(&claim);
            }
            if let Some((before, progress)) = before.zip(taken_over) {
                self.is_left(&before, progress.lost_ns, &progress.ended)?;
            }
            self.is_granted(&claim);
        }
        self.actions(draws)?;
        must(self.evicted.is_empty(), || format!("{:?} do not have to stop", self.evicted))
    }

    /// How far the share was that a slice is taken from; it has to stop.
    fn is_left(&mut self, before: &str, lost_ns: i64, ended: &[u32]) -> Checked {
        let Some(share) = self.shares.get_mut(before) else { return Ok(()) };
        let last_ns = if share.through_s > 0 { share.through_s * S } else { self.now_ns };
        equal("since when it was lost", &lost_ns, &last_ns)?;
        let slices = share.slices.len().max(1) as u32;
        let finished: Vec<u32> = if share.through_s > 0 { vec![share.finished / slices] } else { Vec::new() };
        if !share.has_ended {
            equal("users of a slice that had ended", &ended, &&finished[..])?;
        }
        if !share.is_evicted {
            share.is_evicted = true;
            self.evicted.insert(before.to_owned());
        }
        Ok(())
    }

    /// The share that had the slice stops if it was its last.
    fn loses_before_the_start(&mut self, claim: &Claim) {
        let before = self.slices[claim.slice as usize].share.clone().filter(|name| *name != claim.share);
        let Some((name, share)) = before.and_then(|name| Some((name.clone(), self.shares.get_mut(&name)?)))
        else {
            return;
        };
        share.slices.retain(|slice| *slice != claim.slice);
        if share.slices.is_empty() && !std::mem::replace(&mut share.is_evicted, true) {
            self.evicted.insert(name);
        }
    }

    fn is_granted(&mut self, claim: &Claim) {
        let slice = &mut self.slices[claim.slice as usize];
        (slice.epoch, slice.share) = (claim.epoch, Some(claim.share.clone()));
        let share = self.shares.entry(claim.share.clone()).or_default();
        share.agent.clone_from(&claim.agent);
        if !share.slices.contains(&claim.slice) {
            share.slices.push(claim.slice);
        }
    }

    /// The rules, as the reference has them.
    fn answer_to(&mut self, claim: &Claim) -> &'static str {
        let slice = self.slices[claim.slice as usize].clone();
        if slice.is_done {
            return "done";
        }
        let is_again = slice.epoch == claim.epoch && slice.share.as_deref() == Some(&claim.share);
        if claim.epoch <= slice.epoch && !is_again {
            return "no";
        }
        if let Some((_, to, until_ns)) = self.moving.take_if(|(moving, ..)| *moving == claim.slice) {
            let can_take = self.agents.get(to.as_str()).is_some_and(|agent| !agent.is_lost);
            if to != claim.agent && self.now_ns < until_ns && can_take {
                self.moving = Some((claim.slice, to, until_ns));
                return "kept";
            }
        }
        let holder = slice.share.as_ref().filter(|share| **share != claim.share);
        let is_held = holder.and_then(|share| self.shares.get(share)).is_some_and(|share| {
            let agent = self.agents.get(share.agent.as_str());
            let holds = agent.is_some_and(|agent| !agent.is_lost && agent.holds.contains(&claim.slice));
            holds && !share.is_evicted && !share.has_ended
        });
        if is_held && !self.is_deaf_now() { "kept" } else { "yes" }
    }

    fn message(&mut self, agent: &str, share: &str, body: Body) {
        let Some(known) = self.agents.get_mut(agent) else { return };
        let up = AgentMessage { agent: agent.to_owned(), share: share.to_owned(), seq: known.seq, body };
        known.seq += 1;
        self.coordinator.up(up, self.now_ns);
    }

    fn share(&self, draws: &mut SmallRng) -> Option<String> {
        let tells = |share: &Share| !share.has_ended && self.agents.contains_key(share.agent.as_str());
        let open: Vec<&String> =
            self.shares.iter().filter(|(_, share)| tells(share)).map(|(name, _)| name).collect();
        (!open.is_empty()).then(|| open[draws.random_range(0..open.len())].clone())
    }

    /// A share tells how far it is.
    fn reports(&mut self, draws: &mut SmallRng) -> Checked {
        let Some(name) = self.share(draws) else { return Ok(()) };
        let is_running = self.phase.is_some_and(|phase| phase >= 1);
        let Some(share) = self.shares.get_mut(&name) else { return Ok(()) };
        share.through_s = share.through_s.max(self.now_ns / S);
        share.finished += draws.random_range(0..3);
        let (agent, through_s, finished) = (share.agent.clone(), share.through_s, share.finished);
        let group =
            GroupCounts { phase: 1, started: finished + 1, finished, planned: 9, ..GroupCounts::default() };
        let status = ShareStatus {
            phase: Some(1),
            is_held: !is_running,
            expected_end_ns: Some(self.began_ns + 3_600 * S),
            groups: vec![group],
            ..ShareStatus::default()
        };
        self.message(&agent, &name, Body::Goes { through_s, samples: 0, status, load: Load::default() });
        self.actions(draws)
    }

    /// A share ends: done, or given up.
    fn ends(&mut self, draws: &mut SmallRng) -> Checked {
        let Some(name) = self.share(draws) else { return Ok(()) };
        let is_done = draws.random_bool(0.5);
        let Some(share) = self.shares.get_mut(&name) else { return Ok(()) };
        share.has_ended = true;
        let (agent, slices) = (share.agent.clone(), share.slices.clone());
        let given_up = (!is_done).then(|| "it is asked to leave".to_owned());
        let evidence = encode(&Evidence::default());
        self.message(
            &agent,
            &name,
            Body::End(Box::new(ShareEnd { given_up, evidence, ..ShareEnd::default() })),
        );
        for slice in slices {
            let slice = &mut self.slices[slice as usize];
            slice.is_done |= is_done && slice.share.as_deref() == Some(&name);
        }
        self.actions(draws)
    }
}
