//! The data of one interval of a run, which the live view, the run folder and the reader of results
//! files all provide.

use serde::{Deserialize, Serialize};

use crate::encoding::snapshot::{OlderSnapshot, SnapshotWithoutOutcomes};
use crate::{Reading, Snapshot, Users};

/// The data of an interval, usually a second. Times are milliseconds since the epoch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Interval {
    /// When it began.
    pub start_ms: i64,
    /// Its length; 0 only if nothing happened.
    pub length_ms: u64,
    /// Counts, errors and histograms of each label, the tool's own delays among them
    /// (`start_delay`, `read_delay`, `send_delay`), and failed samples by cause. Its own `users`
    /// are not filled: see [`Interval::users`].
    pub labels: Snapshot,
    /// Users at its end; where several intervals were merged, the most that were active.
    pub users: Users,
    /// The load that plan or control wanted at its end, where that is a number.
    pub wanted: Wanted,
    /// How busy tool and machine were.
    pub load: Load,
    /// The run was paused at its end.
    pub is_paused: bool,
    /// Figures of the machine and processes under test.
    pub readings: Vec<Reading>,
}

/// The format before readings were added.
#[derive(Deserialize)]
pub(crate) struct WithoutReadings {
    start_ms: i64,
    length_ms: u64,
    labels: OlderSnapshot,
    users: Users,
    wanted: Wanted,
    load: Load,
    is_paused: bool,
}

/// The format before snapshots had JMeter's figures.
#[derive(Deserialize)]
pub(crate) struct WithoutReported {
    older: WithoutReadings,
    readings: Vec<Reading>,
}

/// The format before samples were counted by their outcomes.
#[derive(Deserialize)]
pub(crate) struct WithoutOutcomes {
    start_ms: i64,
    length_ms: u64,
    labels: SnapshotWithoutOutcomes,
    users: Users,
    wanted: Wanted,
    load: Load,
    is_paused: bool,
    readings: Vec<Reading>,
}

impl From<WithoutOutcomes> for Interval {
    fn from(older: WithoutOutcomes) -> Self {
        let WithoutOutcomes { start_ms, length_ms, labels, users, wanted, load, is_paused, readings } = older;
        Self { start_ms, length_ms, labels: labels.0, users, wanted, load, is_paused, readings }
    }
}

impl From<WithoutReadings> for Interval {
    fn from(older: WithoutReadings) -> Self {
        let WithoutReadings { start_ms, length_ms, labels, users, wanted, load, is_paused } = older;
        Self { start_ms, length_ms, labels: labels.0, users, wanted, load, is_paused, readings: Vec::new() }
    }
}

impl From<WithoutReported> for Interval {
    fn from(older: WithoutReported) -> Self {
        Self { readings: older.readings, ..older.older.into() }
    }
}

/// A requested load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// Users; none where users come by arrivals.
    pub users: Option<u64>,
    /// Arrivals or samples a second; none where the plan sets no rate.
    pub per_s: Option<f64>,
}

/// How busy the tool and the machine were; `None` if unknown. Shares are 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Share of its time in which the busiest worker ran, over up to five seconds.
    pub worker_busy: Option<f64>,
    /// Share of its time in which a worker waited for a processor, the largest of all workers, over
    /// up to five seconds.
    pub worker_waited: Option<f64>,
    /// Share of the time of all processors in which they worked for anybody on this machine.
    pub machine_busy: Option<f64>,
    /// Share of the time of all processors that the hypervisor took.
    pub steal: Option<f64>,
    /// Share of the memory of the machine that was available.
    pub memory_free: Option<f64>,
}

impl Interval {
    /// When it ended.
    pub fn end_ms(&self) -> i64 {
        self.start_ms.saturating_add_unsigned(self.length_ms)
    }

    /// Its length in seconds.
    pub fn seconds(&self) -> f64 {
        self.length_ms as f64 / 1e3
    }

    /// Connections that samples made in it.
    pub fn connections_made(&self) -> u64 {
        let made = self.labels.rows.iter().filter(|row| !row.is_transaction);
        made.map(|row| row.stats.connect.count()).sum()
    }

    /// Adds another interval of the same run: from the first beginning to the last end. Counts are
    /// exact in any order; users, wanted users and loads are the largest (available memory the
    /// least), a wanted rate and readings are means over the time, and the whole is paused only if
    /// both are.
    pub fn merge(&mut self, other: &Self) {
        if other.length_ms == 0 && other.labels.rows.is_empty() {
            return;
        }
        if self.length_ms == 0 && self.labels.rows.is_empty() {
            self.clone_from(other);
            return;
        }
        self.wanted.per_s = self.merged_rate(other);
        self.wanted.users = self.wanted.users.max(other.wanted.users);
        let end_ms = self.end_ms().max(other.end_ms());
        self.start_ms = self.start_ms.min(other.start_ms);
        self.length_ms = end_ms.abs_diff(self.start_ms);
        self.labels.merge(&other.labels);
        self.users = Users {
            active: self.users.active.max(other.users.active),
            started: self.users.started.max(other.users.started),
            finished: self.users.finished.max(other.users.finished),
        };
        self.load.merge(&other.load);
        self.is_paused &= other.is_paused;
        Reading::merge(&mut self.readings, &other.readings);
    }

    /// The rate that was wanted over both; where only one has any, that of the one.
    fn merged_rate(&self, other: &Self) -> Option<f64> {
        let mine = self.seconds();
        let theirs = other.seconds();
        match (self.wanted.per_s, other.wanted.per_s) {
            (Some(a), Some(b)) if mine + theirs > 0.0 => Some((a * mine + b * theirs) / (mine + theirs)),
            (a, b) => a.or(b),
        }
    }
}

impl Load {
    fn merge(&mut self, other: &Self) {
        let most = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        self.worker_busy = most(self.worker_busy, other.worker_busy);
        self.worker_waited = most(self.worker_waited, other.worker_waited);
        self.machine_busy = most(self.machine_busy, other.machine_busy);
        self.steal = most(self.steal, other.steal);
        self.memory_free = self.memory_free.into_iter().chain(other.memory_free).reduce(f64::min);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{decode, encode};
    use crate::{Observation, Recorder};

    fn interval(start_ms: i64, active: u64, samples: u64) -> Interval {
        let mut recorder = Recorder::default();
        let sample = Observation {
            label: "a",
            success: true,
            elapsed_ns: 5_000_000,
            connect_ns: Some(7),
            ..Observation::default()
        };
        (0..samples).for_each(|_| recorder.record(&sample));
        Interval {
            start_ms,
            length_ms: 1000,
            labels: recorder.take_interval(),
            users: Users { active, started: 9, finished: 9 - active },
            wanted: Wanted { users: Some(active), per_s: Some(samples as f64) },
            load: Load { worker_busy: Some(0.1 * active as f64), memory_free: Some(0.5), ..Load::default() },
            is_paused: samples == 0,
            readings: Vec::new(),
        }
    }

    #[test]
    fn merged_intervals_are_one_from_the_first_beginning_to_the_last_end() {
        let first = interval(1000, 3, 10);
        let second = interval(2000, 2, 30);
        for (a, b) in [(&first, &second), (&second, &first)] {
            let mut both = Interval::default();
            both.merge(a);
            both.merge(b);
            both.merge(&Interval::default());
            assert_eq!((both.start_ms, both.length_ms, both.end_ms()), (1000, 2000, 3000));
            assert_eq!((both.labels.total().samples, both.connections_made()), (40, 40));
            assert_eq!((both.users.active, both.users.finished), (3, 7));
            assert_eq!(both.wanted, Wanted { users: Some(3), per_s: Some(20.0) });
            assert!(both.load.worker_busy.is_some_and(|busy| (busy - 0.3).abs() < 1e-9));
            assert_eq!((both.load.memory_free, both.load.steal, both.is_paused), (Some(0.5), None, false));
        }
    }

    #[test]
    fn a_gap_between_two_intervals_is_part_of_the_time_of_both() {
        let mut both = interval(1000, 1, 1);
        both.merge(&interval(9000, 1, 1));
        assert_eq!((both.length_ms, both.seconds()), (9000, 9.0));
    }

    #[test]
    fn a_pause_is_one_only_if_all_of_it_was() {
        let mut both = interval(1000, 1, 0);
        both.merge(&interval(2000, 1, 0));
        assert!(both.is_paused);
        both.merge(&interval(3000, 1, 5));
        assert!(!both.is_paused);
    }

    #[test]
    fn an_interval_comes_back_whole() {
        let mut kept = interval(-5, 3, 10);
        kept.load.steal = Some(0.25);
        let back: Interval = decode(&encode(&kept)).expect("it was encoded");
        assert_eq!((back.start_ms, back.length_ms, back.users), (kept.start_ms, kept.length_ms, kept.users));
        assert_eq!((back.wanted, back.load, back.is_paused), (kept.wanted, kept.load, kept.is_paused));
        assert_eq!((back.labels.rows, back.labels.errors), (kept.labels.rows, kept.labels.errors));
    }
}
