//! `swell run`: a plan from its file to its summary.

mod counting;
mod desk;
pub(crate) mod setup;

use std::sync::Arc;
use std::sync::mpsc;

use swell_engine::{Control, Outcome, Prepared, Registry, RunOptions};
use swell_results::{ResultFiles, WriteFailure};
use swell_stats::Summary;

use crate::args::RunArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::signals;
pub(crate) use desk::{Desk, Event, Style};

/// A run that is over, with what it measured.
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    pub(crate) desk: Desk,
    pub(crate) failures: Vec<WriteFailure>,
    pub(crate) interrupted: bool,
}

impl Ran {
    /// Whether anything was measured, and whether it was the user who ended it.
    pub(crate) fn exit(&self, summary: &Summary) -> Exit {
        if self.interrupted {
            Exit::Interrupted
        } else if summary.total.samples == 0 && summary.rows.is_empty() {
            Exit::NothingRan
        } else {
            Exit::Fine
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let site = if args.with_target { Some(setup::site()?) } else { None };
    let setup = setup::Setup::new(args, site.as_ref())?;
    let prepared = setup.prepare()?;
    eprintln!("Created the tree successfully using {}", args.plan().display());
    let files = setup.files.clone();
    // Standard output is for one kind of data.
    let style = Style { to_stdout: !args.json, ..Style::of_run(&setup.props) };
    let workers = args.workers.map(usize::from);
    let job = Job { prepared, registry: setup.registry, files, workers, compat: args.compat };
    let ran = execute(job, style)?;
    let summary = ran.desk.summary();
    output::write_run(args, &ran, &summary)?;
    Ok(ran.exit(&summary))
}

/// What is to be executed.
pub(crate) struct Job {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) registry: Registry,
    pub(crate) files: ResultFiles,
    /// One a core if not said.
    pub(crate) workers: Option<usize>,
    pub(crate) compat: bool,
}

/// Runs a prepared plan to its end or to the second interrupt, with words for the terminal.
pub(crate) fn execute(job: Job, style: Style) -> Result<Ran, Failure> {
    let (events, inbox) = mpsc::channel();
    let control = Control::new();
    signals::forward(events.clone(), || Event::Interrupt)
        .map_err(|error| Failure::settings(format!("cannot listen for signals: {error}")))?;
    let mut options = RunOptions { compat: job.compat, ..RunOptions::default() };
    options.workers = job.workers.unwrap_or(options.workers);
    options.root_listeners = counting::root_listeners(events.clone());
    let (prepared, registry, handle) = (job.prepared, job.registry, control.clone());
    let engine = std::thread::Builder::new()
        .name("swell-run".to_owned())
        .spawn(move || {
            let outcome = swell_engine::run(&prepared, registry, options, &handle);
            // The desk waits for this; if it is gone, the process is about to end.
            let _gone = events.send(Event::Over(Box::new(outcome)));
        })
        .map_err(|error| Failure::settings(format!("cannot start a thread: {error}")))?;
    let mut desk = Desk::new(style, control, job.files.clone());
    let end = desk.watch(&inbox);
    let failures = job.files.finish();
    let Some(outcome) = end.outcome else {
        // The second interrupt, or a broken engine: what was measured is on disk; do not wait for threads that may hang.
        return Ok(Ran { outcome: Outcome::default(), desk, failures, interrupted: true });
    };
    let joined = engine.join();
    debug_assert!(joined.is_ok(), "it has sent its outcome");
    Ok(Ran { outcome, desk, failures, interrupted: end.interrupted })
}
