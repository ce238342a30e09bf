//! Limits of live control.

use std::sync::atomic::Ordering;

use super::control_error::ControlError;
use super::huge_pages::peak_per_second;
use super::live::{Live, LiveGroup, Status};
use super::ramp::Ramp;
use crate::schedule::ScheduleMode;

/// The largest load that control may set for one thread group. The plan's load has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ceilings {
    /// Users at a time.
    pub users: Option<u32>,
    /// Arrivals a second.
    pub per_second: Option<f64>,
}

/// The highest load of a thread group.
enum Peak {
    Users(f64),
    PerSecond(f64),
}

impl Ceilings {
    pub(super) fn check_users(&self, name: &str, users: f64) -> Result<(), ControlError> {
        check(name, "users", users, self.users.map(f64::from))
    }

    pub(super) fn check_rate(&self, name: &str, per_second: f64) -> Result<(), ControlError> {
        check(name, "arrivals a second", per_second, self.per_second)
    }

    /// Whether a factor keeps each group that has started below, now and for the rest of its
    /// schedule.
    pub(super) fn check_factor(&self, live: &Live, factor: f64) -> Result<(), ControlError> {
        // Less than the plan is never too much.
        let mut started = live.groups.iter().filter(|_| factor > 1.0);
        started.try_for_each(|group| match peak(group) {
            Some(Peak::Users(users)) => self.check_users(group.name(), users * factor),
            Some(Peak::PerSecond(rate)) => self.check_rate(group.name(), rate * factor),
            None => Ok(()),
        })
    }

    /// As [`Ceilings::check_factor`] for load that is made elsewhere, of which only the present is
    /// known.
    pub(super) fn check_factor_elsewhere(&self, status: &Status, factor: f64) -> Result<(), ControlError> {
        let mut started = status.groups.iter().filter(|_| factor > 1.0);
        started.try_for_each(|group| match (group.wanted_users, group.wanted_per_second) {
            (Some(_), _) => self.check_users(&group.name, f64::from(group.planned) * factor),
            (None, Some(rate)) => self.check_rate(&group.name, rate * factor),
            (None, None) => Ok(()),
        })
    }
}

fn check(name: &str, unit: &'static str, value: f64, most: Option<f64>) -> Result<(), ControlError> {
    match most.filter(|most| value > *most) {
        None => Ok(()),
        Some(most) => Err(ControlError::AboveCeiling { name: name.to_owned(), unit, value, most }),
    }
}

/// The highest load that a factor multiplies; none before the group starts, and where control has
/// set a number of users.
fn peak(group: &LiveGroup) -> Option<Peak> {
    let schedule = group.schedule.get()?;
    match schedule.mode() {
        ScheduleMode::Iterations { .. } | ScheduleMode::OneShot => {
            let set = group.changes.per_second().as_ref().map(Ramp::peak);
            Some(Peak::PerSecond(set.unwrap_or_else(|| peak_per_second(&**schedule))))
        }
        _ if group.changes.users().is_some() => None,
        _ => {
            let of = |count: &std::sync::atomic::AtomicU32| f64::from(count.load(Ordering::Relaxed));
            Some(Peak::Users(of(&group.planned).max(of(&group.target))))
        }
    }
}
