//! Transactions whose samples the file does not have.
//!
//! JMeter leaves out the samples of a Transaction Controller that generates a parent sample where
//! `jmeter.save.saveservice.subresults` is false. The row of the transaction says how many there
//! were, and no row of its thread lies within it: one before it where the controller generates no
//! parent sample, one after it in CSV where sub-results are saved.

use std::collections::HashMap;

use super::sample::{JtlSample, is_transaction};

/// Threads that are known. Nothing is said about transactions of further ones.
const MOST_THREADS: usize = 100_000;

/// Labels of transactions that are known. Nothing is said about further ones.
const MOST_LABELS: usize = 10_000;

/// What the rows that came say about transactions.
#[derive(Default)]
pub(super) struct HiddenSamples {
    threads: HashMap<String, Thread>,
    labels: HashMap<String, Transactions>,
}

/// The row of a thread that came last.
struct Thread {
    label: String,
    start_ms: i64,
    /// It is a transaction of which no sample was seen.
    open: Option<OpenTransaction>,
}

struct OpenTransaction {
    /// Its end; none if it cannot be told, since waits may be part of it.
    end_ms: Option<i64>,
    samples: u64,
}

/// Transactions of a label.
#[derive(Default)]
struct Transactions {
    with_samples: u64,
    without_samples: u64,
    /// Samples of the latter.
    hidden: u64,
}

impl HiddenSamples {
    /// Takes a row that came.
    pub(super) fn see(&mut self, sample: &JtlSample<'_>) {
        // Without names of threads it cannot be told which rows belong together.
        if sample.thread.is_empty() {
            return;
        }
        let Self { threads, labels } = self;
        let inside = samples_inside(sample);
        let Some(thread) = threads.get_mut(sample.thread) else {
            if threads.len() < MOST_THREADS {
                let thread = Thread {
                    label: sample.label.to_owned(),
                    start_ms: sample.start_ms,
                    open: opened(sample, inside),
                };
                threads.insert(sample.thread.to_owned(), thread);
            }
            return;
        };
        let is_other = thread.label != sample.label;
        if let Some(open) = thread.open.take() {
            let lies_within = is_other
                && sample.start_ms >= thread.start_ms
                && open.end_ms.is_none_or(|end_ms| end_of(sample).is_some_and(|end| end <= end_ms));
            count(labels, &thread.label, (!lies_within).then_some(open.samples));
        }
        if inside > 0 && is_other && thread.start_ms >= sample.start_ms {
            count(labels, sample.label, None);
        } else {
            thread.open = opened(sample, inside);
        }
        if is_other {
            sample.label.clone_into(&mut thread.label);
        }
        thread.start_ms = sample.start_ms;
    }

    /// How many samples of transactions have no row, when all rows came. Labels whose transactions
    /// mostly have their samples are left out: rows of several machines may be mixed.
    pub(super) fn count(mut self) -> u64 {
        for thread in self.threads.into_values() {
            if let Some(open) = thread.open {
                count(&mut self.labels, &thread.label, Some(open.samples));
            }
        }
        let hiding = self.labels.values().filter(|all| all.without_samples > all.with_samples);
        hiding.map(|all| all.hidden).sum()
    }
}

/// Counts a transaction; `hidden`: its samples, where none was seen.
fn count(labels: &mut HashMap<String, Transactions>, label: &str, hidden: Option<u64>) {
    if !labels.contains_key(label) {
        if labels.len() == MOST_LABELS {
            return;
        }
        labels.insert(label.to_owned(), Transactions::default());
    }
    let Some(all) = labels.get_mut(label) else { return };
    match hidden {
        None => all.with_samples += 1,
        Some(samples) => {
            all.without_samples += 1;
            all.hidden = all.hidden.saturating_add(samples);
        }
    }
}

fn opened(sample: &JtlSample<'_>, inside: u64) -> Option<OpenTransaction> {
    (inside > 0).then(|| OpenTransaction { end_ms: end_of(sample), samples: inside })
}

/// The end, with the waits that are not part of its time.
fn end_of(sample: &JtlSample<'_>) -> Option<i64> {
    Some(sample.end_ms().saturating_add_unsigned(sample.idle_ms?))
}

/// How many samples a transaction says it has; 0 for other rows.
fn samples_inside(sample: &JtlSample<'_>) -> u64 {
    if !is_transaction(sample.message) {
        return 0;
    }
    let number = sample.message.split([':', ',']).nth(1);
    number.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: &str = "Number of samples in transaction : 3, number of failing samples : 0";

    /// Rows of thread, label, start and time, of which those in upper case are transactions, with
    /// waits of this length.
    fn hidden(rows: &[(&str, &str, i64, u64)], idle_ms: Option<u64>) -> u64 {
        let mut all = HiddenSamples::default();
        for &(thread, label, start_ms, elapsed_ms) in rows {
            let is_transaction = label.starts_with(char::is_uppercase);
            let message = if is_transaction { THREE } else { "OK" };
            // Samples do not wait.
            let idle_ms = if is_transaction { idle_ms } else { idle_ms.and(Some(0)) };
            let sample =
                JtlSample { start_ms, elapsed_ms, label, message, idle_ms, thread, ..JtlSample::default() };
            all.see(&sample);
        }
        all.count()
    }

    #[test]
    fn samples_of_transactions_alone_are_hidden() {
        let alone = [("1", "Buy", 0, 9), ("2", "Buy", 3, 9), ("1", "Buy", 9, 9), ("1", "a", 18, 2)];
        assert_eq!(hidden(&alone, Some(0)), 9);
        assert_eq!(hidden(&[("1", "Buy", 0, 9), ("1", "Pay", 9, 5)], Some(0)), 6);
    }

    #[test]
    fn samples_before_and_after_their_transaction_are_there() {
        let before = [("1", "a", 0, 4), ("2", "a", 1, 20), ("1", "b", 4, 5), ("1", "Buy", 0, 9)];
        let after = [("1", "Buy", 0, 9), ("2", "c", 1, 1), ("1", "a", 0, 4), ("1", "b", 4, 5)];
        let nested = [
            ("1", "Buy", 0, 9),
            ("1", "Pay", 0, 5),
            ("1", "a", 0, 5),
            ("1", "Buy", 10, 9),
            ("1", "Pay", 10, 4),
            ("1", "a", 10, 4),
        ];
        for rows in [&before[..], &after[..], &nested[..]] {
            assert_eq!(hidden(rows, Some(0)), 0, "{rows:?}");
        }
    }

    #[test]
    fn waits_of_a_transaction_are_within_it() {
        let waited = [("1", "Buy", 0, 9), ("1", "a", 500, 9)];
        assert_eq!(hidden(&waited, Some(1000)), 0);
        assert_eq!(hidden(&waited, None), 0, "the waits are not known");
        assert_eq!(hidden(&waited, Some(0)), 3);
    }

    #[test]
    fn what_cannot_be_told_is_not_said() {
        assert_eq!(hidden(&[("", "Buy", 0, 9)], Some(0)), 0, "no threads");
        let mixed =
            [("1", "Buy", 0, 9), ("1", "a", 0, 4), ("1", "Buy", 9, 9), ("1", "a", 9, 4), ("1", "Buy", 30, 2)];
        assert_eq!(hidden(&mixed, Some(0)), 0, "the label mostly has its samples");
        let none = "Number of samples in transaction : 0, number of failing samples : 0";
        assert_eq!(samples_inside(&JtlSample { message: none, ..JtlSample::default() }), 0);
    }
}
