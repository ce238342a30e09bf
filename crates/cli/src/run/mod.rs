//! `swell run`: a plan from its file to its summary.

mod commands;
mod encryption;
mod event;
pub(crate) mod exporting;
mod keeping;
pub(crate) mod messages;
mod page;
mod recording;
pub(crate) mod screen;
pub(crate) mod setup;
mod state;
mod stopping;
mod summarisers;
mod terminal;
pub(crate) mod watch;

use std::sync::mpsc;

use swell_results::run_folder::{Event as JournalEvent, Journal};

use crate::about;
use crate::args::RunArgs;
use crate::exit::{Exit, Failure};
use crate::fleet::{self, Fleet};
use crate::kept::RunFacts;
use crate::output;
use crate::preflight;
use crate::print::print_stderr;
use crate::report;
use crate::shape;
pub(crate) use exporting::Exporting;
pub(crate) use keeping::{KeepOptions, Keeping};
pub(crate) use page::PageOfRun;
pub(crate) use stopping::Graces;
pub(crate) use terminal::Style;
pub(crate) use watch::WatchOptions;

/// Runs the command; `controls`: it is `swell controller`.
pub(crate) fn run(args: &RunArgs, controls: bool) -> Result<Exit, Failure> {
    if let Some(results) = args.report_only() {
        return report::of_jmeter(results.clone(), args.report_dir.as_ref(), args.force);
    }
    args.check_jmeters()?;
    if args.jmeter.server {
        return fleet::serve_as_jmeter(args);
    }
    let target = if args.with_target { Some(setup::target()?) } else { None };
    let (to, inbox) = mpsc::channel();
    let (plan, settings) = setup::plan_and_settings(args, target.as_ref(), messages::sink(to.clone()))?;
    let graces = Graces::new(args.grace, &settings.props)?;
    let trial = setup::prepare(&plan, settings)?;
    setup::say_what_is_ignored(&trial);
    if let Some((shape, of)) = trial.shape() {
        shape::say(shape, of, None);
    }
    output::check_output_paths(args, trial.host())?;
    let mode = fleet::mode_of(args, trial.props(), controls)?;
    preflight::of_run(args, &trial, mode.is_none());
    print_stderr(&format!("Created the tree successfully using {}", args.plan().display()));
    let props = trial.props();
    let asked = props.get("jmeterengine.nongui.port").is_some();
    let commands = commands::ports(props).map(|ports| (ports, asked));
    let keep = KeepOptions {
        keep: &args.keep,
        thresholds: &args.thresholds,
        by_default: true,
        force: args.force,
        json: args.json,
        strict: args.strict,
    };
    let facts = RunFacts::new("run", Some(args.plan()), &plan, props);
    let plan_name = about::name_of(args.plan());
    let exporting = Exporting::begin(&args.exports, &plan_name, props, &**trial.host(), to.clone())?;
    let mut fleet = mode.map(|mode| Fleet::begin(mode, args, &plan, &trial, controls)).transpose()?;
    let (keeping, recording) = Keeping::begin(keep, &facts, &plan, props)?;
    if let Some(exporting) = &exporting {
        exporting.name_run(&keeping.name_of_run(&facts));
    }
    let about = about::of_run(args, &plan, props);
    let page = PageOfRun::begin(&trial, about, &args.live, args.report, &recording)?;
    let (view, announce) = (view(args.live.tui, &plan_name), announce(page.as_ref(), recording.journal()));
    let on_start = page.as_ref().and_then(PageOfRun::controller);
    let options = WatchOptions {
        style: Style::of_run(props, args.json),
        graces,
        end_grace: None,
        commands,
        recording,
        exporting,
        view,
        announce,
        ceilings: args.live.ceilings(),
        on_start,
        starter: fleet.as_mut().map(Fleet::starter),
    };
    let watched = watch::run(trial, options, (to, inbox))?;
    let page = page.map(|page| page.end(&watched));
    let failure = fleet.as_ref().and_then(Fleet::failure);
    // Of a run that never began there is nothing to show but why.
    let is_shown = failure.is_none() || watched.report.began;
    let written = if is_shown { output::write_run(args, &watched, page.as_ref()) } else { Ok(()) };
    let exit = keeping.end(watched, written)?;
    fleet::ended(exit, failure)
}

/// The title of the full-screen view, where that is asked for and possible.
pub(crate) fn view(is_wanted: bool, title: &str) -> Option<String> {
    let is_possible = is_wanted && screen::Screen::is_possible();
    if is_wanted && !is_possible {
        print_stderr("--tui: this is no terminal; lines are shown in the place of the view");
    }
    is_possible.then(|| title.to_owned())
}

/// Who is told of changes that keys make: the page, which writes them to the journal, or the journal.
pub(crate) fn announce(page: Option<&PageOfRun>, journal: Journal) -> event::Announce {
    page.and_then(PageOfRun::announcer).unwrap_or_else(|| {
        Box::new(move |kind, what| journal.write(&JournalEvent::now(kind, what).by(screen::WHO)))
    })
}
