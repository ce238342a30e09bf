//! A worker's sums between two transmissions (`SamplerMetric`).

use std::collections::{HashMap, VecDeque};

use swell_api::SampleResult;

use super::metering::{Filter, Metering};

/// Most labels, and most kinds of errors of a label, in an interval.
const MOST: usize = 10_000;

/// A worker's sums.
pub(super) struct Table {
    labels: HashMap<Box<str>, Option<Sums>>,
    all: Sums,
    users: Ring,
    window: usize,
    users_window: usize,
    filter: Filter,
}

/// The sums of one interval.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) labels: HashMap<Box<str>, Sums>,
    pub(super) all: Sums,
    /// Active users at the last samples.
    pub(super) users: Ring,
}

/// Sums of a label or of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    pub(super) successes: u64,
    pub(super) failures: u64,
    pub(super) hits: u64,
    pub(super) sent: u64,
    pub(super) received: u64,
    /// Code and message.
    pub(super) errors: HashMap<(Box<str>, Box<str>), u64>,
    pub(super) ok: Ring,
    pub(super) ko: Ring,
}

/// The most recent values with their times.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring(pub(super) VecDeque<(i64, f64)>);

impl Ring {
    fn push(&mut self, at_ns: i64, value: f64, most: usize) {
        if self.0.len() >= most {
            self.0.pop_front();
        }
        self.0.push_back((at_ns, value));
    }
}

impl Table {
    pub(super) fn new(metering: &Metering) -> Self {
        Self {
            labels: HashMap::new(),
            all: Sums::default(),
            users: Ring::default(),
            window: metering.window.max(metering.percentile_window),
            users_window: metering.percentile_window,
            // An invalid expression is reported where the listener is made.
            filter: metering.filter().unwrap_or(Filter::None),
        }
    }

    pub(super) fn add(&mut self, sample: &SampleResult) {
        let at_ns = sample.timing.end_ns;
        self.users.push(at_ns, f64::from(sample.all_threads), self.users_window);
        self.all.add(sample, true, self.window);
        if !matches!(self.filter, Filter::None) {
            if let Some(sums) = self.labels.get_mut(&*sample.label) {
                if let Some(sums) = sums {
                    sums.add(sample, false, self.window);
                }
            } else if self.labels.len() < MOST {
                let wanted = self.filter.takes(&sample.label);
                let sums = wanted.then(|| {
                    let mut sums = Sums::default();
                    sums.add(sample, false, self.window);
                    sums
                });
                self.labels.insert((*sample.label).into(), sums);
            }
        }
    }

    /// What was summed up since the last call.
    pub(super) fn take(&mut self) -> Taken {
        let labels = std::mem::take(&mut self.labels).into_iter();
        Taken {
            labels: labels.filter_map(|(label, sums)| Some((label, sums?))).collect(),
            all: std::mem::take(&mut self.all),
            users: std::mem::take(&mut self.users),
        }
    }
}

impl Sums {
    fn add(&mut self, sample: &SampleResult, cumulated: bool, window: usize) {
        let at_ns = sample.timing.end_ns;
        let time_ms = sample.timing.elapsed_ms() as f64;
        if sample.success {
            self.successes += 1;
            self.ok.push(at_ns, time_ms, window);
        } else {
            self.failures += 1;
            self.ko.push(at_ns, time_ms, window);
            if self.errors.len() < MOST {
                *self.errors.entry(error(sample)).or_default() += 1;
            }
        }
        self.hits += hits(sample, cumulated);
        if !(cumulated && is_additional(sample)) {
            self.sent += sample.sent_bytes;
            self.received += sample.bytes;
        }
    }

    /// Adds the numbers of another worker; the windows are merged where they are kept.
    pub(super) fn add_numbers(&mut self, other: &Self) {
        self.successes += other.successes;
        self.failures += other.failures;
        self.hits += other.hits;
        self.sent += other.sent;
        self.received += other.received;
        for (error, count) in &other.errors {
            *self.errors.entry(error.clone()).or_default() += count;
        }
    }
}

/// The sample of a Transaction Controller that makes no parent sample.
fn is_additional(sample: &SampleResult) -> bool {
    sample.is_transaction && sample.sub_results.is_empty()
}

/// `SamplerMetric.addHits`.
fn hits(sample: &SampleResult, cumulated: bool) -> u64 {
    if cumulated && is_additional(sample) {
        return 0;
    }
    let own = u64::from(!sample.is_transaction || sample.sub_results.is_empty());
    own + sample.sub_results.iter().map(|sub| hits(sub, cumulated)).sum::<u64>()
}

/// `ErrorMetric`.
fn error(sample: &SampleResult) -> (Box<str>, Box<str>) {
    let or = |text: &str, empty: &str| Box::from(if text.is_empty() { empty } else { text.trim() });
    match sample.failure_message().filter(|message| !message.is_empty()) {
        Some(message) => ("Assertion failed".into(), or(message, "None")),
        None => (or(&sample.code, "0"), or(&sample.message, "None")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::metering::Labels;
    use super::*;
    use swell_expr::Properties;

    fn table(labels: Labels) -> Table {
        Table::new(&Metering::new(labels, &Properties::default()))
    }

    fn sample(label: &str, ms: i64, success: bool) -> SampleResult {
        let mut sample =
            SampleResult { label: label.to_owned().into(), success, bytes: 10, ..SampleResult::default() };
        sample.code = "500".into();
        sample.timing.end_ns = ms * 1_000_000;
        sample
    }

    #[test]
    fn labels_that_match_have_sums_of_their_own() {
        let mut table = table(Labels::Finding("^a".into()));
        for (label, ms, success) in [("a1", 5, true), ("a1", 7, false), ("b", 9, true)] {
            table.add(&sample(label, ms, success));
        }
        let taken = table.take();
        assert_eq!(
            (taken.labels.len(), taken.all.successes, taken.all.failures, taken.all.received),
            (1, 2, 1, 30)
        );
        let sums = &taken.labels["a1"];
        assert_eq!((sums.successes, sums.failures, sums.hits), (1, 1, 2));
        assert_eq!(sums.errors[&("500".into(), "None".into())], 1);
        assert_eq!(table.take().all.successes, 0);
        let mut summary = self::table(Labels::None);
        summary.add(&sample("a", 1, true));
        assert!(summary.take().labels.is_empty());
    }

    #[test]
    fn transactions_are_no_hits() {
        let mut additional = sample("t", 1, true);
        additional.is_transaction = true;
        let mut parent = additional.clone();
        parent.sub_results = vec![sample("a", 1, true), sample("b", 1, true)];
        assert_eq!((hits(&additional, true), hits(&additional, false)), (0, 1));
        assert_eq!((hits(&parent, true), hits(&parent, false)), (2, 2));
    }
}
