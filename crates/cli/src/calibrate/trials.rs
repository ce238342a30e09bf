//! Trials of a calibration, one after the other. A signal ends the one that runs, and with it the calibration.

use std::fmt::Display;
use std::sync::mpsc::{self, Receiver, Sender};

use clap::Parser;
use swell_run::{RunningTrial, Subscription, TrialReport};
use swell_session::{Ended, Ending, Signal};

use crate::args::{Cli, Command};
use crate::exit::{Exit, Failure};
use crate::hit;
use crate::messages;
use crate::run::setup;
use crate::signals;

/// What reaches a trial.
enum Event {
    /// A second of it is over, or all of it.
    Second,
    Signal(Signal),
}

/// Makes trials.
pub(super) struct Trials {
    /// How long each takes.
    seconds: f64,
    sender: Sender<Event>,
    inbox: Receiver<Event>,
}

pub(super) fn failed(cause: impl Display) -> Failure {
    Failure::settings(format!("a trial failed: {cause}"))
}

impl Trials {
    /// Signals are caught from now on.
    pub(super) fn new(seconds: f64) -> Result<Self, Failure> {
        let (sender, inbox) = mpsc::channel();
        signals::forward(sender.clone(), Event::Signal)
            .map_err(|error| Failure::settings(format!("cannot listen for signals: {error}")))?;
        Ok(Self { seconds, sender, inbox })
    }

    /// One trial, as `swell hit URL -c USERS -r RATE -d SECONDS` makes it.
    pub(super) fn run(&self, url: &str, users: u64, rate: u64) -> Result<TrialReport, Failure> {
        let (users, rate, time) = (users.to_string(), rate.to_string(), format!("{}s", self.seconds));
        let line = ["swell", "hit", url, "-c", &users, "-r", &rate, "-d", &time];
        let cli = Cli::try_parse_from(line).map_err(failed)?;
        let Command::Hit(args) = cli.command else { unreachable!("the line says hit") };
        let (plan, settings) = hit::plan_and_settings(&args, messages::plain_sink())?;
        let trial = setup::prepare(&plan, settings)?;
        let sender = self.sender.clone();
        let seconds = trial.subscribe_with(move || {
            // The calibration is over already.
            let _ = sender.send(Event::Second);
        });
        let running = trial.start().map_err(failed)?;
        let interrupted = self.is_interrupted(&running, &seconds);
        let ended = Ended::of_trial(running.wait(), interrupted);
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
