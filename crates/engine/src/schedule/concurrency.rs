//! Concurrency Thread Group (`com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup`),
//! which keeps a number of users running.

use super::{S, Schedule, ScheduleMode, Start};

/// The target number of users, by the time since the start of the group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConcurrencyPlan {
    /// How many at the end of the ramp.
    pub(crate) target: u32,
    pub(crate) ramp_s: i64,
    /// Steps of the ramp; 0 for a steady rise.
    pub(crate) steps: i64,
    pub(crate) hold_s: i64,
    /// Before the ramp (`dynamic_tg.shift_rampup_start`).
    pub(crate) shift_s: i64,
}

impl ConcurrencyPlan {
    /// When it ends, counted from its start.
    pub(crate) fn length_ns(&self) -> i64 {
        let seconds = self.ramp_s.saturating_add(self.hold_s).saturating_add(self.shift_s);
        seconds.saturating_mul(S)
    }

    /// How many users are wanted at a time since its start.
    pub(crate) fn users_at(&self, at_ns: i64) -> u32 {
        if at_ns >= self.length_ns() {
            return 0;
        }
        let mut there = 0;
        let mut missing = self.target;
        while there < missing {
            let middle = there + (missing - there) / 2;
            if self.reaches_ns(middle).is_some_and(|reached_ns| reached_ns <= at_ns) {
                there = middle + 1;
            } else {
                missing = middle;
            }
        }
        there
    }

    /// When more than `user` users are wanted for the first time, since its start. None: never.
    ///
    /// The plug-in's number of users is `round(target / ramp * time)`, or that of steps that are
    /// even in time and size. It looks once a second; here each user has its instant.
    pub(crate) fn reaches_ns(&self, user: u32) -> Option<i64> {
        if user >= self.target {
            return None;
        }
        let target = f64::from(self.target);
        let ramp_s = self.ramp_s as f64;
        let at_s = if self.ramp_s <= 0 {
            0.0
        } else if self.steps > 0 {
            let size = target / self.steps as f64;
            // The step that makes round(size * step) more than `user`: the first is step 1, at
            // once.
            let step = ((f64::from(user) + 0.5) / size).ceil().max(1.0);
            (step - 1.0) * (ramp_s / self.steps as f64)
        } else {
            (f64::from(user) + 0.5) / (target / ramp_s)
        };
        let at_ns = (at_s * S as f64).ceil() as i64 + self.shift_s.max(0).saturating_mul(S);
        (at_ns < self.length_ns()).then_some(at_ns)
    }
}

/// The schedule of a group that starts at a given time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Concurrency {
    plan: ConcurrencyPlan,
    start_ns: i64,
}

impl Concurrency {
    pub(crate) fn new(plan: ConcurrencyPlan, start_ns: i64) -> Self {
        Self { plan, start_ns }
    }
}

impl Schedule for Concurrency {
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_> {
        let end_ns = i64::MAX;
        Box::new((0..self.plan.target).map_while(move |user| {
            let start_ns = self.start_ns.saturating_add(self.plan.reaches_ns(user)?);
            Some(Start { user, start_ns, end_ns })
        }))
    }

    fn users(&self) -> u32 {
        self.plan.target
    }

    fn end_ns(&self) -> Option<i64> {
        Some(self.start_ns.saturating_add(self.plan.length_ns()))
    }

    fn mode(&self) -> ScheduleMode<'_> {
        ScheduleMode::ConstantConcurrency(&self.plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(plan: ConcurrencyPlan) -> Vec<f64> {
        Concurrency::new(plan, 0).starts().map(|start| start.start_ns as f64 / 1e9).collect()
    }

    #[test]
    fn a_steady_rise_is_rounded_to_whole_users() {
        let plan = ConcurrencyPlan { target: 4, ramp_s: 8, hold_s: 10, ..ConcurrencyPlan::default() };
        // round(t / 2) is 1 from 1 s on, 2 from 3 s on.
        assert_eq!(starts(plan), [1.0, 3.0, 5.0, 7.0]);
        assert_eq!(Concurrency::new(plan, 0).end_ns(), Some(18 * S));
        assert_eq!(starts(ConcurrencyPlan { ramp_s: 0, ..plan }), [0.0; 4]);
        assert_eq!(starts(ConcurrencyPlan { shift_s: 2, ..plan }), [3.0, 5.0, 7.0, 9.0]);
    }

    #[test]
    fn as_many_are_wanted_as_have_been_reached() {
        for (target, steps) in [(4, 0), (5, 2), (100, 7), (0, 0)] {
            let plan = ConcurrencyPlan { target, ramp_s: 8, steps, hold_s: 1, shift_s: 1 };
            for at_ns in (0..90).map(|tenths| tenths * S / 10) {
                let reached = (0..target).filter(|user| plan.reaches_ns(*user).is_some_and(|ns| ns <= at_ns));
                assert_eq!(plan.users_at(at_ns) as usize, reached.count(), "{plan:?} at {at_ns}");
            }
            assert_eq!(plan.users_at(plan.length_ns()), 0);
        }
    }

    #[test]
    fn steps_are_even_in_time_and_size() {
        let plan =
            ConcurrencyPlan { target: 4, ramp_s: 10, steps: 2, hold_s: 1, ..ConcurrencyPlan::default() };
        assert_eq!(starts(plan), [0.0, 0.0, 5.0, 5.0]);
        // With 5 users in 2 steps, round(2.5) = 3 are first, as Java rounds.
        assert_eq!(starts(ConcurrencyPlan { target: 5, ..plan }), [0.0, 0.0, 0.0, 5.0, 5.0]);
        // More steps than users.
        assert_eq!(starts(ConcurrencyPlan { target: 2, steps: 5, ..plan }), [2.0, 6.0]);
    }

    #[test]
    fn times_are_those_at_which_the_plug_ins_number_rises() {
        for (target, ramp_s, steps) in [(7, 13, 0), (7, 13, 3), (10, 3, 4), (3, 20, 7), (100, 60, 10)] {
            let plan = ConcurrencyPlan { target, ramp_s, steps, hold_s: 5, shift_s: 0 };
            let times = starts(plan);
            for at_ms in 0..ramp_s * 1000 {
                let at_s = at_ms as f64 / 1000.0;
                let wanted = if steps > 0 {
                    let size = f64::from(target) / steps as f64;
                    let length = ramp_s as f64 / steps as f64;
                    (size * ((at_s / length).floor() + 1.0) + 0.5).floor()
                } else {
                    (f64::from(target) / ramp_s as f64 * at_s + 0.5).floor()
                };
                let there = times.iter().filter(|time| **time <= at_s).count();
                // A millisecond that is the edge itself can fall to either side.
                let edge = times.iter().any(|time| (time - at_s).abs() < 1e-6);
                assert!(edge || there == wanted as usize, "{plan:?} at {at_s}: {there}, {wanted}");
            }
        }
    }

    #[test]
    fn who_would_start_after_the_end_does_not() {
        let plan = ConcurrencyPlan { target: 3, ramp_s: 3, ..ConcurrencyPlan::default() };
        assert_eq!(starts(plan), [0.5, 1.5, 2.5]);
        assert_eq!(starts(ConcurrencyPlan { target: 2, ..ConcurrencyPlan::default() }), [0.0f64; 0]);
        assert_eq!(starts(ConcurrencyPlan::default()), [0.0f64; 0]);
    }
}
