//! `swell report`: generates an HTML report from a finished run or a results file.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

use swell_report::page::{self, About, Apdex, RunPage};
use swell_report::statistics;
use swell_report::windows::Windows;
use swell_results::jtl::{IntervalOptions, JtlCounts, JtlError, read_intervals};
use swell_results::run_folder::{RunFolder, hlog};
use swell_results::same_file;
use swell_session::{
    MADE_BY, check_report, failures_address, kept_failures, name_of, runs, write_report, write_statistics,
};
use swell_stats::Interval;
use swell_stats::verdict::Verdict;

use crate::args::{Percentiles, ReportArgs};
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, say};

/// Intervals that wait between the reader and the page.
const WAITING: usize = 64;

/// Runs the command.
pub(crate) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    write(args, &Target::of(&args.output))
}

fn write(args: &ReportArgs, target: &Target) -> Result<Exit, Failure> {
    check_report(&target.page, args.force)?;
    let run = source(&args.source)?;
    if let Some(path) = &args.hlog {
        write_hlog(path, &target.page, args.force, run.as_ref())?;
    }
    let (page, verdict) = match run {
        Some(run) => of_folder(args, &run, &target.page)?,
        None => of_results(args)?,
    };
    if let Some(path) = &target.statistics {
        write_statistics(path, &statistics::text(page.run(), page.windows()))?;
    }
    write_report(&target.page, &page::file(&page, verdict.as_ref()))?;
    print_stderr(&format!("The report is {}", target.page.display()));
    Ok(Exit::Fine)
}

/// Writes the intervals of a run as a log of HdrHistogram.
fn write_hlog(path: &Path, page: &Path, force: bool, run: Option<&RunFolder>) -> Result<(), Failure> {
    let run = run.ok_or_else(|| {
        Failure::settings("--hlog needs histograms, and a results file has none")
            .hint("give the folder of a run, or its name in `swell history`")
    })?;
    if same_file(path, page) {
        return Err(Failure::settings(format!(
            "`{}` cannot be the log of histograms: it is the report",
            path.display()
        ))
        .hint("name another file for one of them"));
    }
    if path.exists() && !force {
        return Err(Failure::settings(format!("`{}` is there already", path.display()))
            .hint("name another file, or overwrite it with -f"));
    }
    let intervals = run.intervals().map_err(|error| Failure::settings(error.to_string()))?;
    let written = File::create(path).and_then(|file| {
        let mut out = BufWriter::new(file);
        hlog::write(&mut out, MADE_BY, intervals)?;
        out.flush()
    });
    written.map_err(|error| {
        Failure::lost(format!("cannot write the log of histograms to `{}`: {error}", path.display()))
    })
}

/// The page of the run in a folder, written over one that is there.
pub(crate) fn of_run(folder: &Path, page: &Path) -> Result<Exit, Failure> {
    let args = with_defaults(folder.to_owned(), page.to_owned(), true);
    write(&args, &Target { page: page.to_owned(), statistics: None })
}

/// JMeter's spelling: `-g FILE -o DIR`.
pub(crate) fn of_jmeter(results: PathBuf, folder: Option<&PathBuf>, force: bool) -> Result<Exit, Failure> {
    let Some(folder) = folder else {
        return Err(Failure::settings(
            "-g writes a report of a results file, but -o with its folder is missing",
        )
        .hint("type `-g results.jtl -o report`; the folder is made if it is not there"));
    };
    write(&with_defaults(results, folder.clone(), force), &Target::folder(folder))
}

fn with_defaults(source: PathBuf, output: PathBuf, force: bool) -> ReportArgs {
    let Apdex { satisfied_ms, tolerated_ms } = Apdex::default();
    let percentiles = Percentiles::Exact;
    let apdex = (satisfied_ms, tolerated_ms);
    ReportArgs { source, output, force, title: None, percentiles, apdex, groups: Vec::new(), hlog: None }
}

/// What is written where.
struct Target {
    page: PathBuf,
    statistics: Option<PathBuf>,
}

impl Target {
    /// A name that ends in `.html` or `.htm` is a file, anything else a folder.
    fn of(output: &Path) -> Self {
        let is_page = output
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm"));
        if is_page && !output.is_dir() {
            return Self { page: output.to_owned(), statistics: None };
        }
        Self::folder(output)
    }

    fn folder(folder: &Path) -> Self {
        Self { page: folder.join("index.html"), statistics: Some(folder.join("statistics.json")) }
    }
}

fn about(args: &ReportArgs, title: String, facts: Vec<(String, String)>) -> About {
    let title = args.title.clone().unwrap_or(title);
    About {
        title,
        made_by: MADE_BY.to_owned(),
        facts,
        apdex: apdex(args),
        groups: args.label_groups(),
        ..About::default()
    }
}

fn apdex(args: &ReportArgs) -> Apdex {
    let (satisfied_ms, tolerated_ms) = args.apdex;
    Apdex { satisfied_ms, tolerated_ms }
}

/// The folder of a run, or one of the history by its name; none if it is a file.
fn source(source: &Path) -> Result<Option<RunFolder>, Failure> {
    if RunFolder::is_one(source) {
        return RunFolder::open(source).map(Some).map_err(|error| Failure::settings(error.to_string()));
    }
    // A name without a folder or an ending is that of a run.
    let name = source.to_str().filter(|name| !source.exists() && !name.contains(['/', '.']));
    Ok(name.map(|name| runs::find(name, &say())).transpose()?)
}

fn of_folder(
    args: &ReportArgs,
    run: &RunFolder,
    report: &Path,
) -> Result<(RunPage, Option<Verdict>), Failure> {
    if args.percentiles == Percentiles::Jmeter {
        return Err(Failure::settings(
            "--percentiles jmeter needs single samples, and the folder of a run holds histograms",
        )
        .hint("give the results file of the run (-l) instead, or leave the option out"));
    }
    let page =
        runs::page_of(run, args.title.as_deref(), apdex(args), &args.label_groups(), runs::earlier_of(run))?;
    let (mut page, verdict) = page;
    if let Some(address) = failures_address(run.path(), report) {
        page.link_failures(kept_failures(run, &address));
    }
    Ok((page, verdict))
}

fn of_results(args: &ReportArgs) -> Result<(RunPage, Option<Verdict>), Failure> {
    let path = &args.source;
    if path.is_dir() {
        return Err(Failure::settings(format!("`{}` is a folder, and no run is in it", path.display()))
            .hint("give a results file (JTL), or the folder of a run, which has a run.json"));
    }
    let facts = vec![("Results file".to_owned(), path.display().to_string())];
    let about = about(args, name_of(path), facts);
    let mut windows = (args.percentiles == Percentiles::Jmeter).then(Windows::default);
    let (mut page, counts) = read(path, about, windows.as_mut()).map_err(|error| {
        let hint = match error {
            JtlError::Io(_) => "give a results file (JTL), or the folder of a run",
            JtlError::NotJtl(_) => {
                "a results file is CSV (UTF-8) with the columns timeStamp and elapsed, or XML with testResults; times are milliseconds since 1970 or dates such as 2026/11/24 17:00:00.000"
            }
        };
        Failure::settings(format!("cannot read `{}`: {error}", path.display())).hint(hint)
    })?;
    tell(&args.source, &counts, &mut page);
    if let Some(windows) = windows {
        page.note("Percentiles of the tables are those of JMeter's report: of the last 20,000 samples of a label, interpolated.");
        page.use_windows(windows);
    }
    Ok((page, None))
}

/// Builds the page on a separate thread while the file is read.
fn read(
    path: &Path,
    about: About,
    mut windows: Option<&mut Windows>,
) -> Result<(RunPage, JtlCounts), JtlError> {
    let (to, intervals) = sync_channel::<Interval>(WAITING);
    std::thread::scope(|scope| {
        let growing = scope.spawn(move || {
            let mut page = RunPage::new(about);
            for interval in &intervals {
                page.add(&interval);
            }
            page
        });
        let each = |sample: &swell_results::jtl::JtlSample<'_>| {
            if let Some(windows) =
                windows.as_mut().filter(|_| !sample.is_empty_transaction() && sample.is_reported())
            {
                windows.add(sample.label, sample.is_transaction(), sample.elapsed_ms);
            }
        };
        // The other end is there until this one is gone.
        let counts =
            read_intervals(path, IntervalOptions::default(), each, |interval| drop(to.send(interval)));
        drop(to);
        let page = growing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        counts.map(|counts| (page, counts))
    })
}

/// A sentence on samples that the file leaves out, if it does.
pub(crate) fn hidden(counts: &JtlCounts) -> Option<String> {
    let samples = match counts.hidden {
        0 => return None,
        1 => "1 sample inside a transaction has no row in the file and is in no figure".to_owned(),
        many => format!("{many} samples inside transactions have no rows in the file and are in no figure"),
    };
    Some(format!("{samples}; run with -Jjmeter.save.saveservice.subresults=true to save them"))
}

/// Says what of the file is not in the figures.
fn tell(path: &Path, counts: &JtlCounts, page: &mut RunPage) {
    if !counts.has_users {
        page.users_are_unknown();
    }
    if counts.missing_pieces > 0 {
        let said = match counts.missing_pieces {
            1 => format!("1 piece of `{}` is gone", path.display()),
            many => format!("{many} pieces of `{}` are gone", path.display()),
        };
        page.note(format!("{said}. Their samples are in no figure."));
        print_stderr(&format!("warning: {said}"));
    }
    if let Some(why) = &counts.damaged {
        let said = format!(
            "the compressed file ends too early or is damaged, and what follows is in no figure: {why}"
        );
        print_stderr(&format!("warning: {said}"));
        page.note(said);
    }
    if let Some(said) = hidden(counts) {
        print_stderr(&format!("warning: {said}"));
        page.note(said);
    }
    if counts.bad == 0 {
        if counts.samples == 0 {
            print_stderr(&format!("warning: `{}` has no samples, so the report is empty", path.display()));
        }
        return;
    }
    let said = match counts.bad {
        1 => "1 row could not be read and is in no figure".to_owned(),
        rows => format!("{rows} rows could not be read and are in no figure"),
    };
    page.note(format!("{said}; {} samples were read.", counts.samples));
    print_stderr(&format!("warning: {said}"));
    for bad in &counts.first_bad {
        print_stderr(&format!("  line {}: {}", bad.line, swell_report::plain(&bad.why)));
    }
}
