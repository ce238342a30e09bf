//! Counts of many labels at a point in time or over an interval; they cross threads and can be
//! merged.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limited::LabelIndex;
use crate::{ErrorTable, LabelStats, Tally};

/// Label under which samples are counted once there are too many labels.
pub const OTHER_LABELS: &str = "(other labels)";

/// The number of virtual users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Users {
    /// Running now.
    pub active: u64,
    /// Started until now.
    pub started: u64,
    /// Ended until now.
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

/// Counts of an interval or a whole run. The names alone decide which labels have rows, so merging
/// is exact in any order and grouping, even beyond the limit of labels. Only the order of the rows
/// depends on when labels came.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Rows a label; at most `label_limit` of them and two for other labels.
    pub rows: Vec<LabelRow>,
    /// Failed samples by cause, transactions left out.
    pub errors: ErrorTable,
    /// Virtual users; filled by the caller, who knows them. Merging adds.
    pub users: Users,
    /// Requests that were sent: those of redirects and embedded resources and those of the samples;
    /// 0 if unknown, as in a results file.
    pub requests: u64,
    /// What JMeter reports of the same, if that differs: a transaction with parent sample replaces
    /// the samples inside it. None: [`Snapshot::rows`].
    pub(crate) reported: Option<Box<Snapshot>>,
    index: LabelIndex,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self::new(crate::Recorder::DEFAULT_LABEL_LIMIT)
    }
}

impl Snapshot {
    /// Nothing counted yet. If there are more than `label_limit` labels, those with the fewest
    /// digits have rows, and among these the shortest; the others are counted together under
    /// [`OTHER_LABELS`].
    pub fn new(label_limit: usize) -> Self {
        let users = Users::default();
        let index = LabelIndex::new(label_limit);
        Self { rows: Vec::new(), errors: ErrorTable::default(), users, requests: 0, reported: None, index }
    }

    /// Maximum number of labels that are counted separately.
    pub fn label_limit(&self) -> usize {
        self.index.limit()
    }

    /// Samples that are counted under [`OTHER_LABELS`].
    pub fn beyond_limit(&self) -> u64 {
        let others = [false, true].into_iter().filter_map(|kind| self.get(OTHER_LABELS, kind));
        others.map(|row| row.stats.samples).sum()
    }

    /// The row of a label.
    pub fn get(&self, label: &str, is_transaction: bool) -> Option<&LabelRow> {
        self.place_of(label, is_transaction).map(|place| &self.rows[place])
    }

    /// The place of a label in [`Snapshot::rows`]. It can pass to another label only beyond the
    /// limit.
    pub fn place_of(&self, label: &str, is_transaction: bool) -> Option<usize> {
        self.index.find(label, is_transaction)
    }

    /// Adds counts to the row of a label.
    pub fn add(&mut self, label: &str, is_transaction: bool, stats: &LabelStats) {
        let place = self.place(label, is_transaction);
        self.rows[place].stats.merge(stats);
    }

    /// The place of a label's row, which is made if there is none.
    pub(crate) fn place(&mut self, label: &str, is_transaction: bool) -> usize {
        self.index.place(&mut self.rows, label, is_transaction)
    }

    /// Adds a row of another snapshot, whose label is shared.
    fn add_row(&mut self, row: &LabelRow) {
        let place = self.index.place_of_shared(&mut self.rows, &row.label, row.is_transaction);
        self.rows[place].stats.merge(&row.stats);
    }

    /// As [`Snapshot::add`] of a label that has no row yet, without copying its counts.
    pub(crate) fn add_new(&mut self, label: &Arc<str>, is_transaction: bool, stats: LabelStats) {
        let place = self.index.place_of_shared(&mut self.rows, label, is_transaction);
        let row = &mut self.rows[place].stats;
        if row.samples == 0 {
            *row = stats;
        } else {
            row.merge(&stats);
        }
    }

    /// The rows as JMeter's listeners get them: of samples inside a transaction with parent sample
    /// only the transaction.
    pub fn as_reported(&self) -> &Self {
        self.reported.as_deref().unwrap_or(self)
    }

    /// What JMeter's summariser counts, transactions only if `with_transactions`
    /// (`summariser.ignore_transaction_controller_sample_result` is false); `total` is
    /// [`Snapshot::total`].
    pub fn reported_tally(&self, with_transactions: bool, total: &LabelStats) -> Tally {
        match (&self.reported, with_transactions) {
            (None, false) => Tally::from(total),
            (_, false) => Tally::from(&self.as_reported().total()),
            (_, true) => Tally::from(&merged(&self.as_reported().rows)),
        }
    }

    /// The rows alone, without errors.
    fn rows_alone(&self) -> Box<Self> {
        let mut alone = Self::new(self.label_limit());
        for row in &self.rows {
            alone.add_new(&row.label, row.is_transaction, row.stats.clone());
        }
        Box::new(alone)
    }

    /// Adds what is counted here and not reported by JMeter, and what is reported and not counted.
    pub(crate) fn add_apart(&mut self, counted: &Self, reported: &Self) {
        if counted.rows.is_empty() && reported.rows.is_empty() {
            return;
        }
        let mut all = self.rows_alone();
        all.merge(reported);
        self.merge(counted);
        self.reported = Some(all);
    }

    /// It in two, each with half of the rows; merged they give it back.
    #[must_use]
    pub fn halves(&self) -> [Self; 2] {
        let middle = self.rows.len() / 2;
        let half = |rows: &[LabelRow]| {
            let mut half = Self::new(self.label_limit());
            for row in rows {
                half.add_row(row);
            }
            half
        };
        let (first, second) = self.rows.split_at(middle);
        let [mut first, mut second] = [half(first), half(second)];
        if let Some(reported) = &self.reported {
            let [one, other] = reported.halves();
            (first.reported, second.reported) = (Some(Box::new(one)), Some(Box::new(other)));
        }
        first.errors.clone_from(&self.errors);
        first.users = self.users;
        first.requests = self.requests;
        [first, second]
    }

    /// Adds another snapshot.
    pub fn merge(&mut self, other: &Self) {
        if self.reported.is_some() || other.reported.is_some() {
            let mut reported = self.reported.take().unwrap_or_else(|| self.rows_alone());
            for row in &other.as_reported().rows {
                reported.add_row(row);
            }
            self.reported = Some(reported);
        }
        for row in &other.rows {
            self.add_row(row);
        }
        self.errors.merge(&other.errors);
        self.requests += other.requests;
        self.users.active += other.users.active;
        self.users.started += other.users.started;
        self.users.finished += other.users.finished;
    }

    /// The same counts with other texts: labels, and texts of failed samples. None if `change`
    /// borrows them all, as it does to leave them.
    pub fn with_texts(&self, change: &dyn Fn(&str) -> Cow<'_, str>) -> Option<Self> {
        let rows = self.rows.iter().chain(self.reported.iter().flat_map(|reported| &reported.rows));
        let is_changed = |text: &str| matches!(change(text), Cow::Owned(_));
        let errors = self.errors.with_texts(change);
        if errors.is_none() && !rows.map(|row| &*row.label).any(is_changed) {
            return None;
        }
        let mut other = Self::new(self.label_limit());
        for row in &self.rows {
            other.add_new(&change(&row.label).into(), row.is_transaction, row.stats.clone());
        }
        other.errors = errors.unwrap_or_else(|| self.errors.clone());
        other.users = self.users;
        other.requests = self.requests;
        other.reported = self
            .reported
            .as_ref()
            .map(|reported| Box::new(reported.with_texts(change).unwrap_or_else(|| Self::clone(reported))));
        Some(other)
    }

    /// All rows in one, transactions left out.
    pub fn total(&self) -> LabelStats {
        merged(self.rows.iter().filter(|row| !row.is_transaction))
    }
}

fn merged<'a>(rows: impl IntoIterator<Item = &'a LabelRow>) -> LabelStats {
    let mut total = LabelStats::default();
    rows.into_iter().for_each(|row| total.merge(&row.stats));
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;
    use proptest::prelude::*;

    fn snapshot(limit: usize, labels: &[(&str, bool)]) -> Snapshot {
        let mut snapshot = Snapshot::new(limit);
        for &(label, is_transaction) in labels {
            let mut stats = LabelStats::default();
            stats.record(&Observation { label, is_transaction, success: true, ..Observation::default() });
            snapshot.add(label, is_transaction, &stats);
        }
        snapshot
    }

    #[test]
    fn a_transaction_and_a_sampler_of_one_name_are_two_rows_and_the_total_leaves_one_out() {
        let all = snapshot(10, &[("a", false), ("a", true), ("a", false)]);
        assert_eq!(all.rows.len(), 2);
        assert_eq!(all.get("a", false).map(|row| row.stats.samples), Some(2));
        let total = all.total();
        assert_eq!(total.samples, 2);
        assert_eq!([false, true].map(|with| all.reported_tally(with, &total).samples), [2, 3]);
    }

    #[test]
    fn other_texts_have_the_same_counts() {
        let mut all = snapshot(10, &[("token one", false), ("token two", false), ("token one", true)]);
        let message = "no token one here";
        let failed = Observation { label: "token one", message, code: "401", ..Observation::default() };
        all.errors.record(&failed);
        assert!(all.with_texts(&|text| Cow::Borrowed(text)).is_none());
        let masked =
            all.with_texts(&|text| match text.replace("token one", "***").replace("token two", "***") {
                same if same == text => Cow::Borrowed(text),
                other => Cow::Owned(other),
            });
        let other = masked.expect("texts changed");
        let rows: Vec<_> =
            other.rows.iter().map(|row| (&*row.label, row.is_transaction, row.stats.samples)).collect();
        assert_eq!(rows, [("***", false, 2), ("***", true, 1)]);
        let row = &other.errors.rows()[0];
        assert_eq!((row.message.as_str(), row.first.label.as_str(), row.count), ("no *** here", "***", 1));
        assert_eq!(other.errors.of_kind(row.kind), all.errors.of_kind(row.kind));
    }

    #[test]
    fn labels_beyond_the_limit_are_counted_together_when_merged_too() {
        let mut all = snapshot(2, &[("a", false), ("b", false), ("c", false), ("d", false)]);
        assert_eq!(all.beyond_limit(), 2);
        all.merge(&snapshot(10, &[("e", false), ("a", false)]));
        let rows: Vec<_> = all.rows.iter().map(|row| (&*row.label, row.stats.samples)).collect();
        assert_eq!(rows, [("a", 2), ("b", 1), (OTHER_LABELS, 3)]);
        assert_eq!((all.beyond_limit(), all.total().samples), (3, 6));
    }

    proptest! {
        #[test]
        fn beyond_the_limit_merging_gives_the_same_in_any_order_and_grouping(
            parts in proptest::collection::vec(proptest::collection::vec("[ab]{1,2}[0-3]{0,2}", 0..12), 1..8),
            order in any::<u64>(),
        ) {
            let parts: Vec<_> = parts.iter().map(|labels| {
                snapshot(4, &labels.iter().map(|label| (label.as_str(), false)).collect::<Vec<_>>())
            }).collect();
            let merged = |parts: &[Snapshot]| {
                let mut all = Snapshot::new(4);
                for part in parts {
                    all.merge(part);
                }
                all
            };
            let forth = merged(&parts);
            let mut back = parts.clone();
            back.reverse();
            let cut = order as usize % (parts.len() + 1);
            let grouped = merged(&[merged(&back[..cut]), merged(&back[cut..])]);
            let sorted = |all: &Snapshot| {
                let rows = all.rows.iter().map(|row| (row.label.clone(), row.stats.samples));
                rows.collect::<std::collections::BTreeMap<_, _>>()
            };
            prop_assert_eq!(sorted(&forth), sorted(&grouped));
            prop_assert_eq!(forth.beyond_limit(), grouped.beyond_limit());
        }
    }

    #[test]
    fn merging_gives_the_same_rows_in_any_order() {
        let a = snapshot(9, &[("x", false), ("y", false)]);
        let b = snapshot(9, &[("y", false), ("z", true)]);
        let mut ab = a.clone();
        let mut ba = b.clone();
        ab.merge(&b);
        ba.merge(&a);
        for row in &ab.rows {
            assert_eq!(ba.get(&row.label, row.is_transaction), Some(row));
        }
        assert_eq!(ab.rows.len(), ba.rows.len());
    }
}
