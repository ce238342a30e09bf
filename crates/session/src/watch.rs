//! Waits for the end of a run: shows its seconds, and does what signals and commands ask for.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use swell_run::{Subscription, TrialControl};

use crate::observer::{Event, Observer, Second};
use crate::requests::{Command, Request};
use crate::state::State;
use crate::stopping::{self, Grace, Signal, Step, Stopping};

/// A run that is waited for.
pub(crate) struct Watch<'a> {
    pub(crate) control: TrialControl,
    pub(crate) seconds: Subscription,
    /// Shows the run on the thread of the caller.
    pub(crate) display: &'a mut dyn Observer,
    pub(crate) stopping: Stopping,
    /// Nothing once it has begun.
    pub(crate) end_grace: Option<Grace>,
}

const TICK: Duration = Duration::from_millis(250);

/// Users that end with the schedule have ended by this time after it.
const SETTLE_NS: i64 = 250_000_000;

impl Watch<'_> {
    pub(crate) fn until_end(&mut self, inbox: &Receiver<Request>) {
        loop {
            let mut step = None;
            match inbox.recv_timeout(self.stopping.wait(TICK, Instant::now())) {
                Ok(Request::Seconds) => {
                    while let Some(second) = self.seconds.try_next() {
                        self.display.second(&Second::new(second));
                    }
                    if self.seconds.is_over() {
                        return;
                    }
                }
                Ok(Request::Signal(Signal::Dump)) => self.dump(),
                Ok(Request::Signal(signal)) => {
                    self.control.hurry();
                    step = self.stopping.signal(signal, Instant::now());
                }
                Ok(Request::Command(command)) => self.command(command),
                Ok(Request::Event(event)) => self.display.event(&event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.begin_end_grace();
            let control = &self.control;
            let ended = || control.status().map_or(0, |status| status.finished);
            if let Some(step) = step.or_else(|| self.stopping.due(Instant::now(), ended)) {
                self.take(step);
            }
        }
    }

    /// Limits what still runs when the schedule of the test has ended.
    fn begin_end_grace(&mut self) {
        let Some(grace) = self.end_grace else { return };
        let Some(status) = self.control.status() else { return };
        let ended = status.expected_end_ns.is_some_and(|end_ns| swell_net::now_ns() > end_ns + SETTLE_NS);
        if !ended || status.active == 0 || self.stopping.is_asked() {
            return;
        }
        self.end_grace = None;
        self.stopping.schedule_ended(grace, Instant::now());
        self.say(&stopping::end_message(status.active, grace));
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Stop => {
                self.control.stop();
                self.say("Shutdown: no new samples are started; waiting for running samples.");
            }
            Command::StopNow => {
                self.control.stop_now();
                self.say("StopTestNow: running samples are aborted.");
            }
        }
    }

    /// Does what a signal, or the time since one, asks for.
    fn take(&mut self, step: Step) {
        match step {
            Step::Graceful(signal, grace) => {
                self.control.stop();
                self.say(&stopping::message(signal, grace));
            }
            Step::Cut => {
                self.control.stop_now();
                self.say("Aborting running samples.");
            }
            Step::Leave => self.control.abandon(),
        }
    }

    fn say(&mut self, line: &str) {
        self.display.event(&Event::Notice(line.to_owned()));
    }

    /// Shows the state of the run.
    fn dump(&mut self) {
        let progress = self.control.progress();
        let state = State {
            status: progress.status.as_ref(),
            counted: &progress.counted,
            workers: &progress.workers,
            stopping: self.stopping.state(Instant::now()),
            now_ns: swell_net::now_ns(),
        };
        let text = state.to_string();
        self.say(&text);
    }
}
