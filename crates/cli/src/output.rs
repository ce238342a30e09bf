//! What a run leaves at its end: table, JSON, words on what went wrong.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use swell_results::WriteFailure;
use swell_stats::Summary;
use swell_stats::verdict::Verdict;

use crate::args::{HitArgs, RunArgs};
use crate::exit::{Exit, Failure};
use crate::run::Ran;

/// Data for standard output. That nobody listens at the other end is no reason to fail, a full disk is.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::lost(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// A line for standard error, or several: safe for a terminal, whatever servers and plans have put into it. If nobody listens
/// any more, that is no reason to fail either.
pub(crate) fn words(line: &str) {
    let _closed = writeln!(std::io::stderr().lock(), "{}", swell_report::plain_lines(line));
}

/// Sees to it that nothing is written over the plan, before anything is opened.
pub(crate) fn spare_the_plan(args: &RunArgs) -> Result<(), Failure> {
    let Ok(plan) = args.plan().canonicalize() else { return Ok(()) };
    let summary = args.summary_path();
    let outputs = [args.logfile.as_ref(), summary.as_ref(), Some(&args.jmeterlogfile)];
    for path in outputs.into_iter().flatten() {
        if path.canonicalize().is_ok_and(|path| path == plan) {
            return Err(Failure::settings(format!("`{}` is the plan itself", path.display()))
                .hint("name another file for what the run writes"));
        }
    }
    Ok(())
}

/// A results file that fails while the test runs.
pub(crate) fn results_fail(failure: &WriteFailure) {
    words(&format!("{failure}; the test goes on"));
}

/// Sees to it before the run that what is asked for can be written after it.
pub(crate) fn check_places(args: &RunArgs) -> Result<(), Failure> {
    if let Some(path) = args.summary_path() {
        let opened = OpenOptions::new().create(true).append(true).open(&path);
        opened.map_err(|e| Failure::settings(cannot("summary", &path, &e)))?;
    }
    let Some(path) = report_path(args) else { return Ok(()) };
    if path.exists() && !args.force {
        return Err(Failure::settings(format!("there is a report already: {}", path.display()))
            .hint("name another folder, or write over it with -f"));
    }
    let dir = path.parent().unwrap_or(Path::new("."));
    let opened = std::fs::create_dir_all(dir).and_then(|()| File::create(&path));
    opened.map_err(|e| Failure::settings(cannot("report", &path, &e)))?;
    Ok(())
}

fn report_path(args: &RunArgs) -> Option<PathBuf> {
    args.report_dir.as_ref().filter(|_| args.report).map(|dir| dir.join("index.html"))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> String {
    format!("cannot write the {what} to `{}`: {error}", path.display())
}

/// Shows and keeps the summary of a run. What cannot be kept is shown all the same.
pub(crate) fn write_run(
    args: &RunArgs,
    ran: &Ran,
    summary: &Summary,
    verdict: &Verdict,
) -> Result<(), Failure> {
    what_went_wrong(ran, summary);
    let json = swell_report::json::summary(summary, Some(verdict));
    let kept = keep(args, ran, verdict, &json);
    kept.and(show(args.json, summary, verdict))
}

/// Data on standard output, for people or for a machine.
fn show(json: bool, summary: &Summary, verdict: &Verdict) -> Result<(), Failure> {
    let write = if json { swell_report::json::summary } else { swell_report::text::summary };
    data(&write(summary, Some(verdict)))
}

fn keep(args: &RunArgs, ran: &Ran, verdict: &Verdict, json: &str) -> Result<(), Failure> {
    let written = args.summary_path().map_or(Ok(()), |path| {
        std::fs::write(&path, json).map_err(|e| Failure::lost(cannot("summary", &path, &e)))
    });
    if let Some(path) = report_path(args) {
        std::fs::write(&path, report(args, ran, verdict))
            .map_err(|e| Failure::lost(cannot("report", &path, &e)))?;
        words(&format!("The report is {}", path.display()));
    }
    written
}

fn report(args: &RunArgs, ran: &Ran, verdict: &Verdict) -> String {
    let title = args.plan().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let made_by = concat!("Swell ", env!("CARGO_PKG_VERSION"));
    swell_report::html::report(&title, made_by, ran.desk.measured(), Some(verdict))
}

/// Shows the summary of `swell hit`.
pub(crate) fn write_hit(
    args: &HitArgs,
    ran: &Ran,
    summary: &Summary,
    verdict: &Verdict,
) -> Result<(), Failure> {
    what_went_wrong(ran, summary);
    show(args.json, summary, verdict)
}

fn what_went_wrong(ran: &Ran, summary: &Summary) {
    for problem in ran.outcome.iter().flat_map(|outcome| &outcome.problems) {
        words(&problem.to_string());
    }
    for failure in &ran.failures {
        words(&lost(failure));
    }
    if let Some(first) = &ran.logged.first_error {
        let place =
            ran.logged.path.as_ref().map(|path| format!(" in {}", path.display())).unwrap_or_default();
        words(&format!("errors logged{place}: {}; the first: {first}", ran.logged.errors));
    }
    match &ran.outcome {
        Some(outcome) if outcome.cut > 0 => {
            words(&format!(
                "{} running samples were cut, by a stop or the end of an open model, and are in no results",
                outcome.cut
            ));
        }
        Some(_) => {}
        None if ran.broken => words(
            "error: the run broke off by a fault of the tool; its message stands above\n  \
             what was measured before is in the results, the last second may be missing in the summary",
        ),
        None => words("left while samples were running; the last second may be missing in the summary"),
    }
    if ran.exit(summary, None) == Exit::NothingRan {
        words("error: nothing ran, not a single sample was taken");
    }
}

fn lost(failure: &WriteFailure) -> String {
    format!(
        "error: results could not be written to `{}` any more: {}\n  {} samples are in the file, {} are lost; the summary has them all",
        failure.path.display(),
        failure.cause,
        failure.rows_written,
        failure.rows_lost
    )
}
