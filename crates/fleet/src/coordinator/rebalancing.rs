//! Slices for agents that join late: they move, one after the other, from the agent that has most
//! for its workers to the one that has least. A slice moves as its lease does when an agent is
//! lost: its holder stops first, so that no two ever make it.

use std::collections::BTreeMap;

use super::phases::MAIN;
use super::{Action, Agent, OnLoss, RunCoordinator, S, Share};
use crate::wire::{Claim, ControllerMessage, State};

/// How long a slice is kept for the agent that it moves to; after that any may have it.
const KEPT_NS: i64 = 15 * S;
/// A slice whose users are done so soon is not worth the way.
const WORTH_NS: i64 = 20 * S;

/// A slice on its way.
pub(super) struct SliceMove {
    slice: u32,
    to: String,
    until_ns: i64,
}

/// How many slices an agent has, and workers for them.
#[derive(Clone, Copy)]
struct AgentLoad {
    slices: u32,
    workers: u32,
}

impl AgentLoad {
    /// Whether it is still the heavier of the two after a slice has moved from it to the other, or
    /// they are as heavy.
    fn can_spare_one_for(self, other: Self) -> bool {
        u64::from(self.slices) * u64::from(other.workers)
            > u64::from(other.slices + 1) * u64::from(self.workers)
    }

    fn per_worker(self) -> f64 {
        f64::from(self.slices) / f64::from(self.workers)
    }
}

impl RunCoordinator {
    /// Whether a slice is moving to another agent.
    pub(super) fn is_kept_from(&mut self, claim: &Claim, now_ns: i64) -> bool {
        match self.moving.take_if(|moving| moving.slice == claim.slice) {
            Some(moving)
                if moving.to != claim.agent && now_ns < moving.until_ns && self.can_take(&moving.to) =>
            {
                self.moving = Some(moving);
                true
            }
            _ => false,
        }
    }

    /// Moves a slice, if that makes agents more even.
    pub(super) fn even_out(&mut self, now_ns: i64) {
        if self.moving.as_ref().is_some_and(|moving| now_ns >= moving.until_ns) {
            self.moving = None;
        }
        let moves = self.options.on_loss == OnLoss::Redistribute && !self.options.multiply;
        if !moves || self.stopped.is_some() || self.moving.is_some() || self.is_between_owners() {
            return;
        }
        let Some((slice, share, to)) = self.uneven(now_ns) else { return };
        let from = self.shares.get(&share).map(|share| self.name_of(&share.agent)).unwrap_or_default();
        self.say(format!(
            "slice {slice} moves from agent {from} to agent {}, which has fewer",
            self.name_of(&to)
        ));
        self.moving = Some(SliceMove { slice, to, until_ns: now_ns + KEPT_NS });
        self.actions.push(Action::Send(ControllerMessage::Evict { share }));
    }

    /// Says what an agent that comes while load is made can do.
    pub(super) fn say_what_is_left_for(&mut self, name: &str) {
        let can_move = self.live().any(|(_, share)| share.slices.len() == 1);
        if !can_move || self.options.multiply {
            self.say(format!(
                "agent {name} is on standby: it takes slices of lost agents (--slices N divides the \
                load into more slices, so that agents that join late get some)"
            ));
        }
    }

    /// A slice is free: its agent was lost, or has given it up.
    fn is_between_owners(&self) -> bool {
        self.slices.iter().filter(|slice| !slice.done).any(|slice| {
            let share = slice.share.as_ref().and_then(|share| self.shares.get(share));
            share.is_none_or(|share| share.evicted || share.end.is_some() || self.is_lost(&share.agent))
        })
    }

    fn can_take(&self, agent: &str) -> bool {
        let is_in_it = |agent: &Agent| matches!(agent.last.state, State::Ready | State::Running { .. });
        let stays = |agent: &Agent| !agent.lost && !agent.last.rests;
        self.agents.get(agent).is_some_and(|agent| stays(agent) && is_in_it(agent))
    }

    /// The slice that should move, its share, and where to.
    fn uneven(&self, now_ns: i64) -> Option<(u32, String, String)> {
        let burdens = self.burdens();
        let of = |agent: &str| burdens.get(agent).copied().unwrap_or(AgentLoad { slices: 0, workers: 1 });
        // The one that is lightest with one slice more.
        let with_one_more = |agent: &str| {
            let own = of(agent);
            AgentLoad { slices: own.slices + 1, ..own }.per_worker()
        };
        let able = self.agents.keys().filter(|agent| self.can_take(agent));
        let light = able.min_by(|a, b| with_one_more(a).total_cmp(&with_one_more(b)))?;
        // One that is about to leave gives all its slices up by itself.
        let movable = self.live().filter(|(_, share)| can_move(share, now_ns) && self.can_take(&share.agent));
        let heavy =
            movable.max_by(|(_, a), (_, b)| of(&a.agent).per_worker().total_cmp(&of(&b.agent).per_worker()));
        let (name, share) = heavy?;
        let spares = of(&share.agent).can_spare_one_for(of(light));
        spares.then(|| (share.slices[0], name.clone(), light.clone()))
    }

    /// What each agent has, counted once for all of them: there may be a thousand.
    fn burdens(&self) -> BTreeMap<&str, AgentLoad> {
        let workers = |agent: &Agent| AgentLoad { slices: 0, workers: agent.last.workers.max(1) };
        let mut burdens: BTreeMap<_, _> =
            self.agents.iter().map(|(id, agent)| (id.as_str(), workers(agent))).collect();
        for slice in self.slices.iter().filter(|slice| !slice.done) {
            let share = slice.share.as_ref().and_then(|share| self.shares.get(share));
            if let Some(burden) = share.and_then(|share| burdens.get_mut(share.agent.as_str())) {
                burden.slices += 1;
            }
        }
        burdens
    }
}

/// A share moves as a whole, so only one of a single slice can; and only while its main users run
/// for a while still.
fn can_move(share: &Share, now_ns: i64) -> bool {
    let runs = share.status.phase == Some(MAIN) && !share.status.is_held;
    let lasts = share.status.expected_end_ns.is_none_or(|end_ns| end_ns > now_ns + WORTH_NS);
    share.slices.len() == 1 && runs && lasts
}
