//! Figures of labels by run, for trends.

use rusqlite::{Row, params};
use swell_results::run_folder::ThresholdResult;
use swell_stats::{Summary, SummaryRow};

use super::{History, readable, told, whole};
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
                figures.execute(params![
                    row.label,
                    row.is_transaction,
                    run,
                    whole(row.samples),
                    whole(row.errors),
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

    /// The figures of a label in the last `count` finished runs of a subject, the oldest first;
    /// without a label, of all samples.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn trend(&self, subject: &str, label: Option<i64>, count: u32) -> Result<Vec<Point>, String> {
        // Without a label, the figures are those of the runs themselves.
        let (figures, from) = match label {
            None => ("runs", "runs WHERE ?3 IS NULL AND samples > 0"),
            Some(_) => ("figures", "figures JOIN runs ON runs.id = figures.run WHERE label = ?3"),
        };
        let columns = ["samples", "errors", "p50_ms", "p95_ms", "p99_ms", "per_s"]
            .map(|name| format!("{figures}.{name}"));
        let query = format!(
            "SELECT name, start_ms, tags, thresholds_broken, verdict, {} FROM {from}
             AND subject = ?1 ORDER BY start_ms DESC, id DESC LIMIT ?2",
            columns.join(", ")
        );
        let read = || {
            let mut statement = self.file.prepare(&query)?;
            let mut points = readable(statement.query_map(params![subject, count, label], point_of)?)?;
            points.reverse();
            Ok(points)
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
    let tags: String = row.get(2)?;
    Ok(Point {
        name: row.get(0)?,
        start_ms: row.get(1)?,
        tags: serde_json::from_str(&tags).unwrap_or_default(),
        thresholds_broken: row.get(3)?,
        verdict: row.get(4)?,
        figures: PointFigures {
            samples: row.get(5)?,
            errors: row.get(6)?,
            p50_ms: row.get(7)?,
            p95_ms: row.get(8)?,
            p99_ms: row.get(9)?,
            per_s: row.get(10)?,
        },
    })
}
