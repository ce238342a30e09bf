//! The status of a share, and that of a run from those of its shares.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use swell_engine::{GroupStatus, Phase, Status};

/// [`Status`] of a share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareStatus {
    /// The phase (0, 1, 2); none before and after.
    pub phase: Option<u8>,
    /// The phase waits for its release.
    pub is_held: bool,
    /// The share is paused.
    pub is_paused: bool,
    /// When it started.
    pub started_ns: i64,
    /// When it ends, if that is known.
    pub expected_end_ns: Option<i64>,
    /// Samples of samplers.
    pub samples: u64,
    /// Thread groups.
    pub groups: Vec<GroupCounts>,
    /// Rows that were read of data files that users share, by the file and who shares it.
    pub rows_read: BTreeMap<String, u64>,
}

/// [`GroupStatus`] of a share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupCounts {
    /// Name.
    pub name: String,
    /// Its phase.
    pub phase: u8,
    /// Users that run.
    pub active: u32,
    /// Users that have started.
    pub started: u32,
    /// Users that have ended.
    pub finished: u32,
    /// Users of the whole group, on all agents.
    pub planned: u32,
    /// Users that are wanted of the whole group.
    pub wanted_users: Option<u32>,
    /// Arrivals a second that are wanted of the whole group.
    pub wanted_per_s: Option<f64>,
}

/// The number of the last phase, tear-down.
pub(crate) const LAST_PHASE: u8 = 2;

/// The number of a phase on the wire.
pub fn phase_number(phase: Phase) -> u8 {
    phase as u8
}

/// The phase of a number.
pub fn phase_of(number: u8) -> Phase {
    match number {
        0 => Phase::SetUp,
        1 => Phase::Main,
        _ => Phase::TearDown,
    }
}

impl From<&Status> for ShareStatus {
    fn from(status: &Status) -> Self {
        let group = |group: &GroupStatus| GroupCounts {
            name: group.name.clone(),
            phase: phase_number(group.phase),
            active: group.active,
            started: group.started,
            finished: group.finished,
            planned: group.planned,
            wanted_users: group.wanted_users,
            wanted_per_s: group.wanted_per_second,
        };
        Self {
            phase: status.phase.map(phase_number),
            is_held: status.is_held,
            is_paused: status.is_paused,
            started_ns: status.started_ns,
            expected_end_ns: status.expected_end_ns,
            samples: status.samples,
            groups: status.groups.iter().map(group).collect(),
            rows_read: status.rows_read.clone(),
        }
    }
}

/// The status of a run from those of its shares; `multiply`: each of them has all users of the
/// plan, else all of them together. None without one.
pub fn whole_status<'a>(shares: impl IntoIterator<Item = &'a ShareStatus>, multiply: bool) -> Option<Status> {
    let mut whole: Option<Status> = None;
    for share in shares {
        match &mut whole {
            None => whole = Some(status_of(share)),
            Some(whole) => add(whole, share, multiply),
        }
    }
    whole
}

fn status_of(share: &ShareStatus) -> Status {
    let groups: Vec<_> = share
        .groups
        .iter()
        .map(|group| GroupStatus {
            name: group.name.clone(),
            phase: phase_of(group.phase),
            active: group.active,
            started: group.started,
            finished: group.finished,
            planned: group.planned,
            wanted_users: group.wanted_users,
            wanted_per_second: group.wanted_per_s,
        })
        .collect();
    let sum = |count: fn(&GroupStatus) -> u32| groups.iter().map(count).fold(0, u32::saturating_add);
    Status {
        phase: share.phase.map(phase_of),
        is_held: share.is_held,
        is_paused: share.is_paused,
        active: sum(|group| group.active),
        started: sum(|group| group.started),
        finished: sum(|group| group.finished),
        planned: sum(|group| group.planned),
        started_ns: share.started_ns,
        expected_end_ns: share.expected_end_ns,
        samples: share.samples,
        spent: swell_engine::TimeSpent::default(),
        foreign: swell_engine::PoolFigures::default(),
        checks: swell_engine::PoolFigures::default(),
        groups,
        rows_read: BTreeMap::new(),
    }
}

fn add(whole: &mut Status, share: &ShareStatus, multiply: bool) {
    let other = status_of(share);
    whole.phase = match (whole.phase, other.phase) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    whole.is_held &= other.is_held;
    whole.is_paused |= other.is_paused;
    whole.started_ns = whole.started_ns.min(other.started_ns);
    whole.expected_end_ns = whole.expected_end_ns.max(other.expected_end_ns);
    whole.samples = whole.samples.saturating_add(other.samples);
    for (group, other) in whole.groups.iter_mut().zip(&other.groups) {
        group.active = group.active.saturating_add(other.active);
        group.started = group.started.saturating_add(other.started);
        group.finished = group.finished.saturating_add(other.finished);
        if multiply {
            group.planned = group.planned.saturating_add(other.planned);
            group.wanted_users = sum(group.wanted_users, other.wanted_users, u32::saturating_add);
            group.wanted_per_second = sum(group.wanted_per_second, other.wanted_per_second, |a, b| a + b);
        } else {
            group.planned = group.planned.max(other.planned);
            group.wanted_users = group.wanted_users.max(other.wanted_users);
            group.wanted_per_second = sum(group.wanted_per_second, other.wanted_per_second, f64::max);
        }
    }
    let of_groups =
        |count: fn(&GroupStatus) -> u32| whole.groups.iter().map(count).fold(0, u32::saturating_add);
    (whole.active, whole.started) = (of_groups(|group| group.active), of_groups(|group| group.started));
    (whole.finished, whole.planned) = (of_groups(|group| group.finished), of_groups(|group| group.planned));
}

fn sum<T>(one: Option<T>, other: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_add_up_and_what_is_planned_is_the_plans() {
        let share = |active, phase| ShareStatus {
            phase,
            groups: vec![GroupCounts {
                name: "g".into(),
                phase: 1,
                active,
                started: active + 1,
                planned: 10,
                wanted_users: Some(10),
                ..GroupCounts::default()
            }],
            ..ShareStatus::default()
        };
        let shares = [share(3, Some(1)), share(4, Some(0)), share(2, None)];
        let whole = whole_status(&shares, false).expect("there are shares");
        assert_eq!(
            (whole.active, whole.started, whole.planned, whole.phase),
            (9, 12, 10, Some(Phase::SetUp))
        );
        assert_eq!(whole.groups[0].wanted_users, Some(10));
        let multiplied = whole_status(&shares, true).expect("there are shares");
        assert_eq!((multiplied.planned, multiplied.groups[0].wanted_users), (30, Some(30)));
        assert!(whole_status([], false).is_none());
    }
}
