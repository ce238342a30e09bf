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
use swell_run::host::Machine;

use crate::args::HitArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::run::setup;
use crate::run::{self, Graces, Job, Style, Wanted};

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
    let host = Arc::new(Machine::new(".".into(), None, Level::Error, output::words));
    let settings = Settings { props, host: host.clone(), run: Arc::new(RunInfo::default()) };
    let mut registry = swell_run::registry(&files);
    registry.listeners.insert(exchange::CLASS, exchange::factory());
    let prepared = setup::prepare(&plan, &registry, settings, &files)?;
    output::check_hit(args)?;
    let workers = args.workers.map(usize::from);
    let graces = args.grace.map(Graces::all).unwrap_or_default();
    let (compat, clock, commands) = (false, args.clock, None);
    let job = Job { prepared, registry, files, host, workers, compat, clock, commands, graces };
    let give_up = Some(args.give_up).filter(|time| !time.is_zero());
    let ran = run::execute(job, Style { give_up, ..Style::quiet() })?;
    let summary = ran.desk.summary();
    let stopped_ns = ran.outcome.as_ref().and_then(|outcome| outcome.stopped_ns);
    let until_stop_s = stopped_ns.zip(summary.start_ns).map(|(stop, start)| (stop - start) as f64 / 1e9);
    // Without an outcome nobody knows how many samples were cut.
    let known = ran.outcome.is_some() || !ran.interrupted;
    let wanted = args.rate.filter(|_| known).map(|rate| match until_stop_s {
        Some(s) => wanted_until_stop(args, rate, s),
        None => wanted(args, rate, summary.duration_s),
    });
    let verdict = ran.verdict(wanted, &summary);
    output::write_hit(args, &ran, &summary, verdict.as_ref())?;
    Ok(ran.exit(&summary, verdict.filter(|_| args.strict).map(|verdict| verdict.level)))
}

/// The whole of a file that is text and that the command line names.
fn read_text(path: &std::path::Path) -> std::io::Result<String> {
    let bytes = swell_run::host::read_whole(path, swell_expr::FileLimits::default())?;
    String::from_utf8(bytes)
        .map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not UTF-8"))
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

/// Starts of so long before a stop may have been on their way.
const ON_THE_WAY_S: f64 = 0.1;

/// The starts that the rate asks for until the run was stopped, `stop_s` seconds after its first.
fn wanted_until_stop(args: &HitArgs, rate: f64, stop_s: f64) -> Wanted {
    let until_stop = rate * (stop_s - ON_THE_WAY_S).max(0.0);
    Wanted { starts: args.requests.map_or(until_stop, |requests| until_stop.min(requests as f64)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn an_interrupted_test_owes_the_starts_until_then() {
        let until = |line: &[&str], stop_s| {
            let line = ["swell", "hit", "http://a/", "-r", "100"].iter().chain(line);
            let cli = crate::args::Cli::try_parse_from(line).expect("valid");
            let crate::args::Command::Hit(args) = cli.command else { panic!("hit is meant") };
            wanted_until_stop(&args, 100.0, stop_s).starts
        };
        let close = |starts: f64, to: f64| (starts - to).abs() < 1e-9;
        assert!(close(until(&[], 2.0), 190.0));
        assert!(close(until(&[], 0.05), 0.0));
        assert!(close(until(&["-n", "150"], 2.0), 150.0));
    }
}
