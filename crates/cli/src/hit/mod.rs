//! `swell hit`: URLs without a plan file, as a plan made in memory, so that everything that holds for plans holds for it.

mod auth;
mod exchange;
mod plan;
mod reach;
mod request;
mod text_file;
mod urls;

use std::sync::mpsc;
use std::time::Duration;

use swell_expr::Level;
use swell_plan::Plan;
use swell_results::FileOptions;
use swell_run::{MessageSink, TrialSettings, WantedLoad};

use crate::about;
use crate::args::{Grace, HitArgs, IoArg};
use crate::exit::{Exit, Failure};
use crate::kept::RunFacts;
use crate::output;
use crate::preflight;
use crate::run::{
    Exporting, Graces, KeepOptions, Keeping, PageOfRun, Style, WatchOptions, messages, setup, watch,
};
use crate::run::{announce, view};
use crate::shape;

/// Running requests may take this long after the end of the test time: longer than nearly all responses, shorter than patience.
const END_GRACE: Duration = Duration::from_secs(5);

/// Runs the command.
pub(crate) fn hit(args: &HitArgs) -> Result<Exit, Failure> {
    let (to, inbox) = mpsc::channel();
    output::refuse_overlaps_of_hit(args)?;
    let (plan, settings) = plan_and_settings(args, messages::sink(to.clone()))?;
    let settings = preflight::of_hit(args, &plan, settings)?;
    let trial = setup::prepare(&plan, settings)?;
    if let Some((shape, of)) = trial.shape() {
        shape::say(shape, of, Some("requests a second"));
    }
    output::check_hit(args)?;
    let graces = args.grace.map(Graces::all).unwrap_or_default();
    let keep = KeepOptions {
        keep: &args.keep,
        thresholds: &args.thresholds,
        by_default: false,
        force: args.force,
        json: args.json,
        strict: args.strict,
    };
    let facts = RunFacts::new("hit", None, &plan, trial.props());
    let exporting = Exporting::begin(&args.exports, "swell hit", trial.props(), &**trial.host(), to.clone())?;
    let (keeping, recording) = Keeping::begin(keep, &facts, &plan, trial.props())?;
    if let Some(exporting) = &exporting {
        exporting.name_run(&keeping.name_of_run(&facts));
    }
    let (about, reports) = (about::of_hit(args, trial.props()), args.report.is_some());
    let page = PageOfRun::begin(&trial, about, &args.live, reports, &recording)?;
    let (view, announce) = (view(args.live.tui, "swell hit"), announce(page.as_ref(), recording.journal()));
    let on_start = page.as_ref().and_then(PageOfRun::controller);
    let options = WatchOptions {
        style: Style::quiet(),
        graces,
        end_grace: Some(args.grace.unwrap_or(Grace::of(END_GRACE))),
        commands: None,
        recording,
        exporting,
        view,
        announce,
        ceilings: args.live.ceilings(),
        on_start,
        starter: None,
    };
    let watched = watch::run(trial, options, (to, inbox))?;
    let page = page.map(|page| page.end(&watched));
    let written = output::write_hit(args, &watched, page.as_ref());
    keeping.end(watched, written)
}

/// The trial that means the same as the command line.
pub(crate) fn plan_and_settings(
    args: &HitArgs,
    messages: MessageSink,
) -> Result<(Plan, TrialSettings), Failure> {
    let shape = args.shape.read()?;
    let mut plan = plan::plan(args, shape.as_ref())?;
    let props = reach::properties(args)?;
    if let Some(path) = &args.jtl {
        setup::add_results_file(&mut plan, path);
    }
    let monitor = args.monitor.start(&messages)?;
    let settings = TrialSettings {
        props,
        files: FileOptions {
            replace: args.force,
            rotation: args.rotation.rotation(),
            ..FileOptions::new(".")
        },
        log_level: Level::Error,
        elements: vec![exchange::kind()],
        workers: args.workers.map(usize::from),
        timestamps: args.clock.source(),
        io: IoArg::of(args.io),
        source: args.source.clone(),
        ends_process: true,
        give_up: Some(args.give_up).filter(|time| !time.is_zero()),
        wanted: args.rate.map(|rate| wanted(args, rate)),
        seed: args.shape.seed,
        shape,
        monitor,
        messages,
        ..TrialSettings::new(".")
    };
    Ok((plan, settings))
}

fn wanted(args: &HitArgs, rate_per_s: f64) -> WantedLoad {
    let time = args.duration.unwrap_or(Duration::from_secs_f64(plan::DEFAULT_SECONDS));
    WantedLoad { rate_per_s, requests: args.requests, time }
}
