//! The tables of the history, and how an earlier version becomes the present one.

use rusqlite::{Connection, TransactionBehavior};

/// Raised with the tables; a file of a later version is left alone.
pub(super) const VERSION: i64 = 2;

const RUNS: &str = "CREATE TABLE runs (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, named INTEGER NOT NULL, kind TEXT NOT NULL,
    plan TEXT NOT NULL, subject TEXT NOT NULL, owner INTEGER, tags TEXT NOT NULL DEFAULT '{}', note TEXT NOT NULL DEFAULT '',
    start_ms INTEGER NOT NULL, end_ms INTEGER, exit INTEGER, verdict TEXT,
    samples INTEGER, errors INTEGER, mean_ms REAL, p50_ms REAL, p95_ms REAL, p99_ms REAL, per_s REAL,
    thresholds INTEGER, thresholds_broken INTEGER, rules TEXT NOT NULL DEFAULT '[]', bytes INTEGER NOT NULL DEFAULT 0);
CREATE INDEX runs_by_start ON runs (start_ms);
CREATE INDEX runs_by_subject ON runs (subject, start_ms);";

/// Figures of labels by run, and the baseline of each subject. They go with their runs.
const OTHERS: &str = "CREATE TABLE labels (
    id INTEGER PRIMARY KEY, label TEXT NOT NULL, is_transaction INTEGER NOT NULL, UNIQUE (label, is_transaction));
CREATE TABLE figures (
    label INTEGER NOT NULL REFERENCES labels (id), run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    samples INTEGER NOT NULL, errors INTEGER NOT NULL, mean_ms REAL, p50_ms REAL, p95_ms REAL, p99_ms REAL, per_s REAL,
    PRIMARY KEY (label, run)) WITHOUT ROWID;
CREATE INDEX figures_by_run ON figures (run);
CREATE TABLE baselines (
    subject TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE);";

const OLD_COLUMNS: &str = "name, folder, named, kind, plan, start_ms, end_ms, exit, verdict, samples, errors, mean_ms, p50_ms, p95_ms, p99_ms,
    per_s, thresholds, thresholds_broken, bytes";

/// Makes the tables, or brings those of version 1 up to date.
pub(super) fn prepare(file: &mut Connection) -> rusqlite::Result<()> {
    file.pragma_update(None, "foreign_keys", true)?;
    if version(file)? == VERSION {
        return Ok(());
    }
    // Another program may do the same at the same time: the version is read again under the lock.
    let change = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match version(&change)? {
        0 => change.execute_batch(&format!("{RUNS}{OTHERS}"))?,
        1 => change.execute_batch(&format!(
            "ALTER TABLE runs RENAME TO runs_1; {RUNS}{OTHERS}
             INSERT INTO runs ({OLD_COLUMNS}, subject)
                 SELECT {OLD_COLUMNS}, CASE plan WHEN '' THEN kind ELSE plan END FROM runs_1 ORDER BY rowid;
             DROP TABLE runs_1;"
        ))?,
        VERSION => return Ok(()),
        later => {
            return Err(rusqlite::Error::InvalidParameterName(format!(
                "it was written by a later version of Swell (format {later}, this program reads up to {VERSION})"
            )));
        }
    }
    change.pragma_update(None, "user_version", VERSION)?;
    change.commit()
}

fn version(file: &Connection) -> rusqlite::Result<i64> {
    file.pragma_query_value(None, "user_version", |row| row.get(0))
}
