//! What a search knows while it runs, and its single trials.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use swell_run::{Starter, Trial, TrialControl, TrialReport};
use swell_stats::capacity::{SearchTrial, TrialOutcome};
use swell_stats::{LabelStats, SummaryRow};

use super::judge::{Judgement, TrialRequest};
use super::load::Vary;
use super::report::{Row, SearchReport, StopReason};
use super::slo::Slo;
use super::trial::{ObservedTrial, watch};
use crate::ceiling::{Ceiling, CeilingWatch};
use crate::error::StudyError;
use crate::guard::Guard;
use crate::limit::{Level, TrialFigures};
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
    /// The settings of the server, by name; they fill its command, the URL and the properties of a
    /// plan.
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
    /// Why the caller cannot do its part.
    type Failure;
    /// A trial with this load; the settings are those of the server, its port among them.
    ///
    /// # Errors
    /// What is wrong with the plan; it ends the search.
    fn trial(&mut self, settings: &[(String, String)], load: f64) -> Result<Trial, Self::Failure>;
    /// What starts the last trial that was given: here, or on other machines.
    fn starter(&mut self) -> Starter {
        Box::new(Trial::start)
    }
    /// Takes the report of a trial that has finished, and gives it back.
    ///
    /// # Errors
    /// What observes the trial failed; that ends the study.
    fn finished(&mut self, report: TrialReport) -> Result<TrialReport, Self::Failure> {
        Ok(report)
    }
    /// A trial has finished.
    ///
    /// # Errors
    /// Machines that were to make it were missing; that ends the search.
    fn ended(&mut self) -> Result<(), Self::Failure> {
        Ok(())
    }
    /// Whether the search should continue; false ends it with the current result.
    fn goes_on(&self) -> bool;
    /// Whether an address that a trial connected to may be loaded.
    ///
    /// # Errors
    /// Why not; it ends the search.
    fn may_load(&mut self, address: IpAddr) -> Result<(), Self::Failure>;
    /// A line on how it goes.
    fn say(&mut self, line: &str);
    /// A trial is done: what there is can be kept.
    ///
    /// # Errors
    /// It cannot be; that ends the search.
    fn keep(&mut self, found: &SearchReport) -> Result<(), Self::Failure>;
}

/// Where trials are made, with the clock that they pass on: this machine, or a model in tests.
pub(super) trait Laboratory<F> {
    /// The time since the search began.
    fn elapsed(&self) -> Duration;
    /// Makes a trial with this load: `(warm-up, steady part)` in seconds.
    ///
    /// # Errors
    /// There is no such trial, or it was above the ceiling; that ends the search.
    fn observe(
        &mut self,
        of: Setup<'_, F>,
        load: f64,
        times: (f64, f64),
        asked: &TrialRequest<'_>,
    ) -> Result<ObservedTrial, StudyError<F>>;
}

/// What a trial needs of its search.
pub(super) struct Setup<'a, F> {
    driver: &'a mut dyn Driver<Failure = F>,
    options: &'a SearchOptions,
    server: &'a mut Option<Server>,
}

/// Trials in real time.
pub(super) struct RealTime(pub(super) Instant);

impl<F> Laboratory<F> for RealTime {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn observe(
        &mut self,
        Setup { driver, options, server }: Setup<'_, F>,
        load: f64,
        times: (f64, f64),
        asked: &TrialRequest<'_>,
    ) -> Result<ObservedTrial, StudyError<F>> {
        let settings = server.as_ref().map_or(&*options.settings, Server::settings).to_vec();
        let trial = driver.trial(&settings, load)?;
        let starter = driver.starter();
        let mut below = CeilingWatch::of(options.ceiling);
        let goes_on = |control: &TrialControl| below.goes_on(control, driver.goes_on(), server);
        let watched = watch((trial, starter), times, asked, goes_on);
        below.end().map_err(StudyError::Settings)?;
        watched.map_err(|error| StudyError::no_thread(&error))
    }
}

/// A search that runs.
pub(super) struct Search<'a, F> {
    pub(super) vary: &'a Vary,
    pub(super) options: &'a SearchOptions,
    pub(super) driver: &'a mut dyn Driver<Failure = F>,
    pub(super) laboratory: &'a mut dyn Laboratory<F>,
    pub(super) server: Option<Server>,
    /// The server has had its warm-up.
    pub(super) warm: bool,
    /// Median of the lightest trial that passed.
    pub(super) baseline_ms: Option<f64>,
    /// How often the server was gone.
    pub(super) gone: u32,
    /// The load of the last trial in which it died.
    pub(super) died_at: Option<f64>,
    /// Where trials connect to, since the first one of this server.
    pub(super) at: Option<SocketAddr>,
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

impl<'a, F> Search<'a, F> {
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
    ) -> Result<ObservedTrial, StudyError<F>> {
        let setup = Setup { driver: self.driver, options: self.options, server: &mut self.server };
        let mut watched = self.laboratory.observe(setup, load, times, asked)?;
        watched.report = self.driver.finished(watched.report)?;
        if self.driver.goes_on() {
            self.driver.ended()?;
        }
        Ok(watched)
    }

    pub(super) fn start(&mut self) -> Result<Option<StopReason>, StudyError<F>> {
        let Some(plan) = &self.options.server else { return Ok(None) };
        if self.server.is_some() {
            return Ok(None);
        }
        let driver = &self.driver;
        match plan.start(&self.options.settings, || driver.goes_on()) {
            Ok(server) => self.server = Some(server),
            Err(_) if !self.driver.goes_on() => return Ok(Some(StopReason::Interrupted)),
            Err(error) => return Err(StudyError::Server(error.to_string())),
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
        let passed = judgement.outcome == TrialOutcome::Pass;
        let all = whole(watched);
        let seen = TrialFigures {
            all: &all,
            seconds,
            report: &watched.report,
            readings: &watched.readings,
            tool_cpu: watched.tool_cpu,
        };
        let mut level = Level { load, passed, offered_per_s: asked.offered_per_s, ..seen.level() };
        if judgement.outcome == TrialOutcome::Void {
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

pub(super) fn whole(watched: &ObservedTrial) -> LabelStats {
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
