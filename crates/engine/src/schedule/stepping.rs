//! Stepping Thread Group (`kg.apc.jmeter.threads.SteppingThreadGroup`): users start in groups,
//! hold, and end in groups.

use super::{MS, Start, Table};

/// Fields of the group, evaluated when it starts. Times are whole seconds, as in the plug-in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SteppingFields {
    pub(crate) users: i64,
    /// "First, wait for".
    pub(crate) delay_s: i64,
    /// "Then start": users of the first step; 0 as many as of the others.
    pub(crate) burst: i64,
    /// "Next, add": users of a step; 0 all.
    pub(crate) step: i64,
    /// "threads every": pause after a step.
    pub(crate) period_s: i64,
    /// "using ramp-up": how long a step takes.
    pub(crate) ramp_s: i64,
    /// "Then hold load for".
    pub(crate) hold_s: i64,
    /// "Finally, stop": users that end together; 0 all.
    pub(crate) stop: i64,
    /// "threads every": pause between these.
    pub(crate) stop_period_s: i64,
}

/// Numbers that follow from the fields.
struct Shape {
    burst: i64,
    step: i64,
    stop: i64,
    ramp_ms: i64,
    /// From the start of a step to that of the next.
    pace_ms: i64,
    /// When the first users end.
    descent_ms: i64,
}

impl SteppingFields {
    /// The lives of all users of a group that starts at that time. The first to start are the first
    /// to end.
    pub(crate) fn table(&self, now_ns: i64) -> Table {
        let shape = self.shape();
        let at = |ms: i64| now_ns.saturating_add(ms.saturating_mul(MS));
        let start = |user: i64| Start {
            user: user as u32,
            start_ns: at(self.start_ms(&shape, user)),
            end_ns: at(shape.descent_ms + ms(self.stop_period_s).saturating_mul(user / shape.stop)),
        };
        Table::new((0..self.users.max(0)).map(start).collect())
    }

    fn shape(&self) -> Shape {
        let users = self.users.max(1);
        let or_all = |count: i64| if count <= 0 { users } else { count };
        let step = or_all(self.step);
        let stop = or_all(self.stop);
        let burst = if self.burst.min(users) <= 0 { step } else { self.burst.min(users) };
        let ramp_ms = ms(self.ramp_s);
        let pace_ms = ms(self.period_s).saturating_add(ramp_ms);
        let left = users - burst;
        // Without users left there is one step all the same, of one step's size. So the plug-in
        // counts.
        let steps = if left < 0 { 1 } else { (left + step - 1) / step };
        let last = if left % step == 0 { step } else { left % step };
        let climb_ms = steps.saturating_mul(pace_ms).saturating_add((ramp_ms / step).saturating_mul(last));
        let descent_ms = ms(self.delay_s).saturating_add(climb_ms).saturating_add(ms(self.hold_s));
        Shape { burst, step, stop, ramp_ms, pace_ms, descent_ms }
    }

    /// From the start of the group to that of a user.
    fn start_ms(&self, shape: &Shape, user: i64) -> i64 {
        let (steps, place, size) = if user < shape.burst {
            (0, user, shape.burst)
        } else {
            let beyond = user - shape.burst;
            (1 + beyond / shape.step, beyond % shape.step, shape.step)
        };
        ms(self.delay_s) + steps.saturating_mul(shape.pace_ms) + place.saturating_mul(shape.ramp_ms / size)
    }
}

fn ms(seconds: i64) -> i64 {
    seconds.saturating_mul(1000)
}

#[cfg(test)]
mod tests {
    use super::super::Schedule;
    use super::*;

    /// Number, start and end of each user in seconds.
    fn lives(fields: SteppingFields) -> Vec<(u32, f64, f64)> {
        let table = fields.table(0);
        let seconds = |ns: i64| ns as f64 / 1e9;
        table.starts().map(|start| (start.user, seconds(start.start_ns), seconds(start.end_ns))).collect()
    }

    #[test]
    fn steps_up_hold_and_steps_down() {
        let fields = SteppingFields {
            users: 5,
            delay_s: 1,
            burst: 0,
            step: 2,
            period_s: 3,
            ramp_s: 2,
            hold_s: 10,
            stop: 2,
            stop_period_s: 4,
        };
        // Steps of 2 at 1, 6 and 11; the last has one user. Two steps of 5 s after the first, then
        // the last user's part of the ramp, then the hold: the descent starts at 1 + 10 + 1 + 10.
        let wanted = [(0, 1.0, 22.0), (1, 2.0, 22.0), (2, 6.0, 26.0), (3, 7.0, 26.0), (4, 11.0, 30.0)];
        assert_eq!(lives(fields), wanted);
        assert_eq!(fields.table(0).end_ns(), Some(30_000_000_000));
    }

    #[test]
    fn the_first_step_can_be_of_another_size() {
        let fields = SteppingFields {
            users: 6,
            burst: 3,
            step: 1,
            period_s: 5,
            ramp_s: 0,
            hold_s: 7,
            ..SteppingFields::default()
        };
        let wanted = [
            (0, 0.0, 22.0),
            (1, 0.0, 22.0),
            (2, 0.0, 22.0),
            (3, 5.0, 22.0),
            (4, 10.0, 22.0),
            (5, 15.0, 22.0),
        ];
        assert_eq!(lives(fields), wanted, "three steps of 5 s, hold 7 s; all stop together");
    }

    #[test]
    fn the_ramp_of_a_step_is_shared_by_its_users() {
        let fields = SteppingFields {
            users: 6,
            burst: 4,
            step: 2,
            period_s: 1,
            ramp_s: 4,
            ..SteppingFields::default()
        };
        let starts: Vec<_> = lives(fields).iter().map(|life| life.1).collect();
        assert_eq!(starts, [0.0, 1.0, 2.0, 3.0, 5.0, 7.0]);
    }

    #[test]
    fn a_burst_of_more_than_all_is_all() {
        let fields = SteppingFields {
            users: 2,
            burst: 9,
            step: 9,
            period_s: 1,
            ramp_s: 2,
            hold_s: 3,
            stop: 1,
            stop_period_s: 2,
            ..SteppingFields::default()
        };
        let lives = lives(fields);
        assert_eq!((lives[0].1, lives[1].1), (0.0, 1.0));
        assert!((lives[1].2 - lives[0].2 - 2.0).abs() < 1e-9, "one every two seconds");
    }

    #[test]
    fn no_users_and_numbers_without_sense_do_no_harm() {
        assert_eq!(lives(SteppingFields::default()), []);
        assert_eq!(lives(SteppingFields { users: -3, ..SteppingFields::default() }), []);
        let all = SteppingFields {
            users: 3,
            step: -1,
            stop: -1,
            burst: -1,
            hold_s: 5,
            ..SteppingFields::default()
        };
        assert_eq!(lives(all), [(0, 0.0, 5.0), (1, 0.0, 5.0), (2, 0.0, 5.0)]);
    }
}
