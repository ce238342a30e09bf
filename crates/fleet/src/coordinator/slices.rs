//! Who makes which slice.

use super::{Action, Agent, RunCoordinator, S, Share, Slice, Stage};
use crate::wire::{Claim, ControllerMessage, Grant, SliceProgress};

impl RunCoordinator {
    /// An agent asks for a slice that the broker gave it.
    pub fn claim(&mut self, claim: &Claim, now_ns: i64) -> Grant {
        let no = |why: String| Grant::No { why };
        if self.stage == Stage::Over || self.stopped.is_some() {
            return no("the test is finished".into());
        }
        let Some(slice) = self.slices.get(claim.slice as usize) else {
            return no(format!("unknown slice {}", claim.slice));
        };
        if slice.done {
            return Grant::Done;
        }
        let repeated = slice.epoch == claim.epoch && slice.share.as_ref() == Some(&claim.share);
        if claim.epoch <= slice.epoch && !repeated {
            return no(format!(
                "slice {} was assigned {} times, not {}",
                claim.slice, slice.epoch, claim.epoch
            ));
        }
        let before = slice.share.clone().filter(|share| *share != claim.share);
        if self.is_kept_from(claim, now_ns) || self.is_held_by_another(claim, now_ns) {
            return Grant::Kept;
        }
        let from = self.released.keys().last().copied().unwrap_or(0);
        if let Some(share) = before.as_ref().filter(|_| self.released.is_empty()) {
            self.leave_before_the_start(share, claim.slice);
        }
        let taken_over =
            before.filter(|_| !self.released.is_empty()).map(|share| self.left_by(&share, now_ns));
        if taken_over.is_some() {
            let name = self.name_of(&claim.agent);
            self.say(format!("slice {} continues on agent {name}", claim.slice));
        }
        self.own(&claim.agent, &claim.share, claim.slice, claim.epoch, now_ns);
        if let Some(share) = self.shares.get_mut(&claim.share).filter(|share| share.since_ns == 0) {
            (share.since_ns, share.counted_ns) = (now_ns, now_ns);
        }
        Grant::Yes { from, taken_over }
    }

    /// Whether an active agent holds the lease of the slice. The broker gives a slice to no other
    /// agent meanwhile, so that an agent that claims it lies, or the holder has just returned it
    /// and reports that at once.
    fn is_held_by_another(&mut self, claim: &Claim, now_ns: i64) -> bool {
        let Some(slice) = self.slices.get(claim.slice as usize).cloned() else { return false };
        let Some((name, share)) = slice.share.as_ref().and_then(|name| self.shares.get_key_value(name))
        else {
            return false;
        };
        let holds = |agent: &Agent| !agent.lost && agent.last.holds.contains(&claim.slice);
        let is_held = *name != claim.share
            && !share.evicted
            && share.end.is_none()
            && self.liveness.deaf_ns(now_ns).is_none()
            && self.agents.get(&share.agent).is_some_and(holds);
        if is_held && claim.epoch > slice.epoch + 1 && self.refused.insert(claim.share.clone()) {
            let who = self.name_of(&claim.agent);
            let holder = self.name_of(&share.agent.clone());
            self.say(format!(
                "ignored: agent {who} claims slice {} as assigned {} times, but agent {holder} \
                holds it as assigned {}",
                claim.slice, claim.epoch, slice.epoch
            ));
        }
        is_held
    }

    /// How far a share was of which another takes over a slice.
    fn left_by(&mut self, share: &str, now_ns: i64) -> SliceProgress {
        let Some(known) = self.shares.get_mut(share) else {
            return SliceProgress { lost_ns: now_ns, ..SliceProgress::default() };
        };
        let first = !std::mem::replace(&mut known.evicted, true);
        let slices = known.slices.len().max(1) as u32;
        let started = known.status.groups.iter().map(|group| group.started).fold(0, u32::saturating_add);
        let ended: Vec<u32> = known.status.groups.iter().map(|group| group.finished / slices).collect();
        let all_ended = ended.iter().copied().fold(0, u32::saturating_add);
        self.restarted = self.restarted.saturating_add((started / slices).saturating_sub(all_ended));
        let lost_ns = if known.through_s > 0 { known.through_s.saturating_mul(S) } else { now_ns };
        let rows_read = known.status.rows_read.clone();
        if first {
            self.actions.push(Action::Send(ControllerMessage::Evict { share: share.to_owned() }));
        }
        SliceProgress { lost_ns, ended, rows_read }
    }

    /// A share loses a slice before any load is made. It ends if that was its last one: its agent may
    /// never have received the grant, and no phase waits for it.
    fn leave_before_the_start(&mut self, share: &str, slice: u32) {
        let Some(known) = self.shares.get_mut(share) else { return };
        known.slices.retain(|own| *own != slice);
        if known.slices.is_empty() && !std::mem::replace(&mut known.evicted, true) {
            self.actions.push(Action::Send(ControllerMessage::Evict { share: share.to_owned() }));
        }
    }

    /// A controller that has taken over receives what the lost one had granted. Messages of a
    /// former holder can come after those of a later one.
    pub(super) fn was_granted(&mut self, agent: &str, share: &str, slice: u32, epoch: u64) {
        let Some(known) = self.slices.get(slice as usize) else { return };
        if known.epoch < epoch {
            // When that was is not known: what it reported tells.
            return self.own(agent, share, slice, epoch, 0);
        }
        // What this controller has granted itself is reported as well.
        if known.epoch == epoch && known.share.as_deref() == Some(share) {
            return;
        }
        let known = self.shares.entry(share.to_owned()).or_default();
        agent.clone_into(&mut known.agent);
        known.evicted = true;
    }

    pub(super) fn own(&mut self, agent: &str, share: &str, slice: u32, epoch: u64, since_ns: i64) {
        let Some(known) = self.slices.get_mut(slice as usize) else { return };
        let mut owners = std::mem::take(&mut known.owners);
        if owners.last().is_none_or(|(last, _)| last != share) {
            owners.push((share.to_owned(), since_ns));
        }
        *known = Slice { epoch, share: Some(share.to_owned()), done: known.done, owners };
        let known = self.shares.entry(share.to_owned()).or_default();
        agent.clone_into(&mut known.agent);
        if !known.slices.contains(&slice) {
            known.slices.push(slice);
        }
    }

    /// Shares that make load or are to.
    pub(super) fn live(&self) -> impl Iterator<Item = (&String, &Share)> {
        self.shares.iter().filter(|(_, share)| !share.evicted && share.end.is_none())
    }
}
