//! What agents count, interval by interval.

use swell_engine::Stopped;
use swell_stats::encoding::decode;
use swell_stats::{LabelRow, Snapshot};

use super::{Action, OnLoss, RunCoordinator, S};
use crate::wire::{AgentMessage, Body, LAST_PHASE, ShareEnd, ShareStatus};

/// An interval of the test is closed when all have told of it, or so long after its end.
const LATE_S: i64 = 5;

/// Third digits that may have come too early.
pub(super) struct EarlyDigits {
    agent: String,
    seq: u64,
    share: String,
    snapshot: Vec<u8>,
}

impl RunCoordinator {
    /// What an agent counts or says. A share that was never granted counts for nothing.
    pub fn up(&mut self, up: AgentMessage, now_ns: i64) {
        if let Body::Granted { slice, epoch } = up.body {
            let is_known = self.has_taken_over
                || self.shares.get(&up.share).is_some_and(|share| share.agent == up.agent);
            let is_new = is_known && self.ledger.message(&up.agent, up.seq);
            // Only a controller that has taken over does not know this already; else it would be a
            // lie.
            if is_new && self.has_taken_over {
                self.was_granted(&up.agent, &up.share, slice, epoch);
            }
            return;
        }
        let granted = self.shares.get(&up.share).is_some_and(|share| share.agent == up.agent);
        if !granted {
            if self.refused.insert(up.share.clone()) {
                let name = self.name_of(&up.agent);
                self.say(format!(
                    "ignored counts of agent {name} for {}, which was not assigned to it",
                    up.share
                ));
            }
            return;
        }
        if !self.ledger.message(&up.agent, up.seq) {
            return;
        }
        let agent = up.agent;
        if let Some(share) = self.shares.get_mut(&up.share) {
            share.told_ns = now_ns;
        }
        match up.body {
            Body::Granted { .. } => {}
            Body::Counts { at_s, snapshot } => self.counts(&up.share, at_s, &snapshot),
            Body::Fine { snapshot } => {
                let agent = agent.clone();
                let seq = up.seq;
                self.early.push(EarlyDigits { agent, seq, share: up.share, snapshot });
            }
            Body::Goes { through_s, samples, status, load } => {
                self.ledger.tell(&up.share, samples);
                let status = ShareStatus { phase: status.phase.map(|phase| phase.min(LAST_PHASE)), ..status };
                let rests = self.waits_for_what_has_begun(&status, through_s);
                let share = self.shares.entry(up.share).or_default();
                share.through_s = share.through_s.max(through_s);
                if !rests {
                    share.reported.add(through_s, self.options.interval_s);
                }
                if status.samples > share.status.samples {
                    share.counted_ns = now_ns;
                }
                (share.status, share.load) = (status, load);
            }
            Body::Failure { packed } => {
                let name = self.name_of(&agent);
                self.actions.push(Action::Failure(name, packed));
            }
            Body::End(end) => self.ended(&up.share, *end),
        }
        self.refine(&agent);
    }

    /// Third digits count when all that the agent sent before them has come: else there would be
    /// more of them than of values if it was killed now.
    fn refine(&mut self, agent: &str) {
        let ledger = &self.ledger;
        let is_due =
            |early: &mut EarlyDigits| early.agent == agent && ledger.has_all_before(agent, early.seq);
        let due: Vec<_> = self.early.extract_if(.., is_due).collect();
        for EarlyDigits { share, snapshot, .. } in due {
            match decode::<Snapshot>(&snapshot) {
                Ok(snapshot) => snapshot.rows.iter().for_each(|row| self.add_fine(&share, row)),
                // Its samples are missing in the account, which names the share.
                Err(error) => self.say(format!("{share}: {error}")),
            }
        }
    }

    fn add_fine(&mut self, share: &str, row: &LabelRow) {
        self.ledger.refine(share, row.stats.samples);
        self.fine.add_fine(row);
    }

    pub(super) fn counts(&mut self, share: &str, at_s: i64, bytes: &[u8]) {
        match decode::<Snapshot>(bytes) {
            Ok(snapshot) => {
                let samples = snapshot.rows.iter().map(|row| row.stats.samples);
                self.ledger.count(share, samples.fold(0, u64::saturating_add));
                for row in snapshot.rows.iter().filter(|row| row.is_fine()) {
                    self.add_fine(share, row);
                }
                self.pending.entry(at_s).or_default().merge(&snapshot);
            }
            // Its samples are missing in the account, which names the share.
            Err(error) => self.say(format!("{share}: {error}")),
        }
    }

    /// How busy the busiest machine is. All shares are looked at, so not at each word of one.
    pub(super) fn tell_load(&mut self) {
        let live = self.shares.values().filter(|share| !share.evicted && share.end.is_none());
        let mut busiest = swell_stats::Interval::default();
        for share in live {
            let one = swell_stats::Interval { length_ms: 1, load: share.load, ..Default::default() };
            busiest.merge(&one);
        }
        self.actions.push(Action::Busy(busiest.load));
    }

    pub(super) fn ended(&mut self, name: &str, end: ShareEnd) {
        self.ledger.end(name, end.samples);
        let share = self.shares.entry(name.to_owned()).or_default();
        for group in &mut share.status.groups {
            group.active = 0;
            if end.given_up.is_none() {
                group.finished = group.started;
            }
        }
        (share.status.phase, share.status.is_held) = (None, false);
        let slices = share.slices.clone();
        let given_up = end.given_up.clone();
        let agent = share.agent.clone();
        let is_wanted = !share.evicted && self.stopped.is_none();
        let refused = end.refused_file.clone();
        share.end = Some(end);
        if let Some(why) = refused {
            self.end_refused(&agent, &why);
        }
        if let Some(why) = given_up {
            return self.gave_up(name, &agent, &why, is_wanted);
        }
        for slice in slices {
            if self.slices[slice as usize].share.as_deref() == Some(name) {
                self.slices[slice as usize].done = true;
            }
        }
    }

    /// The plan may not do on a machine what it says, and would do less there than on others.
    fn end_refused(&mut self, agent: &str, why: &str) {
        if self.aborted.is_none() {
            let text = format!("agent {}: {why}", self.name_of(agent));
            self.say(format!("{text}; the test ends"));
            self.aborted = Some(text);
            self.stop(Stopped::Immediate);
        }
    }

    /// An agent no longer makes a share. If others continue with its slices or already have them,
    /// that is all.
    fn gave_up(&mut self, share: &str, agent: &str, why: &str, is_wanted: bool) {
        let slices = self.shares.get(share).map_or(0, |share| share.slices.len());
        let text = format!("agent {} gave up {slices} slices: {why}", self.name_of(agent));
        if !is_wanted || self.options.on_loss == OnLoss::Redistribute {
            return self.say(text);
        }
        self.lose(&[share.to_owned()], format!("{text}; {}", self.after_a_loss()));
    }

    /// Intervals that all have told of go into the figures. All shares are looked at, so not at
    /// each word of one.
    pub(super) fn close_seconds(&mut self, now_ns: i64) {
        let told = self
            .live()
            .filter(|(_, share)| !self.is_lost(&share.agent))
            .map(|(_, share)| share.through_s)
            .min();
        let latest_s = now_ns / S - LATE_S - i64::from(self.options.interval_s) + 1;
        let through_s = told.unwrap_or(i64::MAX).max(latest_s);
        while let Some((at_s, _)) = self.pending.first_key_value() {
            if *at_s >= through_s {
                return;
            }
            let Some((at_s, counted)) = self.pending.pop_first() else { return };
            self.closed_s = self.closed_s.max(at_s);
            self.actions.push(Action::Counted(at_s, Box::new(counted)));
        }
    }
}
