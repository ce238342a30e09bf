//! `swell hit`: URLs without a plan file, as a plan made in memory, so that everything that holds for plans holds for it.

mod auth;
mod exchange;
mod plan;
mod reach;
mod request;
mod urls;

use std::sync::Arc;

use swell_engine::Settings;
use swell_expr::{Level, RunInfo};
use swell_results::{FileOptions, ResultFiles};

use crate::args::HitArgs;
use crate::exit::{Exit, Failure};
use crate::host::Machine;
use crate::output;
use crate::run::setup;
use crate::run::{self, Job, Style, Wanted};

/// Without `-d` and `-n`.
const DEFAULT_SECONDS: f64 = 10.0;

/// Runs the command.
pub(crate) fn hit(args: &HitArgs) -> Result<Exit, Failure> {
    let mut plan = plan::plan(args)?;
    let props = Arc::new(reach::properties(args)?);
    if let Some(path) = &args.jtl {
        setup::add_results_file(&mut plan, path);
    }
    let files = ResultFiles::new(FileOptions {
        replace: args.force,
        on_failure: Some(Arc::new(output::results_fail)),
        ..FileOptions::new(".")
    });
    let host = Arc::new(Machine::new(".".into(), None, Level::Error));
    let settings = Settings { props, host: host.clone(), run: Arc::new(RunInfo::default()) };
    let mut registry = setup::registry(&files);
    registry.listeners.insert(exchange::CLASS, exchange::factory());
    let prepared = setup::prepare(&plan, &registry, settings, &files)?;
    output::check_hit(args)?;
    let workers = args.workers.map(usize::from);
    let job =
        Job { prepared, registry, files, host, workers, compat: false, clock: args.clock, commands: None };
    let give_up = Some(args.give_up).filter(|time| !time.is_zero());
    let ran = run::execute(job, Style { give_up, ..Style::quiet() })?;
    let summary = ran.desk.summary();
    let wanted = args.rate.filter(|_| !ran.interrupted).map(|rate| wanted(args, rate, summary.duration_s));
    let verdict = ran.verdict(wanted);
    output::write_hit(args, &ran, &summary, &verdict)?;
    Ok(ran.exit(&summary, args.strict.then_some(verdict.level)))
}

/// The starts that the rate asks for in the time that was given, or in the time that all the requests took.
fn wanted(args: &HitArgs, rate: f64, took_s: f64) -> Wanted {
    let starts = match args.requests {
        // Up to the last of them; the first is made at once.
        Some(requests) => (rate * took_s).max(requests as f64),
        None => rate * args.duration.map_or(DEFAULT_SECONDS, |time| time.as_secs_f64()),
    };
    Wanted { starts }
}
