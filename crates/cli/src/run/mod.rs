//! `swell run`: a plan from its file to its summary.

mod commands;
mod counting;
mod desk;
pub(crate) mod setup;
mod state;
mod stopping;
mod summarisers;

use std::ops::RangeInclusive;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc;
use std::sync::{Arc, PoisonError};

use swell_api::Registry;
use swell_engine::{Control, Outcome, Prepared, RunOptions};
use swell_expr::Refusal;
use swell_net::{NetContext, TimestampSource};
use swell_plan::{Diagnostic, Severity};
use swell_results::{ResultFiles, WriteFailure};
use swell_stats::Summary;
use swell_stats::verdict::{Level, Verdict};

use crate::args::{Clock, RunArgs};
use crate::exit::{Exit, Failure};
use crate::output::{self, words};
use crate::signals;
use desk::End;
pub(crate) use desk::{Desk, Event, Style};
pub(crate) use stopping::Graces;
pub(crate) use swell_run::evidence::Wanted;
use swell_run::host::{Logged, Machine};
use swell_run::resources::WorkerThreads;

/// A run that is over, with what it measured.
pub(crate) struct Ran {
    /// None if it was left before its end, or the engine broke.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) desk: Desk,
    pub(crate) net: Arc<NetContext>,
    pub(crate) failures: Vec<WriteFailure>,
    pub(crate) interrupted: bool,
    pub(crate) broken: bool,
    /// Whether it came as far as its first user.
    pub(crate) began: bool,
    /// Errors in the log.
    pub(crate) logged: Logged,
}

impl Ran {
    /// How good the tool was; none if nothing ran. `wanted`: the load that was asked for, where that is a number.
    pub(crate) fn verdict(&self, wanted: Option<Wanted>, summary: &Summary) -> Option<Verdict> {
        if summary.is_empty() && self.refusal().is_none() {
            return None;
        }
        let run = self.desk.measured();
        let outcome = self.outcome.as_ref();
        let seen = swell_run::evidence::evidence(
            &run.snapshot,
            &run.total(),
            outcome,
            &self.desk.machine(),
            &self.net,
            wanted,
        );
        let verdict = swell_stats::verdict(&seen);
        Some(match self.refusal() {
            Some(refusal) => verdict.refused(refusal.to_string()),
            None => verdict,
        })
    }

    /// The script that was not understood and ended the test.
    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        self.outcome.as_ref()?.refusal.as_ref()
    }

    /// The worst that is to be said about the run; `strict`: how good the tool was counts too.
    pub(crate) fn exit(&self, summary: &Summary, strict: Option<Level>) -> Exit {
        match (self.exit_by_events(summary), strict) {
            (Exit::Fine, Some(Level::Invalid)) => Exit::Invalid,
            (Exit::Fine, Some(Level::Degraded)) => Exit::Degraded,
            (exit, _) => exit,
        }
    }

    fn exit_by_events(&self, summary: &Summary) -> Exit {
        let outcome = self.outcome.as_ref();
        let wrong = |problem: &Diagnostic| problem.severity == Severity::Error;
        if self.broken || outcome.is_some_and(|outcome| outcome.failed_workers > 0) {
            Exit::Broken
        } else if self.refusal().is_some() {
            Exit::NeedsEngine
        } else if !self.failures.is_empty() {
            Exit::ResultsLost
        } else if self.interrupted {
            Exit::Interrupted
        } else if outcome.is_some_and(|outcome| outcome.problems.iter().any(wrong)) {
            Exit::Settings
        } else if summary.is_empty() {
            Exit::NothingRan
        } else if swell_report::headline(summary).is_some() {
            // Before any verdict of `--strict`: where nothing succeeded, how well the tool measured decides nothing.
            Exit::NothingSucceeded
        } else {
            Exit::Fine
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    args.check_jmeters()?;
    let site = if args.with_target { Some(setup::site()?) } else { None };
    let setup = setup::Setup::new(args, site.as_ref())?;
    let graces = Graces::new(args.grace, &setup.props)?;
    let prepared = setup.prepare()?;
    output::check_places(args, &setup.host)?;
    words(&format!("Created the tree successfully using {}", args.plan().display()));
    let files = setup.files.clone();
    let style = Style::of_run(&setup.props, args.json);
    let workers = args.workers.map(usize::from);
    let asked = setup.props.get("jmeterengine.nongui.port").is_some();
    let commands = commands::ports(&setup.props).map(|ports| (ports, asked));
    let host = setup.host.clone();
    let job = Job {
        prepared,
        registry: setup.registry,
        files,
        host,
        workers,
        compat: args.compat,
        clock: args.clock,
        commands,
        graces,
    };
    let ran = execute(job, style)?;
    let summary = ran.desk.summary();
    let verdict = ran.verdict(None, &summary);
    output::write_run(args, &ran, &summary, verdict.as_ref())?;
    Ok(ran.exit(&summary, verdict.filter(|_| args.strict).map(|verdict| verdict.level)))
}

/// What is to be executed.
pub(crate) struct Job {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) registry: Registry,
    pub(crate) files: ResultFiles,
    pub(crate) host: Arc<Machine>,
    /// One a core if not said.
    pub(crate) workers: Option<usize>,
    pub(crate) compat: bool,
    pub(crate) clock: Clock,
    /// Ports at which commands are listened for, and whether somebody asked for that.
    pub(crate) commands: Option<(RangeInclusive<u16>, bool)>,
    /// How long running samples may go on after a signal.
    pub(crate) graces: Graces,
}

/// Property: whether the processors of this machine are kept from deep sleep while the test runs.
const STAY_AWAKE: &str = "swell.stay_awake";

fn source_of(clock: Clock) -> TimestampSource {
    match clock {
        Clock::Kernel => TimestampSource::Kernel,
        Clock::Socket => TimestampSource::Socket,
        Clock::User => TimestampSource::UserSpace,
        Clock::Bare => TimestampSource::None,
    }
}

/// Runs a prepared plan to its end or to the second interrupt, with words for the terminal.
pub(crate) fn execute(job: Job, style: Style) -> Result<Ran, Failure> {
    let net = Arc::new(NetContext::new(source_of(job.clock)));
    // Loaded now if this clock wants it, the program is no part of the first connection's time. Where it may not be, reads bring
    // stamps.
    let _ = net.source().notes_arrivals();
    // Whoever may not keep them awake runs on processors that sleep.
    let _awake = job.prepared.settings().props.flag(STAY_AWAKE, true).then(swell_net::machine::stay_awake);
    let (events, inbox) = mpsc::channel();
    let control = Control::new();
    signals::forward(events.clone(), Event::Signal)
        .map_err(|error| Failure::settings(format!("cannot listen for signals: {error}")))?;
    if let Some((ports, asked)) = job.commands {
        commands::listen(ports, asked, events.clone());
    }
    let mut options = RunOptions { compat: job.compat, ..RunOptions::default() };
    options.workers = job.workers.unwrap_or(options.workers);
    let threads = WorkerThreads::default();
    let workers = threads.clone();
    options.on_worker =
        Arc::new(move |thread| workers.lock().unwrap_or_else(PoisonError::into_inner).push(thread));
    options.net = net.clone();
    options.root_listeners = counting::root_listeners(events.clone(), style.give_up.is_some());
    let (files, host) = (job.files.clone(), job.host.clone());
    options.before_users = Arc::new(move || {
        host.begin_log();
        files.begin().map_err(|error| error.to_string())
    });
    // It looks at the machine before the first connection.
    let mut desk = Desk::new(
        style,
        control.clone(),
        job.files.clone(),
        job.host.clone(),
        job.graces,
        threads,
        net.clone(),
    );
    let (prepared, registry, handle) = (job.prepared, job.registry, control);
    let engine = std::thread::Builder::new()
        .name("swell-run".to_owned())
        .spawn(move || {
            let run = AssertUnwindSafe(|| swell_engine::run(&prepared, registry, options, &handle));
            // What the panic says stands on standard error by now.
            let event =
                std::panic::catch_unwind(run).map_or(Event::Broken, |outcome| Event::Over(Box::new(outcome)));
            // The desk waits for this; if it is gone, the process is about to end.
            let _gone = events.send(event);
        })
        .map_err(|error| Failure::settings(format!("cannot start a thread: {error}")))?;
    let end = desk.watch(&inbox);
    let failures = job.files.finish();
    job.files.metrics().finish(end.interrupted || end.outcome.is_none());
    if end.outcome.is_some() {
        let joined = engine.join();
        debug_assert!(joined.is_ok(), "it has sent its outcome");
    }
    // Without an outcome, what was measured is on disk: do not wait for threads that may hang.
    let End { outcome, interrupted, broken } = end;
    let (began, logged) = (job.files.has_begun(), job.host.logged());
    Ok(Ran { outcome, desk, net, failures, interrupted, broken, began, logged })
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::Place;
    use swell_results::FileOptions;

    fn desk() -> Desk {
        let host = Machine::new(".".into(), None, swell_expr::Level::Info, words);
        let files = ResultFiles::new(FileOptions::new("."));
        Desk::new(
            Style::quiet(),
            Control::new(),
            files,
            Arc::new(host),
            Graces::default(),
            WorkerThreads::default(),
            Arc::default(),
        )
    }

    fn ran(outcome: Option<Outcome>) -> Ran {
        let (failures, logged) = (Vec::new(), Logged::default());
        Ran {
            outcome,
            desk: desk(),
            net: Arc::default(),
            failures,
            interrupted: false,
            broken: false,
            began: true,
            logged,
        }
    }

    #[test]
    fn the_status_says_the_worst() {
        let exit = |ran: &Ran| ran.exit(&ran.desk.summary(), None);
        let fine = || ran(Some(Outcome::default()));
        let lost = WriteFailure { path: "x".into(), cause: String::new(), rows_written: 0, rows_lost: 1 };
        let wrong = Diagnostic {
            severity: Severity::Error,
            place: Place::default(),
            message: String::new(),
            hint: None,
        };
        let warned = Outcome {
            problems: vec![Diagnostic { severity: Severity::Warning, ..wrong.clone() }],
            ..Outcome::default()
        };
        let refused = Outcome { problems: vec![wrong], ..Outcome::default() };
        let failed = Outcome { failed_workers: 1, ..refused.clone() };
        assert_eq!(exit(&fine()), Exit::NothingRan);
        assert_eq!(exit(&ran(Some(warned))), Exit::NothingRan);
        assert_eq!(exit(&ran(Some(refused.clone()))), Exit::Settings);
        assert_eq!(exit(&Ran { interrupted: true, ..ran(Some(refused.clone())) }), Exit::Interrupted);
        assert_eq!(exit(&Ran { interrupted: true, ..ran(None) }), Exit::Interrupted);
        let interrupted = Ran { interrupted: true, failures: vec![lost], ..ran(Some(refused)) };
        assert_eq!(exit(&interrupted), Exit::ResultsLost);
        assert_eq!(exit(&Ran { outcome: Some(failed), ..interrupted }), Exit::Broken);
        assert_eq!(exit(&Ran { broken: true, ..ran(None) }), Exit::Broken);
    }

    #[test]
    fn a_strict_run_ends_with_its_verdict_unless_something_worse_happened() {
        let mut recorder = swell_stats::Recorder::default();
        let seen = |success| swell_stats::Observation { success, ..swell_stats::Observation::default() };
        recorder.record(&seen(true));
        let summary = Summary::of(&recorder.take_interval());
        let exit =
            |interrupted, strict| Ran { interrupted, ..ran(Some(Outcome::default())) }.exit(&summary, strict);
        let strict = [None, Some(Level::Valid), Some(Level::Degraded), Some(Level::Invalid)];
        let ended = strict.map(|level| exit(false, level) as u8);
        assert_eq!((ended, exit(true, strict[3]) as u8), ([0, 0, 110, 111], 105));
        recorder.record(&seen(false));
        let failed = Summary::of(&recorder.take_interval());
        let exit =
            |interrupted| Ran { interrupted, ..ran(Some(Outcome::default())) }.exit(&failed, strict[3]);
        assert_eq!((exit(false) as u8, exit(true) as u8), (98, 105), "nothing succeeded");
    }

    #[test]
    fn a_broken_engine_ends_the_watch() {
        for event in [Some(Event::Broken), None] {
            let (sender, inbox) = mpsc::channel();
            // Without an event: whoever could send one is gone.
            if let Some(event) = event {
                sender.send(event).expect("the inbox is there");
            }
            drop(sender);
            let end = desk().watch(&inbox);
            assert!(end.broken && end.outcome.is_none() && !end.interrupted);
        }
    }

    #[test]
    fn a_third_interrupt_leaves_at_once() {
        let (sender, inbox) = mpsc::channel();
        for _ in 0..3 {
            sender.send(Event::Signal(signals::Signal::Interrupt)).expect("the inbox is there");
        }
        let end = desk().watch(&inbox);
        assert!(end.interrupted && end.outcome.is_none() && !end.broken);
    }
}
