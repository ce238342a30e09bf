//! `swell history` and `swell open`: the runs that were kept.

use serde_json::{Value, json};
use swell_report::number::{count, ms, rate};
use swell_report::plain;
use swell_session::runs::{
    self, Annotation, Entry, HAS_HISTORY, History, ImportOptions, REPORT, existing_history,
};
use swell_stats::verdict::Grade;
use swell_study::table::Table;
use unicode_width::UnicodeWidthStr as _;

use crate::args::{BaselineArgs, HistoryArgs, HistorySubcommand, ImportArgs, NoteArgs, OpenArgs, TagArgs};
use crate::browser;
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, print_stdout, say};
use crate::report;

/// Lists or changes runs.
pub(crate) fn history(args: &HistoryArgs) -> Result<Exit, Failure> {
    match &args.command {
        None => list(args),
        Some(HistorySubcommand::Tag(args)) => tag(args),
        Some(HistorySubcommand::Note(args)) => note(args),
        Some(HistorySubcommand::Baseline(args)) => set_baseline(args),
        Some(HistorySubcommand::Import(args)) => import(args),
    }
}

/// A run as it is listed.
struct Listed {
    entry: Entry,
    is_baseline: bool,
}

fn list(args: &HistoryArgs) -> Result<Exit, Failure> {
    if !HAS_HISTORY {
        return Err(runs::without_history("it cannot list runs").into());
    }
    let history = existing_history(&say());
    let listed = history.map(|history| chosen(&history, args)).unwrap_or_default();
    if args.json {
        let list: Value = listed.iter().map(value).collect();
        print_stdout(&swell_report::json::indented(&list))?;
    } else if listed.is_empty() && (!args.tags.is_empty() || args.plan.is_some()) {
        print_stderr("no kept run has these tags and this plan");
    } else if listed.is_empty() {
        print_stderr("no runs are kept yet, or SWELL_RUNS=off says that none are");
    } else {
        print_stdout(&table(&listed))?;
    }
    Ok(Exit::Fine)
}

/// The runs with the tags and the plan that are wanted.
fn chosen(history: &History, args: &HistoryArgs) -> Vec<Listed> {
    let is_filtered = !args.tags.is_empty() || args.plan.is_some();
    let entries = history.latest(if is_filtered { u64::MAX } else { args.limit });
    let has_tags =
        |entry: &Entry| args.tags.iter().all(|(name, value)| entry.annotation.tags.get(name) == Some(value));
    let has_plan = |entry: &Entry| {
        args.plan.as_ref().is_none_or(|text| entry.subject.contains(text) || entry.plan.contains(text))
    };
    let baselines = history.baselines();
    let entries = entries.into_iter().filter(|entry| has_tags(entry) && has_plan(entry));
    let listed = entries.map(|entry| {
        let is_baseline = baselines.get(&entry.subject) == Some(&entry.name);
        Listed { entry, is_baseline }
    });
    listed.take(usize::try_from(args.limit).unwrap_or(usize::MAX)).collect()
}

fn tag(args: &TagArgs) -> Result<Exit, Failure> {
    let history = runs::own_history(&say())?;
    let entry = runs::entry_in(Some(&history), &args.run)?;
    let mut annotation = entry.annotation.clone();
    for name in &args.remove {
        if annotation.tags.remove(name).is_none() {
            return Err(Failure::settings(format!("the run `{}` has no tag `{name}`", entry.name)));
        }
    }
    annotation.tags.extend(args.tags.iter().cloned());
    runs::annotate(&history, &entry, &annotation)?;
    let shown: Vec<_> = annotation.tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let shown = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
    print_stderr(&format!("Tags of {}: {shown}", entry.name));
    Ok(Exit::Fine)
}

fn note(args: &NoteArgs) -> Result<Exit, Failure> {
    let history = runs::own_history(&say())?;
    let entry = runs::entry_in(Some(&history), &args.run)?;
    let annotation = Annotation { note: args.note.clone(), ..entry.annotation.clone() };
    runs::annotate(&history, &entry, &annotation)?;
    let what = if args.note.is_empty() { "removed" } else { "written" };
    print_stderr(&format!("The note of {} is {what}", entry.name));
    Ok(Exit::Fine)
}

fn set_baseline(args: &BaselineArgs) -> Result<Exit, Failure> {
    let history = runs::own_history(&say())?;
    let entry = runs::entry_in(Some(&history), &args.run)?;
    if args.remove {
        history.remove_baseline(&entry)?;
        print_stderr(&format!("{} has no baseline any more", entry.subject));
    } else {
        history.set_baseline(&entry)?;
        print_stderr(&format!("{} is the baseline of {}", entry.name, entry.subject));
    }
    Ok(Exit::Fine)
}

fn import(args: &ImportArgs) -> Result<Exit, Failure> {
    let tags = args.tags.iter().cloned().collect();
    let note = args.note.clone().unwrap_or_default();
    let options = ImportOptions {
        file_name: None,
        name: args.name.clone(),
        plan: args.plan.clone(),
        annotation: Annotation { tags, note },
    };
    for file in &args.files {
        let imported = runs::import(file, &options, &say())?;
        let counts = &imported.counts;
        if counts.bad > 0 {
            print_stderr(&format!(
                "warning: {} rows of `{}` could not be read and are in no figure",
                counts.bad,
                file.display()
            ));
        }
        if let Some(why) = &counts.damaged {
            print_stderr(&format!("warning: `{}` is damaged: {why}", file.display()));
        }
        print_stderr(&format!("{} is kept as {}: {} samples", file.display(), imported.name, counts.samples));
    }
    Ok(Exit::Fine)
}

fn value(listed: &Listed) -> Value {
    let Listed { entry, is_baseline } = listed;
    json!({
        "name": entry.name,
        "folder": entry.folder.to_string_lossy(),
        "kind": entry.kind,
        "plan": entry.plan,
        "subject": entry.subject,
        "tags": entry.annotation.tags,
        "note": entry.annotation.note,
        "is_baseline": is_baseline,
        "start_ms": entry.start_ms,
        "end_ms": entry.end_ms,
        "running": entry.is_running(),
        "exit": entry.exit,
        "verdict": entry.verdict,
        "samples": entry.samples,
        "errors": entry.errors,
        "mean_ms": entry.mean_ms,
        "p50_ms": entry.p50_ms,
        "p95_ms": entry.p95_ms,
        "p99_ms": entry.p99_ms,
        "throughput_per_s": entry.per_s,
        "thresholds": entry.thresholds,
        "thresholds_broken": entry.thresholds_broken,
    })
}

/// Columns of a terminal that is as wide as most.
const WIDTH: usize = 80;

/// A head and two lines for each run: its name with its tags, and its figures. Names are long and
/// are typed into other commands, so they are never cut.
fn table(runs: &[Listed]) -> String {
    let head = ["  began (UTC)", "samples", "failed", "p95 ms", "per s", "measurement", "thresholds"];
    let mut table = Table::new(head);
    table.rows = runs.iter().map(figures).collect();
    let text = table.without_empty_columns().text();
    let mut lines = text.lines();
    let mut out = format!("run\n{}\n", lines.next().unwrap_or_default());
    for (run, line) in runs.iter().zip(lines) {
        out += &names(run);
        out += line;
        out.push('\n');
    }
    out
}

fn figures(run: &Listed) -> Vec<String> {
    let entry = &run.entry;
    let began = jiff::Timestamp::from_millisecond(entry.start_ms).unwrap_or_default();
    let whole = |number: i64| u64::try_from(number).unwrap_or_default();
    let share = entry.samples.zip(entry.errors).filter(|(samples, _)| *samples > 0);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let grade = entry.verdict.as_deref().and_then(Grade::named).map(Grade::measurement);
    let state = if entry.end_ms.is_some() { "-" } else { state(entry) };
    vec![
        began.strftime("  %Y-%m-%d %H:%M").to_string(),
        or_dash(entry.samples.map(|samples| count(whole(samples)))),
        or_dash(share.map(|(samples, errors)| percent(whole(errors), whole(samples)))),
        // Times of failures are no times of the site.
        or_dash(entry.p95_ms.filter(|_| !all_failed(entry)).map(ms)),
        or_dash(entry.per_s.map(rate)),
        grade.unwrap_or(state).to_owned(),
        thresholds(entry),
    ]
}

fn all_failed(entry: &Entry) -> bool {
    entry.samples.is_some_and(|samples| samples > 0) && entry.errors == entry.samples
}

/// The name, whether the run is a baseline, and its tags: lines of at most [`WIDTH`] columns where
/// texts allow it.
fn names(run: &Listed) -> String {
    let baseline = run.is_baseline.then(|| "(baseline)".to_owned());
    let tags = run.entry.annotation.tags.iter();
    let tags = tags.map(|(name, value)| plain(&format!("{name}={value}")).into_owned());
    let mut out = plain(&run.entry.name).into_owned();
    let mut taken = out.width();
    for text in baseline.into_iter().chain(tags) {
        let gap = if taken + 2 + text.width() <= WIDTH { "  " } else { "\n    " };
        taken = if gap == "  " { taken + 2 } else { 4 } + text.width();
        out.extend([gap, &text]);
    }
    out + "\n"
}

/// Failed samples as `0.25%`: never 0 or 100 if that is not exact.
fn percent(failed: u64, of: u64) -> String {
    let percent = 100.0 * failed as f64 / of as f64;
    match failed {
        0 => "0%".to_owned(),
        _ if failed >= of => "100%".to_owned(),
        _ if percent < 9.995 => format!("{:.2}%", percent.max(0.01)),
        _ => format!("{:.1}%", percent.min(99.9)),
    }
}

fn state(entry: &Entry) -> &'static str {
    if entry.is_running() { "running" } else { "killed" }
}

fn thresholds(entry: &Entry) -> String {
    match (entry.thresholds, entry.thresholds_broken) {
        (None | Some(0), _) => String::new(),
        (Some(all), Some(broken @ 1..)) => format!("{broken}/{all} failed"),
        (Some(all), _) => format!("{all} passed"),
    }
}

/// Opens the report of a run in a browser.
pub(crate) fn open(args: &OpenArgs) -> Result<Exit, Failure> {
    let run = runs::find(&args.run, &say())?;
    let path = run.path().join(REPORT);
    // The report of a finished run does not change.
    if !path.exists() || run.is_running() {
        report::of_run(run.path(), &path)?;
    }
    let shown = path.display().to_string();
    if args.print {
        print_stdout(&(shown + "\n"))?;
        return Ok(Exit::Fine);
    }
    if browser::open_file(path.as_os_str()) {
        print_stderr(&format!("Opened {shown}"));
    } else {
        let opener = browser::OPENER;
        print_stderr(&format!("no browser could be opened by `{opener}`; the report is {shown}"));
    }
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entry: Entry) -> Listed {
        Listed { entry, is_baseline: false }
    }

    #[test]
    fn two_lines_describe_a_run() {
        let finished = Entry {
            name: "nightly".to_owned(),
            start_ms: 1_700_000_000_000,
            end_ms: Some(1_700_000_060_000),
            verdict: Some("DEGRADED".to_owned()),
            samples: Some(1200),
            errors: Some(3),
            p95_ms: Some(12.34),
            per_s: Some(20.0),
            thresholds: Some(2),
            thresholds_broken: Some(1),
            ..Entry::default()
        };
        let killed = Entry { name: "x".to_owned(), ..Entry::default() };
        let shown = table(&[finished, killed].map(of));
        let wanted = "\
run
  began (UTC)       samples  failed  p95 ms  per s  measurement  thresholds
nightly
  2023-11-14 22:13    1,200   0.25%   12.34   20.0     doubtful  1/2 failed
x
  1970-01-01 00:00        -       -       -      -       killed
";
        assert_eq!(shown, wanted);
    }

    #[test]
    fn lines_fit_80_columns_and_names_are_whole() {
        let name = "a-plan-with-a-rather-long-name-of-exactly-60-characters-xxxx-20231114-221320";
        let long = "x".repeat(30);
        let annotation = Annotation {
            tags: [("branch", long.as_str()), ("commit", long.as_str()), ("version", "1\u{1b}[31m")]
                .map(|(a, b)| (a.into(), b.into()))
                .into(),
            note: String::new(),
        };
        let entry = Entry {
            name: name.to_owned(),
            annotation,
            end_ms: Some(1),
            verdict: Some("INVALID".to_owned()),
            samples: Some(999_999),
            errors: Some(999_999),
            p95_ms: Some(999_999.0),
            per_s: Some(99_999.0),
            thresholds: Some(12),
            thresholds_broken: Some(10),
            ..Entry::default()
        };
        let shown = table(&[Listed { entry, is_baseline: true }]);
        assert!(shown.lines().all(|line| line.width() <= WIDTH), "{shown}");
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!((lines[2], lines[3].trim_start().starts_with("(baseline)  branch=x")), (name, true));
        assert!(shown.contains("version=1") && !shown.contains('\u{1b}'), "{shown}");
    }

    #[test]
    fn a_share_is_exact_where_it_is_0_or_100() {
        let all = [(0, 5), (1, 1_000_000), (1, 8), (999_999, 1_000_000), (5, 5)];
        let shown = all.map(|(failed, of)| percent(failed, of));
        assert_eq!(shown, ["0%", "0.01%", "12.5%", "99.9%", "100%"]);
    }
}
