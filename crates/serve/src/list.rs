//! The list of runs.

use serde::Serialize;
use swell_http1::server::Refusal;
use swell_report::{ThresholdCounts, plain, plain_lines};
use swell_session::runs::Entry;
use swell_site::Answer;
use swell_stats::verdict::Grade;

use crate::library::Library;
use crate::problem::unreadable;

/// Runs that are listed, the latest ones.
const MOST_RUNS: usize = 10_000;

#[derive(Serialize)]
struct List {
    /// The folder of runs.
    folder: String,
    may_change: bool,
    /// There are earlier runs that are not listed.
    is_cut: bool,
    runs: Vec<Row>,
}

/// A run. Figures are missing while it runs, and if it was killed.
#[derive(Serialize)]
pub(crate) struct Row {
    name: String,
    kind: String,
    plan: String,
    subject: String,
    /// `running`, `killed` or `finished`.
    state: &'static str,
    /// Its folder is still there.
    has_folder: bool,
    is_baseline: bool,
    start_ms: i64,
    end_ms: Option<i64>,
    exit: Option<u8>,
    /// `good`, `doubtful` or `unusable`.
    measurement: Option<&'static str>,
    samples: Option<i64>,
    errors: Option<i64>,
    p50_ms: Option<f64>,
    p95_ms: Option<f64>,
    p99_ms: Option<f64>,
    per_s: Option<f64>,
    thresholds: Option<i64>,
    thresholds_failed: Option<i64>,
    /// Their result in a few words, as all pages have it.
    thresholds_result: Option<String>,
    tags: Vec<(String, String)>,
    note: String,
}

impl Row {
    pub(crate) fn of(entry: &Entry, is_baseline: bool) -> Self {
        let state = match entry.end_ms {
            Some(_) => "finished",
            None if entry.is_running() => "running",
            None => "killed",
        };
        Self {
            name: plain(&entry.name).into_owned(),
            kind: plain(&entry.kind).into_owned(),
            plan: plain(&entry.plan).into_owned(),
            subject: entry.subject.clone(),
            state,
            has_folder: entry.has_folder(),
            is_baseline,
            start_ms: entry.start_ms,
            end_ms: entry.end_ms,
            exit: entry.exit,
            measurement: entry.verdict.as_deref().and_then(Grade::named).map(Grade::measurement),
            samples: entry.samples,
            errors: entry.errors,
            p50_ms: entry.p50_ms,
            p95_ms: entry.p95_ms,
            p99_ms: entry.p99_ms,
            per_s: entry.per_s,
            thresholds: entry.thresholds,
            thresholds_failed: entry.thresholds_broken,
            thresholds_result: thresholds_of(entry).result("thresholds "),
            tags: entry.annotation.tags.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            note: plain_lines(&entry.annotation.note).into_owned(),
        }
    }
}

fn thresholds_of(entry: &Entry) -> ThresholdCounts {
    let number = |count: Option<i64>| count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    ThresholdCounts { all: number(entry.thresholds), failed: number(entry.thresholds_broken), open: 0 }
}

/// All runs, the latest first.
pub(crate) fn answer(library: &Library, may_change: bool) -> Result<Answer, Refusal> {
    let folder = library.folder().display().to_string();
    let Some(history) = library.history()? else {
        return Ok(Answer::json(200, &List { folder, may_change, is_cut: false, runs: Vec::new() }));
    };
    let mut entries = history.try_latest(MOST_RUNS as u64 + 1).map_err(unreadable)?;
    let is_cut = entries.len() > MOST_RUNS;
    entries.truncate(MOST_RUNS);
    let baselines = history.baselines();
    let row = |entry: &Entry| Row::of(entry, baselines.get(&entry.subject) == Some(&entry.name));
    let runs = entries.iter().map(row).collect();
    Ok(Answer::json(200, &List { folder, may_change, is_cut, runs }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_a_word_and_other_texts_none() {
        for (verdict, word) in [("VALID", Some("good")), ("INVALID", Some("unusable")), ("<b>", None)] {
            let entry = Entry { verdict: Some(verdict.to_owned()), ..Entry::default() };
            assert_eq!(Row::of(&entry, false).measurement, word);
        }
    }

    #[test]
    fn the_result_of_thresholds_is_worded_as_on_other_pages() {
        for (all, failed, text) in
            [(0, 0, None), (2, 0, Some("both thresholds passed")), (3, 1, Some("1 of 3 thresholds failed"))]
        {
            let entry = Entry { thresholds: Some(all), thresholds_broken: Some(failed), ..Entry::default() };
            assert_eq!(Row::of(&entry, false).thresholds_result.as_deref(), text);
        }
    }

    #[test]
    fn a_run_without_an_end_and_a_folder_was_killed() {
        let entry = Entry { folder: "/nowhere".into(), ..Entry::default() };
        let row = Row::of(&entry, false);
        assert_eq!((row.state, row.has_folder), ("killed", false));
    }
}
