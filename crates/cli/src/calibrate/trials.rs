//! Trials of a calibration, one after the other. A signal ends the one that runs, and with it the
//! calibration.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};

use clap::Parser;
use swell_run::{Monitor, RunningTrial, Subscription, Trial, TrialReport, TrialSettings};
use swell_session::{Ended, Ending, Signal};

use crate::args::{CalibrateArgs, Cli, Command};
use crate::exit::{Exit, Failure};
use crate::hit;
use crate::messages;
use crate::run::setup;
use crate::signals;
use crate::trials::{Counting, ObservedTrials, StudyOptions, TrialFacts};

/// What reaches a trial.
enum Event {
    /// A second of it has passed, or it has finished.
    Second,
    Signal(Signal),
}

/// Makes trials.
pub(super) struct Trials {
    /// How long each takes.
    seconds: f64,
    sender: Sender<Event>,
    inbox: Receiver<Event>,
    monitor: Option<Monitor>,
    observed: ObservedTrials,
}

/// A load as trials and results of thresholds are named.
pub(super) fn label(users: u64, rate: u64) -> String {
    format!("users {users}, rate {rate}")
}

pub(super) fn failed(cause: impl Display) -> Failure {
    Failure::settings(format!("a trial failed: {cause}"))
}

impl Trials {
    /// Signals are caught from now on.
    pub(super) fn new(args: &CalibrateArgs) -> Result<Self, Failure> {
        let seconds = args.duration.as_secs_f64();
        let (sender, inbox) = mpsc::channel();
        let interrupted = Arc::new(AtomicBool::new(false));
        let options = StudyOptions {
            kind: "calibrate",
            subject: "built-in target",
            observe: &args.observe,
            force: args.force,
            json: args.json,
            counting: Counting::Settled,
        };
        let observed = ObservedTrials::begin(&options, interrupted.clone())?;
        let taken = move |signal| {
            interrupted.fetch_or(signal != Signal::Dump, Ordering::Relaxed);
            Event::Signal(signal)
        };
        signals::forward(sender.clone(), taken)?;
        let monitor = args.observe.monitor.start(&messages::plain_sink())?;
        Ok(Self { seconds, sender, inbox, monitor, observed })
    }

    /// Thresholds judge the last trial of each of these loads, in users and requests a second.
    pub(super) fn settle(&mut self, loads: &[Option<(u64, u64)>]) {
        let labels: Vec<_> = loads.iter().flatten().map(|(users, rate)| label(*users, *rate)).collect();
        self.observed.settle(&labels);
    }

    /// Shows and writes the results of the thresholds.
    pub(super) fn end(&mut self, exit: Exit) -> Result<Exit, Failure> {
        self.observed.end(exit)
    }

    /// One trial, as `swell hit URL -c USERS -r RATE -d SECONDS` makes it.
    pub(super) fn run(&mut self, url: &str, users: u64, rate: u64) -> Result<TrialReport, Failure> {
        let label = label(users, rate);
        let users = users.to_string();
        let rate = rate.to_string();
        let time = format!("{}s", self.seconds);
        let line = ["swell", "hit", url, "--no-monitor", "-c", &users, "-r", &rate, "-d", &time];
        let cli = Cli::try_parse_from(line).map_err(failed)?;
        let Command::Hit(args) = cli.command else { unreachable!("the line says hit") };
        let (plan, settings) = hit::plan_and_settings(&args, messages::plain_sink())?;
        let monitor = self.monitor.clone();
        let trial = setup::prepare(&plan, TrialSettings { monitor, ..settings })?;
        self.observed.observe(&trial, TrialFacts { file: None, plan: &plan, is_changed: false, label })?;
        let sender = self.sender.clone();
        let seconds = trial.subscribe_with(move || {
            // The calibration is over already.
            let _ = sender.send(Event::Second);
        });
        let starter = self.observed.starter(Box::new(Trial::start));
        let running = starter(trial).map_err(failed)?;
        let interrupted = self.is_interrupted(&running, &seconds);
        let report = self.observed.end_trial(running.wait())?;
        let ended = Ended::of_trial(report, interrupted);
        match ended.ending() {
            Ending::Completed => Ok(ended.report),
            _ if interrupted => Err(Failure {
                exit: Exit::Interrupted,
                ..Failure::settings("interrupted; what the trials before found is above")
            }),
            _ => Err(failed(swell_session::messages(&ended).join("\n"))),
        }
    }

    /// Waits for the end of a trial; whether a signal has ended it.
    fn is_interrupted(&self, running: &RunningTrial, seconds: &Subscription) -> bool {
        let mut interrupted = false;
        while !seconds.is_over() {
            match self.inbox.recv() {
                Ok(Event::Second) => while seconds.try_next().is_some() {},
                Ok(Event::Signal(Signal::Dump)) => {}
                // A second one, where users do not end, waits for nothing.
                Ok(Event::Signal(_)) if interrupted => running.control().abandon(),
                Ok(Event::Signal(_)) => {
                    running.control().stop_now();
                    interrupted = true;
                }
                Err(_) => unreachable!("this holds a sender"),
            }
        }
        interrupted
    }
}
