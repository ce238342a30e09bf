//! Counting on a worker.

use crate::limited::LabelIndex;
use crate::{ErrorTable, FigureName, FigureValue, LabelRow, Observation, Snapshot};

/// Slots of the table that finds a label by the address of its text. Labels of a plan keep theirs.
const RECENT: usize = 64;

/// Counts the samples of one worker between two calls of [`Recorder::take_interval`]. The counts
/// leave with the interval, so memory is bounded by the number of labels.
#[derive(Debug)]
pub struct Recorder {
    labels: Vec<LabelRow>,
    index: LabelIndex,
    recent: [u32; RECENT],
    errors: ErrorTable,
    requests: u64,
    apart: Option<Box<SeparateRecorders>>,
}

/// The sample of a custom figure.
#[derive(Clone, Copy, Debug)]
pub struct FigureOf<'a> {
    /// Its label.
    pub label: &'a str,
    /// It is a transaction.
    pub is_transaction: bool,
    /// It was counted by [`Recorder::record_part`] or [`Recorder::record_parallel`].
    pub is_part: bool,
}

/// What JMeter reports otherwise than it is counted here.
#[derive(Debug)]
struct SeparateRecorders {
    /// Samples that JMeter reports only as parts of a larger one.
    counted: Recorder,
    /// Samples that JMeter reports otherwise.
    reported: Recorder,
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new(Self::DEFAULT_LABEL_LIMIT)
    }
}

impl Recorder {
    /// Default number of labels that are counted separately.
    pub const DEFAULT_LABEL_LIMIT: usize = 10_000;

    /// A recorder that tells `label_limit` labels apart; the others are counted together, as
    /// [`Snapshot::new`] says.
    pub fn new(label_limit: usize) -> Self {
        Self {
            labels: Vec::new(),
            index: LabelIndex::new(label_limit),
            recent: [u32::MAX; RECENT],
            errors: ErrorTable::default(),
            requests: 0,
            apart: None,
        }
    }

    /// Counts a sample. Allocates only for new labels, new errors and values in ranges that were
    /// not seen in this interval.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "else the 25 numbers of a sample go through memory, for each sample"
    )]
    pub fn record(&mut self, seen: &Observation<'_>) {
        let index = self.find(seen.label, seen.is_transaction);
        self.labels[index].stats.record(seen);
        self.requests += u64::from(seen.requests);
        if !seen.success && !seen.is_transaction {
            self.errors.record(seen);
        }
    }

    /// Counts a value of a custom figure of a sample that was counted just before.
    pub fn record_figure(&mut self, of: FigureOf<'_>, name: FigureName, value: Option<FigureValue>) {
        let recorder = if of.is_part { &mut self.apart().counted } else { self };
        let index = recorder.find(of.label, of.is_transaction);
        recorder.labels[index].stats.figures.record(name, value);
    }

    /// Number of labels that are counted separately.
    pub fn label_count(&self) -> usize {
        let apart = self.apart.as_ref();
        let apart = apart.map_or(0, |apart| apart.counted.labels.len() + apart.reported.labels.len());
        self.labels.len() + apart
    }

    /// Counts a sample that JMeter reports only as a part of a larger one.
    #[inline(never)]
    pub fn record_part(&mut self, seen: &Observation<'_>) {
        self.apart().counted.record(seen);
    }

    /// Counts the sample of a Parallel Controller: a transaction, and a sample in what JMeter
    /// reports.
    #[inline(never)]
    pub fn record_parallel(&mut self, seen: &Observation<'_>) {
        let apart = self.apart();
        apart.counted.record(&Observation { is_transaction: true, ..*seen });
        apart.reported.record(&Observation { is_transaction: false, ..*seen });
    }

    /// Counts a part of a sample that JMeter reports as a separate sample.
    #[inline(never)]
    pub fn record_reported(&mut self, seen: &Observation<'_>) {
        self.apart().reported.record(seen);
    }

    fn apart(&mut self) -> &mut SeparateRecorders {
        let limit = self.index.limit();
        self.apart.get_or_insert_with(|| {
            Box::new(SeparateRecorders { counted: Self::new(limit), reported: Self::new(limit) })
        })
    }

    /// What was counted since the last call. The active users are left to the caller.
    pub fn take_interval(&mut self) -> Snapshot {
        let mut snapshot = self.take_own();
        if let Some(apart) = &mut self.apart {
            let counted = apart.counted.take_own();
            let reported = apart.reported.take_own();
            snapshot.add_apart(&counted, &reported);
        }
        snapshot
    }

    fn take_own(&mut self) -> Snapshot {
        let mut snapshot = Snapshot::new(self.index.limit());
        for entry in self.labels.iter_mut().filter(|entry| entry.stats.samples > 0) {
            snapshot.add_new(&entry.label, entry.is_transaction, std::mem::take(&mut entry.stats));
        }
        snapshot.errors = std::mem::take(&mut self.errors);
        snapshot.requests = std::mem::take(&mut self.requests);
        snapshot
    }

    #[inline]
    fn find(&mut self, label: &str, is_transaction: bool) -> usize {
        let address = label.as_ptr().addr();
        let slot = (address >> 3 ^ address >> 9 ^ label.len() ^ usize::from(is_transaction)) % RECENT;
        let guess = self.recent[slot] as usize;
        if let Some(entry) = self.labels.get(guess)
            && entry.is_transaction == is_transaction
            && *entry.label == *label
        {
            return guess;
        }
        let index = self.index.place(&mut self.labels, label, is_transaction);
        if *self.labels[index].label == *label {
            self.recent[slot] = index as u32;
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FigureStats, OTHER_LABELS};

    #[test]
    fn figures_go_to_the_label_of_their_sample_and_into_the_total() {
        let mut recorder = Recorder::default();
        let name = FigureName::new("total").expect("a name");
        let of = |label, is_part| FigureOf { label, is_transaction: false, is_part };
        for (label, is_part, value) in [("a", false, "1.5"), ("b", true, "2.5"), ("a", false, "x")] {
            if is_part {
                recorder.record_part(&seen(label));
            } else {
                recorder.record(&seen(label));
            }
            recorder.record_figure(of(label, is_part), name, FigureValue::parse(value));
        }
        let taken = recorder.take_interval();
        let sum = |label: &str| {
            let row = taken.get(label, false).expect("a row");
            row.stats.figures.get(name).map(|stats| (stats.count(), stats.not_numbers, stats.sum()))
        };
        assert_eq!((sum("a"), sum("b")), (Some((1, 1, 1.5)), Some((1, 0, 2.5))));
        let total = taken.total();
        assert_eq!(total.figures.get(name).map(FigureStats::sum), Some(4.0));
        assert!(recorder.take_interval().total().figures.is_empty());
    }

    fn seen(label: &str) -> Observation<'_> {
        Observation { label, success: true, elapsed_ns: 5, ..Observation::default() }
    }

    fn counts(snapshot: &Snapshot) -> Vec<(&str, u64)> {
        snapshot.rows.iter().map(|row| (&*row.label, row.stats.samples)).collect()
    }

    #[test]
    fn an_interval_holds_what_came_since_the_last() {
        let mut recorder = Recorder::default();
        for label in ["a", "b", "a"] {
            recorder.record(&seen(label));
        }
        assert_eq!(counts(&recorder.take_interval()), [("a", 2), ("b", 1)]);
        recorder.record(&seen("b"));
        assert_eq!(counts(&recorder.take_interval()), [("b", 1)]);
        assert_eq!(counts(&recorder.take_interval()), []);
    }

    #[test]
    fn a_label_is_known_by_its_text_even_when_its_memory_is_used_again() {
        let mut recorder = Recorder::default();
        let mut text = String::from("first");
        for label in ["first", "other", "first"] {
            text.replace_range(.., label);
            recorder.record(&seen(&text));
        }
        assert_eq!(counts(&recorder.take_interval()), [("first", 2), ("other", 1)]);
    }

    #[test]
    fn labels_beyond_the_limit_share_a_row() {
        let mut recorder = Recorder::new(2);
        for label in ["a", "b", "c", "d", "c", "a"] {
            recorder.record(&seen(label));
        }
        let snapshot = recorder.take_interval();
        assert_eq!(counts(&snapshot), [("a", 2), ("b", 1), (OTHER_LABELS, 3)]);
        assert_eq!(snapshot.beyond_limit(), 3);
    }

    #[test]
    fn errors_of_transactions_are_not_counted_twice() {
        let mut recorder = Recorder::default();
        let failed = Observation { success: false, code: "500", message: "no", ..seen("a") };
        recorder.record(&failed);
        recorder.record(&Observation { is_transaction: true, ..failed });
        let snapshot = recorder.take_interval();
        assert_eq!(snapshot.errors.rows().iter().map(|row| row.count).sum::<u64>(), 1);
        assert_eq!(snapshot.rows.len(), 2);
    }

    #[test]
    fn parts_of_a_transaction_are_counted_and_not_reported_by_jmeter() {
        let whole = |parts: u64| {
            let mut recorder = Recorder::default();
            recorder.record(&seen("alone"));
            for _ in 0..parts {
                recorder.record_part(&Observation { success: false, ..seen("part") });
            }
            if parts > 0 {
                recorder.record(&Observation { is_transaction: true, ..seen("all") });
                recorder.record_parallel(&seen("at once"));
            }
            recorder.take_interval()
        };
        for order in [[0, 2], [2, 0]] {
            let mut all = Snapshot::default();
            for parts in order {
                all.merge(&whole(parts));
            }
            let coded = crate::encoding::decode(&crate::encoding::encode(&all)).expect("it was encoded");
            let [mut halves, other] = all.halves();
            halves.merge(&other);
            for all in [all, coded, halves] {
                let total = all.total();
                assert_eq!((total.samples, total.errors), (4, 2));
                assert_eq!(all.get("at once", true).map(|row| row.stats.samples), Some(1));
                let reported = |with| all.reported_tally(with, &total).samples;
                assert_eq!((reported(false), reported(true)), (3, 4), "both alone, and the parallel one");
            }
        }
    }

    #[test]
    fn intervals_merged_equal_one_long_interval() {
        let mut short = Recorder::default();
        let mut long = Recorder::default();
        let mut total = Snapshot::new(100);
        for step in 0..100_u64 {
            let label = ["x", "y", "z"][step as usize % 3];
            let sample = Observation { elapsed_ns: step * 997, ..seen(label) };
            short.record(&sample);
            long.record(&sample);
            if step % 7 == 0 {
                total.merge(&short.take_interval());
            }
        }
        total.merge(&short.take_interval());
        assert_eq!(total.rows, long.take_interval().rows);
    }
}
