//! The history of runs: a line for each in an SQLite file of the user.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, params};
use swell_results::run_folder::{Outcome, RunFolder};
use swell_run::TrialReport;

use super::{Entry, Limits, REPORT};
use crate::observer::Say;

const FILE: &str = "history.sqlite";

/// Raised with the table; a file of a later version is left alone.
const VERSION: i64 = 1;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS runs (
    name TEXT PRIMARY KEY, folder TEXT NOT NULL, named INTEGER NOT NULL, kind TEXT NOT NULL, plan TEXT NOT NULL,
    start_ms INTEGER NOT NULL, end_ms INTEGER, exit INTEGER, verdict TEXT,
    samples INTEGER, errors INTEGER, mean_ms REAL, p50_ms REAL, p95_ms REAL, p99_ms REAL, per_s REAL,
    thresholds INTEGER, thresholds_broken INTEGER, bytes INTEGER NOT NULL DEFAULT 0)";

const COLUMNS: &str = "name, folder, named, kind, plan, start_ms, end_ms, exit, verdict, samples, errors, mean_ms, p50_ms, p95_ms, p99_ms, per_s, thresholds, thresholds_broken";

/// The history. A failure of it is shown, and fails no run.
pub struct History {
    file: Connection,
    say: Say,
}

impl History {
    /// The history in the folder of runs, made if there is none. None where it cannot be had, which is said.
    pub(crate) fn open(runs: &Path, say: &Say) -> Option<Self> {
        let made = std::fs::create_dir_all(runs).map_err(|error| error.to_string());
        let opened = made
            .and_then(|()| Self::connect(runs, OpenFlags::default(), say).map_err(|error| error.to_string()));
        opened.map_err(|why| say_without(runs, &why, say)).ok()
    }

    /// The same if there is one.
    pub fn open_existing(runs: &Path, say: &Say) -> Option<Self> {
        if !runs.join(FILE).is_file() {
            return None;
        }
        let opened = Self::connect(runs, OpenFlags::SQLITE_OPEN_READ_WRITE, say);
        opened.map_err(|error| say_without(runs, &error.to_string(), say)).ok()
    }

    fn connect(runs: &Path, flags: OpenFlags, say: &Say) -> rusqlite::Result<Self> {
        let connection = Connection::open_with_flags(runs.join(FILE), flags)?;
        // Another run may be writing its line.
        connection.busy_timeout(Duration::from_secs(5))?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version > VERSION {
            return Err(rusqlite::Error::InvalidParameterName(format!(
                "it is of a later version of Swell (form {version}, this program reads {VERSION})"
            )));
        }
        connection.execute_batch(TABLE)?;
        connection.pragma_update(None, "user_version", VERSION)?;
        Ok(Self { file: connection, say: say.clone() })
    }

    /// Whether there is a run of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.find_exactly(name).is_some()
    }

    fn find_exactly(&self, name: &str) -> Option<Entry> {
        let query = format!("SELECT {COLUMNS} FROM runs WHERE name = ?1");
        self.file.query_row(&query, [name], entry_of).optional().unwrap_or_default()
    }

    /// The run of that name; `last` is the one that began last.
    pub fn find(&self, name: &str) -> Option<Entry> {
        self.find_exactly(name).or_else(|| (name == "last").then(|| self.latest(1).pop()).flatten())
    }

    /// The runs that began last, the latest first.
    pub fn latest(&self, count: u64) -> Vec<Entry> {
        let query = format!("SELECT {COLUMNS} FROM runs ORDER BY start_ms DESC, rowid DESC LIMIT ?1");
        let read = || {
            let mut statement = self.file.prepare(&query)?;
            let rows = statement.query_map([i64::try_from(count).unwrap_or(i64::MAX)], entry_of)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read()
            .inspect_err(|error| (self.say)(&format!("cannot read the history of runs: {error}")))
            .unwrap_or_default()
    }

    /// Some names that hold a text, the latest first.
    pub(crate) fn names_like(&self, text: &str) -> Vec<String> {
        let text = text.to_lowercase();
        let names = self.latest(1000).into_iter().map(|entry| entry.name);
        names.filter(|name| name.to_lowercase().contains(&text)).take(3).collect()
    }

    /// A run begins.
    pub(crate) fn begin(&self, entry: &Entry) {
        let values = params![
            entry.name,
            entry.folder.to_string_lossy(),
            entry.named,
            entry.kind,
            entry.plan,
            entry.start_ms
        ];
        let insert =
            "INSERT INTO runs (name, folder, named, kind, plan, start_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.change(insert, values);
    }

    /// Records the end of a run.
    pub(crate) fn end(&self, name: &str, outcome: &Outcome, report: &TrialReport, folder: &Path) {
        let total = &report.summary.total;
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let broken = outcome.thresholds.iter().filter(|threshold| !threshold.passed).count();
        let values = params![
            name,
            outcome.end_ms,
            outcome.exit,
            report.verdict.as_ref().map(|verdict| verdict.grade.to_string()),
            whole(total.samples),
            whole(total.errors),
            total.mean_ms,
            total.quantiles[0].ms,
            total.quantiles[2].ms,
            total.quantiles[3].ms,
            total.throughput_per_s,
            whole(outcome.thresholds.len() as u64),
            whole(broken as u64),
            whole(bytes_of(folder)),
        ];
        let update = "UPDATE runs SET end_ms = ?2, exit = ?3, verdict = ?4, samples = ?5, errors = ?6, mean_ms = ?7, p50_ms = ?8,
            p95_ms = ?9, p99_ms = ?10, per_s = ?11, thresholds = ?12, thresholds_broken = ?13, bytes = ?14 WHERE name = ?1";
        self.change(update, values);
    }

    /// Removes the oldest unnamed runs beyond the limits, except `kept`: their folders in the
    /// folder of runs, and their lines. A running one stays.
    pub(crate) fn forget_old(&self, kept: &Path, limits: Limits) {
        let Some(runs) = kept.parent() else { return };
        for entry in self.beyond(runs, limits) {
            let Ok(run) = RunFolder::open(&entry.folder) else {
                self.change("DELETE FROM runs WHERE name = ?1", params![entry.name]);
                continue;
            };
            if run.is_running() || entry.folder == kept {
                continue;
            }
            // The report that `swell open` wrote; it may never have done so.
            let _ = std::fs::remove_file(entry.folder.join(REPORT));
            match run.remove() {
                Ok(()) => self.change("DELETE FROM runs WHERE name = ?1", params![entry.name]),
                Err(error) => (self.say)(&format!("cannot remove the old run `{}`: {error}", entry.name)),
            }
        }
    }

    /// Runs beyond the limits, of those without a name in a folder below `runs`.
    fn beyond(&self, runs: &Path, limits: Limits) -> Vec<Entry> {
        let mut count = 0;
        let mut bytes = 0;
        let mut beyond = Vec::new();
        for entry in self.latest(u64::MAX) {
            if entry.named || entry.folder.parent() != Some(runs) {
                continue;
            }
            count += 1;
            bytes += bytes_of(&entry.folder);
            // The last one stays, however large it is.
            if count > 1 && (count > limits.runs || bytes > limits.bytes) {
                beyond.push(entry);
            }
        }
        beyond
    }

    fn change(&self, command: &str, values: impl rusqlite::Params) {
        if let Err(error) = self.file.execute(command, values) {
            (self.say)(&format!("cannot write the history of runs: {error}"));
        }
    }
}

/// The run of a row with all `COLUMNS`.
fn entry_of(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        name: row.get(0)?,
        folder: PathBuf::from(row.get::<_, String>(1)?),
        named: row.get(2)?,
        kind: row.get(3)?,
        plan: row.get(4)?,
        start_ms: row.get(5)?,
        end_ms: row.get(6)?,
        exit: row.get(7)?,
        verdict: row.get(8)?,
        samples: row.get(9)?,
        errors: row.get(10)?,
        mean_ms: row.get(11)?,
        p50_ms: row.get(12)?,
        p95_ms: row.get(13)?,
        p99_ms: row.get(14)?,
        per_s: row.get(15)?,
        thresholds: row.get(16)?,
        thresholds_broken: row.get(17)?,
    })
}

fn say_without(runs: &Path, why: &str, say: &Say) {
    let file = runs.join(FILE);
    say(&format!("cannot use the history of runs `{}`: {why}", file.display()));
}

/// Bytes of the files of a folder, 0 where it is gone.
fn bytes_of(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| Some(file.metadata().ok()?.len())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_results::run_folder::{Metadata, Recorder};

    fn quiet() -> Say {
        std::sync::Arc::new(|_| {})
    }

    fn entry(runs: &Path, name: &str, start_ms: i64, named: bool) -> Entry {
        let folder = runs.join(name);
        Entry { name: name.to_owned(), folder, start_ms, named, kind: "run".into(), ..Entry::default() }
    }

    /// Runs that are over, in the folder of runs and in the history.
    fn runs(names: &[(&str, bool)]) -> (tempfile::TempDir, History) {
        let folder = tempfile::tempdir().expect("a folder");
        let history = History::open(folder.path(), &quiet()).expect("it can be made");
        for ((name, named), start_ms) in names.iter().zip(1..) {
            let entry = entry(folder.path(), name, start_ms, *named);
            drop(Recorder::create(&entry.folder, &Metadata::default(), b"<plan/>", false).expect("made"));
            history.begin(&entry);
        }
        (folder, history)
    }

    fn names(history: &History) -> Vec<String> {
        history.latest(100).into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn runs_are_listed_and_found() {
        let (folder, history) = runs(&[("a", false), ("b", true), ("c", false)]);
        assert_eq!(names(&history), ["c", "b", "a"]);
        assert_eq!(history.latest(1).len(), 1);
        assert_eq!(history.find("last").map(|entry| entry.name), Some("c".to_owned()));
        assert_eq!((history.has("a"), history.has("x")), (true, false));
        let again = History::open_existing(folder.path(), &quiet()).expect("it is there");
        assert_eq!(again.find("b"), Some(entry(folder.path(), "b", 2, true)));
        assert!(History::open_existing(&folder.path().join("a"), &quiet()).is_none());
    }

    #[test]
    fn old_runs_go_unless_somebody_named_them() {
        let (folder, history) =
            runs(&[("old", false), ("named", true), ("older", false), ("new", false), ("last", false)]);
        let limits = Limits { runs: 2, bytes: u64::MAX };
        history.forget_old(&folder.path().join("last"), limits);
        assert_eq!(names(&history), ["last", "new", "named"]);
        let there = |name: &str| folder.path().join(name).exists();
        assert_eq!(["old", "named", "older", "new", "last"].map(there), [false, true, false, true, true]);
        history.forget_old(&folder.path().join("last"), Limits { runs: 100, bytes: 1 });
        assert_eq!(names(&history), ["last", "named"]);
    }

    #[test]
    fn a_run_that_goes_on_is_not_removed() {
        let (folder, history) = runs(&[("last", false)]);
        let running = entry(folder.path(), "running", 0, false);
        let recorder = Recorder::create(&running.folder, &Metadata::default(), b"", false).expect("made");
        history.begin(&running);
        history.forget_old(&folder.path().join("last"), Limits { runs: 1, bytes: 1 });
        assert_eq!(names(&history), ["last", "running"]);
        assert!(history.find("running").is_some_and(|entry| entry.is_running()));
        drop(recorder);
        assert!(history.find("running").is_some_and(|entry| !entry.is_running()));
    }

    #[test]
    fn a_history_of_a_later_version_is_left_alone() {
        let (folder, history) = runs(&[("a", false)]);
        history.file.pragma_update(None, "user_version", VERSION + 1).expect("changed");
        drop(history);
        assert!(History::open(folder.path(), &quiet()).is_none());
        std::fs::write(folder.path().join(FILE), "no database at all, and long enough to be looked at")
            .expect("written");
        assert!(History::open(folder.path(), &quiet()).is_none());
    }
}
