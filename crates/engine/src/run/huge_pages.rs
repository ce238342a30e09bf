//! Enables huge pages only for runs with many users: [`swell_net::HugePages`].

use std::sync::atomic::Ordering;

use super::live::{Live, LiveGroup};
use super::load::LoadChanges;
use crate::schedule::{Schedule, ScheduleMode};

/// From how many users on a run has huge pages. The first touch of one can hold up a worker for 7
/// ms; they are for the tables of many thousand connections.
const MANY_USERS: f64 = 2_000.0;

/// At how many times of a schedule its rate is looked at.
const LOOKS: i64 = 100;

/// Whether the groups that have started have, by the plan and by control, as many users as huge
/// pages are for.
pub(super) fn are_worth_it(live: &Live) -> bool {
    let users = live.groups.iter().map(|group| expected_users(group, &live.changes));
    users.sum::<f64>() >= MANY_USERS
}

/// How many users a group may have at a time. Where they come by arrivals: as many as arrive in the
/// busiest second.
fn expected_users(group: &LiveGroup, changes: &LoadChanges) -> f64 {
    let Some(schedule) = group.schedule.get() else { return 0.0 };
    let planned = f64::from(group.planned.load(Ordering::Relaxed).max(group.target.load(Ordering::Relaxed)));
    let factor = changes.factor_ramp().peak();
    let of_plan = match schedule.mode() {
        ScheduleMode::Iterations { at_most: Some(most) } => return f64::from(most),
        ScheduleMode::Iterations { .. } | ScheduleMode::OneShot => {
            let per_second = group.changes.per_second();
            return per_second.map_or_else(|| peak_per_second(&**schedule), |rate| rate.peak()) * factor;
        }
        ScheduleMode::Users | ScheduleMode::Level | ScheduleMode::ConstantConcurrency(_) => planned * factor,
    };
    group.changes.users().map_or(of_plan, |users| users.peak())
}

/// The highest rate of a schedule, from its first start to its end.
pub(super) fn peak_per_second(schedule: &dyn Schedule) -> f64 {
    let (Some(first), Some(end_ns)) = (schedule.starts().next(), schedule.end_ns()) else { return 0.0 };
    let step_ns = (end_ns.saturating_sub(first.start_ns) / LOOKS).max(1);
    let times = (0..LOOKS).map(|look| first.start_ns.saturating_add(look * step_ns));
    times.filter_map(|at_ns| schedule.per_second_at(at_ns)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Arrivals, ArrivalsPlan, Chunk, Rate};

    #[test]
    fn the_busiest_second_of_arrivals_is_found() {
        let chunk = |from, to, length_s| Chunk { from_per_second: from, to_per_second: to, length_s };
        let rate =
            Rate::FreeForm(vec![chunk(0.0, 10.0, 5.0), chunk(300.0, 300.0, 2.0), chunk(10.0, 0.0, 13.0)]);
        let peak = peak_per_second(&Arrivals::new(rate, ArrivalsPlan::default(), 1_000));
        assert!((peak - 300.0).abs() < 1e-9, "{peak}");
        let nobody = Arrivals::new(Rate::FreeForm(Vec::new()), ArrivalsPlan::default(), 1_000);
        assert!(peak_per_second(&nobody).abs() < 1e-9);
    }
}
