//! One trial after the other, until the limit is known.

use std::time::Instant;

use swell_stats::capacity::{End, Goal, Step, TrialOutcome};

use super::judge::{Judgement, TrialRequest, judge};
use super::load::Vary;
use super::overload::ONCE_MORE;
use super::report::{Row, SearchReport, StopReason};
use super::slo::Slo;
use super::state::{Driver, Laboratory, RealTime, Restart, Search, SearchOptions, StepResult, whole};
use super::trial::{ObservedTrial, TrialEnd, UnansweredRequests};
use crate::error::StudyError;
use crate::limit::RoundTrips;

/// Searches, and fills `found`.
///
/// # Errors
/// The plan is wrong, no thread can be had, or the caller cannot keep what was found.
pub fn run<F>(
    found: &mut SearchReport,
    vary: &Vary,
    options: &SearchOptions,
    driver: &mut dyn Driver<Failure = F>,
) -> Result<(), StudyError<F>> {
    run_in(&mut RealTime(Instant::now()), found, vary, options, driver)
}

/// The same with trials that are made there.
pub(super) fn run_in<F>(
    laboratory: &mut dyn Laboratory<F>,
    found: &mut SearchReport,
    vary: &Vary,
    options: &SearchOptions,
    driver: &mut dyn Driver<Failure = F>,
) -> Result<(), StudyError<F>> {
    let mut search = Search {
        vary,
        options,
        driver,
        laboratory,
        server: None,
        warm: false,
        baseline_ms: None,
        gone: 0,
        died_at: None,
        at: None,
    };
    let stopped = loop {
        let step = found.goal().next(&found.history());
        let Step::Try { load, seconds, decide } = step else {
            let Step::End(end) = step else { continue };
            break of_end(end);
        };
        if search.laboratory.elapsed() >= options.budget {
            break StopReason::Budget;
        }
        let goal = *found.goal();
        match search.step(&goal, load, seconds, decide)? {
            StepResult::Nothing(row, why) => {
                found.add(*row);
                break StopReason::NothingWorks(why);
            }
            StepResult::Trial(row) => {
                let line = told(found, &row);
                search.driver.say(&line);
                let failed = row.outcome == TrialOutcome::Fail;
                found.add(*row);
                if failed && let Some(stopped) = search.after_overload(found)? {
                    break stopped;
                }
            }
            StepResult::Again(note) => {
                search.driver.say(&note);
                found.notes.push(note);
            }
            StepResult::Stop(stopped) => break stopped,
        }
        found.took_s = search.laboratory.elapsed().as_secs_f64();
        found.conclude();
        search.driver.keep(found)?;
    };
    found.stopped = Some(stopped);
    found.took_s = search.laboratory.elapsed().as_secs_f64();
    found.conclude();
    Ok(search.driver.keep(found)?)
}

fn of_end(end: End) -> StopReason {
    match end {
        End::Found => StopReason::Found,
        End::BearsAll => StopReason::BearsAll,
        End::BearsNone => StopReason::BearsNone,
        End::Generator(_) => StopReason::Generator,
        End::Unsteady => StopReason::Unsteady,
    }
}

impl<F> Search<'_, F> {
    fn step(
        &mut self,
        goal: &Goal,
        load: f64,
        seconds: f64,
        decide: bool,
    ) -> Result<StepResult, StudyError<F>> {
        if self.options.restart == Restart::Each {
            self.server = None;
        }
        if let Some(stopped) = self.start()? {
            return Ok(StepResult::Stop(stopped));
        }
        let asked = self.asked(load, decide);
        let needed = asked.rules.iter().map(Slo::least_samples).max().unwrap_or(1) as f64;
        // A light load has few samples; where a rule needs more, its trial is longer, within
        // reason.
        let seconds =
            asked.offered_per_s.map_or(seconds, |rate| seconds.max((1.2 * needed / rate).min(60.0)));
        let warm_up = if self.warm { self.options.warm_up } else { self.options.first_warm_up };
        let beside = self.at.map(RoundTrips::begin);
        let watched = self.watched(load, (warm_up.as_secs_f64(), seconds), &asked)?;
        let round_trip_ms = beside.and_then(RoundTrips::end);
        self.warm = true;
        for server in &watched.report.servers {
            self.driver.may_load(server.ip())?;
        }
        if let Some(why) = self.death() {
            return Ok(self.died_of(load, &asked, &watched, &why));
        }
        match watched.ended {
            TrialEnd::NotWanted => return Ok(StepResult::Stop(StopReason::Interrupted)),
            // A server that is started here gets another chance.
            TrialEnd::Unreachable if self.baseline_ms.is_some() || self.options.server.is_some() => {
                let why =
                    watched.report.summary.errors.first().map(|row| row.message.clone()).unwrap_or_default();
                self.server = None;
                return Ok(self.died(&format!("the server does not respond: {why}"), ONCE_MORE));
            }
            TrialEnd::ByItself if watched.steady.is_empty() => {
                return Err(StudyError::Settings(too_short(warm_up.as_secs_f64() + seconds)));
            }
            TrialEnd::ByItself | TrialEnd::InTime | TrialEnd::Lost | TrialEnd::Unreachable => {}
        }
        let mut judgement = judge(&asked, &watched.steady, watched.report.verdict.as_ref());
        if judgement.outcome == TrialOutcome::Undecided && self.has_stopped_answering(&watched, seconds) {
            let asked = TrialRequest { decide: true, ..asked };
            judgement = judge(&asked, &watched.steady, watched.report.verdict.as_ref());
        }
        if judgement.outcome == TrialOutcome::Pass
            && let Some(why) = watched.starved.words()
        {
            judgement = Judgement { outcome: TrialOutcome::Fail, why, ..judgement };
        }
        if judgement.outcome == TrialOutcome::Void && self.options.restart == Restart::Void {
            self.server = None;
        }
        let nothing = self.nothing_works(&watched, &judgement);
        let mut row = Self::row(load, &asked, &watched, judgement);
        if let Some(why) = nothing {
            return Ok(StepResult::Nothing(Box::new(row), why));
        }
        row.level.starved = watched.starved.words().map(|_| {
            let UnansweredRequests { requests, users } = watched.starved;
            (f64::from(users), requests as f64)
        });
        // Before the first trial, the addresses it would connect to were unknown.
        let is_first = self.at.is_none();
        self.at = watched.report.servers.first().copied();
        row.level.round_trip_ms = if is_first { self.at.and_then(RoundTrips::idle) } else { round_trip_ms };
        if row.outcome == TrialOutcome::Pass {
            self.gone = 0;
        }
        if row.outcome == TrialOutcome::Pass && (load <= goal.least * 1.001 || self.baseline_ms.is_none()) {
            self.baseline_ms = self.baseline_ms.or(row.p50_ms);
        }
        Ok(StepResult::Trial(Box::new(row)))
    }

    /// Why not one request succeeded, if no trial has passed before: that is not a limit. Responses
    /// that are still awaited may arrive in a longer trial.
    fn nothing_works(&self, watched: &ObservedTrial, judgement: &Judgement) -> Option<String> {
        let is_told = judgement.outcome == TrialOutcome::Fail || !watched.report.summary.is_empty();
        let may_be = self.baseline_ms.is_none() && judgement.outcome != TrialOutcome::Pass && is_told;
        watched.report.nothing_worked().filter(|_| may_be)
    }

    /// Not a single response in many times the time that one takes at light load: a longer trial
    /// would have none, either.
    fn has_stopped_answering(&self, watched: &ObservedTrial, seconds: f64) -> bool {
        const TIMES: f64 = 50.0;
        whole(watched).samples == 0 && self.baseline_ms.is_some_and(|ms| TIMES * ms < 1e3 * seconds)
    }
}

fn too_short(needed_s: f64) -> String {
    format!(
        "the plan ends before there is a steady second; a trial takes at least {needed_s:.0} s, so \
        give the plan more loops or a longer duration (--users does that)"
    )
}

/// A trial in a line.
fn told(found: &SearchReport, row: &Row) -> String {
    let sure = if row.by_figure { "~" } else { "" };
    format!("{}. {}: {sure}{} ({})", found.trials.len() + 1, found.load_words(row.load), row.outcome, row.why)
}
