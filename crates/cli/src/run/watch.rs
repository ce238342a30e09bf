//! Watches a trial to its end: shows its seconds, and does what signals and commands ask for.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use swell_engine::Ceilings;
use swell_run::{Starter, Subscription, Trial, TrialControl};

use super::commands::{self, Command};
use super::event::{Announce, Event, Input};
use super::exporting::Exporting;
use super::recording::Recording;
use super::screen::{Action, Screen};
use super::state::State;
use super::stopping::{self, Graces, Step, Stopping};
use super::terminal::{Style, Terminal};
use crate::args::Grace;
use crate::exit::Failure;
use crate::signals::{self, Signal};
use crate::watched::Watched;

/// How a trial is watched.
pub(crate) struct WatchOptions {
    pub(crate) style: Style,
    /// How long running samples may go on after a signal.
    pub(crate) graces: Graces,
    /// How long running samples may take after the schedule of the test has ended; none: as long as they take, and nothing is said.
    pub(crate) end_grace: Option<Grace>,
    /// Ports at which commands are listened for, and whether somebody asked for that.
    pub(crate) commands: Option<(RangeInclusive<u16>, bool)>,
    /// What takes the seconds of the run, beside the terminal.
    pub(crate) recording: Recording,
    /// What gives the seconds of the run to other systems.
    pub(crate) exporting: Option<Exporting>,
    /// Show the run on the whole screen, with this title.
    pub(crate) view: Option<String>,
    /// Told of each change that a key of the view made: its kind in the journal, and what was done.
    pub(crate) announce: Announce,
    /// How much load control may ask for.
    pub(crate) ceilings: Ceilings,
    /// Called with the control of the trial when it has started.
    pub(crate) on_start: Option<Box<dyn FnOnce(TrialControl)>>,
    /// Starts the trial somewhere else than here.
    pub(crate) starter: Option<Starter>,
}

struct Watch {
    control: TrialControl,
    seconds: Subscription,
    terminal: Terminal,
    stopping: Stopping,
    /// None once it has begun.
    end_grace: Option<Grace>,
    announce: Announce,
}

const TICK: Duration = Duration::from_millis(250);

/// Users that end with the schedule have ended by this time after it.
const SETTLE_NS: i64 = 250_000_000;

/// Runs a trial to its end or to the last interrupt. `to` is the sender of `inbox`.
pub(crate) fn run(
    trial: Trial,
    options: WatchOptions,
    (to, inbox): (Sender<Event>, Receiver<Event>),
) -> Result<Watched, Failure> {
    signals::forward(to.clone(), Event::Signal)
        .map_err(|error| Failure::settings(format!("cannot listen for signals: {error}")))?;
    if let Some((ports, asked)) = options.commands {
        let to = to.clone();
        commands::listen(ports, asked, move |command| to.send(Event::Command(command)).is_ok());
    }
    let host = Arc::clone(trial.host());
    let mut terminal = Terminal::new(options.style, Arc::clone(&host));
    let keys = to.clone();
    let say = to.clone();
    let recorded = options.recording.is_wanted().then(|| trial.subscribe());
    let exported = options.exporting.map(|exporting| (exporting, trial.subscribe()));
    let seconds = trial.subscribe_with(move || {
        // The watch is gone only if it has seen the end.
        let _ = to.send(Event::Seconds);
    });
    let start = options.starter.unwrap_or_else(|| Box::new(Trial::start));
    let running =
        start(trial).map_err(|error| Failure::settings(format!("cannot start a thread: {error}")))?;
    running.control().load().limit_load(options.ceilings);
    if let Some(on_start) = options.on_start {
        on_start(running.control());
    }
    if let Some(title) = options.view {
        open_view(&mut terminal, title, keys);
    }
    let (control, stopping) = (running.control(), Stopping::new(options.graces));
    let (end_grace, announce) = (options.end_grace, options.announce);
    let mut watch = Watch { control, seconds, terminal, stopping, end_grace, announce };
    let cannot = |error| Failure::settings(format!("cannot start a thread: {error}"));
    let recording = match recorded {
        Some(seconds) => Some(options.recording.start(seconds, running.control(), say).map_err(cannot)?),
        None => None,
    };
    let exporting =
        exported.map(|(exporting, seconds)| exporting.start(seconds)).transpose().map_err(cannot)?;
    watch.until_end(&inbox);
    watch.terminal.close();
    let report = running.wait();
    let recording =
        recording.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    let recording = recording.unwrap_or_default();
    // The last second is shown, and logged, while the run ends.
    host.finish_log();
    let judgements = recording.judgements();
    let interrupted = watch.stopping.is_asked();
    let exporting =
        exporting.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    let exports = exporting.map(|exporting| exporting.end(interrupted, &inbox)).unwrap_or_default();
    Ok(Watched { report, interrupted, judgements, exports, recorder: recording.recorder })
}

/// A terminal that cannot show the view shows lines.
fn open_view(terminal: &mut Terminal, title: String, to: Sender<Event>) {
    match Screen::open(title, to) {
        Ok(screen) => terminal.open(screen),
        Err(error) => {
            terminal.say(&format!("--tui: the terminal cannot show the view: {error}; lines are shown"));
        }
    }
}

impl Watch {
    fn until_end(&mut self, inbox: &Receiver<Event>) {
        loop {
            let mut step = None;
            match inbox.recv_timeout(self.stopping.wait(TICK, Instant::now())) {
                Ok(Event::Seconds) => {
                    while let Some(second) = self.seconds.try_next() {
                        self.terminal.show(&second);
                    }
                    if self.seconds.is_over() {
                        return;
                    }
                }
                Ok(Event::Signal(Signal::Dump)) => self.dump(),
                Ok(Event::Signal(signal)) => {
                    self.control.hurry();
                    step = self.stopping.signal(signal, Instant::now());
                }
                Ok(Event::Command(command)) => self.command(command),
                Ok(Event::Say(text)) => self.terminal.say(&text),
                Ok(Event::Input(input)) => step = self.input(input),
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
        self.terminal.say(&stopping::end_message(status.active, grace));
    }

    /// Does what a key of the full-screen view asks for.
    fn input(&mut self, input: Input) -> Option<Step> {
        let action = self.terminal.screen()?.input(input)?;
        match action {
            Action::Leave => self.terminal.close(),
            Action::Interrupt => {
                self.control.hurry();
                return self.stopping.signal(Signal::Interrupt, Instant::now());
            }
            Action::Dump => self.dump(),
            change => {
                let done = self.terminal.screen()?.change(change, &self.control);
                if let Some((kind, what)) = done {
                    (self.announce)(kind, what);
                }
            }
        }
        None
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Stop => {
                self.control.stop();
                self.terminal.say("Shutdown: no new samples are started; waiting for running samples.");
            }
            Command::StopNow => {
                self.control.stop_now();
                self.terminal.say("StopTestNow: running samples are aborted.");
            }
        }
    }

    /// Does what a signal, or the time since one, asks for.
    fn take(&mut self, step: Step) {
        match step {
            Step::Graceful(signal, grace) => {
                self.control.stop();
                self.terminal.say(&stopping::message(signal, grace));
            }
            Step::Cut => {
                self.control.stop_now();
                self.terminal.say("Aborting running samples.");
            }
            Step::Leave => self.control.abandon(),
        }
    }

    /// Says how the run goes.
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
        self.terminal.say(&text);
    }
}
