//! How a run ended.

use std::sync::Arc;

use swell_engine::RunOutcome;
use swell_net::{Io, IoInterface};
use swell_run::MachineReport;
use swell_stats::encoding::decode;
use swell_stats::verdict::Evidence;

use super::{Action, End, RowsOfShare, RunCoordinator, Stage};
use crate::wire::{ControllerMessage, EventLoops};

impl RunCoordinator {
    pub(super) fn fail(&mut self, why: String) {
        self.finish(Some(why));
    }

    pub(super) fn finish(&mut self, failed: Option<String>) {
        if self.stage == Stage::Over {
            return;
        }
        self.stage = Stage::Over;
        self.close_all_seconds();
        if !self.shares.is_empty() {
            self.tell_account();
        }
        // What was planned and not done has no figures, so those that there are describe another
        // test.
        let invalid = failed.as_ref().map(|why| format!("the test ended early: {why}"));
        let mut end = self.end(failed);
        end.lost = self.lost_load();
        end.invalid = end.invalid.or(invalid);
        self.actions.push(Action::Send(ControllerMessage::Over));
        self.actions.push(Action::Finish(Box::new(end)));
    }

    /// Another controller has taken over the run. What was counted here is kept.
    pub fn hand_over(&mut self) {
        if self.stage == Stage::Over {
            return;
        }
        self.stage = Stage::Over;
        self.close_all_seconds();
        let end = self.end(Some("another controller has taken over the run (--take)".into()));
        self.actions.push(Action::HandOver(Box::new(end)));
    }

    fn close_all_seconds(&mut self) {
        while let Some((at_s, counted)) = self.pending.pop_first() {
            self.actions.push(Action::Counted(at_s, Box::new(counted)));
        }
    }

    pub(super) fn tell_account(&mut self) {
        let account = self.ledger.account();
        self.say(account.to_string());
        if account.duplicates > 0 {
            self.say(format!("{} messages arrived twice and were counted once", account.duplicates));
        }
        if self.restarted > 0 {
            self.say(format!("{} users were restarted on other agents", self.restarted));
        }
        let skews: Vec<_> = self.shares.values().filter_map(|share| share.end.as_ref()?.began).collect();
        let late = skews.iter().map(|(wanted, began)| began.saturating_sub(*wanted));
        if let (Some(least), Some(most)) = (late.clone().min(), late.max()) {
            let error = self.agents.values().map(|agent| agent.last.clock.error_ns).max().unwrap_or(0);
            self.say(format!(
                "common start: {} shares started within {:.3} ms of each other, the last {:.3} ms \
                late (clocks ± {:.0} µs)",
                skews.len(),
                most.saturating_sub(least) as f64 / 1e6,
                most as f64 / 1e6,
                error as f64 / 1e3
            ));
        }
    }

    pub(super) fn end(&self, failed: Option<String>) -> End {
        let account = self.ledger.account();
        let mut end = End { failed: failed.or_else(|| self.aborted.clone()), ..End::default() };
        let mut outcome: Option<RunOutcome> = None;
        for (name, share) in &self.shares {
            let files = share.end.as_ref().map(|end| end.rows.clone());
            let samples = share.end.as_ref().map_or_else(|| self.ledger.counted(name), |end| end.samples);
            end.rows.push(RowsOfShare { share: name.clone(), files, samples });
            let Some(of_share) = &share.end else { continue };
            end.rows_lost = end.rows_lost.saturating_add(of_share.rows_lost);
            for server in &of_share.servers {
                if !end.servers.contains(server) {
                    end.servers.push(*server);
                }
            }
            if let Some(loops) = &of_share.event_loops {
                end.io = joined(end.io.take(), loops, &self.name_of(&share.agent));
            }
            if let Ok(evidence) = decode::<Evidence>(&of_share.evidence) {
                let agent = self.name_of(&share.agent);
                end.machines.push(MachineReport {
                    name: agent.into(),
                    evidence,
                    refusal: of_share.refusal.clone(),
                });
            } else {
                end.invalid = Some(format!("{name} ended without reporting the quality of its measurement"));
            }
            let made = of_share.outcome.as_ref().and_then(|bytes| decode::<RunOutcome>(bytes).ok());
            outcome = match (outcome, made) {
                (Some(one), Some(other)) => Some(together(one, other)),
                (one, other) => one.or(other),
            };
        }
        end.outcome = outcome.unwrap_or_default();
        end.fine = Arc::new(self.fine.clone());
        end.outcome.stopped = end.outcome.stopped.max(self.stopped);
        if !account.wrong.is_empty() {
            end.invalid = Some(format!("the figures of {} are incomplete", account.wrong.join(", ")));
        }
        end
    }
}

/// What event loops used, with those of a further share: a ring if any had one, and each refusal
/// once, with its agent.
fn joined(all: Option<IoInterface>, loops: &EventLoops, agent: &str) -> Option<IoInterface> {
    let Some(io) = Io::of_word(&loops.io) else { return all };
    let refused = loops.refused.as_ref().map(|why| format!("{agent}: {why}"));
    let Some(all) = all else { return Some(IoInterface { io, refused }) };
    let refused = match (all.refused, refused) {
        (Some(known), Some(new)) if !known.contains(&new) => Some(format!("{known}; {new}")),
        (known, new) => known.or(new),
    };
    Some(IoInterface { io: if io == Io::Uring { io } else { all.io }, refused })
}

/// Two parts of a run as one.
fn together(mut one: RunOutcome, other: RunOutcome) -> RunOutcome {
    one.started_ns = one.started_ns.min(other.started_ns);
    one.ended_ns = one.ended_ns.max(other.ended_ns);
    one.users = one.users.saturating_add(other.users);
    one.samples = one.samples.saturating_add(other.samples);
    one.external_samples = one.external_samples.saturating_add(other.external_samples);
    one.cut = one.cut.saturating_add(other.cut);
    one.left_waiting = one.left_waiting.saturating_add(other.left_waiting);
    one.closed_idle_failed = one.closed_idle_failed.saturating_add(other.closed_idle_failed);
    one.closed_idle_repeated = one.closed_idle_repeated.saturating_add(other.closed_idle_repeated);
    one.sessions.merge(&other.sessions);
    one.missed = one.missed.saturating_add(other.missed);
    one.spent.merge(&other.spent);
    one.stopped = one.stopped.max(other.stopped);
    one.stopped_ns = one.stopped_ns.into_iter().chain(other.stopped_ns).min();
    one.workers = one.workers.saturating_add(other.workers);
    one.failed_workers = one.failed_workers.saturating_add(other.failed_workers);
    for problem in other.problems {
        if !one.problems.contains(&problem) {
            one.problems.push(problem);
        }
    }
    for (cause, users) in other.user_faults {
        match one.user_faults.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, known)) => *known = known.saturating_add(users),
            None => one.user_faults.push((cause, users)),
        }
    }
    one.refusal = one.refusal.or(other.refusal);
    one
}
