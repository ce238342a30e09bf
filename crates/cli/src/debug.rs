//! `swell debug`: a plan once, with one virtual user, step by step.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};

use swell_api::Registry;
use swell_debug::{Collector, CollectorSettings, JsonLines, Output, PlannedStep, Terminal};
use swell_engine::{Prepared, element_ref};
use swell_run::{DebugLoad, Phase, Trial, TrialControl, TrialReport, TrialSettings};
use swell_session::Signal;
use swell_trace::{BODY_BYTES, ElementRef, End, EndReason, GroupPlan, NotRun, Settings, Start};

use crate::args::{DebugArgs, TimersArg};
use crate::debug_page::{DebugPage, PageEnd};
use crate::debug_questions::AskedStep;
use crate::exit::{Exit, Failure};
use crate::run::setup;
use crate::{messages, plan_text, print, settings, signals};

/// From this number of iterations on, a run is a load test and not debugging.
const MANY_ITERATIONS: u32 = 1_000;

/// Runs the command.
pub(crate) fn debug(args: &DebugArgs) -> Result<Exit, Failure> {
    if let Some(exit) = args.set.list(&args.plan)? {
        return Ok(exit);
    }
    refuse_load(args)?;
    let target = args.with_target.then(setup::target).transpose()?;
    let props = settings::load(&args.settings).map_err(|error| Failure::settings(error.to_string()))?;
    args.jvm.set_properties(&props);
    if let Some(target) = &target {
        target.set_properties(&props);
    }
    let (plan, changed) = setup::read_plan(&args.plan, &args.set)?;
    plan_text::say_changes(changed.as_ref().map_or(&[], |changed| &changed.changes));
    let asked = AskedStep::new(args.at);
    let mut outputs = vec![output(args)];
    if !args.tests.is_empty() {
        outputs.push(Box::new(asked.clone()));
    }
    let page = DebugPage::of(args)?;
    outputs.extend(page.iter().flat_map(DebugPage::outputs));
    let collector_settings = CollectorSettings {
        body_bytes: args.bodies.unwrap_or(BODY_BYTES),
        keeps_timers: args.timers == TimersArg::Keep,
        until: args.until.clone(),
        ..CollectorSettings::default()
    };
    let collector = Arc::new(Collector::new(collector_settings, outputs));
    let load = DebugLoad { users: args.users, iterations: args.iterations, group: args.group.clone() };
    let trial_settings = TrialSettings {
        props,
        scripts: args.jvm.mode(),
        jvm: args.jvm.settings(&args.settings, &[]),
        workers: Some(1),
        debug: Some(load),
        trace: Some(collector.clone()),
        messages: messages::plain_sink(),
        ..TrialSettings::of_file(&args.plan)
    };
    let trial = setup::prepare(&plan, trial_settings)?;
    let (planned, of_plan) = planned(&trial);
    collector.start(start(args, &trial, plan.root.element.name()), planned, of_plan);
    let prepared = trial.prepared().clone();
    let registry = trial.registry().clone();
    // A signal that comes before the first step ends the run, too.
    let (to, inbox) = mpsc::channel();
    signals::forward(to, |signal| signal)?;
    let running = trial.start().map_err(|error| Failure::settings(format!("cannot start: {error}")))?;
    let control = running.control();
    let of_until = control.clone();
    collector.stop_with(move || of_until.stop());
    let page_end = PageEnd::default();
    let interrupted = stop_on_signal(inbox, control, page_end.clone());
    let report = running.wait();
    let end = collector.end(interrupted.load(Ordering::Relaxed), is_stopped(&report));
    answer(args, &asked, &prepared, &registry)?;
    if let Some(page) = page {
        page.finish(prepared, registry, &page_end)?;
    }
    Ok(exit(&end))
}

/// Answers the questions of `--test`, and writes what `--write` names.
fn answer(
    args: &DebugArgs,
    asked: &AskedStep,
    prepared: &Prepared,
    registry: &Registry,
) -> Result<(), Failure> {
    if args.tests.is_empty() {
        return Ok(());
    }
    print::print_stdout(&asked.answers(&args.tests, prepared, registry, &args.plan)?)?;
    match (&args.tests[..], &args.write) {
        ([question], Some(name)) => asked.write((question, name), prepared, registry, &args.plan),
        _ => Ok(()),
    }
}

fn refuse_load(args: &DebugArgs) -> Result<(), Failure> {
    if args.write.is_some() && args.tests.len() > 1 {
        return Err(Failure::settings("--write takes one --test, and there are more")
            .hint("`swell set --below PATH --extract NAME=EXPR --extract …` adds several"));
    }
    if args.yes || (args.users == 1 && args.iterations < MANY_ITERATIONS) {
        return Ok(());
    }
    let what = if args.users > 1 {
        format!("{} virtual users", args.users)
    } else {
        format!("{} iterations", args.iterations)
    };
    Err(Failure::settings(format!("`swell debug` keeps all that it sees, and {what} are many"))
        .hint("`swell run` makes load; with --yes this runs nevertheless"))
}

fn output(args: &DebugArgs) -> Box<dyn Output> {
    if args.json {
        return Box::new(JsonLines::new(io::stdout(), args.shows_secrets));
    }
    Box::new(Terminal::new(args.all, |text| {
        if let Err(failure) = print::page(&text) {
            print::print_stderr(&failure.to_string());
        }
    }))
}

/// The samplers of the plan, and the variables that its elements set.
fn planned(trial: &Trial) -> (Vec<PlannedStep>, Vec<(String, ElementRef)>) {
    let planned = trial.planned_samplers().into_iter().map(|planned| PlannedStep {
        element: planned.element,
        group: planned.group,
        controllers: planned.controllers,
    });
    let mut of_plan = Vec::new();
    trial.prepared().root().walk(&mut |node| {
        let names = trial.registry().variables_set(&node.element);
        of_plan.extend(names.into_iter().map(|name| (name, element_ref(&node.element))));
    });
    (planned.collect(), of_plan)
}

fn start(args: &DebugArgs, trial: &Trial, name: &str) -> Start {
    let elements = trial.prepared().group_elements();
    let groups = elements.map(|(element, phase)| GroupPlan {
        element: element_ref(element),
        phase: match phase {
            Phase::SetUp => "set_up",
            Phase::Main => "main",
            Phase::TearDown => "tear_down",
        },
    });
    let groups = groups.collect();
    let not_run = trial.survey().into_iter().filter_map(|found| {
        let reason = found.support.why_not()?;
        let path = found.place.element;
        let name = path.rsplit(" > ").next().unwrap_or_default().to_owned();
        let element = ElementRef { class: found.class, name, path, line: found.place.line };
        Some(NotRun { element, reason })
    });
    Start {
        schema: swell_trace::SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        plan: args.plan.to_string_lossy().into_owned(),
        name: name.to_owned(),
        settings: Settings {
            iterations: args.iterations,
            keeps_timers: args.timers == TimersArg::Keep,
            group: args.group.clone(),
            until: args.until.clone(),
            shows_secrets: args.shows_secrets,
        },
        groups,
        not_run: not_run.collect(),
        kept_failures: false,
    }
}

/// The first signal stops the run at once, the second one ends the process. A page that is served
/// after the run ends with the first.
fn stop_on_signal(inbox: Receiver<Signal>, control: TrialControl, page: PageEnd) -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let seen = interrupted.clone();
    std::thread::spawn(move || {
        for signal in inbox {
            if signal == Signal::Dump {
                continue;
            }
            if page.end() {
                return;
            }
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
            control.stop_now();
        }
    });
    interrupted
}

/// Whether the plan stopped the test.
fn is_stopped(report: &TrialReport) -> bool {
    report.refusal().is_some() || report.ended_by.is_some()
}

fn exit(end: &End) -> Exit {
    match (end.reason, end.samples, end.failed) {
        (EndReason::Interrupted, ..) => Exit::Interrupted,
        (_, 0, _) => Exit::NothingRan,
        (_, samples, failed) if samples == failed => Exit::NothingSucceeded,
        _ => Exit::Fine,
    }
}
