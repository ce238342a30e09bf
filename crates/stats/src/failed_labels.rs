//! Which labels failed in which way.

use std::collections::BTreeMap;

use crate::{Code, ErrorRow, FailureKind, LabelRow, Snapshot};

/// Labels that are named of one way to fail; the others are counted.
const MOST_NAMED: usize = 3;

/// Labels by response code and kind of failure, as far as they are of one cause.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FailedLabels(BTreeMap<(Code, FailureKind), FailedSamples>);

/// The failed samples with one response code and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedSamples {
    /// All of them.
    pub count: u64,
    /// Number of labels that have some.
    pub labels: usize,
    /// Those with the most, at most three, the one with the most first.
    pub most: Vec<FailedLabel>,
}

/// The failed samples of a label with one response code and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedLabel {
    /// The label.
    pub label: String,
    /// Failed samples with that code and kind.
    pub failed: u64,
    /// All samples of the label.
    pub samples: u64,
}

impl FailedLabels {
    /// Those of a run; transactions are left out, as in causes.
    pub fn of(snapshot: &Snapshot) -> Self {
        type Counted<'a> = (u64, Vec<(u64, &'a LabelRow)>);
        let mut found: BTreeMap<(Code, FailureKind), Counted<'_>> = BTreeMap::new();
        for row in snapshot.rows.iter().filter(|row| !row.is_transaction && row.stats.errors > 0) {
            for (code, kind, failed) in row.stats.outcomes.failed() {
                let (count, rows) = found.entry((code, kind)).or_default();
                *count += failed;
                rows.push((failed, row));
            }
        }
        Self(found.into_iter().map(|(key, (count, rows))| (key, FailedSamples::of(count, rows))).collect())
    }

    /// The labels of a cause. None where several causes share a code and a kind, so that the labels
    /// of each are not known.
    pub fn of_cause(&self, cause: &ErrorRow) -> Option<FailedSamples> {
        let found = self.0.get(&(Code::of(&cause.code), cause.kind))?;
        if found.count == cause.count {
            return Some(found.clone());
        }
        // The causes differ, but not their label.
        let [only] = found.most.as_slice() else { return None };
        let only = FailedLabel { failed: cause.count, ..only.clone() };
        (cause.count < found.count).then(|| FailedSamples { count: cause.count, labels: 1, most: vec![only] })
    }
}

impl FailedSamples {
    fn of(count: u64, mut rows: Vec<(u64, &LabelRow)>) -> Self {
        let labels = rows.len();
        rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.label.cmp(&b.1.label)));
        let named = |(failed, row): (u64, &LabelRow)| FailedLabel {
            label: row.label.to_string(),
            failed,
            samples: row.stats.samples,
        };
        Self { count, labels, most: rows.into_iter().take(MOST_NAMED).map(named).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Observation, Recorder};

    /// Samples of a label, a code and a message; `200` with an empty message succeeds.
    fn counted(samples: &[(&str, &str, &str, u64)]) -> Snapshot {
        let mut recorder = Recorder::default();
        for (label, code, message, count) in samples {
            for _ in 0..*count {
                recorder.record(&Observation {
                    label,
                    code,
                    message,
                    success: message.is_empty(),
                    kind: if *code == "200" { FailureKind::Assertion } else { FailureKind::Status },
                    ..Observation::default()
                });
            }
        }
        recorder.take_interval()
    }

    fn of_causes(samples: &[(&str, &str, &str, u64)]) -> Vec<(String, Option<FailedSamples>)> {
        let snapshot = counted(samples);
        let labels = FailedLabels::of(&snapshot);
        snapshot.errors.rows().iter().map(|row| (row.message.clone(), labels.of_cause(row))).collect()
    }

    #[test]
    fn the_labels_of_a_cause_are_those_with_its_code_and_kind() {
        let found = of_causes(&[
            ("cart", "200", "", 280),
            ("cart", "500", "broken", 120),
            ("pay", "500", "broken", 5),
            ("pay", "503", "busy", 7),
        ]);
        let label = |label: &str, failed, samples| FailedLabel { label: label.to_owned(), failed, samples };
        let broken =
            FailedSamples { count: 125, labels: 2, most: vec![label("cart", 120, 400), label("pay", 5, 12)] };
        let busy = FailedSamples { count: 7, labels: 1, most: vec![label("pay", 7, 12)] };
        assert_eq!(found, [("broken".to_owned(), Some(broken)), ("busy".to_owned(), Some(busy))]);
    }

    #[test]
    fn causes_that_share_code_and_kind_have_a_label_only_where_there_is_one() {
        let one = of_causes(&[("cart", "200", "too slow", 3), ("cart", "200", "no price", 2)]);
        let counts: Vec<_> =
            one.iter().map(|(_, found)| found.as_ref().map(|found| found.most[0].failed)).collect();
        assert_eq!(counts, [Some(3), Some(2)]);
        let two = of_causes(&[("cart", "200", "too slow", 3), ("pay", "200", "no price", 2)]);
        assert!(two.iter().all(|(_, found)| found.is_none()), "{two:?}");
    }

    #[test]
    fn of_many_labels_those_with_the_most_failures_are_named() {
        let names: Vec<_> = (0..9).map(|number| format!("page {number}")).collect();
        let samples: Vec<_> =
            names.iter().zip(1..).map(|(name, count)| (name.as_str(), "500", "broken", count)).collect();
        let found = of_causes(&samples).remove(0).1.expect("one cause has one code");
        let named: Vec<_> = found.most.iter().map(|one| (one.label.as_str(), one.failed)).collect();
        assert_eq!((found.labels, named), (9, vec![("page 8", 9), ("page 7", 8), ("page 6", 7)]));
    }
}
