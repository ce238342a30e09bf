//! Makes the trials of a search, one after the other.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use swell_run::{Starter, Trial};
use swell_stats::capacity::{End, Goal, Outcome, Step, Tried};
use swell_stats::reading::Known;
use swell_stats::{FailureKind, LabelStats, SummaryRow};

use super::found::{Found, Row, Stopped, name};
use super::judge::{Asked, Judgement, judge};
use super::load::Vary;
use super::slo::Slo;
use super::trial::{Ended, Watched, reading, watch};
use crate::limit::Level;
use crate::server::{Server, ServerPlan};

/// When the server is started anew, where the search has it.
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
    /// When that is started anew.
    pub restart: Restart,
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
    /// A trial is over.
    ///
    /// # Errors
    /// Machines that were to make it were missing; that ends the search.
    fn ended(&mut self) -> Result<(), String> {
        Ok(())
    }
    /// Whether the search is still wanted; false ends it with what is known so far.
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
    fn keep(&mut self, found: &Found) -> Result<(), String>;
}

/// Searches, and fills `found`.
///
/// # Errors
/// The plan is wrong, no thread can be had, or the caller cannot keep what was found.
pub fn run(
    found: &mut Found,
    vary: &Vary,
    options: &SearchOptions,
    driver: &mut dyn Driver,
) -> Result<(), String> {
    let started = Instant::now();
    let mut search = Search { vary, options, driver, server: None, warm: false, baseline_ms: None, gone: 0 };
    let stopped = loop {
        let step = found.goal().next(&found.history());
        let Step::Try { load, seconds, decide } = step else {
            let Step::End(end) = step else { continue };
            break of_end(end);
        };
        if started.elapsed() >= options.budget {
            break Stopped::Budget;
        }
        let goal = *found.goal();
        match search.step(&goal, load, seconds, decide)? {
            Did::Trial(row) => {
                let line = told(found, &row);
                search.driver.say(&line);
                let failed = row.outcome == "fail";
                found.trials.push(*row);
                if failed && let Some(note) = search.recover(&goal)? {
                    search.driver.say(&note);
                    found.notes.push(note);
                }
            }
            Did::Again(note) => {
                search.driver.say(&note);
                found.notes.push(note);
            }
            Did::Stop(stopped) => break stopped,
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

fn of_end(end: End) -> Stopped {
    match end {
        End::Found => Stopped::Found,
        End::BearsAll => Stopped::BearsAll,
        End::BearsNone => Stopped::BearsNone,
        End::Generator(_) => Stopped::Generator,
        End::Unsteady => Stopped::Unsteady,
    }
}

struct Search<'a> {
    vary: &'a Vary,
    options: &'a SearchOptions,
    driver: &'a mut dyn Driver,
    server: Option<Server>,
    /// The server has had its warm-up.
    warm: bool,
    /// Median of the lightest trial that passed.
    baseline_ms: Option<f64>,
    /// How often the server was gone.
    gone: u32,
}

/// What became of a step.
enum Did {
    Trial(Box<Row>),
    /// The server was gone and is there again: the same once more.
    Again(String),
    Stop(Stopped),
}

impl<'a> Search<'a> {
    fn step(&mut self, goal: &Goal, load: f64, seconds: f64, decide: bool) -> Result<Did, String> {
        if self.options.restart == Restart::Each {
            self.server = None;
        }
        if let Some(stopped) = self.start()? {
            return Ok(Did::Stop(stopped));
        }
        let asked = self.asked(load, decide);
        let needed = asked.rules.iter().map(Slo::least_samples).max().unwrap_or(1) as f64;
        // A light load has few samples; where a rule needs more, its trial is longer, within reason.
        let seconds =
            asked.offered_per_s.map_or(seconds, |rate| seconds.max((1.2 * needed / rate).min(60.0)));
        let warm_up = if self.warm { self.options.warm_up } else { self.options.first_warm_up };
        let watched = self.watched(load, (warm_up.as_secs_f64(), seconds), &asked)?;
        self.warm = true;
        for server in &watched.report.servers {
            self.driver.may_load(server.ip())?;
        }
        if let Some(death) = self.server.as_mut().and_then(Server::death) {
            self.server = None;
            return Ok(self.died(&death.to_string()));
        }
        match watched.ended {
            Ended::NotWanted => return Ok(Did::Stop(Stopped::Interrupted)),
            Ended::Unreachable => {
                let why =
                    watched.report.summary.errors.first().map(|row| row.message.clone()).unwrap_or_default();
                self.server = None;
                return Ok(self.died(&format!("the server does not answer: {why}")));
            }
            Ended::ByItself if watched.steady.is_empty() => {
                return Err(too_short(warm_up.as_secs_f64() + seconds));
            }
            Ended::ByItself | Ended::InTime | Ended::Lost => {}
        }
        let judgement = judge(&asked, &watched.steady, watched.report.verdict.as_ref());
        if judgement.outcome == Outcome::Void && self.options.restart == Restart::Void {
            self.server = None;
        }
        let row = Self::row(load, &asked, &watched, judgement);
        if row.outcome == "pass" && (load <= goal.least * 1.001 || self.baseline_ms.is_none()) {
            self.baseline_ms = self.baseline_ms.or(row.p50_ms);
        }
        Ok(Did::Trial(Box::new(row)))
    }

    fn asked(&self, load: f64, decide: bool) -> Asked<'a> {
        let offered_per_s = (*self.vary == Vary::Rate).then_some(load);
        Asked { rules: &self.options.rules, offered_per_s, decide }
    }

    fn watched(&mut self, load: f64, times: (f64, f64), asked: &Asked<'_>) -> Result<Watched, String> {
        let none = Vec::new();
        let settings = self.server.as_ref().map_or(&none[..], Server::settings).to_vec();
        let trial = self.driver.trial(&settings, load)?;
        let starter = self.driver.starter();
        let (driver, server) = (&self.driver, &mut self.server);
        let goes_on = || driver.goes_on() && server.as_mut().is_none_or(|server| server.death().is_none());
        let watched = watch((trial, starter), times, asked, goes_on);
        let watched = watched.map_err(|error| format!("cannot start a thread: {error}"))?;
        if self.driver.goes_on() {
            self.driver.ended()?;
        }
        Ok(watched)
    }

    /// A server that is started here gets a second chance, and a third; any other ends the search.
    fn died(&mut self, why: &str) -> Did {
        const CHANCES: u32 = 3;
        self.gone += 1;
        if !self.driver.goes_on() {
            return Did::Stop(Stopped::Interrupted);
        }
        if self.options.server.is_none() || self.gone >= CHANCES {
            return Did::Stop(Stopped::ServerGone(why.to_owned()));
        }
        Did::Again(format!(
            "{}; it is started anew, and the trial made once more",
            why.lines().next().unwrap_or(why)
        ))
    }

    fn start(&mut self) -> Result<Option<Stopped>, String> {
        let Some(plan) = &self.options.server else { return Ok(None) };
        if self.server.is_some() {
            return Ok(None);
        }
        let driver = &self.driver;
        match plan.start(&[], || driver.goes_on()) {
            Ok(server) => self.server = Some(server),
            Err(_) if !self.driver.goes_on() => return Ok(Some(Stopped::Interrupted)),
            Err(error) => return Err(error.to_string()),
        }
        self.warm = false;
        Ok(None)
    }

    /// Waits after a load that was too much until the server answers as before; what is to be said if it does not.
    fn recover(&mut self, goal: &Goal) -> Result<Option<String>, String> {
        const PATIENCE: Duration = Duration::from_mins(1);
        const PROBE_S: f64 = 1.0;
        let (Some(baseline), Vary::Rate | Vary::Users) = (self.baseline_ms, self.vary) else {
            return Ok(None);
        };
        let (started, limit_ms) = (Instant::now(), 1.2 * baseline + 0.5);
        let mut last = None;
        while started.elapsed() < PATIENCE && self.driver.goes_on() {
            let load = goal.least;
            let asked = Asked { rules: &[], ..self.asked(load, false) };
            let watched = self.watched(load, (0.2, PROBE_S), &asked)?;
            let p50_ms = figures(&watched, asked.offered_per_s.is_some()).median_ms;
            if watched.ended == Ended::Unreachable || p50_ms.is_some_and(|ms| ms <= limit_ms) {
                return Ok(None);
            }
            last = p50_ms.or(last);
        }
        if !self.driver.goes_on() {
            return Ok(None);
        }
        if self.options.restart == Restart::Void {
            self.server = None;
        }
        let now = last.map_or("no response".to_owned(), |ms| format!("a median of {ms:.1} ms"));
        Ok(Some(format!(
            "the server does not recover from the overload: a minute later it still has {now} at the least load, where it had {baseline:.1} ms"
        )))
    }

    fn row(load: f64, asked: &Asked<'_>, watched: &Watched, judgement: Judgement) -> Row {
        let of = figures(watched, asked.offered_per_s.is_some());
        let seconds: f64 = watched.steady.iter().map(|second| second.length_s).sum();
        let tried = Tried {
            load,
            seconds: seconds.max(1.0),
            outcome: judgement.outcome,
            reached: judgement.reached_per_s,
        };
        let passed = judgement.outcome == Outcome::Pass;
        let mut level = Level { load, passed, offered_per_s: asked.offered_per_s, ..level(watched, seconds) };
        if judgement.outcome == Outcome::Void {
            level.tool.push(judgement.why.clone());
        }
        let stuck = if watched.stuck { "; some requests never ended" } else { "" };
        Row {
            load,
            seconds,
            outcome: name(judgement.outcome),
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
struct Times {
    median_ms: Option<f64>,
    p95: Option<f64>,
    p99: Option<f64>,
}

fn whole(watched: &Watched) -> LabelStats {
    let mut all = LabelStats::default();
    watched.steady.iter().for_each(|second| all.merge(&second.total));
    all
}

fn figures(watched: &Watched, open: bool) -> Times {
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

fn level(watched: &Watched, seconds: f64) -> Level {
    let (all, report) = (whole(watched), &watched.report);
    let samples = all.samples.max(1) as f64;
    // Causes are counted over the whole trial, its warm-up among it.
    let errors = &report.run.snapshot.errors;
    let of_run = |count: u64| count as f64 / report.summary.total.samples.max(1) as f64;
    let turned_down: u64 =
        errors.rows().iter().filter(|row| matches!(&*row.code, "503" | "429")).map(|row| row.count).sum();
    let connected = all.connect.count().max(1) as f64;
    let late = all.connect.count() - all.connect.count_up_to(900_000_000);
    let known = |name| reading(&watched.readings, name);
    let share = |part: Known, of: Known| {
        known(part).zip(known(of)).filter(|(_, of)| *of > 0.0).map(|(part, of)| part / of)
    };
    let threads = [
        share(Known::UserThreads, Known::UserThreadLimit),
        share(Known::GroupThreads, Known::GroupThreadLimit),
    ];
    Level {
        per_s: if seconds > 0.0 { all.samples as f64 / seconds } else { 0.0 },
        mean_ms: (all.samples > 0).then(|| all.mean_ns() / 1e6),
        errors: all.errors as f64 / samples,
        turned_down: of_run(turned_down),
        refused: of_run(errors.count(FailureKind::is_unreached)),
        timeouts: of_run(errors.of_kind(FailureKind::ResponseTimeout)),
        exhausted: of_run(errors.of_kind(FailureKind::ResourceExhaustion)),
        late_connections: late as f64 / connected,
        accept_queue: report.evidence.accept_queue.or(report.evidence.connect_retries),
        retransmits: report.evidence.retransmits,
        bytes_per_s: if seconds > 0.0 { all.bytes as f64 / seconds } else { 0.0 },
        server_cpu: share(Known::ProcessCpu, Known::Processors),
        machine_busy: report.evidence.neighbour.and(known(Known::MachineIdle)).map(|idle| 1.0 - idle),
        tool_cpu: watched.tool_cpu,
        gc_time: known(Known::GcTime),
        heap_after_gc: known(Known::HeapAfterGc),
        threads_of_limit: threads.into_iter().flatten().reduce(f64::max),
        ..Level::default()
    }
}

fn too_short(needed_s: f64) -> String {
    format!(
        "the plan ends by itself before there is a steady second; a trial takes {needed_s:.0} s and more, so give the plan more loops or a longer duration (--users does that)"
    )
}

/// A trial in a line.
fn told(found: &Found, row: &Row) -> String {
    let sure = if row.by_figure { "~" } else { "" };
    format!("{}. {}: {sure}{} ({})", found.trials.len() + 1, found.load_words(row.load), row.outcome, row.why)
}
