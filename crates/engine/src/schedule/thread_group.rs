//! `ThreadGroup`, `SetupThreadGroup`, `PostThreadGroup`.

use super::{S, Schedule, Start};

/// Fields of a thread group, evaluated when it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) users: i32,
    pub(crate) ramp_s: i32,
    pub(crate) delayed_start: bool,
    pub(crate) scheduler: bool,
    pub(crate) duration_ns: i64,
    pub(crate) delay_ns: i64,
}

/// Users start evenly over the ramp and end together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadGroupSchedule {
    users: u32,
    ramp_ns: i64,
    start_ns: i64,
    end_ns: i64,
    /// No user starts after the end. (Without delayed start JMeter starts them all, each for one
    /// sample.)
    start_by_end: bool,
}

impl ThreadGroupSchedule {
    /// The schedule of a group that starts at that time, or why it cannot start.
    pub(crate) fn new(fields: &Fields, now_ns: i64) -> Result<Self, String> {
        let mut start_ns = now_ns;
        let mut end_ns = i64::MAX;
        if fields.scheduler {
            let delay_ns = fields.delay_ns;
            let duration_ns = fields.duration_ns;
            if !fields.delayed_start && delay_ns < 0 {
                return Err(format!("the startup delay is {} s and must not be negative", delay_ns / S));
            }
            if !fields.delayed_start && duration_ns <= 0 {
                return Err(format!("the duration is {} s and must be more than 0", duration_ns / S));
            }
            start_ns = now_ns.saturating_add(delay_ns.max(0));
            end_ns = start_ns.saturating_add(duration_ns);
            if duration_ns <= 0 {
                end_ns = i64::MIN;
            }
        }
        Ok(Self {
            users: fields.users.max(0) as u32,
            ramp_ns: i64::from(fields.ramp_s.max(0)) * S,
            start_ns,
            end_ns,
            start_by_end: fields.delayed_start && fields.scheduler,
        })
    }
}

impl ThreadGroupSchedule {
    fn start(&self, user: u32) -> Option<Start> {
        let share = i128::from(self.ramp_ns) * i128::from(user) / i128::from(self.users);
        let start_ns = self.start_ns.saturating_add(share as i64);
        let starts = !self.start_by_end || start_ns <= self.end_ns;
        starts.then_some(Start { user, start_ns, end_ns: self.end_ns })
    }
}

impl Schedule for ThreadGroupSchedule {
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_> {
        Box::new((0..self.users).map_while(|user| self.start(user)))
    }

    fn users(&self) -> u32 {
        self.users
    }

    fn starts_by_end(&self) -> bool {
        self.start_by_end
    }

    fn users_at(&self, at_ns: i64) -> u32 {
        let started_ns = i128::from(at_ns) - i128::from(self.start_ns);
        if started_ns < 0 || at_ns >= self.end_ns || self.users == 0 {
            return 0;
        }
        if self.ramp_ns == 0 {
            return self.users;
        }
        // User k starts at ramp · k / users, rounded down.
        let started = (started_ns + 1) * i128::from(self.users) - 1;
        ((started / i128::from(self.ramp_ns) + 1).min(i128::from(self.users))) as u32
    }

    fn end_ns(&self) -> Option<i64> {
        (self.end_ns != i64::MAX).then_some(self.end_ns.max(self.start_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(fields: Fields) -> Vec<i64> {
        let schedule = ThreadGroupSchedule::new(&fields, 1000 * S).unwrap();
        schedule.starts().map(|start| (start.start_ns - 1000 * S) / 1_000_000).collect()
    }

    #[test]
    fn users_start_evenly_over_the_ramp() {
        let fields = |users, ramp_s| Fields { users, ramp_s, ..Fields::default() };
        assert_eq!(starts(fields(4, 2)), [0, 500, 1000, 1500]);
        assert_eq!(starts(fields(3, 1)), [0, 333, 666]);
        assert_eq!(starts(fields(3, 0)), [0, 0, 0]);
        assert_eq!(starts(fields(2, -5)), [0, 0]);
        assert_eq!(starts(fields(0, 10)), [0i64; 0]);
        assert_eq!(starts(fields(-1, 10)), [0i64; 0]);
    }

    #[test]
    fn as_many_users_should_be_there_as_have_started() {
        for (users, ramp_s) in [(4, 2), (3, 1), (3, 0), (7, 5), (0, 3)] {
            let fields = Fields { users, ramp_s, ..Fields::default() };
            let schedule = ThreadGroupSchedule::new(&fields, 1000 * S).unwrap();
            let times: Vec<_> = schedule.starts().map(|start| start.start_ns).collect();
            let around =
                times.iter().flat_map(|at_ns| [at_ns - 1, *at_ns, at_ns + 1]).chain([0, 1_000_000 * S]);
            for at_ns in around {
                let started = times.iter().filter(|start_ns| **start_ns <= at_ns).count();
                assert_eq!(schedule.users_at(at_ns) as usize, started, "{users} in {ramp_s} s at {at_ns}");
            }
        }
        let fields = Fields { users: 2, scheduler: true, duration_ns: S, ..Fields::default() };
        let schedule = ThreadGroupSchedule::new(&fields, 0).unwrap();
        assert_eq!([-1, 0, S - 1, S].map(|at_ns| schedule.users_at(at_ns)), [0, 2, 2, 0]);
    }

    #[test]
    fn all_end_together_after_delay_and_duration() {
        let fields = Fields {
            users: 2,
            ramp_s: 4,
            scheduler: true,
            duration_ns: 10 * S,
            delay_ns: 3 * S,
            ..Fields::default()
        };
        let schedule = ThreadGroupSchedule::new(&fields, 0).unwrap();
        assert_eq!(schedule.start(0), Some(Start { user: 0, start_ns: 3 * S, end_ns: 13 * S }));
        assert_eq!(schedule.start(1), Some(Start { user: 1, start_ns: 5 * S, end_ns: 13 * S }));
        assert_eq!(schedule.end_ns(), Some(13 * S));
        let fields = Fields { duration_ns: 10 * S, delay_ns: 3 * S, users: 1, ..Fields::default() };
        let schedule = ThreadGroupSchedule::new(&fields, 0).unwrap();
        assert_eq!(schedule.start(0), Some(Start { user: 0, start_ns: 0, end_ns: i64::MAX }), "no scheduler");
    }

    #[test]
    fn a_delayed_start_ends_with_the_schedule() {
        let fields = Fields { users: 4, ramp_s: 8, scheduler: true, duration_ns: 5 * S, ..Fields::default() };
        assert_eq!(starts(fields), [0, 2000, 4000, 6000]);
        assert_eq!(starts(Fields { delayed_start: true, ..fields }), [0, 2000, 4000]);
        assert_eq!(starts(Fields { delayed_start: true, duration_ns: 0, ..fields }), [0i64; 0]);
    }

    #[test]
    fn a_scheduler_needs_a_duration() {
        let fields = Fields { users: 1, scheduler: true, ..Fields::default() };
        assert!(ThreadGroupSchedule::new(&fields, 0).unwrap_err().contains("duration"));
        let fields = Fields { delay_ns: -S, duration_ns: S, ..fields };
        assert!(ThreadGroupSchedule::new(&fields, 0).unwrap_err().contains("delay"));
    }
}
