//! The desk of a run: takes counts and signals, speaks to the terminal.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use swell_engine::{Control, Outcome, Status};
use swell_expr::Properties;
use swell_net::NetContext;
use swell_results::ResultFiles;
use swell_stats::{Run, Snapshot, Summary, Tally, Users};

use super::commands::Command;
use super::state::State;
use super::stopping::{self, Graces, Step, Stopping};
use super::summarisers::{Settings, Summarisers};
use crate::output::{data, words};
use crate::signals::Signal;
use swell_run::give_up::GiveUp;
use swell_run::host::Machine;
use swell_run::resources::{ResourceMonitor, ResourceUsage, WorkerThreads};

/// What reaches the desk.
pub(crate) enum Event {
    /// Counts of a worker in a second, named by whole seconds since the epoch.
    Counts(i64, Box<Snapshot>),
    /// A signal of the system.
    Signal(Signal),
    /// Somebody stops the run by a word.
    Command(Command),
    /// The run is over.
    Over(Box<Outcome>),
    /// The engine failed, by a fault of the tool.
    Broken,
}

/// What a run says while it goes, on standard error or, as JMeter does, on standard output.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// Summariser lines.
    pub(crate) summaries: Settings,
    /// Summariser lines go to standard output, as JMeter's do; else to standard error.
    pub(crate) to_stdout: bool,
    /// Transactions are left out of the lines.
    pub(crate) ignore_transactions: bool,
    /// A line that is written over each second.
    pub(crate) progress: bool,
    /// How long a test goes on that reaches no server; none: as long as it is meant to.
    pub(crate) give_up: Option<Duration>,
}

impl Style {
    /// As JMeter's properties say; standard output is left alone where it is for a machine.
    pub(crate) fn of_run(props: &Properties, json: bool) -> Self {
        Self {
            summaries: Settings::of_run(props),
            to_stdout: !json,
            ignore_transactions: props.flag("summariser.ignore_transaction_controller_sample_result", true),
            progress: std::io::stderr().is_terminal(),
            give_up: None,
        }
    }
}

impl Style {
    /// No lines, only progress on a terminal.
    pub(crate) fn quiet() -> Self {
        let progress = std::io::stderr().is_terminal();
        Self {
            summaries: Settings::NONE,
            to_stdout: false,
            ignore_transactions: true,
            progress,
            give_up: None,
        }
    }
}

/// How the watch ended.
pub(crate) struct End {
    /// None if the run did not end in time after a second interrupt, or the engine broke.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) interrupted: bool,
    pub(crate) broken: bool,
}

/// Counts of the whole run, and what is said of them.
pub(crate) struct Desk {
    style: Style,
    control: Control,
    files: ResultFiles,
    run: Run,
    summarisers: Summarisers,
    log: Arc<Machine>,
    stopping: Stopping,
    shown: bool,
    metrics_told: bool,
    last: (u64, i64),
    pressure: ResourceMonitor,
    give_up: Option<GiveUp>,
}

const TICK: Duration = Duration::from_millis(250);

impl Desk {
    pub(crate) fn new(
        style: Style,
        control: Control,
        files: ResultFiles,
        log: Arc<Machine>,
        graces: Graces,
        threads: WorkerThreads,
        net: Arc<NetContext>,
    ) -> Self {
        let summarisers = Summarisers::new(style.summaries.clone(), swell_net::now_ns() / 1_000_000);
        let run = Run::new(!style.ignore_transactions);
        let give_up = style.give_up.map(GiveUp::new);
        Self {
            style,
            control,
            files,
            run,
            summarisers,
            log,
            stopping: Stopping::new(graces),
            shown: false,
            metrics_told: false,
            last: (0, 0),
            pressure: ResourceMonitor::begin(threads, net, swell_net::now_ns()),
            give_up,
        }
    }

    /// The figures of the whole run.
    pub(crate) fn summary(&self) -> Summary {
        self.run.summary()
    }

    /// What was measured, over time and in all.
    pub(crate) fn measured(&self) -> &Run {
        &self.run
    }

    /// What the machine did to the tool.
    pub(crate) fn machine(&self) -> ResourceUsage {
        self.pressure.found()
    }

    /// Watches a run to its end.
    pub(crate) fn watch(&mut self, inbox: &Receiver<Event>) -> End {
        let mut flushed_s = 0;
        loop {
            let event = match inbox.recv_timeout(self.stopping.wait(TICK, Instant::now())) {
                Ok(event) => Some(event),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(Event::Broken),
            };
            let mut step = None;
            match event {
                Some(Event::Counts(at_s, counts)) => self.count(at_s, &counts),
                Some(Event::Signal(Signal::Dump)) => self.dump(),
                Some(Event::Signal(signal)) => step = self.stopping.signal(signal, Instant::now()),
                Some(Event::Command(command)) => self.command(command),
                Some(Event::Broken) => return End { broken: true, ..self.end(None) },
                Some(Event::Over(outcome)) => {
                    // Counts that were sent before the end are in the inbox already.
                    for event in inbox.try_iter() {
                        if let Event::Counts(at_s, counts) = event {
                            self.count(at_s, &counts);
                        }
                    }
                    return self.end(Some(*outcome));
                }
                None => {}
            }
            let control = &self.control;
            let ended = || control.status().map_or(0, |status| status.finished);
            let step = step.or_else(|| self.stopping.due(Instant::now(), ended));
            if step.is_some_and(|step| self.takes(step)) {
                return self.end(None);
            }
            let now_ns = swell_net::now_ns();
            self.pressure.look(now_ns);
            self.give_up_if_due(now_ns);
            if now_ns / 1_000_000_000 != flushed_s {
                flushed_s = now_ns / 1_000_000_000;
                self.each_second(now_ns);
            }
        }
    }

    fn give_up_if_due(&mut self, now_ns: i64) {
        if let Some(words) = self.give_up.as_mut().and_then(|give_up| give_up.is_due(now_ns)) {
            self.say(&words);
            self.control.stop_now();
        }
    }

    fn each_second(&mut self, now_ns: i64) {
        self.pressure.look_for_server();
        self.files.flush();
        self.tell_metrics();
        let users = self.users();
        self.take_summaries();
        let lines = self.summarisers.report(now_ns / 1_000_000, users);
        self.lines(&lines);
        if self.style.progress
            && let Some(status) = self.control.status()
        {
            let text = progress_line(&status, &self.run.snapshot, &mut self.last, now_ns);
            self.overwrite(&text);
        }
    }

    /// Metrics show the users; whoever wants to fetch them hears where they are.
    fn tell_metrics(&mut self) {
        self.tell_users();
        let Some(address) = self.files.metrics().address() else { return };
        if !std::mem::replace(&mut self.metrics_told, true) {
            self.say(&format!("metrics are at http://{address}/metrics"));
        }
    }

    fn tell_users(&self) {
        if let Some(status) = self.control.status() {
            self.files.set_users(status.active, status.started, status.finished);
        }
    }

    fn count(&mut self, at_s: i64, counts: &Snapshot) {
        if let Some(give_up) = &mut self.give_up {
            give_up.counted(counts);
        }
        let counted = self.run.add(at_s, counts, self.users());
        self.summarisers.add_to_all(&Tally::from(&counted));
    }

    /// Counts of the summarisers of the plan.
    fn take_summaries(&mut self) {
        for (name, counted) in self.files.take_summaries() {
            self.summarisers.add(&name, &counted);
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Stop => {
                self.control.stop();
                self.say("Shutdown: starting nothing more; waiting for running samples.");
            }
            Command::StopNow => {
                self.control.stop_now();
                self.say("StopTestNow: running samples are cut.");
            }
        }
    }

    /// Does what a signal, or the time since one, asks for; whether the run is left.
    fn takes(&mut self, step: Step) -> bool {
        match step {
            Step::Gently(signal, grace) => {
                self.control.stop();
                self.say(&stopping::words(signal, grace));
            }
            Step::Cut => {
                self.control.stop_now();
                self.say("Cutting running samples.");
            }
            Step::Leave => {}
        }
        step == Step::Leave
    }

    /// Says how the run goes.
    fn dump(&mut self) {
        let status = self.control.status();
        let state = State {
            status: status.as_ref(),
            counted: &self.run.snapshot,
            workers: &self.pressure.loads(),
            stopping: self.stopping.state(Instant::now()),
            now_ns: swell_net::now_ns(),
        };
        let text = state.to_string();
        self.say(&text);
    }

    fn end(&mut self, outcome: Option<Outcome>) -> End {
        let (now_ms, users) = (swell_net::now_ns() / 1_000_000, self.users());
        self.pressure.look_for_server();
        self.pressure.look_once_more(swell_net::now_ns());
        self.run.snapshot.users = users;
        self.tell_users();
        self.take_summaries();
        let lines = self.summarisers.finish(now_ms, users);
        self.lines(&lines);
        self.overwrite("");
        End { interrupted: self.stopping.is_asked(), outcome, broken: false }
    }

    fn users(&self) -> Users {
        self.control.status().map_or_else(Users::default, |status| Users {
            active: u64::from(status.active),
            started: u64::from(status.started),
            finished: u64::from(status.finished),
        })
    }

    /// Lines of the summariser.
    fn lines(&mut self, lines: &[String]) {
        self.summarisers.log(lines, &*self.log);
        if lines.is_empty() || !self.summarisers.to_out() {
            return;
        }
        self.overwrite("");
        for line in lines {
            if self.style.to_stdout {
                // The summary that follows tells the same, and whether it could be written.
                let _lost = data(&format!("{}\n", swell_report::plain(line)));
            } else {
                words(line);
            }
        }
    }

    fn say(&mut self, line: &str) {
        self.overwrite("");
        words(line);
    }

    /// Writes the progress line over the last one; an empty text takes it away.
    fn overwrite(&mut self, text: &str) {
        if self.shown || !text.is_empty() {
            // Progress is for a terminal; if it is gone, there is nobody to tell.
            let _gone =
                write!(std::io::stderr().lock(), "\r\x1b[K{text}").and_then(|()| std::io::stderr().flush());
            self.shown = !text.is_empty();
        }
    }
}

/// `users 120/500   8,123/s   1,204,112 requests   3 errors   0:42 left`. `last` holds requests and time of the line before.
fn progress_line(status: &Status, total: &Snapshot, last: &mut (u64, i64), now_ns: i64) -> String {
    let counted = total.total(false);
    let since_s = (now_ns - last.1) as f64 / 1e9;
    let rate = if last.1 == 0 { 0.0 } else { (counted.samples - last.0) as f64 / since_s };
    *last = (counted.samples, now_ns);
    let left = status.expected_end_ns.map(|end_ns| {
        let s = ((end_ns - now_ns) / 1_000_000_000).max(0);
        if s >= 3600 {
            format!("   {}:{:02}:{:02} left", s / 3600, s / 60 % 60, s % 60)
        } else {
            format!("   {}:{:02} left", s / 60, s % 60)
        }
    });
    format!(
        "users {}/{}   {:.0}/s   {} samples   {} errors{}",
        status.active,
        status.planned,
        rate,
        counted.samples,
        counted.errors,
        left.unwrap_or_default()
    )
}
