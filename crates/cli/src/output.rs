//! What a run prints and writes at its end: table, JSON, messages about what went wrong.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt};
use std::path::{Path, PathBuf};

use swell_engine::Outcome;
use swell_expr::Refusal;
use swell_net::{Io, IoServed};
use swell_report::page::{self, RunPage};
use swell_report::text::Room;
use swell_report::without_passwords;
use swell_results::{Folders, NEW_FILE_MODE, WriteFailure, check_place, same_file, write_whole};

use crate::about::{MADE_BY, name_of};
use crate::args::{DEFAULT_LOG, HitArgs, RunArgs, Setting, ThresholdArgs};
use crate::closed_idle;
use crate::exit::{Exit, Failure};
use crate::print::{page as print_page, print_stderr, print_stdout};
use crate::run::exporting::losses;
use crate::thresholds;
use crate::watched::Watched;
use swell_run::TrialReport;
use swell_run::host::Machine;

/// What a run reads, each with its description: nothing may be written over that.
fn inputs(args: &RunArgs) -> Vec<(PathBuf, &'static str)> {
    let files = args.settings.in_order().iter().filter_map(|setting| match setting {
        Setting::File(path) | Setting::SystemFile(path) => Some(path),
        _ => None,
    });
    let files = args.settings.propfile.iter().chain(files).map(|path| (path.clone(), "a file of properties"));
    [(args.plan().clone(), "the plan itself")]
        .into_iter()
        .chain(files)
        .chain(rules(&args.thresholds))
        .collect()
}

fn rules(args: &ThresholdArgs) -> Option<(PathBuf, &'static str)> {
    args.rules_file.clone().map(|path| (path, "the file of rules"))
}

/// Files that a run writes besides results, each with its description.
fn other_outputs(args: &RunArgs) -> Vec<(PathBuf, &'static str)> {
    let log = Some((args.jmeterlogfile.clone(), "the log"));
    let summary = args.summary_path().map(|path| (path, "the summary"));
    let report = report_path(args).map(|path| (path, "the report"));
    [log, summary, report].into_iter().flatten().chain(thresholds::outputs(&args.thresholds)).collect()
}

/// Files that no listener may write its results to.
pub(crate) fn protected(args: &RunArgs) -> Vec<(PathBuf, &'static str)> {
    [inputs(args), other_outputs(args)].concat()
}

/// Refuses a run that would write over something that it reads, or to one file twice; nothing is opened yet.
pub(crate) fn refuse_overlaps(args: &RunArgs) -> Result<(), Failure> {
    let results = args.logfile.clone().map(|path| (path, "the results file"));
    refuse_overlap(inputs(args), results.into_iter().chain(other_outputs(args)))
}

/// The same for `swell hit`.
pub(crate) fn refuse_overlaps_of_hit(args: &HitArgs) -> Result<(), Failure> {
    let urls = args.urls_file.clone().map(|path| (path, "the file of URLs"));
    let results = args.jtl.clone().map(|path| (path, "the results file"));
    let report = hit_report_path(args).map(|path| (path, "the report"));
    let outputs = results.into_iter().chain(report).chain(thresholds::outputs(&args.thresholds));
    refuse_overlap(urls.into_iter().chain(rules(&args.thresholds)).collect(), outputs)
}

fn refuse_overlap(
    mut taken: Vec<(PathBuf, &'static str)>,
    outputs: impl Iterator<Item = (PathBuf, &'static str)>,
) -> Result<(), Failure> {
    for (path, what) in outputs {
        if let Some((_, other)) = taken.iter().find(|(other, _)| same_file(other, &path)) {
            let message = format!("`{}` cannot be {what}: it is {other}", path.display());
            return Err(Failure::settings(message).hint("name another file for what the run writes"));
        }
        taken.push((path, what));
    }
    Ok(())
}

/// Checks before the run that what it is to write at its end can be written. Nothing is changed yet.
pub(crate) fn check_output_paths(args: &RunArgs, host: &Machine) -> Result<(), Failure> {
    if let Err(error) = host.check_log() {
        let told = cannot("log", &args.jmeterlogfile, &error);
        if args.jmeterlogfile != Path::new(DEFAULT_LOG) {
            return Err(Failure::settings(told).hint("name a file in a folder that this user may write to"));
        }
        print_stderr(&format!("{told}; nothing will be logged"));
        host.without_log();
    }
    if let Some(path) = args.summary_path() {
        check_place(&path).map_err(|e| Failure::settings(cannot("summary", &path, &e)))?;
    }
    report_path(args).map_or(Ok(()), |path| check_report(&path, args.force))
}

/// The same for `swell hit`.
pub(crate) fn check_hit(args: &HitArgs) -> Result<(), Failure> {
    hit_report_path(args).map_or(Ok(()), |path| check_report(&path, args.force))
}

pub(crate) fn check_report(path: &Path, force: bool) -> Result<(), Failure> {
    if path.exists() && !force {
        return Err(Failure::settings(format!("there is a report already: {}", path.display()))
            .hint("name another folder, or write over it with -f"));
    }
    let folders = Folders::make(path.parent().unwrap_or(Path::new(".")));
    let checked = folders.and_then(|_removed_after_this| check_place(path));
    checked.map_err(|e| Failure::settings(cannot("report", path, &e)))
}

fn hit_report_path(args: &HitArgs) -> Option<PathBuf> {
    args.report.as_ref().map(|dir| dir.join("index.html"))
}

fn report_path(args: &RunArgs) -> Option<PathBuf> {
    args.report_dir.as_ref().filter(|_| args.report).map(|dir| dir.join("index.html"))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> String {
    format!("cannot write the {what} to `{}`: {error}", path.display())
}

/// Shows and keeps the summary of a run. What cannot be kept is shown all the same. `page`: what the report shows, if the program
/// holds a page.
pub(crate) fn write_run(args: &RunArgs, watched: &Watched, page: Option<&RunPage>) -> Result<(), Failure> {
    let shown = (!args.json).then_some(&watched.report);
    for line in said_once(what_went_wrong(watched), shown).chain(closed_idle::in_plan(&watched.report)) {
        print_stderr(&line);
    }
    let report = &watched.report;
    let json = json(watched);
    // A run that was refused before its first user leaves an old summary and report as they are.
    let kept = if report.began { keep(args, report, &json, page) } else { Ok(()) };
    kept.and(show(args.json, watched))
}

/// The figures of a run, its verdict and what became of its thresholds, as JSON.
pub(crate) fn json(watched: &Watched) -> String {
    let report = &watched.report;
    let exports = serde_json::to_value(&watched.exports).unwrap_or_default();
    swell_report::json::of_run(
        &report.summary,
        report.verdict.as_ref(),
        &watched.judgements,
        exports,
        event_loops(report),
        report.outcome.as_ref().map_or(&[], |outcome| &outcome.user_faults),
    )
}

/// The interface of the kernel that event loops used; null where there were none.
fn event_loops(report: &TrialReport) -> serde_json::Value {
    let Some(served) = &report.io else { return serde_json::Value::Null };
    serde_json::json!({ "io": served.io.word(), "refused": served.refused })
}

/// A line on that, where a ring was wanted.
fn event_loops_text(report: &TrialReport) -> String {
    match &report.io {
        Some(IoServed { io: Io::Uring, refused: Some(why) }) => {
            format!("event loops: io_uring, and epoll where the kernel refused it ({why})\n")
        }
        Some(IoServed { refused: Some(why), .. }) => {
            format!("event loops: epoll, since the kernel refused io_uring ({why})\n")
        }
        Some(IoServed { io: Io::Uring, .. }) => "event loops: io_uring\n".to_owned(),
        _ => String::new(),
    }
}

/// Data on standard output, for people or for a machine.
fn show(as_json: bool, watched: &Watched) -> Result<(), Failure> {
    let (summary, verdict) = (&watched.report.summary, watched.report.verdict.as_ref());
    let room = if io::stdout().is_terminal() { Room::Terminal } else { Room::File };
    if as_json {
        print_stdout(&json(watched))
    } else {
        let mut text = swell_report::text::summary(summary, verdict, room);
        text.append(&event_loops_text(&watched.report).into());
        text.append(&swell_report::thresholds::text(&watched.judgements));
        print_page(&text)
    }
}

fn keep(args: &RunArgs, report: &TrialReport, json: &str, page: Option<&RunPage>) -> Result<(), Failure> {
    let written = args.summary_path().map_or(Ok(()), |path| {
        write_whole(&path, without_passwords(json).as_bytes())
            .map_err(|e| Failure::lost(cannot("summary", &path, &e)))
    });
    if let Some(path) = report_path(args) {
        let path = free_report(path, args.force);
        let statistics = swell_report::statistics::text(&report.run, None);
        write_statistics(&path.with_file_name("statistics.json"), &without_passwords(&statistics))?;
        write_report(&path, &report_page(&name_of(args.plan()), report, page))?;
    }
    written
}

/// Where the report goes. There was none before the run, so one that is there by now is that of another run, which must not lose it: the
/// folder gets a number then.
fn free_report(path: PathBuf, force: bool) -> PathBuf {
    let claims = |path: &Path| {
        // What cannot be made is told when the report is written there.
        let made = Folders::make(path.parent().unwrap_or(Path::new("."))).and_then(|mut folders| {
            OpenOptions::new().write(true).create_new(true).mode(NEW_FILE_MODE).open(path)?;
            folders.keep();
            Ok(())
        });
        !made.is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
    };
    if force || claims(&path) {
        return path;
    }
    let (folder, file) = (path.parent().unwrap_or(Path::new(".")), path.file_name().unwrap_or_default());
    let numbered = (2_u32..).map(|number| {
        let mut name = folder.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name).join(file)
    });
    let free = numbered.into_iter().find(|path| claims(path)).unwrap_or_else(|| path.clone());
    print_stderr(&format!("another run has written {} meanwhile", path.display()));
    free
}

/// Writes a report, whole or not at all, and says where it is.
pub(crate) fn write_report(path: &Path, text: &str) -> Result<(), Failure> {
    write_part(path, text, "report")?;
    print_stderr(&format!("The report is {}", path.display()));
    Ok(())
}

/// Writes the statistics of a report, whole or not at all.
pub(crate) fn write_statistics(path: &Path, text: &str) -> Result<(), Failure> {
    write_part(path, text, "statistics")
}

/// `what` is the name of the part in messages.
fn write_part(path: &Path, text: &str, what: &str) -> Result<(), Failure> {
    let written = Folders::make(path.parent().unwrap_or(Path::new("."))).and_then(|mut folders| {
        write_whole(path, text.as_bytes())?;
        folders.keep();
        Ok(())
    });
    written.map_err(|e| Failure::lost(cannot(what, path, &e)))
}

/// The whole text of a report, without passwords.
fn report_page(title: &str, report: &TrialReport, page: Option<&RunPage>) -> String {
    let verdict = report.verdict.as_ref();
    match page {
        Some(page) => page::file(page, verdict),
        None => {
            without_passwords(&swell_report::html::report(title, MADE_BY, &report.run, verdict)).into_owned()
        }
    }
}

/// Shows the summary of `swell hit`.
pub(crate) fn write_hit(args: &HitArgs, watched: &Watched, page: Option<&RunPage>) -> Result<(), Failure> {
    let shown = (!args.json && !args.debug).then_some(&watched.report);
    for line in said_once(what_went_wrong(watched), shown).chain(closed_idle::in_hit(&watched.report)) {
        print_stderr(&line);
    }
    let report = &watched.report;
    let kept = match hit_report_path(args).filter(|_| report.began) {
        Some(path) => write_report(&free_report(path, args.force), &report_page("swell hit", report, page)),
        None => Ok(()),
    };
    if args.debug {
        return kept;
    }
    let shown = show(args.json, watched);
    let histogram = || print_page(&swell_report::histogram::text(&report.run.elapsed()));
    kept.and(shown).and_then(|()| if args.histogram && !args.json { histogram() } else { Ok(()) })
}

/// The lines, without the one that a summary at the same place begins with.
fn said_once(lines: Vec<String>, summary: Option<&TrialReport>) -> impl Iterator<Item = String> {
    let first = summary.and_then(|report| swell_report::headline(&report.summary));
    let first = first.filter(|_| one_place()).map(|headline| format!("error: {headline}"));
    lines.into_iter().filter(move |line| Some(line) != first.as_ref())
}

/// Whether standard output and standard error are one terminal, pipe or file.
fn one_place() -> bool {
    let place = |descriptor: BorrowedFd<'_>| {
        let found = File::from(descriptor.try_clone_to_owned()?).metadata()?;
        io::Result::Ok((found.dev(), found.ino()))
    };
    matches!((place(io::stdout().as_fd()), place(io::stderr().as_fd())), (Ok(out), Ok(err)) if out == err)
}

/// What is to be said of a run besides its figures.
pub(crate) fn what_went_wrong(watched: &Watched) -> Vec<String> {
    let report = &watched.report;
    let problems = report.outcome.iter().flat_map(|outcome| &outcome.problems).map(ToString::to_string);
    let mut lines: Vec<_> = problems.chain(report.write_failures.iter().map(lost)).collect();
    if let Some(first) = &report.logged.first_error {
        let place =
            report.logged.path.as_ref().map(|path| format!(" in {}", path.display())).unwrap_or_default();
        lines.push(format!(
            "errors logged{place}: {}; the first: {}",
            report.logged.errors,
            crate::log_entry::without_stack(first)
        ));
    }
    lines.extend(report.outcome.as_ref().and_then(failed_users));
    lines.extend(losses(&watched.exports));
    match &report.outcome {
        Some(outcome) if outcome.cut > 0 => lines.push(format!(
            "{} running samples were aborted, by a stop, the end of -d or the end of an open model: they are counted, but not written to the results",
            outcome.cut
        )),
        Some(_) => {}
        None if report.broken => lines.push(
            "error: internal error: the run was aborted (message above)\n  \
             what was measured before is in the results; the last second may be missing in the summary"
                .to_owned(),
        ),
        None => lines.push(
            "left while samples were running; the last second may be missing in the summary".to_owned(),
        ),
    }
    match watched.exit(false) {
        Exit::NothingRan => lines.push("error: no sample was completed".to_owned()),
        Exit::EndedByScript => lines.extend(report.refusal().map(script_refused)),
        Exit::NothingSucceeded => lines.extend(report.nothing_worked().map(|why| format!("error: {why}"))),
        _ => {}
    }
    lines
}

/// How many users an error ended, and by what.
fn failed_users(outcome: &Outcome) -> Option<String> {
    let all = outcome.failed_users();
    let causes: Vec<_> =
        outcome.user_faults.iter().take(3).map(|(cause, users)| format!("{users} by {cause}")).collect();
    let more = if outcome.user_faults.len() > 3 { ", and others" } else { "" };
    (all > 0).then(|| {
        format!(
            "error: {all} of {} users were ended by an error, and made no further load: {}{more}; the log says where",
            outcome.users,
            causes.join(", ")
        )
    })
}

fn script_refused(refusal: &Refusal) -> String {
    format!(
        "error: {refusal}; the test was ended, and what ran before is not what the plan says\n  \
         hint: `swell check` names what of a plan needs a script engine; rewrite the script, or run this plan with JMeter"
    )
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
