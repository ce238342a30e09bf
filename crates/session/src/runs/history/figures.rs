//! Figures of labels by run, for trends.

use rusqlite::{Row, params};
use swell_results::run_folder::ThresholdResult;
use swell_stats::{Summary, SummaryRow};

use super::{History, readable, told};
use crate::runs::{LabelName, Point, PointFigures};

/// Labels of a run whose figures are kept: those with the most samples.
const MOST_LABELS: usize = 500;

/// Runs whose labels can be chosen.
const RUNS_FOR_LABELS: u32 = 20;

impl History {
    pub(super) fn keep_figures(&self, run: &str, summary: &Summary) -> rusqlite::Result<()> {
        let mut rows: Vec<&SummaryRow> = summary.rows.iter().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.samples));
        rows.truncate(MOST_LABELS);
        let change = self.file.unchecked_transaction()?;
        {
            let mut label =
                change.prepare("INSERT OR IGNORE INTO labels (label, is_transaction) VALUES (?1, ?2)")?;
            let mut figures = change.prepare(
                "INSERT OR REPLACE INTO figures (label, run, samples, errors, mean_ms, p50_ms, p95_ms, p99_ms, per_s)
                 SELECT labels.id, runs.id, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM labels, runs
                 WHERE label = ?1 AND is_transaction = ?2 AND runs.name = ?3",
            )?;
            for row in rows {
                label.execute(params![row.label, row.is_transaction])?;
                let [p50, _, p95, p99, _] = row.quantiles.map(|one| one.supported.then_some(one.ms));
                let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
                figures.execute(params![
                    row.label,
                    row.is_transaction,
                    run,
                    count(row.samples),
                    count(row.errors),
                    row.mean_ms,
                    p50,
                    p95,
                    p99,
                    row.throughput_per_s
                ])?;
            }
        }
        change.commit()
    }

    /// The labels of the latest runs of a subject, by their text.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn labels_of(&self, subject: &str) -> Result<Vec<LabelName>, String> {
        let read = || {
            let mut statement = self.file.prepare(
                "SELECT id, label, is_transaction FROM labels WHERE id IN (SELECT label FROM figures WHERE run IN
                     (SELECT id FROM runs WHERE subject = ?1 AND samples > 0 ORDER BY start_ms DESC LIMIT ?2))
                 ORDER BY label, is_transaction",
            )?;
            let rows = statement.query_map(params![subject, RUNS_FOR_LABELS], |row| {
                Ok(LabelName { id: row.get(0)?, label: row.get(1)?, is_transaction: row.get(2)? })
            })?;
            readable(rows)
        };
        read().map_err(|error: rusqlite::Error| told(&error))
    }

    /// The figures of a label in the last `count` finished runs of a subject, the oldest first; without
    /// a label, of all samples.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn trend(&self, subject: &str, label: Option<i64>, count: u32) -> Result<Vec<Point>, String> {
        let runs = "SELECT id, name, start_ms, tags, thresholds_broken, verdict";
        let read = || {
            let rows: Vec<Point> = match label {
                None => {
                    let query = format!(
                        "{runs}, samples, errors, mean_ms, p50_ms, p95_ms, p99_ms, per_s FROM runs
                         WHERE subject = ?1 AND samples > 0 ORDER BY start_ms DESC, id DESC LIMIT ?2"
                    );
                    let mut statement = self.file.prepare(&query)?;
                    let found = statement.query_map(params![subject, count], point_of)?;
                    readable(found)?
                }
                Some(label) => {
                    let query = format!(
                        "{runs}, figures.samples, figures.errors, figures.mean_ms, figures.p50_ms, figures.p95_ms, figures.p99_ms,
                             figures.per_s FROM figures JOIN runs ON runs.id = figures.run
                         WHERE subject = ?1 AND label = ?3 ORDER BY start_ms DESC, id DESC LIMIT ?2"
                    );
                    let mut statement = self.file.prepare(&query)?;
                    let found = statement.query_map(params![subject, count, label], point_of)?;
                    readable(found)?
                }
            };
            Ok(rows.into_iter().rev().collect())
        };
        read().map_err(|error: rusqlite::Error| told(&error))
    }

    /// The thresholds of a run with their results.
    pub fn rules_of(&self, name: &str) -> Vec<ThresholdResult> {
        let text = self
            .file
            .query_row("SELECT rules FROM runs WHERE name = ?1", [name], |row| row.get::<_, String>(0));
        text.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }
}

fn point_of(row: &Row<'_>) -> rusqlite::Result<Point> {
    let tags: String = row.get(3)?;
    Ok(Point {
        name: row.get(1)?,
        start_ms: row.get(2)?,
        tags: serde_json::from_str(&tags).unwrap_or_default(),
        thresholds_broken: row.get(4)?,
        verdict: row.get(5)?,
        figures: PointFigures {
            samples: row.get(6)?,
            errors: row.get(7)?,
            mean_ms: row.get(8)?,
            p50_ms: row.get(9)?,
            p95_ms: row.get(10)?,
            p99_ms: row.get(11)?,
            per_s: row.get(12)?,
        },
    })
}
