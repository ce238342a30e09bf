//! Snapshots and tables of errors: their rows and sums. The indexes over them are made anew.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::errors::Counts;
use crate::{ErrorRow, ErrorTable, LabelStats, Snapshot, Users};

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
}

#[derive(Deserialize)]
struct SnapshotParts {
    label_limit: u64,
    users: Users,
    rows: Vec<Row>,
    errors: ErrorTable,
}

impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = self.rows.iter().map(|row| RowRef {
            label: &row.label,
            is_transaction: row.is_transaction,
            stats: &row.stats,
        });
        let (label_limit, rows) = (self.label_limit() as u64, rows.collect());
        SnapshotRef { label_limit, users: self.users, rows, errors: &self.errors }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Snapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = SnapshotParts::deserialize(deserializer)?;
        let limit = usize::try_from(parts.label_limit).map_err(D::Error::custom)?;
        let mut snapshot = Self::new(limit);
        for Row { label, is_transaction, stats } in parts.rows {
            snapshot.add_new(&label, is_transaction, stats);
        }
        (snapshot.errors, snapshot.users) = (parts.errors, parts.users);
        Ok(snapshot)
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
