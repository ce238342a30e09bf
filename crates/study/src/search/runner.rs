//! Makes the trials of a search, one after the other.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use swell_run::{Starter, Trial, TrialControl, TrialReport};
use swell_stats::capacity::{End, Goal, Outcome, SearchTrial, Step};
use swell_stats::{LabelStats, SummaryRow};

use super::judge::{Judgement, TrialRequest, judge};
use super::load::Vary;
use super::overload::ONCE_MORE;
use super::report::{Row, SearchReport, StopReason};
use super::slo::Slo;
use super::trial::{ObservedTrial, TrialEnd, UnansweredRequests, watch};
use crate::ceiling::{Ceiling, CeilingWatch};
use crate::guard::Guard;
use crate::limit::{Level, RoundTrips, TrialFigures};
use crate::server::{Server, ServerPlan};

/// When the server is restarted, if the search starts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restart {
    /// Before each trial.
    Each,
    /// After a trial that says nothing, and where the server is gone or does not recover.
    #[default]
    Void,
    /// Only where it is gone.
    Never,
}

/// How a search goes about it.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// What the server has to keep.
    pub rules: Vec<Slo>,
    /// What of each trial does not count.
    pub warm_up: Duration,
    /// What of the first trial of a server does not count.
    pub first_warm_up: Duration,
    /// No trial begins after this time.
    pub budget: Duration,
    /// The server under test; none: it is there already.
    pub server: Option<ServerPlan>,
    /// When that server is restarted.
    pub restart: Restart,
    /// The settings of the server, by name; they fill its command, the URL and the properties of a plan.
    pub settings: Vec<(String, String)>,
    /// How long the server may take to answer as before after an overload.
    pub recovery: Duration,
    /// What ends a trial whatever the rules say.
    pub guard: Guard,
    /// What no trial may pass.
    pub ceiling: Ceiling,
}

/// What a search needs of its caller.
pub trait Driver {
    /// A trial with this load; the settings are those of the server, its port among them.
    ///
    /// # Errors
    /// What is wrong with the plan; it ends the search.
    fn trial(&mut self, settings: &[(String, String)], load: f64) -> Result<Trial, String>;
    /// What starts the last trial that was given: here, or on other machines.
    fn starter(&mut self) -> Starter {
        Box::new(Trial::start)
    }
    /// Takes the report of a trial that has finished, and gives it back.
    ///
    /// # Errors
    /// What observes the trial failed; that ends the study.
    fn finished(&mut self, report: TrialReport) -> Result<TrialReport, String> {
        Ok(report)
    }
    /// A trial has finished.
    ///
    /// # Errors
    /// Machines that were to make it were missing; that ends the search.
    fn ended(&mut self) -> Result<(), String> {
        Ok(())
    }
    /// Whether the search should continue; false ends it with the current result.
    fn goes_on(&self) -> bool;
    /// Whether an address that a trial connected to may be loaded.
    ///
    /// # Errors
    /// Why not; it ends the search.
    fn may_load(&mut self, address: IpAddr) -> Result<(), String>;
    /// A line on how it goes.
    fn say(&mut self, line: &str);
    /// A trial is done: what there is can be kept.
    ///
    /// # Errors
    /// It cannot be; that ends the search.
    fn keep(&mut self, found: &SearchReport) -> Result<(), String>;
}

/// Searches, and fills `found`.
///
/// # Errors
/// The plan is wrong, no thread can be had, or the caller cannot keep what was found.
pub fn run(
    found: &mut SearchReport,
    vary: &Vary,
    options: &SearchOptions,
    driver: &mut dyn Driver,
) -> Result<(), String> {
    let started = Instant::now();
    let mut search = Search {
        vary,
        options,
        driver,
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
        if started.elapsed() >= options.budget {
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
                let failed = row.outcome == Outcome::Fail;
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
        found.took_s = started.elapsed().as_secs_f64();
        found.conclude();
        search.driver.keep(found)?;
    };
    found.stopped = Some(stopped);
    found.took_s = started.elapsed().as_secs_f64();
    found.conclude();
    search.driver.keep(found)
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

pub(super) struct Search<'a> {
    pub(super) vary: &'a Vary,
    pub(super) options: &'a SearchOptions,
    pub(super) driver: &'a mut dyn Driver,
    pub(super) server: Option<Server>,
    /// The server has had its warm-up.
    warm: bool,
    /// Median of the lightest trial that passed.
    pub(super) baseline_ms: Option<f64>,
    /// How often the server was gone.
    pub(super) gone: u32,
    /// The load of the last trial in which it died.
    pub(super) died_at: Option<f64>,
    /// Where trials connect to, since the first one of this server.
    at: Option<SocketAddr>,
}

/// Result of a step.
pub(super) enum StepResult {
    Trial(Box<Row>),
    /// Not one request of the least load succeeded, in a sentence.
    Nothing(Box<Row>, String),
    /// The server was gone and is there again: the same once more.
    Again(String),
    Stop(StopReason),
}

impl<'a> Search<'a> {
    fn step(&mut self, goal: &Goal, load: f64, seconds: f64, decide: bool) -> Result<StepResult, String> {
        if self.options.restart == Restart::Each {
            self.server = None;
        }
        if let Some(stopped) = self.start()? {
            return Ok(StepResult::Stop(stopped));
        }
        let asked = self.asked(load, decide);
        let needed = asked.rules.iter().map(Slo::least_samples).max().unwrap_or(1) as f64;
        // A light load has few samples; where a rule needs more, its trial is longer, within reason.
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
                return Err(too_short(warm_up.as_secs_f64() + seconds));
            }
            TrialEnd::ByItself | TrialEnd::InTime | TrialEnd::Lost | TrialEnd::Unreachable => {}
        }
        let mut judgement = judge(&asked, &watched.steady, watched.report.verdict.as_ref());
        if judgement.outcome == Outcome::Undecided && self.has_stopped_answering(&watched, seconds) {
            let asked = TrialRequest { decide: true, ..asked };
            judgement = judge(&asked, &watched.steady, watched.report.verdict.as_ref());
        }
        if judgement.outcome == Outcome::Pass
            && let Some(why) = watched.starved.words()
        {
            judgement = Judgement { outcome: Outcome::Fail, why, ..judgement };
        }
        if judgement.outcome == Outcome::Void && self.options.restart == Restart::Void {
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
        if row.outcome == Outcome::Pass {
            self.gone = 0;
        }
        if row.outcome == Outcome::Pass && (load <= goal.least * 1.001 || self.baseline_ms.is_none()) {
            self.baseline_ms = self.baseline_ms.or(row.p50_ms);
        }
        Ok(StepResult::Trial(Box::new(row)))
    }

    /// Why not one request succeeded, if no trial has passed before: that is not a limit. Responses
    /// that are still awaited may arrive in a longer trial.
    fn nothing_works(&self, watched: &ObservedTrial, judgement: &Judgement) -> Option<String> {
        let is_told = judgement.outcome == Outcome::Fail || !watched.report.summary.is_empty();
        let may_be = self.baseline_ms.is_none() && judgement.outcome != Outcome::Pass && is_told;
        watched.report.nothing_worked().filter(|_| may_be)
    }

    /// Not a single response in many times the time that one takes at light load: a longer trial would have none, either.
    fn has_stopped_answering(&self, watched: &ObservedTrial, seconds: f64) -> bool {
        const TIMES: f64 = 50.0;
        whole(watched).samples == 0 && self.baseline_ms.is_some_and(|ms| TIMES * ms < 1e3 * seconds)
    }

    pub(super) fn asked(&self, load: f64, decide: bool) -> TrialRequest<'a> {
        let offered_per_s = (*self.vary == Vary::Rate).then_some(load);
        let users = (*self.vary == Vary::Users).then_some(load);
        TrialRequest { rules: &self.options.rules, offered_per_s, users, decide, guard: self.options.guard }
    }

    pub(super) fn watched(
        &mut self,
        load: f64,
        times: (f64, f64),
        asked: &TrialRequest<'_>,
    ) -> Result<ObservedTrial, String> {
        let settings = self.server.as_ref().map_or(&*self.options.settings, Server::settings).to_vec();
        let trial = self.driver.trial(&settings, load)?;
        let starter = self.driver.starter();
        let driver = &self.driver;
        let server = &mut self.server;
        let mut below = CeilingWatch::of(self.options.ceiling);
        let goes_on = |control: &TrialControl| below.goes_on(control, driver.goes_on(), server);
        let watched = watch((trial, starter), times, asked, goes_on);
        below.end()?;
        let mut watched = watched.map_err(|error| format!("cannot start a thread: {error}"))?;
        watched.report = self.driver.finished(watched.report)?;
        if self.driver.goes_on() {
            self.driver.ended()?;
        }
        Ok(watched)
    }

    fn start(&mut self) -> Result<Option<StopReason>, String> {
        let Some(plan) = &self.options.server else { return Ok(None) };
        if self.server.is_some() {
            return Ok(None);
        }
        let driver = &self.driver;
        match plan.start(&self.options.settings, || driver.goes_on()) {
            Ok(server) => self.server = Some(server),
            Err(_) if !self.driver.goes_on() => return Ok(Some(StopReason::Interrupted)),
            Err(error) => return Err(error.to_string()),
        }
        (self.warm, self.at) = (false, None);
        Ok(None)
    }

    pub(super) fn row(
        load: f64,
        asked: &TrialRequest<'_>,
        watched: &ObservedTrial,
        judgement: Judgement,
    ) -> Row {
        let of = figures(watched, asked.offered_per_s.is_some());
        let seconds: f64 = watched.steady.iter().map(|second| second.length_s).sum();
        let tried = SearchTrial {
            load,
            seconds: seconds.max(1.0),
            outcome: judgement.outcome,
            reached: judgement.reached,
        };
        let passed = judgement.outcome == Outcome::Pass;
        let all = whole(watched);
        let seen = TrialFigures {
            all: &all,
            seconds,
            report: &watched.report,
            readings: &watched.readings,
            tool_cpu: watched.tool_cpu,
        };
        let mut level = Level { load, passed, offered_per_s: asked.offered_per_s, ..seen.level() };
        if judgement.outcome == Outcome::Void {
            level.tool.push(judgement.why.clone());
        }
        let stuck = if watched.stuck { "; some requests never completed" } else { "" };
        Row {
            load,
            seconds,
            outcome: judgement.outcome,
            why: judgement.why + stuck,
            by_figure: judgement.by_figure,
            p50_ms: of.median_ms,
            p95_ms: of.p95,
            p99_ms: of.p99,
            level,
            tried: Some(tried),
        }
    }
}

/// Milliseconds.
#[derive(Default)]
pub(super) struct Times {
    pub(super) median_ms: Option<f64>,
    p95: Option<f64>,
    p99: Option<f64>,
}

fn whole(watched: &ObservedTrial) -> LabelStats {
    let mut all = LabelStats::default();
    watched.steady.iter().for_each(|second| all.merge(&second.total));
    all
}

pub(super) fn figures(watched: &ObservedTrial, open: bool) -> Times {
    let row = SummaryRow::of("", false, &whole(watched));
    if row.samples == 0 {
        return Times::default();
    }
    let quantiles = match &row.response {
        Some(response) if open => &response.quantiles,
        _ => &row.quantiles,
    };
    let of = |wanted: f64| quantiles.iter().find(|q| (q.quantile - wanted).abs() < 1e-9).map(|q| q.ms);
    Times { median_ms: of(0.5), p95: of(0.95), p99: of(0.99) }
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
