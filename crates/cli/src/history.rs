//! `swell history` and `swell open`: the runs that were kept.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use swell_report::plain;
use swell_session::runs::{self, Entry, HAS_HISTORY, History, REPORT, runs_folder};

use crate::args::{HistoryArgs, OpenArgs};
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, print_stdout, say};
use crate::report;

/// Lists runs.
pub(crate) fn history(args: &HistoryArgs) -> Result<Exit, Failure> {
    if !HAS_HISTORY {
        return Err(runs::without_history("it cannot list runs").into());
    }
    let history = runs_folder().and_then(|runs| History::open_existing(&runs, &say()));
    let entries = history.map(|history| history.latest(args.limit)).unwrap_or_default();
    if args.json {
        let list: Value = entries.iter().map(value).collect();
        let text = serde_json::to_string_pretty(&list).expect("numbers and texts are valid JSON");
        print_stdout(&(swell_report::json::harmless(&text) + "\n"))?;
    } else if entries.is_empty() {
        print_stderr("no runs are kept yet, or SWELL_RUNS=off says that none are");
    } else {
        print_stdout(&table(&entries))?;
    }
    Ok(Exit::Fine)
}

fn value(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "folder": entry.folder.to_string_lossy(),
        "kind": entry.kind,
        "plan": entry.plan,
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
fn table(entries: &[Entry]) -> String {
    let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0).max(4);
    let mut out = format!(
        "{:width$}  {:17}  {:>9}  {:>8}  {:>9}  {:>9}  {:>9}  {:8}  {}\n",
        "name", "began (UTC)", "samples", "errors", "p50 ms", "p99 ms", "per s", "verdict", "thresholds"
    );
    for entry in entries {
        let began = jiff::Timestamp::from_millisecond(entry.start_ms).unwrap_or_default();
        let number =
            |number: Option<f64>| number.map_or_else(|| "-".to_owned(), |number| format!("{number:.1}"));
        let count = |count: Option<i64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        writeln!(
            out,
            "{:width$}  {:17}  {:>9}  {:>8}  {:>9}  {:>9}  {:>9}  {:8}  {}",
            plain(&entry.name),
            began.strftime("%Y-%m-%d %H:%M").to_string(),
            count(entry.samples),
            count(entry.errors),
            number(entry.p50_ms),
            number(entry.p99_ms),
            number(entry.per_s),
            entry.verdict.as_deref().unwrap_or(if entry.end_ms.is_some() { "-" } else { state(entry) }),
            thresholds(entry),
        )
        .expect("a String takes it");
    }
    // Lines end where their last word does.
    out.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
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
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = Command::new(opener)
        .arg(&path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match started {
        Ok(status) if status.success() => print_stderr(&format!("Opened {shown}")),
        _ => print_stderr(&format!("no browser could be opened by `{opener}`; the report is {shown}")),
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
        let table = table(&[over, killed]);
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
}
