//! When the arrivals of a slice are due: by the schedule, by a multiple of it, or by a rate that
//! control has set.

use std::collections::VecDeque;
use std::iter::Peekable;

use super::super::ramp::{Ramp, RampedRate};
use crate::schedule::{Schedule, Slice, Start};

/// Future arrivals.
pub(super) struct Arrivals<'a> {
    plan: Peekable<Box<dyn Iterator<Item = Start> + 'a>>,
    slice: Slice,
    /// What control wants: the rate that it has set, and the factor.
    per_second: Option<Ramp>,
    factor: Ramp,
    /// From when they hold.
    since_ns: i64,
    /// Arrivals at rates of control, over all slices, up to then; with the part of the next one.
    done: f64,
    /// How many of them this slice has given.
    given: u32,
    /// Arrivals that were made of one of the plan.
    made: VecDeque<i64>,
    /// The part of an arrival that is left over by a factor.
    rest: f64,
}

/// The next arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    pub(super) due_ns: i64,
    /// The user's number, where it is that of the plan.
    pub(super) user: Option<u32>,
}

impl<'a> Arrivals<'a> {
    pub(super) fn new(schedule: &'a dyn Schedule, slice: Slice) -> Self {
        let plan: Box<dyn Iterator<Item = Start> + 'a> = Box::new(slice.cut(schedule.starts()));
        let made = VecDeque::new();
        let rest = 0.0;
        Self {
            plan: plan.peekable(),
            slice,
            per_second: None,
            factor: Ramp::constant(1.0),
            since_ns: 0,
            done: 0.0,
            given: 0,
            made,
            rest,
        }
    }

    /// The slice was begun elsewhere: arrivals before `now_ns` are not made up for. Returns how
    /// many were missed since `lost_ns`.
    pub(super) fn begin_at(&mut self, now_ns: i64, lost_ns: i64) -> u64 {
        let mut missed = 0;
        while let Some(start) = self.plan.next_if(|start| start.start_ns < now_ns) {
            missed += u64::from(start.start_ns >= lost_ns);
        }
        missed
    }

    /// Control has changed the load. What the plan wanted before that, while a rate of control
    /// held, is not made up for; from one rate of control to another the time to the next arrival
    /// is kept in proportion, so that there is neither a burst nor a hole.
    pub(super) fn adjust(&mut self, per_second: Option<Ramp>, factor: Ramp, now_ns: i64) {
        if (per_second, factor) == (self.per_second, self.factor) {
            return;
        }
        self.done = if let (Some(rate), Some(_)) = (self.rate(), per_second) {
            self.done + rate.events(self.since_ns, now_ns)
        } else {
            self.given = 0;
            0.0
        };
        if self.per_second.is_some() || self.factor != factor {
            self.made.clear();
            while self.plan.next_if(|start| start.start_ns < now_ns).is_some() {}
        }
        (self.per_second, self.factor) = (per_second, factor);
        (self.since_ns, self.rest) = (now_ns, 0.0);
    }

    /// What control wants instead of the plan's arrivals.
    fn rate(&self) -> Option<RampedRate> {
        self.per_second.map(|per_second| RampedRate { per_second, factor: self.factor })
    }

    /// Arrivals are those of the plan, one by one.
    fn is_as_planned(&self) -> bool {
        self.factor.stays(1.0, self.since_ns)
    }

    /// The next arrival; none if there is none as things are.
    pub(super) fn next(&mut self) -> Option<Arrival> {
        if let Some(rate) = self.rate() {
            let events = f64::from(self.slice.place(self.given)) + 1.0 - self.done;
            let due_ns = rate.time_of(events, self.since_ns)?;
            return Some(Arrival { due_ns, user: None });
        }
        if self.is_as_planned() {
            let start = self.plan.peek()?;
            return Some(Arrival { due_ns: start.start_ns, user: Some(start.user) });
        }
        while self.made.is_empty() {
            self.multiply()?;
        }
        self.made.front().map(|due_ns| Arrival { due_ns: *due_ns, user: None })
    }

    /// The next arrival has come.
    pub(super) fn take(&mut self) {
        if self.per_second.is_some() {
            self.given += 1;
        } else if self.is_as_planned() {
            self.plan.next();
        } else {
            self.made.pop_front();
        }
    }

    /// Makes as many of the plan's next arrival as the factor says, evenly up to the one after it.
    fn multiply(&mut self) -> Option<()> {
        let start_ns = self.plan.next()?.start_ns;
        let next_ns = self.plan.peek().map_or(start_ns, |next| next.start_ns);
        let count = self.factor.at(start_ns) + self.rest;
        self.rest = count.fract();
        let count = count as i64;
        let apart =
            |place: i64| (i128::from(next_ns - start_ns) * i128::from(place) / i128::from(count)) as i64;
        self.made.extend((0..count).map(|place| start_ns.saturating_add(apart(place))));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Table;

    const MS: i64 = 1_000_000;

    fn schedule(due_ms: &[i64]) -> Table {
        let start = |(user, at): (u32, &i64)| Start { user, start_ns: at * MS, end_ns: i64::MAX };
        Table::new((0..).zip(due_ms).map(start).collect())
    }

    const ONE: Ramp = Ramp::constant(1.0);
    const WHOLE: Slice = Slice { first: 0, step: 1 };

    fn due_ms(arrivals: &mut Arrivals<'_>, count: usize) -> Vec<i64> {
        let due = (0..count).map_while(|_| {
            let next = arrivals.next()?;
            arrivals.take();
            Some(next.due_ns / MS)
        });
        due.collect()
    }

    #[test]
    fn without_a_change_they_are_those_of_the_plan_with_its_numbers() {
        let schedule = schedule(&[0, 10, 20, 30, 40]);
        let mut second = Arrivals::new(&schedule, Slice { first: 1, step: 2 });
        assert_eq!(second.next(), Some(Arrival { due_ns: 10 * MS, user: Some(1) }));
        assert_eq!(due_ms(&mut second, 9), [10, 30]);
    }

    #[test]
    fn of_a_slice_that_was_begun_elsewhere_only_arrivals_to_come_are_made() {
        let schedule = schedule(&[0, 10, 20, 30, 40, 50]);
        let mut arrivals = Arrivals::new(&schedule, WHOLE);
        assert_eq!(arrivals.begin_at(35 * MS, 10 * MS), 3, "those of 10, 20 and 30");
        assert_eq!(due_ms(&mut arrivals, 9), [40, 50]);
    }

    #[test]
    fn a_factor_makes_more_or_fewer_evenly() {
        let plan: Vec<_> = (0..10).map(|at| at * 10).collect();
        let schedule = schedule(&plan);
        let mut double = Arrivals::new(&schedule, WHOLE);
        double.adjust(None, Ramp::constant(2.0), -1);
        assert_eq!(due_ms(&mut double, 5), [0, 5, 10, 15, 20]);
        let mut less = Arrivals::new(&schedule, WHOLE);
        less.adjust(None, Ramp::constant(0.4), -1);
        assert_eq!(due_ms(&mut less, 9), [20, 40, 70, 90]);
        let mut none = Arrivals::new(&schedule, WHOLE);
        none.adjust(None, Ramp::constant(0.0), -1);
        assert_eq!(none.next(), None);
    }

    #[test]
    fn a_rate_of_control_takes_the_place_of_the_plan_until_it_is_taken_back() {
        let plan: Vec<_> = (0..100).map(|at| at * 10).collect();
        let schedule = schedule(&plan);
        let mut slices = [0, 1].map(|first| Arrivals::new(&schedule, Slice { first, step: 2 }));
        for arrivals in &mut slices {
            arrivals.adjust(Some(Ramp::constant(200.0)), ONE, 100 * MS);
        }
        assert_eq!(slices.each_mut().map(|one| due_ms(one, 3)), [[105, 115, 125], [110, 120, 130]]);
        for arrivals in &mut slices {
            arrivals.adjust(None, ONE, 500 * MS);
        }
        assert_eq!(
            slices.each_mut().map(|one| due_ms(one, 2)),
            [[500, 520], [510, 530]],
            "nothing is made up for"
        );
        slices[0].adjust(Some(Ramp::constant(0.0)), ONE, 600 * MS);
        assert_eq!(slices[0].next(), None);
    }

    #[test]
    fn from_one_rate_to_another_there_is_neither_a_burst_nor_a_hole() {
        let schedule = schedule(&[]);
        let mut arrivals = Arrivals::new(&schedule, WHOLE);
        arrivals.adjust(Some(Ramp::constant(10.0)), ONE, 0);
        assert_eq!(due_ms(&mut arrivals, 2), [100, 200]);
        arrivals.adjust(Some(Ramp::constant(20.0)), ONE, 250 * MS);
        assert_eq!(due_ms(&mut arrivals, 2), [275, 325], "half of the way to the next had passed");
        arrivals.adjust(Some(Ramp::constant(0.0)), ONE, 350 * MS);
        assert_eq!(arrivals.next(), None);
        arrivals.adjust(Some(Ramp::constant(5.0)), ONE, 900 * MS);
        assert_eq!(due_ms(&mut arrivals, 2), [1000, 1200], "the half that had passed is kept");
    }

    #[test]
    fn a_rate_rises_by_a_ramp_over_all_slices_together() {
        let schedule = schedule(&[]);
        let mut slices = [0, 1].map(|first| Arrivals::new(&schedule, Slice { first, step: 2 }));
        let ramp = Ramp::new(0.0, 100.0, 0, 2_000 * MS);
        for one in &mut slices {
            one.adjust(Some(ramp), ONE, 0);
        }
        let mut due: Vec<_> = slices.iter_mut().flat_map(|one| due_ms(one, 100)).collect();
        due.sort_unstable();
        let by = |ms| due.iter().filter(|due| **due < ms).count();
        assert_eq!((by(1_000), by(2_000), due.len()), (24, 99, 200), "the area below the line");
    }

    #[test]
    fn a_factor_that_rises_makes_more_and_more_of_the_plan() {
        let plan: Vec<_> = (0..200).map(|at| at * 10).collect();
        let schedule = schedule(&plan);
        let mut arrivals = Arrivals::new(&schedule, WHOLE);
        arrivals.adjust(None, Ramp::new(1.0, 3.0, 0, 1_000 * MS), 0);
        let due = due_ms(&mut arrivals, usize::MAX);
        let between = |from, to| due.iter().filter(|due| (from..to).contains(*due)).count();
        // The factors of the first second add up to 199, or to a little less in binary fractions.
        assert!((198..=199).contains(&between(0, 1_000)), "{}", between(0, 1_000));
        assert_eq!(between(1_000, 2_000), 300);
    }
}
