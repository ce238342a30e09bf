//! `swell run`: a plan from its file to its summary.

mod commands;
pub(crate) mod messages;
mod recent;
#[cfg(feature = "tui")]
pub(crate) mod screen;
#[cfg(not(feature = "tui"))]
#[path = "without_screen.rs"]
pub(crate) mod screen;
pub(crate) mod setup;
mod summarisers;
pub(crate) mod terminal;

use std::path::{Path, PathBuf};

use swell_plan::Plan;
use swell_run::{Trial, TrialReport};
use swell_session::{Requests, SessionOptions, Subject, name_of};

use crate::args::{DEFAULT_LOG, RunArgs};
use crate::exit::{Exit, Failure};
use crate::fleet::{self, Fleet};
use crate::output::{Form, IsRefused, SummaryPrinter};
use crate::print::print_stderr;
use crate::session::{self, ShownRun};
use crate::{about, closed_idle, http_sessions, preflight, report, shape};

use setup::PlanOfRun;
use terminal::Style;

/// Runs the command; `controls`: it is `swell controller`.
pub(crate) fn run(args: &RunArgs, controls: bool) -> Result<Exit, Failure> {
    if let Some(results) = args.report_only() {
        return report::of_jmeter(results.clone(), args.report_dir.as_ref(), args.force);
    }
    args.check_jmeters()?;
    if args.jmeter.server {
        return fleet::serve_as_jmeter(args);
    }
    if let Some(exit) = args.set.list(args.plan())? {
        return Ok(exit);
    }
    let target = if args.with_target { Some(setup::target()?) } else { None };
    let (requests, inbox) = Requests::new();
    let (made, settings) = setup::plan_and_settings(args, target.as_ref(), messages::sink(requests.clone()))?;
    let PlanOfRun { plan, changed_text, skipped_asserts } = made;
    let graces = setup::graces(args.one.grace, &settings.props)?;
    let trial = setup::prepare(&plan, settings)?;
    setup::say_what_is_ignored(&trial);
    if let Some((shape, of)) = trial.shape() {
        shape::say(shape, of, None);
    }
    check_log(args, &trial)?;
    args.paths().check_places(args.force)?;
    warn_of_earlier_rows(args);
    let mode = fleet::mode_of(args, trial.props(), controls)?;
    preflight::of_run(args, &trial, mode.is_none())?;
    print_stderr(&format!("Created the tree successfully using {}", args.plan().display()));
    commands::listen(trial.props(), requests.clone());
    let mut fleet =
        mode.map(|mode| Fleet::begin(mode, (args, changed_text.as_deref()), &trial, controls)).transpose()?;
    let subject = subject(args, &plan, changed_text, &trial);
    let shown = ShownRun {
        style: Style::of_run(trial.props(), args.one.json),
        view: session::view(args.one.tui, &subject.title),
        graces,
        end_grace: None,
        starter: fleet.as_mut().map(Fleet::starter),
    };
    let form = if args.one.json { Form::Json } else { Form::Table };
    let is_refused = fleet.as_ref().map_or_else(|| Box::new(|| false) as IsRefused, Fleet::has_failed);
    let transactions = subject.about.transactions.clone();
    let detail = args.one.detail(args.verbose);
    let summary = SummaryPrinter { form, detail, transactions, connections, is_refused };
    let ended = session::run(options(args), &subject, trial, shown, Box::new(summary), (requests, inbox))?;
    if skipped_asserts > 0 {
        print_stderr(&format!("{skipped_asserts} asserts of the file were not checked (--skip-asserts)"));
    }
    fleet::ended(session::exit(ended)?, fleet.as_ref().and_then(Fleet::failure))
}

fn options(args: &RunArgs) -> SessionOptions {
    SessionOptions {
        report: args.report(),
        summary: args.summary_path(),
        force: args.force,
        ..args.one.options(true)
    }
}

fn subject<'a>(
    args: &'a RunArgs,
    plan: &'a Plan,
    changed_text: Option<Vec<u8>>,
    trial: &Trial,
) -> Subject<'a> {
    let about = about::of_run(args, plan, trial.props());
    let file = args.plan();
    Subject { kind: "run", file: Some(file), changed_text, trial: None, plan, title: name_of(file), about }
}

/// As in JMeter, rows are appended to a results file that exists. The summary next to it is only
/// that of this run.
fn warn_of_earlier_rows(args: &RunArgs) {
    let has_rows =
        |path: &&PathBuf| std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0);
    if let Some(path) = args.logfile.as_ref().filter(has_rows).filter(|_| !args.force) {
        print_stderr(&format!(
            "warning: `{}` has rows of an earlier run; new rows are appended\n  hint: -f overwrites the file",
            path.display()
        ));
    }
}

/// Checks that the log can be written. A run does without the default one.
fn check_log(args: &RunArgs, trial: &Trial) -> Result<(), Failure> {
    let Err(error) = trial.host().check_log() else { return Ok(()) };
    let message = swell_session::cannot_write("log", &args.jmeterlogfile, &error);
    if args.jmeterlogfile != Path::new(DEFAULT_LOG) {
        return Err(Failure::settings(message).hint("name a file in a folder that this user may write to"));
    }
    print_stderr(&format!("{message}; nothing will be logged"));
    trial.host().without_log();
    Ok(())
}

/// What is said of connections at the end.
fn connections(report: &TrialReport) -> Vec<String> {
    [closed_idle::in_plan(report), http_sessions::lines(report)].concat()
}
