//! What a load that is too much leaves of a server: one that has died, hangs, or has become slower.

use std::time::Duration;

use swell_stats::capacity::{Goal, TrialOutcome};

use super::judge::{Judgement, TrialRequest};
use super::load::Vary;
use super::report::{SearchReport, StopReason};
use super::state::{Restart, Search, StepResult, figures};
use super::trial::{ObservedTrial, TrialEnd};
use crate::error::StudyError;
use crate::server::Server;

/// Status of a server after an overload.
enum Recovery {
    /// It responds as before, or its earlier times are unknown.
    Done,
    /// It ended.
    Dead(String),
    /// It answers slower than before.
    Slow { now_ms: f64, before_ms: f64 },
    /// It answers nothing.
    Silent,
}

pub(super) const ONCE_MORE: &str = "it is restarted, and the trial is repeated";

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or(text)
}

impl<F> Search<'_, F> {
    /// The server ended in a trial. The first time that may be chance; where it dies of the same
    /// load again although it bore others, it does not bear that load.
    pub(super) fn died_of(
        &mut self,
        load: f64,
        asked: &TrialRequest<'_>,
        watched: &ObservedTrial,
        why: &str,
    ) -> StepResult {
        let again = self.died_at.replace(load).is_some_and(|before| before <= load);
        if !again || self.baseline_ms.is_none() || !self.driver.goes_on() {
            return self.died(why, ONCE_MORE);
        }
        self.gone = 0;
        // Without its command, which is the same in all trials.
        let why = first_line(why).split(": ").next().unwrap_or(why).to_owned();
        let outcome = TrialOutcome::Fail;
        let judgement = Judgement { outcome, why: why.clone(), broke: None, by_figure: false, reached: None };
        let mut row = Self::row(load, asked, watched, judgement);
        row.level.died = Some(why);
        StepResult::Trial(Box::new(row))
    }

    /// A server that is started here gets a second chance, and a third; any other ends the search.
    pub(super) fn died(&mut self, why: &str, then: &str) -> StepResult {
        const CHANCES: u32 = 3;
        self.gone += 1;
        if !self.driver.goes_on() {
            return StepResult::Stop(StopReason::Interrupted);
        }
        if self.options.server.is_none() || self.gone >= CHANCES {
            return StepResult::Stop(StopReason::ServerGone(why.to_owned()));
        }
        StepResult::Again(format!("{}; {then}", first_line(why)))
    }

    /// Waits after a load that was too much until the server answers as before. The end of the
    /// search, where no server is left to search.
    pub(super) fn after_overload(
        &mut self,
        found: &mut SearchReport,
    ) -> Result<Option<StopReason>, StudyError<F>> {
        if self.options.server.is_some() && self.server.is_none() {
            // It died of that load, or is to be a new one.
            return Ok(None);
        }
        let note = match self.recover(found.goal())? {
            Recovery::Done => return Ok(None),
            Recovery::Dead(why) => {
                return Ok(match self.died(&why, "it is restarted") {
                    StepResult::Stop(stopped) => Some(stopped),
                    StepResult::Again(note) => self.note(found, note),
                    StepResult::Trial(_) | StepResult::Nothing(..) => None,
                });
            }
            Recovery::Slow { now_ms, before_ms } => format!(
                "the server does not recover from the overload: {} later the median at the lowest \
                load is still {now_ms:.1} ms, compared with {before_ms:.1} ms before",
                seconds(self.options.recovery)
            ),
            Recovery::Silent => {
                if let Some(row) = found.trials.last_mut() {
                    row.level.hung = true;
                }
                let waited = seconds(self.options.recovery);
                let note = format!(
                    "the server hangs: {waited} after the overload it does not respond at the lowest load"
                );
                if self.options.server.is_none() || self.options.restart == Restart::Never {
                    return Ok(Some(StopReason::ServerGone(note)));
                }
                note
            }
        };
        if self.options.restart == Restart::Void {
            self.server = None;
        }
        Ok(self.note(found, note))
    }

    /// Reports and keeps what was noticed; the search continues.
    fn note(&mut self, found: &mut SearchReport, note: String) -> Option<StopReason> {
        self.driver.say(&note);
        found.notes.push(note);
        None
    }

    /// Asks at the least load until the server answers as it did.
    fn recover(&mut self, goal: &Goal) -> Result<Recovery, StudyError<F>> {
        const PROBE_S: f64 = 1.0;
        let (Some(before_ms), Vary::Rate | Vary::Users) = (self.baseline_ms, self.vary) else {
            return Ok(Recovery::Done);
        };
        let started = self.laboratory.elapsed();
        let limit_ms = 1.2 * before_ms + 0.5;
        let mut last = None;
        while self.laboratory.elapsed() - started < self.options.recovery && self.driver.goes_on() {
            let load = goal.least;
            let asked = TrialRequest { rules: &[], ..self.asked(load, false) };
            let watched = self.watched(load, (0.2, PROBE_S), &asked)?;
            if let Some(why) = self.death() {
                return Ok(Recovery::Dead(why));
            }
            let p50_ms = figures(&watched, asked.offered_per_s.is_some()).median_ms;
            // The next trial reports why there is no response.
            if watched.ended == TrialEnd::Unreachable || p50_ms.is_some_and(|ms| ms <= limit_ms) {
                return Ok(Recovery::Done);
            }
            last = p50_ms.or(last);
        }
        Ok(match last {
            _ if !self.driver.goes_on() => Recovery::Done,
            Some(now_ms) => Recovery::Slow { now_ms, before_ms },
            None => Recovery::Silent,
        })
    }

    /// How the server ended, if it did; then there is none.
    pub(super) fn death(&mut self) -> Option<String> {
        let death = self.server.as_mut().and_then(Server::death)?;
        self.server = None;
        Some(death.to_string())
    }
}
