//! The end of a run, where machines may still tell what they counted: those that were stopped for a
//! while come back, and those that have lost their slices end what they made of them.

use std::collections::BTreeSet;

use super::{Agent, OnLoss, RunCoordinator, S, Share};

/// An agent that is silent for so long will not come back. Longer than a lease, after which its
/// slices are another's.
const RETURN_NS: i64 = 20 * S;
/// An agent has nothing more to report when nothing came from it for this long.
const QUIET_NS: i64 = 15 * S;

impl RunCoordinator {
    /// All slices are done, or abandoned: the run has finished when all counts have arrived.
    pub(super) fn finish_when_told(&mut self, now_ns: i64) {
        let done_ns = *self.done_ns.get_or_insert(now_ns);
        let open = self.shares.values().filter(|share| self.may_tell(share, done_ns, now_ns));
        let names: BTreeSet<String> = open.map(|share| self.name_of(&share.agent)).collect();
        if names.is_empty() {
            return self.finish(None);
        }
        if !std::mem::replace(&mut self.has_named_open, true) {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            self.say(format!(
                "the load has finished; waiting for figures of agent {names}, at most {} s after its \
                last message",
                RETURN_NS / S
            ));
        }
    }

    /// Rows of a share have come.
    pub(crate) fn rows_came(&mut self, share: &str, now_ns: i64) {
        if let Some(share) = self.shares.get_mut(share) {
            share.told_ns = now_ns;
        }
    }

    /// Whether more may come of a share. A stopped test does not wait for lost machines.
    fn may_tell(&self, share: &Share, done_ns: i64, now_ns: i64) -> bool {
        if share.end.is_some() || share.is_given_up_on {
            return false;
        }
        let by_user = self.stopped.is_some() && self.aborted.is_none();
        match self.agents.get(&share.agent) {
            None => false,
            Some(agent) if agent.lost => !by_user && now_ns - agent.seen_ns < RETURN_NS,
            Some(_) => now_ns - share.told_ns.max(done_ns) < QUIET_NS,
        }
    }

    /// An agent that was left out is back, and still holds its slices: it continues with them.
    pub(super) fn take_back(&mut self, agent: &Agent) {
        if self.options.on_loss != OnLoss::Continue || self.done_ns.is_some() {
            return;
        }
        for (name, share) in &mut self.shares {
            let is_left_out = share.evicted && share.end.is_none() && !share.is_given_up_on;
            let holds = share.slices.iter().all(|slice| agent.last.holds.contains(slice));
            if share.agent != agent.last.agent || !is_left_out || !holds {
                continue;
            }
            share.evicted = false;
            for slice in &share.slices {
                let slice = &mut self.slices[*slice as usize];
                slice.done &= slice.share.as_ref() != Some(name);
            }
        }
    }
}
