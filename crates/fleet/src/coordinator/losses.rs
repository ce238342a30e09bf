//! Agents that are heard no more.

use swell_engine::Stopped;

use super::{Agent, OnLoss, RunCoordinator, S, Stage};
use crate::wire::Heartbeat;

/// An agent that gave no sign for so long is lost.
const SILENT_NS: i64 = 4 * S;

/// An agent whose figures the broker does not take is named after this many seconds, and the run is
/// ended after those.
const STUCK_S: std::ops::Range<u64> = 5..30;

impl RunCoordinator {
    /// A broker that is there and takes no figures: its disk is full, say.
    pub(super) fn look_for_stuck(&mut self) {
        let stuck = |agent: &&Agent| !agent.lost && agent.takes_part && agent.last.unsent_s >= STUCK_S.start;
        let Some(agent) = self.agents.values().filter(stuck).max_by_key(|agent| agent.last.unsent_s) else {
            return;
        };
        let Heartbeat { name, unsent, unsent_s, refusal, .. } = agent.last.clone();
        let why = refusal.map(|why| format!(" ({why})")).unwrap_or_default();
        if unsent_s >= STUCK_S.end {
            return self.finish(Some(format!(
                "the broker has not accepted figures of agent {name} for {unsent_s} s{why}\n  hint: {}",
                crate::bus::FULL_DISK
            )));
        }
        if self.refused.insert(format!("figures of {name}")) {
            self.say(format!(
                "the broker has not accepted figures of agent {name} for {unsent_s} s{why}: \
                {unsent} messages are queued there"
            ));
        }
    }

    pub(super) fn look_for_lost(&mut self, now_ns: i64) {
        let hearing = self.liveness;
        let silence_ns = |agent: &Agent| hearing.silence_ns(agent.seen_ns, now_ns);
        let silent = |agent: &&mut Agent| !agent.lost && silence_ns(agent) > SILENT_NS;
        let mut lost = Vec::new();
        for agent in self.agents.values_mut().filter(silent) {
            agent.lost = true;
            if agent.takes_part {
                lost.push((agent.last.name.clone(), agent.last.agent.clone(), silence_ns(agent)));
            }
        }
        for (name, agent, silent_ns) in lost {
            let shares = self.shares.values().filter(|share| share.agent == agent && share.end.is_none());
            let slices: usize = shares.filter(|share| !share.evicted).map(|share| share.slices.len()).sum();
            if slices == 0 && self.stage == Stage::Running {
                continue;
            }
            let mut names = Vec::new();
            for (name, share) in self.shares.iter_mut().filter(|(_, share)| share.agent == agent) {
                share.was_lost |= share.end.is_none();
                names.push(name.clone());
            }
            let text = format!(
                "agent {name} is lost: no message from it for {:.1} s; {} ({slices})",
                silent_ns as f64 / 1e9,
                self.after_a_loss()
            );
            self.lose(&names, text);
        }
    }

    /// Treatment of slices whose agent no longer makes them.
    pub(super) fn after_a_loss(&self) -> &'static str {
        match self.options.on_loss {
            OnLoss::Redistribute => "other agents take its slices",
            OnLoss::Continue => "the other agents continue without its slices",
            OnLoss::Abort => "the test ends (--on-agent-loss)",
        }
    }

    /// Says that an agent makes these shares no more, and does what is to become of them.
    pub(super) fn lose(&mut self, shares: &[String], text: String) {
        self.say(text.clone());
        match self.options.on_loss {
            OnLoss::Redistribute => {}
            OnLoss::Abort => {
                self.aborted = Some(text);
                self.stop(Stopped::Immediate);
            }
            OnLoss::Continue => shares.iter().for_each(|share| self.leave_out(share)),
        }
    }

    /// No agent makes the slices of a share any more.
    pub(super) fn leave_out(&mut self, name: &str) {
        let Some(share) = self.shares.get_mut(name) else { return };
        share.evicted = true;
        for slice in &share.slices {
            let slice = &mut self.slices[*slice as usize];
            slice.done |= slice.share.as_deref() == Some(name);
        }
    }

    pub(super) fn is_lost(&self, agent: &str) -> bool {
        self.agents.get(agent).is_none_or(|agent| agent.lost)
    }
}
