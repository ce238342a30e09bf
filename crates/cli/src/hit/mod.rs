//! `swell hit`: URLs without a plan file, as a plan made in memory, so that everything that holds
//! for plans holds for it.

mod auth;
mod exchange;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(not(feature = "grpc"))]
#[path = "no_grpc.rs"]
mod grpc;
mod only_http;
mod plan;
mod reach;
mod request;
mod saved;
mod text_file;
mod urls;
mod websocket;

use std::time::Duration;

use swell_expr::Level;
use swell_plan::Plan;
use swell_results::FileOptions;
use swell_run::{MessageSink, TrialSettings, WantedLoad};
use swell_session::{Grace, Graces, Requests, SessionOptions, Subject};

use crate::args::{HitArgs, IoArg};
use crate::exit::{Exit, Failure};
use crate::output::{Form, SummaryPrinter};
use crate::print::print_stderr;
use crate::run::terminal::Style;
use crate::run::{messages, setup};
use crate::session::{self, ShownRun};
use crate::{about, closed_idle, http_sessions, preflight, settings, shape};

/// Running requests may take this long after the end of the test time: longer than nearly all
/// responses, shorter than patience.
const END_GRACE: Duration = Duration::from_secs(5);

/// Runs the command.
pub(crate) fn hit(args: &HitArgs) -> Result<Exit, Failure> {
    if let Some(file) = &args.save_plan {
        return saved::save(args, file);
    }
    let (requests, inbox) = Requests::new();
    let paths = args.paths();
    paths.check_overlaps()?;
    let (plan, settings) = plan_and_settings(args, messages::sink(requests.clone()))?;
    let settings = preflight::of_hit(args, &plan, settings)?;
    let trial = setup::prepare(&plan, settings)?;
    if let Some((shape, of)) = trial.shape() {
        shape::say(shape, of, Some("requests a second"));
    }
    paths.check_places(args.force)?;
    let about = about::of_hit(args, trial.props());
    let subject = Subject {
        kind: "hit",
        file: None,
        changed_text: None,
        trial: None,
        plan: &plan,
        title: "swell hit".to_owned(),
        about,
    };
    let shown = ShownRun {
        style: Style::quiet(),
        view: session::view(args.one.tui, "swell hit"),
        graces: args.one.grace.map(Graces::all).unwrap_or_default(),
        end_grace: Some(args.one.grace.unwrap_or(Grace::of(END_GRACE))),
        starter: None,
    };
    let summary = SummaryPrinter {
        form: form(args),
        detail: args.one.detail(args.verbose),
        transactions: Vec::new(),
        connections: |report| [closed_idle::in_hit(report), http_sessions::lines(report)].concat(),
        is_refused: Box::new(|| false),
    };
    let ended = session::run(options(args), &subject, trial, shown, Box::new(summary), (requests, inbox))?;
    if matches!(form(args), Form::Table | Form::TableAndHistogram) && args.one.shape.shape.is_none() {
        print_stderr(&format!("as a plan: {}", saved::command()));
    }
    session::exit(ended)
}

fn options(args: &HitArgs) -> SessionOptions {
    SessionOptions { report: args.report(), force: args.force, ..args.one.options(false) }
}

fn form(args: &HitArgs) -> Form {
    match (args.debug, args.one.json, args.histogram) {
        (true, ..) => Form::Nothing,
        (_, true, _) => Form::Json,
        (_, _, true) => Form::TableAndHistogram,
        _ => Form::Table,
    }
}

/// The trial that means the same as the command line.
pub(crate) fn plan_and_settings(
    args: &HitArgs,
    messages: MessageSink,
) -> Result<(Plan, TrialSettings), Failure> {
    let shape = args.one.shape.read()?;
    let mut plan = plan::plan(args, shape.as_ref())?;
    let props = reach::properties(args)?;
    settings::add_values(&props, &args.values).map_err(|error| Failure::settings(error.to_string()))?;
    if let Some(path) = &args.jtl {
        setup::add_results_file(&mut plan, path);
    }
    let monitor = args.one.observe.monitor.start(&messages)?;
    let settings = TrialSettings {
        props,
        files: FileOptions {
            replace: args.force,
            rotation: args.one.rotation.rotation(),
            ..FileOptions::new(".")
        },
        log_level: Level::Error,
        trace: args.debug.then(exchange::sink),
        workers: workers(args),
        timestamps: args.one.clock.source(),
        io: IoArg::of(args.one.io),
        slack: args.one.slack,
        source: args.one.source.clone(),
        ends_process: true,
        give_up: Some(args.give_up).filter(|time| !time.is_zero()),
        wanted: args.rate.map(|rate| wanted(args, rate)),
        seed: args.one.shape.seed,
        shape,
        monitor,
        messages,
        ..TrialSettings::new(".")
    };
    Ok((plan, settings))
}

/// Worker threads; where users share connections, such a number that each worker has the same number
/// of connections, so that there are as many as were requested.
fn workers(args: &HitArgs) -> Option<usize> {
    let asked = args.one.workers.map(usize::from);
    if args.streams == 1 {
        return asked;
    }
    let most = asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let users = args.users as usize;
    (1..=most).rev().find(|workers| users.is_multiple_of(*workers))
}

fn wanted(args: &HitArgs, rate_per_s: f64) -> WantedLoad {
    let time = args.duration.unwrap_or(Duration::from_secs_f64(plan::DEFAULT_SECONDS));
    WantedLoad { rate_per_s, requests: args.requests, time }
}
