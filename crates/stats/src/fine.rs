//! Figures with two digits, and a third digit for them. Other machines send counts with two digits
//! each interval, and with three digits seldom. The coarse figures are complete; the fine ones tell
//! where in its coarse bucket each value is.

use std::collections::BTreeMap;

use crate::{Histogram, LabelRow, LabelStats, OTHER_LABELS, Precision, Snapshot};

/// Up to as many samples of a label, two digits are hardly shorter to send than three
/// ([measured](../../../docs/decisions/2026-11-25-two-precisions.md)).
pub const FINE_UP_TO: u64 = 256;

impl Histogram {
    /// The same values with two digits.
    #[must_use]
    pub fn coarse(&self) -> Self {
        let mut coarse = Self::new(Precision::Two);
        coarse.merge(self);
        coarse
    }

    /// Gives values that are known with two digits here their third from `fine`, which has all of
    /// them, or some. The others are put to the highest value of their bucket, which is what
    /// [`Self::quantile`] gives of two digits. If `fine` has values that are not here, nothing
    /// changes, and it gives how many.
    pub fn refine(&mut self, fine: &Self) -> u64 {
        let mut known: BTreeMap<u32, u64> = fine.coarse().buckets().collect();
        let coarse = self.coarse();
        let mut refined = Self::new(Precision::Three);
        refined.merge(fine);
        let mut beyond = 0_u64;
        for ((_, high, times), (bucket, _)) in coarse.iter().zip(coarse.buckets()) {
            let with_third_digit = known.remove(&bucket).unwrap_or(0);
            beyond += with_third_digit.saturating_sub(times);
            refined.record_many(high, times.saturating_sub(with_third_digit));
        }
        beyond += known.values().sum::<u64>();
        if beyond == 0 {
            *self = refined;
        }
        beyond
    }
}

impl LabelStats {
    /// Histograms that have three digits.
    fn fine_ones(&mut self) -> [&mut Histogram; 6] {
        let Self { elapsed, failed, response, connect, handshake, first_byte, .. } = self;
        [elapsed, failed, response, connect, handshake, first_byte]
    }

    fn coarse(&self) -> Self {
        let mut coarse = self.clone();
        for histogram in coarse.fine_ones() {
            *histogram = histogram.coarse();
        }
        coarse
    }

    /// Adds samples and histograms that have three digits, and nothing else.
    fn add_fine(&mut self, other: &Self) {
        self.samples += other.samples;
        self.elapsed.merge(&other.elapsed);
        self.failed.merge(&other.failed);
        self.response.merge(&other.response);
        self.connect.merge(&other.connect);
        self.handshake.merge(&other.handshake);
        self.first_byte.merge(&other.first_byte);
    }

    pub(crate) fn refine(&mut self, fine: &mut Self) -> u64 {
        let both = self.fine_ones().into_iter().zip(fine.fine_ones());
        both.map(|(coarse, fine)| coarse.refine(fine)).sum()
    }
}

impl LabelRow {
    /// It has three digits: nothing of it is to come.
    pub fn is_fine(&self) -> bool {
        self.stats.elapsed.precision() == Precision::Three
    }
}

impl Snapshot {
    /// All of it, and labels of more samples than that with two digits: their values are off by at
    /// most 1/128.
    #[must_use]
    pub fn coarse(&self, beyond: u64) -> Self {
        let mut coarse = Self::new(self.label_limit());
        for row in &self.rows {
            let is_long = row.stats.samples > beyond;
            let stats = if is_long { row.stats.coarse() } else { row.stats.clone() };
            coarse.add_new(&row.label, row.is_transaction, stats);
        }
        coarse.errors = self.errors.clone();
        coarse.users = self.users;
        coarse.requests = self.requests;
        coarse.reported = self.reported.as_ref().map(|reported| Box::new(reported.coarse(beyond)));
        coarse
    }

    /// Adds of a label what its coarse figures lack: histograms with three digits, and how many
    /// samples are in them.
    pub fn add_fine(&mut self, row: &LabelRow) {
        let place = self.place(&row.label, row.is_transaction);
        self.rows[place].stats.add_fine(&row.stats);
    }

    /// Gives what is here with two digits its third from `fine`, which has all values
    /// ([`Snapshot::add_fine`]), or some. Gives how many are in `fine` and not here, which cannot
    /// be: their histograms stay as they are.
    pub fn refine(&mut self, fine: &Self) -> u64 {
        let mut by_place = BTreeMap::<usize, LabelStats>::new();
        let mut beyond = 0;
        for row in &fine.rows {
            // Which labels are kept depends on their names alone: what is not here any more is
            // among the others.
            let own = self.place_of(&row.label, row.is_transaction);
            match own.or_else(|| self.place_of(OTHER_LABELS, row.is_transaction)) {
                Some(place) => by_place.entry(place).or_default().add_fine(&row.stats),
                None => beyond += row.stats.elapsed.count(),
            }
        }
        for (place, row) in self.rows.iter_mut().enumerate() {
            beyond += row.stats.refine(by_place.entry(place).or_default());
        }
        beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Observation, Recorder};
    use proptest::prelude::*;

    /// Labels with times; the same time is in several histograms.
    type Samples = Vec<(u8, u64, bool)>;

    fn samples() -> impl Strategy<Value = Samples> {
        proptest::collection::vec((0_u8..8, 0_u64..1 << 40, any::<bool>()), 0..80)
    }

    fn counted(samples: &Samples, limit: usize) -> Snapshot {
        let mut recorder = Recorder::new(limit);
        for &(label, elapsed_ns, success) in samples {
            recorder.record(&Observation {
                label: &format!("label {label}"),
                is_transaction: label == 0,
                success,
                elapsed_ns,
                connect_ns: Some(elapsed_ns / 3),
                read_delay_ns: Some(elapsed_ns / 5),
                ..Observation::default()
            });
        }
        recorder.take_interval()
    }

    fn merged<'a>(limit: usize, parts: impl IntoIterator<Item = &'a Snapshot>) -> Snapshot {
        let mut all = Snapshot::new(limit);
        parts.into_iter().for_each(|part| all.merge(part));
        all
    }

    /// As a machine sends them, and what a controller knows with three digits when the third digits
    /// of these parts have come.
    fn sent(
        parts: &[Snapshot],
        limit: usize,
        beyond: u64,
        third_digits: &[Snapshot],
    ) -> (Snapshot, Snapshot) {
        let coarse: Vec<_> = parts.iter().map(|part| part.coarse(beyond)).collect();
        let mut fine = Snapshot::new(limit);
        coarse
            .iter()
            .flat_map(|part| &part.rows)
            .filter(|row| row.is_fine())
            .for_each(|row| fine.add_fine(row));
        for row in third_digits.iter().flat_map(|part| &part.rows).filter(|row| row.stats.samples > beyond) {
            fine.add_fine(row);
        }
        (merged(limit, &coarse), fine)
    }

    fn rows(snapshot: &Snapshot) -> Vec<LabelRow> {
        let mut rows = snapshot.rows.clone();
        rows.sort_unstable_by(|a, b| (&a.label, a.is_transaction).cmp(&(&b.label, b.is_transaction)));
        rows
    }

    proptest! {
        #[test]
        fn with_all_third_digits_it_is_what_was_counted(
            parts in proptest::collection::vec(samples(), 0..6), limit in 2_usize..9, beyond in 0_u64..12,
        ) {
            let parts: Vec<_> = parts.iter().map(|part| counted(part, limit)).collect();
            let (mut live, fine) = sent(&parts, limit, beyond, &parts);
            prop_assert_eq!(live.refine(&fine), 0);
            prop_assert_eq!(rows(&live), rows(&merged(limit, &parts)));
        }

        #[test]
        fn with_some_each_value_is_within_two_digits_and_counts_once(
            (told, lost) in (samples(), samples()), limit in 2_usize..9, beyond in 0_u64..12, quantile in 0.0..=1.0_f64,
        ) {
            let parts = [counted(&told, limit), counted(&lost, limit)];
            let truth = merged(limit, &parts);
            let (mut live, fine) = sent(&parts, limit, beyond, &parts[..1]);
            prop_assert_eq!(live.refine(&fine), 0);
            for row in &truth.rows {
                let found = live.get(&row.label, row.is_transaction).expect("all labels are there");
                prop_assert_eq!((found.stats.samples, found.stats.errors), (row.stats.samples, row.stats.errors));
                for (found, truth) in [(&found.stats.elapsed, &row.stats.elapsed), (&found.stats.connect, &row.stats.connect)] {
                    prop_assert_eq!((found.count(), found.precision()), (truth.count(), Precision::Three));
                    prop_assert!(found.quantile(quantile).abs_diff(truth.quantile(quantile)) <= truth.quantile(quantile) / 128);
                }
            }
        }

        #[test]
        fn third_digits_of_values_that_are_not_there_are_told_and_not_used(told in samples(), other in samples()) {
            prop_assume!(!other.is_empty());
            let told = counted(&told, 9);
            let (mut live, fine) = sent(std::slice::from_ref(&told), 9, 0, &[told.clone(), counted(&other, 9)]);
            prop_assert!(live.refine(&fine) >= other.len() as u64);
            for row in &live.rows {
                prop_assert_eq!(row.stats.elapsed.count(), row.stats.samples);
            }
        }
    }

    #[test]
    fn two_digits_are_less_to_send_where_a_label_has_many_samples() {
        let many: Samples = (0..2000_u64).map(|at| (1, 1_000_000 + at * at * 37, true)).collect();
        let counted = counted(&many, 9);
        let [all, coarse] =
            [&counted, &counted.coarse(FINE_UP_TO)].map(|one| crate::encoding::encode(one).len());
        assert!(coarse * 3 < all * 2, "{coarse} bytes of {all}");
    }
}
