//! One second of a trial, as its subscribers receive it.

use std::sync::Arc;

use swell_engine::{Status, TimeSpent};
use swell_stats::{Interval, LabelStats, Load, Reading, Snapshot, Tally, Users, Wanted};

use crate::resources::{ResourceUsage, WorkerLoad};

/// The data of a second, and the status of the trial. The first second may be shorter, and the last
/// one is.
#[derive(Clone, Debug, Default)]
pub struct Second {
    /// When it began, in nanoseconds on the clock of [`swell_api::Timing`].
    pub from_ns: i64,
    /// When it ended, in nanoseconds on the clock of [`swell_api::Timing`].
    pub at_ns: i64,
    /// How many seconds this covers: more than one if the subscriber was slow and seconds were
    /// merged.
    pub intervals: u32,
    /// The trial has finished; its report follows.
    pub is_last: bool,
    /// Samples of the interval, all labels in one, transactions left out: times, errors, and the
    /// tool's own delays (`start_delay`, `read_delay`, `send_delay`).
    pub total: LabelStats,
    /// What JMeter's summariser counts of the same: of samples inside a transaction with parent
    /// sample none, and transactions only where
    /// `summariser.ignore_transaction_controller_sample_result` is false.
    pub reported: Tally,
    /// The same of each label, as the workers counted it; [`Second::labels`] adds them up.
    pub(crate) parts: Vec<(i64, Arc<Snapshot>)>,
    /// What Generate Summary Results elements of the plan counted in the interval, by their names,
    /// in the order of the plan.
    pub summaries: Vec<(String, Tally)>,
    /// Samples since the start, transactions left out.
    pub samples: u64,
    /// Those of them that failed.
    pub errors: u64,
    /// How the trial goes: its phase, its users by group; none before the engine has started.
    pub status: Option<Status>,
    /// The rate that the caller of the trial requests ([`crate::TrialSettings::wanted`]), in
    /// addition to the plan's.
    pub wanted_per_s: Option<f64>,
    /// How busy tool and machine were in the interval.
    pub load: Load,
    /// What the machine did to the tool since the start.
    pub resources: ResourceUsage,
    /// The last five seconds of each worker.
    pub workers: Vec<WorkerLoad>,
    /// Figures of the machine and processes under test ([`crate::TrialSettings::monitor`]).
    pub readings: Vec<Reading>,
    /// With the last second of a trial whose load is made elsewhere: the third digit of what was
    /// counted with two, for who adds up all seconds ([`Snapshot::refine`]).
    pub fine: Option<Arc<Snapshot>>,
}

impl Second {
    /// A second in which that was counted and of which nothing else is known, for tests of those
    /// who show seconds.
    pub fn of(from_ns: i64, at_ns: i64, counted: Snapshot) -> Self {
        let total = counted.total();
        let samples = total.samples;
        let errors = total.errors;
        let parts = vec![(from_ns.div_euclid(1_000_000_000), Arc::new(counted))];
        let reported = Tally::from(&total);
        Self { from_ns, at_ns, intervals: 1, total, reported, parts, samples, errors, ..Self::default() }
    }

    /// Counts, errors and histograms of each label in the interval. This adds up what the workers
    /// counted, on the thread of the caller.
    pub fn labels(&self) -> Snapshot {
        let mut all = Snapshot::default();
        self.parts.iter().for_each(|(_, part)| all.merge(part));
        all
    }

    /// What was counted in the interval, by whole seconds since the epoch, each once and in their
    /// order.
    pub fn counted(&self) -> Vec<(i64, Snapshot)> {
        let mut all = std::collections::BTreeMap::<i64, Snapshot>::new();
        self.parts.iter().for_each(|(at_s, part)| all.entry(*at_s).or_default().merge(part));
        all.into_iter().collect()
    }

    /// The same in the form that run folders and reports have.
    pub fn interval(&self) -> Interval {
        // Ends of neighbours are rounded alike, so that there is no gap between them.
        let [start_ms, end_ms] = [self.from_ns, self.at_ns].map(|at_ns| at_ns.div_euclid(1_000_000));
        Interval {
            start_ms,
            length_ms: u64::try_from(end_ms - start_ms).unwrap_or(0),
            labels: self.labels(),
            users: self.users(),
            wanted: self.wanted(),
            load: self.load,
            is_paused: self.status.as_ref().is_some_and(|status| status.is_paused),
            readings: self.readings.clone(),
        }
    }

    /// The load that plan, control and caller want at its end.
    pub fn wanted(&self) -> Wanted {
        let groups = self.status.iter().flat_map(|status| &status.groups);
        let rates = groups.clone().filter_map(|group| group.wanted_per_second);
        let users = groups.filter_map(|group| group.wanted_users.map(u64::from));
        Wanted {
            users: users.reduce(u64::saturating_add),
            per_s: rates.reduce(|all, next| all + next).or(self.wanted_per_s),
        }
    }

    /// Users that run, have started and have ended.
    pub fn users(&self) -> Users {
        self.status.as_ref().map_or_else(Users::default, users_of)
    }

    /// How users spent their time since the start, as far as it was told: each worker does so once
    /// a second, and a user counts as having lived when it ends.
    pub fn time_spent(&self) -> TimeSpent {
        self.status.as_ref().map(|status| status.spent).unwrap_or_default()
    }

    /// This and the next one as one.
    pub(crate) fn followed_by(mut self, next: &Self) -> Self {
        self.total.merge(&next.total);
        self.reported.merge(&next.reported);
        let mut all = self.labels();
        next.parts.iter().for_each(|(_, part)| all.merge(part));
        let at_s = next.parts.last().or(self.parts.last()).map_or(0, |(at_s, _)| *at_s);
        for (name, counted) in &next.summaries {
            match self.summaries.iter_mut().find(|(known, _)| known == name) {
                Some((_, tally)) => tally.merge(counted),
                None => self.summaries.push((name.clone(), *counted)),
            }
        }
        let intervals = self.intervals.max(1) + next.intervals.max(1);
        Reading::merge(&mut self.readings, &next.readings);
        Self {
            from_ns: self.from_ns,
            intervals,
            total: self.total,
            reported: self.reported,
            parts: vec![(at_s, Arc::new(all))],
            summaries: self.summaries,
            readings: self.readings,
            ..next.clone()
        }
    }
}

pub(crate) fn users_of(status: &Status) -> Users {
    Users {
        active: u64::from(status.active),
        started: u64::from(status.started),
        finished: u64::from(status.finished),
    }
}
