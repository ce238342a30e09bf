//! Counts of many labels at one moment or over one interval; they travel between threads and merge.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{ErrorTable, LabelStats};

/// Label under which samples are counted once there are too many labels.
pub const OTHER_LABELS: &str = "(other labels)";

/// How many virtual users there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Users {
    /// Running now.
    pub active: u64,
    /// Started so far.
    pub started: u64,
    /// Ended so far.
    pub finished: u64,
}

/// Counts of one label in a [`Snapshot`].
#[derive(Clone, Debug, PartialEq)]
pub struct LabelRow {
    /// The label.
    pub label: Arc<str>,
    /// Made by a Transaction Controller.
    pub is_transaction: bool,
    /// Its counts.
    pub stats: LabelStats,
}

/// What was counted over an interval or a whole run. Rows stand in the order in which labels first came.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Rows a label; at most `label_limit` of them and two for other labels.
    pub rows: Vec<LabelRow>,
    /// Failed samples by cause, transactions left out.
    pub errors: ErrorTable,
    /// Virtual users; filled by whoever knows them. Merging adds.
    pub users: Users,
    /// Samples that were counted under [`OTHER_LABELS`].
    pub beyond_limit: u64,
    label_limit: usize,
    index: HashMap<Arc<str>, [Option<u32>; 2]>,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self::new(crate::Recorder::DEFAULT_LABEL_LIMIT)
    }
}

impl Snapshot {
    /// Nothing counted yet; beyond `label_limit` labels further ones are counted together.
    pub fn new(label_limit: usize) -> Self {
        let (users, index) = (Users::default(), HashMap::new());
        Self { rows: Vec::new(), errors: ErrorTable::default(), users, beyond_limit: 0, label_limit, index }
    }

    /// The row of a label.
    pub fn get(&self, label: &str, is_transaction: bool) -> Option<&LabelRow> {
        self.place_of(label, is_transaction).map(|place| &self.rows[place])
    }

    /// The place of a label in [`Snapshot::rows`]; rows keep theirs.
    pub(crate) fn place_of(&self, label: &str, is_transaction: bool) -> Option<usize> {
        self.index.get(label)?[usize::from(is_transaction)].map(|row| row as usize)
    }

    /// Adds counts to the row of a label.
    pub fn add(&mut self, label: &Arc<str>, is_transaction: bool, stats: &LabelStats) {
        let row = self.row(label, is_transaction);
        if self.rows[row].label != *label {
            self.beyond_limit += stats.samples;
        }
        self.rows[row].stats.merge(stats);
    }

    /// A row of a label that has none yet, without copying its counts.
    pub(crate) fn add_new(&mut self, label: &Arc<str>, is_transaction: bool, stats: LabelStats) {
        self.index.entry(label.clone()).or_default()[usize::from(is_transaction)] =
            Some(self.rows.len() as u32);
        self.rows.push(LabelRow { label: label.clone(), is_transaction, stats });
    }

    /// Adds another snapshot.
    pub fn merge(&mut self, other: &Self) {
        for row in &other.rows {
            self.add(&row.label, row.is_transaction, &row.stats);
        }
        self.errors.merge(&other.errors);
        self.beyond_limit += other.beyond_limit;
        self.users.active += other.users.active;
        self.users.started += other.users.started;
        self.users.finished += other.users.finished;
    }

    /// All rows in one, transactions left out (`summariser.ignore_transaction_controller_sample_result`) unless
    /// `with_transactions`.
    pub fn total(&self, with_transactions: bool) -> LabelStats {
        let mut total = LabelStats::default();
        let counted = self.rows.iter().filter(|row| with_transactions || !row.is_transaction);
        counted.for_each(|row| total.merge(&row.stats));
        total
    }

    fn row(&mut self, label: &Arc<str>, is_transaction: bool) -> usize {
        let kind = usize::from(is_transaction);
        if let Some(row) = self.index.get(label).and_then(|rows| rows[kind]) {
            return row as usize;
        }
        if self.rows.len() >= self.label_limit && &**label != OTHER_LABELS {
            return self.row(&Arc::from(OTHER_LABELS), is_transaction);
        }
        let row = self.rows.len();
        self.rows.push(LabelRow { label: label.clone(), is_transaction, stats: LabelStats::default() });
        self.index.entry(label.clone()).or_default()[kind] = Some(row as u32);
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;

    fn snapshot(limit: usize, labels: &[(&str, bool)]) -> Snapshot {
        let mut snapshot = Snapshot::new(limit);
        for &(label, is_transaction) in labels {
            let mut stats = LabelStats::default();
            stats.record(&Observation { label, is_transaction, success: true, ..Observation::default() });
            snapshot.add(&Arc::from(label), is_transaction, &stats);
        }
        snapshot
    }

    #[test]
    fn a_transaction_and_a_sampler_of_one_name_are_two_rows_and_the_total_leaves_one_out() {
        let all = snapshot(10, &[("a", false), ("a", true), ("a", false)]);
        assert_eq!(all.rows.len(), 2);
        assert_eq!(all.get("a", false).map(|row| row.stats.samples), Some(2));
        assert_eq!((all.total(false).samples, all.total(true).samples), (2, 3));
    }

    #[test]
    fn labels_beyond_the_limit_are_counted_together_when_merged_too() {
        let mut all = snapshot(2, &[("a", false), ("b", false), ("c", false), ("d", false)]);
        assert_eq!(all.beyond_limit, 2);
        all.merge(&snapshot(10, &[("e", false), ("a", false)]));
        let rows: Vec<_> = all.rows.iter().map(|row| (&*row.label, row.stats.samples)).collect();
        assert_eq!(rows, [("a", 2), ("b", 1), (OTHER_LABELS, 3)]);
        assert_eq!((all.beyond_limit, all.total(false).samples), (3, 6));
    }

    #[test]
    fn merging_gives_the_same_rows_in_any_order() {
        let (a, b) = (snapshot(9, &[("x", false), ("y", false)]), snapshot(9, &[("y", false), ("z", true)]));
        let (mut ab, mut ba) = (a.clone(), b.clone());
        ab.merge(&b);
        ba.merge(&a);
        for row in &ab.rows {
            assert_eq!(ba.get(&row.label, row.is_transaction), Some(row));
        }
        assert_eq!(ab.rows.len(), ba.rows.len());
    }
}
