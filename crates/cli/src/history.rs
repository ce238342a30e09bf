//! `swell history` and `swell open`: the runs that were kept.

use std::fmt::Write as _;

use serde_json::{Value, json};
use swell_report::plain;
use swell_session::runs::{
    self, Annotation, Entry, HAS_HISTORY, History, ImportOptions, REPORT, existing_history,
};

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

/// A head and a line a run.
fn table(runs: &[Listed]) -> String {
    let width = runs.iter().map(|run| run.entry.name.chars().count()).max().unwrap_or(0).max(4);
    let column = runs.iter().map(|run| thresholds(&run.entry).len()).max().unwrap_or(0).max(10);
    let has_tags = runs.iter().any(|run| !tags(run).is_empty());
    let mut out = format!(
        "{:width$}  {:17}  {:>9}  {:>8}  {:>9}  {:>9}  {:>9}  {:8}  {:column$}  {}\n",
        "name",
        "began (UTC)",
        "samples",
        "errors",
        "p50 ms",
        "p99 ms",
        "per s",
        "verdict",
        "thresholds",
        if has_tags { "tags" } else { "" }
    );
    for run in runs {
        let entry = &run.entry;
        let began = jiff::Timestamp::from_millisecond(entry.start_ms).unwrap_or_default();
        let number =
            |number: Option<f64>| number.map_or_else(|| "-".to_owned(), |number| format!("{number:.1}"));
        let count = |count: Option<i64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        writeln!(
            out,
            "{:width$}  {:17}  {:>9}  {:>8}  {:>9}  {:>9}  {:>9}  {:8}  {:column$}  {}",
            plain(&entry.name),
            began.strftime("%Y-%m-%d %H:%M").to_string(),
            count(entry.samples),
            count(entry.errors),
            number(entry.p50_ms),
            number(entry.p99_ms),
            number(entry.per_s),
            entry.verdict.as_deref().unwrap_or(if entry.end_ms.is_some() { "-" } else { state(entry) }),
            thresholds(entry),
            tags(run),
        )
        .expect("a String takes it");
    }
    // Lines end where their last word does.
    out.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// The tags of a run, and whether it is a baseline.
fn tags(run: &Listed) -> String {
    let baseline = run.is_baseline.then(|| "(baseline)".to_owned());
    let tags = run.entry.annotation.tags.iter();
    let tags = tags.map(|(name, value)| plain(&format!("{name}={value}")).into_owned());
    baseline.into_iter().chain(tags).collect::<Vec<_>>().join(" ")
}

fn state(entry: &Entry) -> &'static str {
    if entry.is_running() { "running" } else { "killed" }
}

fn thresholds(entry: &Entry) -> String {
    match (entry.thresholds, entry.thresholds_broken) {
        (None | Some(0), _) => String::new(),
        (Some(all), Some(broken @ 1..)) => format!("FAILED {broken} of {all}"),
        (Some(all), _) => format!("all {all} passed"),
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

    #[test]
    fn a_line_tells_what_a_run_was() {
        let over = Entry {
            name: "nightly".to_owned(),
            start_ms: 1_700_000_000_000,
            end_ms: Some(1_700_000_060_000),
            verdict: Some("VALID".to_owned()),
            samples: Some(1200),
            errors: Some(3),
            p50_ms: Some(12.34),
            p99_ms: Some(99.0),
            per_s: Some(20.0),
            thresholds: Some(2),
            thresholds_broken: Some(1),
            ..Entry::default()
        };
        let killed = Entry { name: "x".to_owned(), ..Entry::default() };
        let table = table(&[over, killed].map(|entry| Listed { entry, is_baseline: false }));
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        let wanted = [
            "nightly",
            "2023-11-14",
            "22:13",
            "1200",
            "3",
            "12.3",
            "99.0",
            "20.0",
            "VALID",
            "FAILED",
            "1",
            "of",
            "2",
        ];
        assert_eq!(lines[1], wanted);
        assert_eq!(lines[2].last(), Some(&"killed"));
    }

    #[test]
    fn tags_are_the_last_column() {
        let annotation = Annotation {
            tags: [("branch", "main"), ("version", "1\u{1b}[31m")].map(|(a, b)| (a.into(), b.into())).into(),
            note: String::new(),
        };
        let entry = Entry { name: "x".to_owned(), annotation, ..Entry::default() };
        let table = table(&[Listed { entry, is_baseline: true }]);
        let lines: Vec<_> = table.lines().collect();
        assert!(lines[0].ends_with("thresholds  tags"), "{table}");
        assert!(
            lines[1].contains("(baseline) branch=main version=1") && !table.contains('\u{1b}'),
            "{table}"
        );
    }
}
