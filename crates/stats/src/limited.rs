//! Selects which of too many names are kept: the first ones by an order of the names alone. So the
//! selection is the same in whatever order and grouping counts are merged, over workers and
//! machines.

use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use crate::{LabelRow, LabelStats, OTHER_LABELS};

/// The first `limit` keys of all that were offered.
#[derive(Clone, Debug)]
pub(crate) struct Kept<K> {
    limit: usize,
    /// The last of the kept ones on top.
    heap: BinaryHeap<K>,
}

/// Status of a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Admission<K> {
    /// It is kept.
    Kept,
    /// It is kept, and this one no longer.
    InPlaceOf(K),
    /// It is not kept.
    Refused,
}

impl<K: Ord> Kept<K> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, heap: BinaryHeap::new() }
    }

    /// Offers a key that is not kept at the moment.
    pub(crate) fn offer(&mut self, key: K) -> Admission<K> {
        if self.heap.len() < self.limit {
            self.heap.push(key);
            return Admission::Kept;
        }
        match self.heap.peek_mut() {
            Some(mut last) if key < *last => Admission::InPlaceOf(std::mem::replace(&mut last, key)),
            _ => Admission::Refused,
        }
    }
}

/// The order of labels: few digits first, then the short ones. Labels that grow without end mostly
/// hold numbers and identifiers; those that people gave do not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LabelKey {
    digits: usize,
    length: usize,
    label: Arc<str>,
    is_transaction: bool,
}

impl LabelKey {
    fn new(label: &Arc<str>, is_transaction: bool) -> Self {
        let digits = label.bytes().filter(u8::is_ascii_digit).count();
        Self { digits, length: label.len(), label: label.clone(), is_transaction }
    }
}

/// Finds the rows of labels, and keeps their number bounded.
#[derive(Clone, Debug)]
pub(crate) struct LabelIndex {
    places: HashMap<Arc<str>, [Option<u32>; 2]>,
    kept: Kept<LabelKey>,
}

impl LabelIndex {
    /// An index of at most `limit` labels, besides [`OTHER_LABELS`].
    pub(crate) fn new(limit: usize) -> Self {
        Self { places: HashMap::new(), kept: Kept::new(limit) }
    }

    pub(crate) fn limit(&self) -> usize {
        self.kept.limit
    }

    /// The place of a label that has a row.
    pub(crate) fn find(&self, label: &str, is_transaction: bool) -> Option<usize> {
        self.places.get(label)?[usize::from(is_transaction)].map(|place| place as usize)
    }

    /// The place of a label's row. A new label gets a new one, or the one of a label that is kept
    /// no longer, whose counts go to the other labels; or it counts under those itself.
    pub(crate) fn place(&mut self, rows: &mut Vec<LabelRow>, label: &str, is_transaction: bool) -> usize {
        match self.find(label, is_transaction) {
            Some(place) => place,
            None => self.admit(rows, label.into(), is_transaction),
        }
    }

    /// As [`Self::place`]; a new row shares the text of the label.
    pub(crate) fn place_of_shared(
        &mut self,
        rows: &mut Vec<LabelRow>,
        label: &Arc<str>,
        is_transaction: bool,
    ) -> usize {
        match self.find(label, is_transaction) {
            Some(place) => place,
            None => self.admit(rows, label.clone(), is_transaction),
        }
    }

    fn admit(&mut self, rows: &mut Vec<LabelRow>, label: Arc<str>, is_transaction: bool) -> usize {
        if &*label == OTHER_LABELS {
            return self.push(rows, label, is_transaction);
        }
        match self.kept.offer(LabelKey::new(&label, is_transaction)) {
            Admission::Kept => self.push(rows, label, is_transaction),
            Admission::InPlaceOf(old) => self.replace(rows, &old, label, is_transaction),
            Admission::Refused => self.place(rows, OTHER_LABELS, is_transaction),
        }
    }

    fn push(&mut self, rows: &mut Vec<LabelRow>, label: Arc<str>, is_transaction: bool) -> usize {
        let place = rows.len();
        self.note(&label, is_transaction, Some(place as u32));
        rows.push(LabelRow { label, is_transaction, stats: LabelStats::default() });
        place
    }

    fn replace(
        &mut self,
        rows: &mut Vec<LabelRow>,
        old: &LabelKey,
        label: Arc<str>,
        is_transaction: bool,
    ) -> usize {
        let others = self.place(rows, OTHER_LABELS, old.is_transaction);
        let Some(place) = self.find(&old.label, old.is_transaction) else {
            unreachable!("what is kept has a row");
        };
        self.note(&old.label, old.is_transaction, None);
        self.note(&label, is_transaction, Some(place as u32));
        let new = LabelRow { label, is_transaction, stats: LabelStats::default() };
        let old = std::mem::replace(&mut rows[place], new);
        rows[others].stats.merge(&old.stats);
        place
    }

    fn note(&mut self, label: &Arc<str>, is_transaction: bool, place: Option<u32>) {
        let places = self.places.entry(label.clone()).or_default();
        places[usize::from(is_transaction)] = place;
        if *places == [None, None] {
            self.places.remove(label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_of_all_that_were_offered_are_kept() {
        let mut kept = Kept::new(2);
        let offered = [5, 3, 4, 9, 1].map(|key| kept.offer(key));
        use Admission as A;
        assert_eq!(offered, [A::Kept, A::Kept, A::InPlaceOf(5), A::Refused, A::InPlaceOf(4)]);
        assert_eq!(Kept::new(0).offer(1), Admission::Refused);
    }

    #[test]
    fn labels_with_few_digits_come_first_and_then_the_short_ones() {
        let mut labels = ["/item/17", "Search results", "Home", "/item/9", "login 2"];
        labels.sort_by_key(|label| LabelKey::new(&Arc::from(*label), false));
        assert_eq!(labels, ["Home", "Search results", "/item/9", "login 2", "/item/17"]);
    }

    proptest! {
        #[test]
        fn rows_hold_every_count_wherever_labels_come_and_go(names in proptest::collection::vec("[ab]{0,3}[01]{0,2}", 1..80)) {
            let mut index = LabelIndex::new(5);
            let mut rows = Vec::new();
            for name in &names {
                let place = index.place(&mut rows, name, false);
                rows[place].stats.samples += 1;
            }
            prop_assert!(rows.len() <= 6);
            prop_assert_eq!(rows.iter().map(|row| row.stats.samples).sum::<u64>(), names.len() as u64);
            for row in rows.iter().filter(|row| &*row.label != OTHER_LABELS) {
                let named = names.iter().filter(|name| **name == *row.label).count() as u64;
                prop_assert_eq!(row.stats.samples, named, "{}", row.label);
            }
        }
    }
}
