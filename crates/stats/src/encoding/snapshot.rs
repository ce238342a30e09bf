//! Snapshots and error tables: their rows and sums. Indexes are rebuilt.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::errors::Counts;
use crate::{ErrorRow, ErrorTable, FigureName, FigureStats, LabelStats, Outcomes, Snapshot, Users};

#[derive(Serialize)]
struct RowRef<'a> {
    label: &'a str,
    is_transaction: bool,
    stats: &'a LabelStats,
}

#[derive(Deserialize)]
struct Row {
    label: String,
    is_transaction: bool,
    stats: LabelStats,
}

#[derive(Serialize)]
struct SnapshotRef<'a> {
    label_limit: u64,
    users: Users,
    rows: Vec<RowRef<'a>>,
    errors: &'a ErrorTable,
    reported: Option<Vec<RowRef<'a>>>,
    requests: u64,
    /// One for each of the rows; the outcomes of what JMeter reports are not encoded.
    outcomes: Vec<&'a Outcomes>,
    /// Numbers of rows that have figures, with their figures.
    figures: Vec<(u32, Vec<(&'a FigureName, &'a FigureStats)>)>,
}

#[derive(Deserialize)]
struct SnapshotParts {
    older: PartsWithoutOutcomes,
    outcomes: Vec<Outcomes>,
    figures: Vec<(u32, Vec<(FigureName, FigureStats)>)>,
}

/// The form before samples were counted by their outcomes, and had custom figures.
#[derive(Deserialize)]
struct PartsWithoutOutcomes {
    older: OlderParts,
    reported: Option<Vec<Row>>,
    requests: u64,
}

/// The form before it had what JMeter reports.
#[derive(Deserialize)]
struct OlderParts {
    label_limit: u64,
    users: Users,
    rows: Vec<Row>,
    errors: ErrorTable,
}

impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let label_limit = self.label_limit() as u64;
        let rows = row_refs(self);
        let reported = self.reported.as_deref().map(row_refs);
        SnapshotRef {
            label_limit,
            users: self.users,
            rows,
            errors: &self.errors,
            reported,
            requests: self.requests,
            outcomes: self.rows.iter().map(|row| &row.stats.outcomes).collect(),
            figures: figures_of(self),
        }
        .serialize(serializer)
    }
}

fn row_refs(snapshot: &Snapshot) -> Vec<RowRef<'_>> {
    let refs = snapshot.rows.iter().map(|row| RowRef {
        label: &row.label,
        is_transaction: row.is_transaction,
        stats: &row.stats,
    });
    refs.collect()
}

fn figures_of(snapshot: &Snapshot) -> Vec<(u32, Vec<(&FigureName, &FigureStats)>)> {
    let rows = snapshot.rows.iter().zip(0..).filter(|(row, _)| !row.stats.figures.is_empty());
    rows.map(|(row, number)| (number, row.stats.figures.iter().collect())).collect()
}

fn of_rows(limit: usize, rows: Vec<Row>) -> Snapshot {
    let mut snapshot = Snapshot::new(limit);
    for Row { label, is_transaction, stats } in rows {
        snapshot.add_new(&label.into(), is_transaction, stats);
    }
    snapshot
}

impl OlderParts {
    fn snapshot<E: Error>(self) -> Result<Snapshot, E> {
        let limit = usize::try_from(self.label_limit).map_err(E::custom)?;
        let mut snapshot = of_rows(limit, self.rows);
        (snapshot.errors, snapshot.users) = (self.errors, self.users);
        Ok(snapshot)
    }
}

/// A snapshot in the older format without JMeter's figures.
pub(crate) struct OlderSnapshot(pub(crate) Snapshot);

impl<'de> Deserialize<'de> for OlderSnapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OlderParts::deserialize(deserializer)?.snapshot().map(Self)
    }
}

impl PartsWithoutOutcomes {
    fn snapshot<E: Error>(self) -> Result<Snapshot, E> {
        let mut snapshot = self.older.snapshot()?;
        let limit = snapshot.label_limit();
        snapshot.requests = self.requests;
        snapshot.reported = self.reported.map(|rows| Box::new(of_rows(limit, rows)));
        Ok(snapshot)
    }
}

/// A snapshot in the format without outcomes.
pub(crate) struct SnapshotWithoutOutcomes(pub(crate) Snapshot);

impl<'de> Deserialize<'de> for SnapshotWithoutOutcomes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PartsWithoutOutcomes::deserialize(deserializer)?.snapshot().map(Self)
    }
}

impl<'de> Deserialize<'de> for Snapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SnapshotParts { mut older, outcomes, figures } = SnapshotParts::deserialize(deserializer)?;
        if outcomes.len() != older.older.rows.len() {
            return Err(D::Error::custom("not as many outcomes as labels"));
        }
        // Before rows are put to their places: those beyond the limit share one.
        for (row, outcomes) in older.older.rows.iter_mut().zip(outcomes) {
            row.stats.outcomes = outcomes;
        }
        for (number, figures) in figures {
            let row = older.older.rows.get_mut(number as usize);
            let row = row.ok_or_else(|| D::Error::custom("figures of a row that is not there"))?;
            row.stats.figures = figures.into_iter().collect();
        }
        older.snapshot()
    }
}

#[derive(Serialize, Deserialize)]
struct Errors {
    counts: Counts,
    rows: Vec<ErrorRow>,
}

impl Serialize for ErrorTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Errors { counts: self.counts(), rows: self.rows() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ErrorTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Errors { counts, rows } = Errors::deserialize(deserializer)?;
        Ok(Self::of(counts, rows))
    }
}
