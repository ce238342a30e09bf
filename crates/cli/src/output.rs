//! What a run leaves at its end: table, JSON, words on what went wrong.

use std::io::Write;
use std::path::{Path, PathBuf};

use swell_results::WriteFailure;
use swell_stats::Summary;

use crate::args::{HitArgs, RunArgs};
use crate::exit::Failure;
use crate::run::Ran;

/// Data for standard output. A closed pipe at the other end is no reason to fail.
pub(crate) fn data(text: &str) {
    let mut out = std::io::stdout().lock();
    let _closed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Shows and keeps the summary of a run.
pub(crate) fn write_run(args: &RunArgs, ran: &Ran, summary: &Summary) -> Result<(), Failure> {
    words(ran);
    let json = swell_report::json::summary(summary, None);
    if let Some(path) = &args.summary {
        std::fs::write(path, &json).map_err(|error| {
            Failure::settings(format!("cannot write the summary to `{}`: {error}", path.display()))
        })?;
    }
    if let Some(dir) = args.report_dir.as_ref().filter(|_| args.report) {
        let path = write_report(args, ran, dir)?;
        eprintln!("The report is {}", path.display());
    }
    if args.json {
        data(&json);
    } else {
        data(&swell_report::text::summary(summary, None));
    }
    Ok(())
}

fn write_report(args: &RunArgs, ran: &Ran, dir: &Path) -> Result<PathBuf, Failure> {
    let title = args.plan().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let made_by = concat!("Swell ", env!("CARGO_PKG_VERSION"));
    let page = swell_report::html::report(&title, made_by, ran.desk.measured(), None);
    let path = dir.join("index.html");
    let written = std::fs::create_dir_all(dir).and_then(|()| std::fs::write(&path, page));
    written
        .map_err(|e| Failure::settings(format!("cannot write the report to `{}`: {e}", path.display())))?;
    Ok(path)
}

/// Shows the summary of `swell hit`.
pub(crate) fn write_hit(args: &HitArgs, ran: &Ran, summary: &Summary) {
    words(ran);
    if args.json {
        data(&swell_report::json::summary(summary, None));
    } else {
        data(&swell_report::text::summary(summary, None));
    }
}

fn words(ran: &Ran) {
    for problem in &ran.outcome.problems {
        eprintln!("{problem}");
    }
    for failure in &ran.failures {
        eprintln!("{}", lost(failure));
    }
    if ran.outcome.cut > 0 {
        eprintln!("{} running samples were cut by the stop and are in no results", ran.outcome.cut);
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
