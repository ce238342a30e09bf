//! `swell compare`: what changed from one run to another beyond their noise.

use std::path::{Path, PathBuf};

use swell_report::compare::{Answered, html, json, markdown, text};
use swell_results::jtl::{IntervalOptions, read_intervals};
use swell_results::{same_file, write_whole};
use swell_session::MADE_BY;
use swell_session::runs::{self, ComparedSide, side_of};
use swell_stats::compare::{Options, Side};

use crate::args::CompareArgs;
use crate::exit::{Exit, Failure};
use crate::output::terminal_width;
use crate::print::{page as print_page, print_stderr, print_stdout, say};
use crate::report::hidden;

/// Runs the command.
pub(crate) fn compare(args: &CompareArgs) -> Result<Exit, Failure> {
    let is_read =
        |path: &PathBuf| [&args.before, &args.after].iter().any(|run| same_file(Path::new(run), path));
    if let Some(path) = args.html.as_ref().filter(|path| is_read(path)) {
        return Err(Failure::settings(format!("`{}` cannot be the page: it is compared", path.display()))
            .hint("name another file for the page"));
    }
    let before = read(&args.before)?;
    let after = read(&args.after)?;
    let options = Options {
        without_warm_up: !args.with_warm_up,
        at_least: args.at_least / 100.0,
        same_within: args.same_within / 100.0,
    };
    let (mut compared, comparison) = runs::compare(before, after, options)?;
    let answered = Answered::of(&compared, &comparison);
    let exit = exit(args, answered);
    compared.status = status(exit, answered);
    if let Some(path) = &args.html {
        let written = write_whole(path, html(MADE_BY, &compared, &comparison).as_bytes());
        written.map_err(|error| {
            Failure::lost(format!("cannot write the page to `{}`: {error}", path.display()))
        })?;
        print_stderr(&format!("The page is {}", path.display()));
    }
    if args.json {
        print_stdout(&swell_report::json::indented(&json(&compared, &comparison)))?;
    } else if args.markdown {
        print_stdout(&markdown(&compared, &comparison))?;
    } else {
        print_page(&text(&compared, &comparison, terminal_width()))?;
    }
    Ok(exit)
}

fn exit(args: &CompareArgs, answered: Answered) -> Exit {
    match answered {
        Answered::Failed if args.fail_on_worse => Exit::ThresholdBroken,
        Answered::Unknown if args.fail_on_unknown => Exit::Degraded,
        Answered::Failed | Answered::Unknown | Answered::Passed => Exit::Fine,
    }
}

/// The exit status, and the option that would make it another one.
fn status(exit: Exit, answered: Answered) -> String {
    let status = format!("exit status {}", exit as u8);
    match (exit, answered) {
        (Exit::Fine, Answered::Failed) => {
            format!("{status}; with --fail-on-worse it is {}", Exit::ThresholdBroken as u8)
        }
        (Exit::Fine, Answered::Unknown) => {
            format!("{status}; with --fail-on-unknown it is {}", Exit::Degraded as u8)
        }
        _ => status,
    }
}

fn read(name: &str) -> Result<ComparedSide, Failure> {
    let path = Path::new(name);
    if path.is_file() { of_results(name, path) } else { Ok(side_of(name, &runs::find(name, &say())?)?) }
}

fn of_results(name: &str, path: &Path) -> Result<ComparedSide, Failure> {
    let mut side = Side::default();
    let counts = read_intervals(path, IntervalOptions::default(), |_| {}, |interval| side.add(&interval));
    let counts = counts.map_err(|error| Failure::settings(format!("cannot read `{name}`: {error}")))?;
    let hidden = hidden(&counts).map(|said| format!("{name}: {said}"));
    let damaged = counts.damaged.map(|why| {
        format!(
            "{name}: the compressed file ends too early or is damaged, and what follows does not count: {why}"
        )
    });
    let bad =
        (counts.bad > 0).then(|| format!("{name}: {} rows could not be read and do not count", counts.bad));
    let notes = bad.into_iter().chain(hidden).chain(damaged).collect();
    Ok(ComparedSide::of_results(name, side, notes))
}
