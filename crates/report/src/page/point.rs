//! What all samples did in one span of time, with the load and the tool's own error.

use swell_stats::{FailureKind, Histogram, Interval, LabelStats, Outcomes, Precision, Reading};

use super::grid::Span;

/// One point of the charts over time.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// How much of the span was watched, in seconds.
    pub(super) seconds: f64,
    pub(super) elapsed: Histogram,
    pub(super) start_delay: Histogram,
    pub(super) read_delay: Histogram,
    /// Start to connection, of samples that made one.
    pub(super) connect: Histogram,
    pub(super) first_byte: Histogram,
    pub(super) outcomes: Outcomes,
    pub(super) max_ns: u64,
    pub(super) samples: u64,
    pub(super) errors: u64,
    pub(super) received: u64,
    pub(super) sent: u64,
    pub(super) users: Option<u64>,
    pub(super) wanted_users: Option<u64>,
    /// Wanted samples, and the seconds in which that was known.
    pub(super) wanted: (f64, f64),
    pub(super) worker_busy: Option<f64>,
    pub(super) machine_busy: Option<f64>,
    pub(super) kinds: Vec<(FailureKind, u64)>,
    pub(super) readings: Vec<Reading>,
}

impl Default for Point {
    fn default() -> Self {
        let none = || Histogram::new(Precision::Two);
        Self {
            seconds: 0.0,
            elapsed: none(),
            start_delay: none(),
            read_delay: none(),
            connect: none(),
            first_byte: none(),
            outcomes: Outcomes::default(),
            max_ns: 0,
            samples: 0,
            errors: 0,
            received: 0,
            sent: 0,
            users: None,
            wanted_users: None,
            wanted: (0.0, 0.0),
            worker_busy: None,
            machine_busy: None,
            kinds: Vec::new(),
            readings: Vec::new(),
        }
    }
}

impl Point {
    /// Adds an interval with its total.
    pub(super) fn add(&mut self, interval: &Interval, total: &LabelStats) {
        self.elapsed.merge(&total.elapsed);
        self.start_delay.merge(&total.start_delay);
        self.read_delay.merge(&total.read_delay);
        self.connect.merge(&total.connect);
        self.first_byte.merge(&total.first_byte);
        self.outcomes.merge(&total.outcomes);
        let seconds = interval.seconds();
        self.merge_figures(&Self {
            seconds,
            max_ns: total.max_ns,
            samples: total.samples,
            errors: total.errors,
            received: total.bytes,
            sent: total.sent_bytes,
            users: Some(interval.users.active),
            wanted_users: interval.wanted.users,
            wanted: interval.wanted.per_s.map_or((0.0, 0.0), |per_s| (per_s * seconds, seconds)),
            worker_busy: interval.load.worker_busy,
            machine_busy: interval.load.machine_busy,
            kinds: interval.labels.errors.kinds().collect(),
            readings: interval.readings.clone(),
            ..Self::default()
        });
    }

    /// Adds all but the histograms.
    fn merge_figures(&mut self, next: &Self) {
        let most = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        self.seconds += next.seconds;
        self.max_ns = self.max_ns.max(next.max_ns);
        self.samples += next.samples;
        self.errors += next.errors;
        self.received += next.received;
        self.sent += next.sent;
        self.users = self.users.max(next.users);
        self.wanted_users = self.wanted_users.max(next.wanted_users);
        self.wanted = (self.wanted.0 + next.wanted.0, self.wanted.1 + next.wanted.1);
        self.worker_busy = most(self.worker_busy, next.worker_busy);
        self.machine_busy = most(self.machine_busy, next.machine_busy);
        Reading::merge(&mut self.readings, &next.readings);
        for &(kind, times) in &next.kinds {
            match self.kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, sum)) => *sum += times,
                None => self.kinds.push((kind, times)),
            }
        }
    }

    /// What was wanted a second, where that was known.
    pub(super) fn wanted_per_s(&self) -> Option<f64> {
        (self.wanted.1 > 0.0).then(|| self.wanted.0 / self.wanted.1)
    }

    pub(super) fn of_kind(&self, kind: FailureKind) -> u64 {
        self.kinds.iter().find(|(known, _)| *known == kind).map_or(0, |(_, times)| *times)
    }
}

impl Span for Point {
    fn merge(&mut self, next: &Self) {
        self.elapsed.merge(&next.elapsed);
        self.start_delay.merge(&next.start_delay);
        self.read_delay.merge(&next.read_delay);
        self.connect.merge(&next.connect);
        self.first_byte.merge(&next.first_byte);
        self.outcomes.merge(&next.outcomes);
        self.merge_figures(next);
    }
}
