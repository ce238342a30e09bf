//! The history of runs: a line for each in an SQLite file of the user.

mod annotate;
mod figures;
mod schema;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, params};
use swell_results::run_folder::{Outcome, RunFolder};
use swell_stats::Summary;
use swell_stats::verdict::Grade;

use super::{Annotation, Entry, Limits, REPORT};
use crate::observer::Say;

const FILE: &str = "history.sqlite";

const COLUMNS: &str = "name, folder, named, kind, plan, start_ms, end_ms, exit, verdict, samples, errors, mean_ms, p50_ms, p95_ms, p99_ms, per_s, thresholds, thresholds_broken, subject, owner, tags, note";

/// The history. A failure of it is shown, and fails no run.
pub struct History {
    file: Connection,
    say: Say,
}

impl History {
    /// The history in the folder of runs, which is made if it is missing. None if it cannot be
    /// used; `say` tells why.
    pub fn open(runs: &Path, say: &Say) -> Option<Self> {
        let made = std::fs::create_dir_all(runs).map_err(|error| error.to_string());
        let opened = made.and_then(|()| Self::connect(runs, OpenFlags::default(), say));
        opened.map_err(|why| say_without(runs, &why, say)).ok()
    }

    /// Opens it if it exists.
    pub fn open_existing(runs: &Path, say: &Say) -> Option<Self> {
        if !runs.join(FILE).is_file() {
            return None;
        }
        let opened = Self::connect(runs, OpenFlags::SQLITE_OPEN_READ_WRITE, say);
        opened.map_err(|why| say_without(runs, &why, say)).ok()
    }

    fn connect(runs: &Path, flags: OpenFlags, say: &Say) -> Result<Self, String> {
        let open = || {
            let mut file = Connection::open_with_flags(runs.join(FILE), flags)?;
            // Another run may be writing its line.
            file.busy_timeout(Duration::from_secs(5))?;
            schema::prepare(&mut file)?;
            Ok(file)
        };
        let file = open().map_err(|error: rusqlite::Error| told(&error))?;
        Ok(Self { file, say: say.clone() })
    }

    /// Whether there is a run of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.find_exactly(name).is_some()
    }

    fn find_exactly(&self, name: &str) -> Option<Entry> {
        let query = format!("SELECT {COLUMNS} FROM runs WHERE name = ?1");
        self.file.query_row(&query, [name], entry_of).optional().unwrap_or_default()
    }

    /// The run of that name; `last` is the one of this user that began last.
    pub fn find(&self, name: &str) -> Option<Entry> {
        self.find_exactly(name).or_else(|| (name == "last").then(|| self.last()).flatten())
    }

    /// The run of this user that began last: several users may share a folder of runs.
    fn last(&self) -> Option<Entry> {
        let query = format!("SELECT {COLUMNS} FROM runs ORDER BY start_ms DESC, id DESC");
        let mut statement = self.file.prepare(&query).ok()?;
        let mut runs = statement.query_map([], entry_of).ok()?;
        runs.find_map(|run| run.ok().filter(Entry::is_own))
    }

    /// The last finished run of the same subject and command that began before this one.
    pub(crate) fn before(&self, this: &Entry) -> Option<Entry> {
        let query = format!(
            "SELECT {COLUMNS} FROM runs WHERE subject = ?1 AND kind = ?2 AND end_ms IS NOT NULL AND samples > 0
             AND (start_ms < ?3 OR start_ms = ?3 AND id < (SELECT id FROM runs WHERE name = ?4))
             ORDER BY start_ms DESC, id DESC LIMIT 1"
        );
        let values = params![this.subject, this.kind, this.start_ms, this.name];
        self.file.query_row(&query, values, entry_of).optional().unwrap_or_default()
    }

    /// The runs that began last, the latest first.
    pub fn latest(&self, count: u64) -> Vec<Entry> {
        self.try_latest(count)
            .inspect_err(|error| (self.say)(&format!("cannot read the history of runs: {error}")))
            .unwrap_or_default()
    }

    /// The same with the error.
    ///
    /// # Errors
    /// The file is locked by another program, or damaged. A row that cannot be read is left out.
    pub fn try_latest(&self, count: u64) -> Result<Vec<Entry>, String> {
        let query = format!("SELECT {COLUMNS} FROM runs ORDER BY start_ms DESC, id DESC LIMIT ?1");
        let read = || {
            let mut statement = self.file.prepare(&query)?;
            let rows = statement.query_map([whole(count)], entry_of)?;
            readable(rows)
        };
        read().map_err(|error| told(&error))
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
            entry.subject,
            entry.owner,
            annotate::json_of(&entry.annotation.tags),
            entry.annotation.note,
            entry.start_ms
        ];
        let insert =
            "INSERT INTO runs (name, folder, named, kind, plan, subject, owner, tags, note, start_ms)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        self.change(insert, values);
    }

    /// Records the end of a run.
    pub(crate) fn end(
        &self,
        name: &str,
        outcome: &Outcome,
        summary: &Summary,
        grade: Option<Grade>,
        folder: &Path,
    ) {
        let total = &summary.total;
        let broken = outcome.thresholds.iter().filter(|threshold| !threshold.passed).count();
        let values = params![
            name,
            outcome.end_ms,
            outcome.exit,
            grade.map(|grade| grade.to_string()),
            whole(total.samples),
            whole(total.errors),
            total.mean_ms,
            total.quantiles[0].ms,
            total.quantiles[2].ms,
            total.quantiles[3].ms,
            total.throughput_per_s,
            whole(outcome.thresholds.len() as u64),
            whole(broken as u64),
            serde_json::to_string(&outcome.thresholds).unwrap_or_default(),
            whole(bytes_of(folder)),
        ];
        let update = "UPDATE runs SET end_ms = ?2, exit = ?3, verdict = ?4, samples = ?5, errors = ?6, mean_ms = ?7, p50_ms = ?8,
            p95_ms = ?9, p99_ms = ?10, per_s = ?11, thresholds = ?12, thresholds_broken = ?13, rules = ?14, bytes = ?15 WHERE name = ?1";
        self.change(update, values);
        if let Err(error) = self.keep_figures(name, summary) {
            (self.say)(&format!(
                "cannot write the figures of labels to the history of runs: {}",
                told(&error)
            ));
        }
    }

    /// Removes the oldest unnamed runs beyond the limits, except `kept`: their folders in the
    /// folder of runs, and their lines. A running one stays, and so does a baseline.
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
        let unused =
            "DELETE FROM labels WHERE NOT EXISTS (SELECT 1 FROM figures WHERE figures.label = labels.id)";
        self.change(unused, []);
    }

    /// Runs beyond the limits, of those without a name in a folder below `runs`.
    fn beyond(&self, runs: &Path, limits: Limits) -> Vec<Entry> {
        let baselines = self.baselines();
        let mut count = 0;
        let mut bytes = 0;
        let mut beyond = Vec::new();
        for entry in self.latest(u64::MAX) {
            let is_baseline = baselines.values().any(|name| *name == entry.name);
            if entry.named || is_baseline || entry.folder.parent() != Some(runs) {
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
            (self.say)(&format!("cannot write the history of runs: {}", told(&error)));
        }
    }
}

/// The run of a row with all `COLUMNS`. Tags that another program spoiled count as none.
fn entry_of(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let tags: String = row.get(20)?;
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
        subject: row.get(18)?,
        owner: row.get(19)?,
        annotation: Annotation { tags: serde_json::from_str(&tags).unwrap_or_default(), note: row.get(21)? },
    })
}

/// Rows without those whose values are of another type: another program may have changed the file.
fn readable<T>(rows: impl Iterator<Item = rusqlite::Result<T>>) -> rusqlite::Result<Vec<T>> {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    let mut found = Vec::new();
    for row in rows {
        match row {
            Ok(row) => found.push(row),
            Err(
                InvalidColumnType(..)
                | IntegralValueOutOfRange(..)
                | FromSqlConversionFailure(..)
                | Utf8Error(..),
            ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// A number as the database has them.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// An error of the database as a sentence.
fn told(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
            "another program has locked it; try again".to_owned()
        }
        Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
            format!("it is damaged ({error}); move the file away, and a new history begins")
        }
        _ => error.to_string(),
    }
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
