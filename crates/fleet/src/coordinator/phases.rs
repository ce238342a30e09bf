//! Phases of a test (set-up, main, tear-down). Each starts when all agents wait for it. A phase
//! that takes too long ends the test, or continues without the late agents.

use std::collections::BTreeSet;

use swell_engine::Stopped;

use super::{Action, NAMES_EVERY_NS, NOTICE_NS, OnLoss, RunCoordinator, S, Share};
use crate::wire::{ControllerMessage, LAST_PHASE, State};

/// Late agents have this long to stop; after that the others end the test without them.
const TO_STOP_NS: i64 = 15 * S;
/// Phase of the main thread groups.
pub(super) const MAIN: u8 = 1;
/// The phases by their numbers.
const NAMES: [&str; 3] = ["set-up", "main", "tear-down"];

/// A share, and the phase for which it waits.
type PhaseWait = (String, Option<u8>);

impl RunCoordinator {
    /// A phase begins when all wait for it. The first one does so without the shares of lost agents:
    /// others take their slices only once the test has begun.
    pub(super) fn release_phase(&mut self, now_ns: i64) {
        let next = self.released.keys().last().map_or(0, |phase| phase + 1);
        let is_waited_for = |share: &Share| next > 0 || !self.is_lost(&share.agent);
        let waits: Vec<PhaseWait> = self
            .live()
            .filter(|(_, share)| is_waited_for(share))
            .map(|(name, share)| (name.clone(), self.held(share).filter(|phase| *phase >= next)))
            .collect();
        let first = waits.iter().filter_map(|(_, phase)| *phase).min();
        let all = waits.iter().all(|(_, phase)| phase.is_some());
        match first {
            Some(first) if all => self.begin_phases(next..=first, now_ns),
            _ => self.wait_for_late(next, first, &waits, now_ns),
        }
    }

    /// The phase for which a share waits: as it says itself each interval, or its agent of all its
    /// shares each second.
    fn held(&self, share: &Share) -> Option<u8> {
        let told = share.status.phase.filter(|_| share.status.is_held);
        match self.agents.get(&share.agent).map(|agent| &agent.last.state) {
            Some(State::Running { held }) => told.max(held.map(|phase| phase.min(LAST_PHASE))),
            _ => told,
        }
    }

    /// Those before the last have no thread groups, or have finished.
    fn begin_phases(&mut self, phases: std::ops::RangeInclusive<u8>, now_ns: i64) {
        let start_ns = now_ns + NOTICE_NS;
        for phase in phases {
            self.released.insert(phase, start_ns);
            self.actions.push(Action::Send(ControllerMessage::Go { phase, start_ns }));
        }
        self.told_ns = now_ns;
    }

    /// Names the agents that others wait for, and ends the wait when its time has passed.
    fn wait_for_late(&mut self, next: u8, first: Option<u8>, waits: &[PhaseWait], now_ns: i64) {
        let missing = |(name, phase): &&PhaseWait| {
            phase.is_none() && self.shares.get(name).is_some_and(|share| !self.is_lost(&share.agent))
        };
        let missing: Vec<String> = waits.iter().filter(missing).map(|(name, _)| name.clone()).collect();
        if first.is_some() && now_ns - self.told_ns > NAMES_EVERY_NS && !missing.is_empty() {
            self.told_ns = now_ns;
            let phase = NAMES[usize::from(first.unwrap_or(0).min(LAST_PHASE))];
            self.say(format!("the {phase} phase waits for {}", self.names_of(&missing)));
        }
        let due_ns = |share: &Share| self.phase_since_ns(next, first.is_some(), share);
        let too_long = |name: &String| {
            let since_ns = self.shares.get(name).and_then(due_ns);
            since_ns.is_some_and(|since_ns| now_ns - since_ns > self.options.phase_timeout_ns)
        };
        let late: Vec<String> = missing.into_iter().filter(too_long).collect();
        if !late.is_empty() {
            self.end_phase_without(next, &late, now_ns);
        }
    }

    /// When the limit for what a share does before the phase `next` starts; none if it has no end:
    /// main thread groups that count samples, or that no agent waits for.
    fn phase_since_ns(&self, next: u8, is_waited_for: bool, share: &Share) -> Option<i64> {
        let Some(phase) = next.checked_sub(1) else { return Some(self.running_ns.max(share.since_ns)) };
        let released_ns = self.released.get(&phase).copied().unwrap_or(self.running_ns);
        let begun_ns = released_ns.max(share.since_ns);
        if phase != MAIN {
            return Some(begun_ns);
        }
        let goes_on = !is_waited_for || share.status.is_paused;
        let over_ns = share.status.expected_end_ns.unwrap_or(share.counted_ns);
        (!goes_on).then_some(begun_ns.max(over_ns))
    }

    fn end_phase_without(&mut self, next: u8, late: &[String], now_ns: i64) {
        if self.cut_ns.is_some_and(|cut_ns| now_ns - cut_ns <= TO_STOP_NS) {
            return;
        }
        let names = self.names_of(late);
        if self.cut_ns.is_some() {
            self.say(format!("{names} did not stop within {} s: the test ends without it", TO_STOP_NS / S));
            return late.iter().for_each(|share| self.leave_share_out(share));
        }
        let after_s = self.options.phase_timeout_ns / S;
        let what = match next.checked_sub(1) {
            None => format!("no phase has started on {names} after {after_s} s"),
            Some(MAIN) => format!("{names} has not ended the main phase {after_s} s after its time"),
            Some(phase) => {
                format!(
                    "the {} phase has not finished on {names} after {after_s} s",
                    NAMES[usize::from(phase)]
                )
            }
        };
        if self.options.on_loss == OnLoss::Continue {
            self.say(format!("{what}: the others continue without it"));
            for share in late {
                self.leave_share_out(share);
            }
            return;
        }
        // The same users would be as late elsewhere.
        let text = format!("{what}: the test ends (--phase-timeout)");
        self.say(text.clone());
        self.aborted = Some(text);
        self.cut_ns = Some(now_ns);
        self.stop(Stopped::Immediate);
    }

    /// The rest continues without what a share makes, and its agent receives the order to end it.
    fn leave_share_out(&mut self, name: &str) {
        self.leave_out(name);
        if let Some(share) = self.shares.get_mut(name) {
            share.is_given_up_on = true;
        }
        self.actions.push(Action::Send(ControllerMessage::Evict { share: name.to_owned() }));
    }

    /// The agents of these shares, each once.
    fn names_of(&self, shares: &[String]) -> String {
        let agents = shares.iter().filter_map(|share| self.shares.get(share));
        let names: BTreeSet<_> =
            agents.map(|share| format!("agent {}", self.name_of(&share.agent))).collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    }
}
