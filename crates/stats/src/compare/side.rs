//! One of the two runs: figures of a label over time, in a bounded number of points.

use std::cmp::Ordering;
use std::sync::Arc;

use super::blocks::Blocks;
use super::change_points::{ChangePoint, change_points};
use crate::warmup::{Steady, mser5};
use crate::{Interval, Precision, Series};

/// Points of a run at most: 32 to 64 blocks once it is that long.
const POINTS: usize = 64;

/// Labels that are compared; more would be no page for people.
const LABELS: usize = 500;

type Key = (Arc<str>, bool);

/// A run over time.
#[derive(Clone, Debug)]
pub struct Side {
    total: Series,
    labels: Vec<(Key, Series)>,
    /// Medians of seconds or wider points, for its beginning.
    fine: Series,
    beyond_limit: u64,
    /// The most users, and the mean wanted rate.
    most_users: u64,
    wanted_users: Option<u64>,
    wanted: (f64, f64),
    /// When its first sample began, in seconds.
    began_s: Option<f64>,
    /// Where in a second of the clock its intervals begin.
    phase_s: f64,
}

/// How steady a run was.
#[derive(Clone, Debug, PartialEq)]
pub struct Steadiness {
    /// Seconds at its beginning that look unlike the rest.
    pub warm_up_s: u64,
    /// Where its median changed for good after that.
    pub changes: Vec<ChangePoint>,
}

pub(super) struct BlocksOfRun {
    pub(super) total: Blocks,
    pub(super) labels: Vec<(Key, Blocks)>,
}

impl BlocksOfRun {
    pub(super) fn find(&self, key: &Key) -> Option<&Blocks> {
        self.labels.iter().find(|(known, _)| known == key).map(|(_, blocks)| blocks)
    }
}

impl Default for Side {
    /// A run of which nothing is known yet.
    fn default() -> Self {
        Self {
            total: Series::new(POINTS, Precision::Three),
            labels: Vec::new(),
            fine: Series::new(3600, Precision::Two),
            beyond_limit: 0,
            most_users: 0,
            wanted_users: None,
            wanted: (0.0, 0.0),
            began_s: None,
            phase_s: 0.0,
        }
    }
}

impl Side {
    /// Takes the next interval. Pauses are left out.
    pub fn add(&mut self, interval: &Interval) {
        // Agents of other machines join before the first user starts.
        let is_before = self.total.points().is_empty() && interval.users.started == 0;
        if (interval.is_paused || is_before) && interval.labels.rows.is_empty() {
            return;
        }
        let at_s = interval.start_ms.div_euclid(1000);
        let counted = interval.labels.total();
        let users = interval.users.active;
        if counted.samples > 0 {
            self.began_s.get_or_insert(counted.first_start_ns as f64 / 1e9);
        }
        self.phase_s = interval.start_ms.rem_euclid(1000) as f64 / 1e3;
        self.total.add(at_s, &counted, users);
        self.fine.add(at_s, &counted, users);
        self.most_users = self.most_users.max(users);
        self.wanted_users = self.wanted_users.max(interval.wanted.users);
        if let Some(per_s) = interval.wanted.per_s {
            self.wanted.0 += per_s * interval.seconds();
            self.wanted.1 += interval.seconds();
        }
        for row in &interval.labels.rows {
            let key = (row.label.clone(), row.is_transaction);
            let known = self.labels.iter().position(|(known, _)| *known == key);
            let place = known.unwrap_or_else(|| {
                self.labels.push((key, Series::new(POINTS, Precision::Three)));
                self.labels.len() - 1
            });
            if place >= LABELS {
                self.labels.truncate(LABELS);
                self.beyond_limit += row.stats.samples;
                continue;
            }
            self.labels[place].1.add(at_s, &row.stats, 0);
        }
    }

    /// Samples of labels that are not compared, since there are too many labels.
    pub fn beyond_limit(&self) -> u64 {
        self.beyond_limit
    }

    /// The most users that were active at a time.
    pub fn most_users(&self) -> u64 {
        self.most_users
    }

    /// The rate that was wanted in the mean, where one was.
    pub fn wanted_per_s(&self) -> Option<f64> {
        (self.wanted.1 > 0.0).then(|| self.wanted.0 / self.wanted.1)
    }

    /// Whether the load was higher or lower than that of another run: by the wanted rate where both
    /// have one, else by the most users.
    pub fn load_against(&self, other: &Self) -> Ordering {
        match (self.wanted_per_s().zip(other.wanted_per_s()), self.other_rates(other)) {
            (_, Some((mine, theirs))) => mine.total_cmp(&theirs),
            (Some(_), None) => Ordering::Equal,
            (None, None) => self.most_users.cmp(&other.most_users),
        }
    }

    /// The wanted rates of this run and another, where both have one and these differ.
    pub fn other_rates(&self, other: &Self) -> Option<(f64, f64)> {
        const SAME: f64 = 0.01;
        let rates = self.wanted_per_s().zip(other.wanted_per_s());
        rates.filter(|(mine, theirs)| (mine / theirs - 1.0).abs() > SAME)
    }

    /// From its first sample to its last, in seconds.
    pub fn seconds(&self) -> u64 {
        (self.fine.points().len() as u64).saturating_mul(self.fine.width_s())
    }

    /// Its beginning, and where it changed after that.
    pub fn steadiness(&self) -> Steadiness {
        let warm_up_s = self.warm_up_s();
        let begin_s = self.fine.first_s().saturating_add(warm_up_s.cast_signed());
        Steadiness { warm_up_s, changes: change_points(&self.total, begin_s) }
    }

    /// By MSER-5; where that finds no steady part, a change in the first third of the run.
    fn warm_up_s(&self) -> u64 {
        match self.mser_s() {
            0 => {
                let first =
                    change_points(&self.total, self.fine.first_s()).first().map_or(0, |change| change.at_s);
                if first.saturating_mul(3) <= self.seconds() { first } else { 0 }
            }
            found => found,
        }
    }

    fn mser_s(&self) -> u64 {
        let points = self.fine.points();
        let full: Vec<_> = (0..points.len()).filter(|at| points[*at].samples > 0).collect();
        let medians: Vec<_> = full.iter().map(|at| points[*at].elapsed.quantile(0.5) as f64).collect();
        match mser5(&medians) {
            Steady::From(cut @ 1..) => {
                full.get(cut).map_or(0, |first| (*first as u64).saturating_mul(self.fine.width_s()))
            }
            Steady::From(_) | Steady::TooShort => 0,
        }
    }

    /// By how much a run that begins in this second is longer than its whole seconds say: its first
    /// sample came in the midst of one, and its intervals end in the midst of others.
    fn beyond_whole_seconds(&self, first_s: i64) -> f64 {
        let before_s = self.began_s.map_or(0.0, |began_s| began_s - first_s as f64);
        // Another label began this second, or the run did without samples.
        if (-1.0..=1.0).contains(&before_s) { self.phase_s - before_s } else { 0.0 }
    }

    pub(super) fn blocks(&self, without_warm_up: bool) -> BlocksOfRun {
        let warm_up_s = if without_warm_up { self.warm_up_s() } else { 0 };
        let begin_s = self.fine.first_s().saturating_add(warm_up_s.cast_signed());
        let of = |series: &Series| {
            let width_s = series.width_s();
            // A block in which the beginning ends is left out with it.
            let first = begin_s.saturating_sub(series.first_s()).max(0).cast_unsigned();
            let first = usize::try_from(first.div_ceil(width_s)).unwrap_or(usize::MAX);
            let more_s = if first == 0 { self.beyond_whole_seconds(series.first_s()) } else { 0.0 };
            Blocks::of(series.points().get(first..).unwrap_or_default(), width_s as f64, more_s)
        };
        let labels = self.labels.iter().map(|(key, series)| (key.clone(), of(series)));
        BlocksOfRun { total: of(&self.total), labels: labels.collect() }
    }
}
