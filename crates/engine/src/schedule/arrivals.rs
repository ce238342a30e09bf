//! Arrivals Thread Group and Free-Form Arrivals Thread Group
//! (`com.blazemeter.jmeter.threads.arrivals`): iterations start at a rate, regardless of earlier
//! ones.

use super::{S, Schedule, ScheduleMode, Start};

/// How long the plug-in continues in a schedule with rate 0.
const NOTHING_MS: f64 = 200.0;

/// Arrivals a second over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rate {
    /// `ArrivalsThreadGroup`.
    Ramp(Ramp),
    /// `FreeFormArrivalsThreadGroup`.
    FreeForm(Vec<Chunk>),
}

/// A ramp to a rate, which is then held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_field_names, reason = "the plug-in's name for the rise")]
pub(crate) struct Ramp {
    pub(crate) per_second: f64,
    pub(crate) ramp_s: f64,
    /// Steps of the rise; 0 for a steady one.
    pub(crate) steps: f64,
    pub(crate) hold_s: f64,
    /// The plug-in's way with a rise: nothing at all arrives before the end of a steady one, and
    /// the step at the very end of the ramp is higher than the last.
    pub(crate) as_plug_in: bool,
}

/// A part of a free-form schedule, from one rate to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Chunk {
    pub(crate) from_per_second: f64,
    pub(crate) to_per_second: f64,
    pub(crate) length_s: f64,
}

/// Properties of a group in addition to its rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArrivalsPlan {
    /// No more arrivals than that.
    pub(crate) limit: Option<u64>,
    /// No more users at a time; an arrival beyond is dropped.
    pub(crate) at_most: Option<u32>,
}

/// The schedule of a group that starts at a given time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arrivals {
    rate: Rate,
    plan: ArrivalsPlan,
    start_ns: i64,
    end_ns: i64,
}

impl Arrivals {
    pub(crate) fn new(rate: Rate, plan: ArrivalsPlan, start_ns: i64) -> Self {
        let end_s = rate.length_s();
        // The test ends with the last allowed arrival, if that comes first.
        let last =
            plan.limit.and_then(|limit| Times::new(&rate).nth(usize::try_from(limit).ok()?.checked_sub(1)?));
        let end_ns = start_ns.saturating_add(in_ns(last.unwrap_or(end_s)));
        Self { rate, plan, start_ns, end_ns }
    }
}

impl Schedule for Arrivals {
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_> {
        let limit = self.plan.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let times = Times::new(&self.rate).take(limit);
        let start = |(user, at_s)| Start {
            user,
            start_ns: self.start_ns.saturating_add(in_ns(at_s)),
            end_ns: i64::MAX,
        };
        Box::new((0..).zip(times).map(start))
    }

    fn users(&self) -> u32 {
        0
    }

    fn end_ns(&self) -> Option<i64> {
        Some(self.end_ns)
    }

    fn per_second_at(&self, at_ns: i64) -> Option<f64> {
        let at_s = (at_ns - self.start_ns) as f64 / S as f64;
        let runs = (self.start_ns..self.end_ns).contains(&at_ns);
        Some(if runs { self.rate.wanted_at(at_s) } else { 0.0 })
    }

    fn mode(&self) -> ScheduleMode<'_> {
        ScheduleMode::Iterations { at_most: self.plan.at_most }
    }
}

fn in_ns(seconds: f64) -> i64 {
    (seconds * S as f64).round() as i64
}

/// Times of arrivals in seconds.
struct Times<'a> {
    rate: &'a Rate,
    /// Milliseconds, as in the plug-in: common intervals add up without a rest.
    at_ms: f64,
    count: u64,
}

impl<'a> Times<'a> {
    fn new(rate: &'a Rate) -> Self {
        Self { rate, at_ms: 0.0, count: 0 }
    }
}

impl Iterator for Times<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        if let Rate::Ramp(ramp) = self.rate
            && let Some(at_s) = ramp.steady(self.count)
        {
            self.at_ms = at_s * 1000.0;
        }
        loop {
            let at_s = self.at_ms / 1000.0;
            let per_second = self.rate.at(at_s)?;
            if per_second > 0.0 {
                self.at_ms += 1000.0 / per_second;
                self.count += 1;
                return Some(at_s);
            }
            self.at_ms += NOTHING_MS;
        }
    }
}

impl Rate {
    fn length_s(&self) -> f64 {
        match self {
            Self::Ramp(ramp) => ramp.ramp_s + ramp.hold_s,
            Self::FreeForm(chunks) => chunks.iter().map(|chunk| chunk.length_s.max(0.0).floor()).sum(),
        }
    }

    /// The rate at a time as the schedule means it, a steady rise included.
    fn wanted_at(&self, at_s: f64) -> f64 {
        match self {
            Self::Ramp(ramp) if ramp.is_steady() && at_s < ramp.ramp_s => {
                ramp.per_second * at_s / ramp.ramp_s
            }
            _ => self.at(at_s).unwrap_or(0.0),
        }
    }

    /// The rate at a time; `None` after the end of the schedule.
    fn at(&self, at_s: f64) -> Option<f64> {
        match self {
            Self::Ramp(ramp) => ramp.at(at_s),
            Self::FreeForm(chunks) => free_form(chunks, at_s),
        }
    }
}

impl Ramp {
    fn is_steady(&self) -> bool {
        self.ramp_s > 0.0 && self.steps <= 0.0
    }

    /// The time of an arrival in a steady rise and after it: when the rate adds up to that number.
    fn steady(&self, count: u64) -> Option<f64> {
        if !self.is_steady() || self.as_plug_in || self.per_second <= 0.0 {
            return None;
        }
        let count = count as f64;
        let in_ramp = self.per_second * self.ramp_s / 2.0;
        if count <= in_ramp {
            return Some((2.0 * count * self.ramp_s / self.per_second).sqrt());
        }
        Some(self.ramp_s + (count - in_ramp) / self.per_second)
    }

    fn at(&self, at_s: f64) -> Option<f64> {
        if at_s >= self.ramp_s + self.hold_s {
            return None;
        }
        if self.ramp_s <= 0.0 || at_s > self.ramp_s {
            return Some(self.per_second);
        }
        if self.is_steady() {
            // The plug-in works out a rate from the number of arrivals so far; from none it never
            // gets away.
            return Some(if self.as_plug_in { 0.0 } else { self.per_second });
        }
        let mut step = (at_s / (self.ramp_s / self.steps)).floor() + 1.0;
        if !self.as_plug_in {
            step = step.min(self.steps);
        }
        Some(self.per_second / self.steps * step)
    }
}

/// The rate on the way from one row's start to its end. Ends of rows are whole seconds.
fn free_form(chunks: &[Chunk], at_s: f64) -> Option<f64> {
    let mut offset_s = 0.0_f64;
    for chunk in chunks.iter().filter(|chunk| chunk.length_s > 0.0) {
        let progress = (at_s - offset_s) / chunk.length_s;
        offset_s = (offset_s + chunk.length_s).floor();
        if at_s <= offset_s {
            let rise = chunk.to_per_second - chunk.from_per_second;
            let per_second = chunk.from_per_second + progress * rise;
            return (per_second >= 0.0).then_some(per_second);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(rate: &Rate) -> Vec<f64> {
        Times::new(rate).map(|at_s: f64| (at_s * 1e6).round() / 1e6).collect()
    }

    fn ramp(per_second: f64, ramp_s: f64, steps: f64, hold_s: f64) -> Ramp {
        Ramp { per_second, ramp_s, steps, hold_s, as_plug_in: false }
    }

    #[test]
    fn a_rate_that_is_held_is_even_from_the_start() {
        assert_eq!(times(&Rate::Ramp(ramp(4.0, 0.0, 0.0, 1.5))), [0.0, 0.25, 0.5, 0.75, 1.0, 1.25]);
        assert_eq!(times(&Rate::Ramp(ramp(0.0, 0.0, 0.0, 1.5))), [0.0f64; 0]);
    }

    #[test]
    fn steps_are_even_in_time_and_height() {
        let times = times(&Rate::Ramp(ramp(10.0, 4.0, 2.0, 1.0)));
        assert_eq!(times.len(), 40);
        assert_eq!(times[..3], [0.0, 0.2, 0.4]);
        assert_eq!(times[10..13], [2.0, 2.1, 2.2]);
        assert_eq!(times[39..], [4.9]);
    }

    #[test]
    fn a_steady_rise_has_its_arrivals_where_the_rate_adds_up_to_whole_numbers() {
        let rate = Rate::Ramp(ramp(10.0, 2.0, 0.0, 1.0));
        let times = times(&rate);
        assert_eq!(times.len(), 20, "10 on the ramp, 10 after it");
        assert_eq!((times[0], times[10], times[11]), (0.0, 2.0, 2.1));
        for (count, at_s) in (0..).zip(&times[..10]) {
            let arrived = 10.0 / 2.0 * at_s * at_s / 2.0;
            assert!((arrived - f64::from(count)).abs() < 1e-4, "{count} at {at_s}");
        }
    }

    #[test]
    fn the_plug_ins_own_way_with_a_rise() {
        // As seen with version 2.10: nothing for 3.2 s, then the whole rate; 18 arrivals.
        let seen = times(&Rate::Ramp(Ramp { as_plug_in: true, ..ramp(10.0, 3.0, 0.0, 2.0) }));
        assert_eq!((seen[0], seen.len()), (3.2, 18));
        // And one interval of two thirds at the end of the steps: 41.
        let seen = times(&Rate::Ramp(Ramp { as_plug_in: true, ..ramp(10.0, 4.0, 2.0, 1.0) }));
        assert_eq!((seen[30], seen[31], seen.len()), (4.0, 4.066_667, 41));
    }

    #[test]
    fn a_free_form_schedule_follows_its_rows() {
        let chunk =
            |from_per_second, to_per_second, length_s| Chunk { from_per_second, to_per_second, length_s };
        let flat = Rate::FreeForm(vec![chunk(2.0, 2.0, 1.0), chunk(4.0, 4.0, 1.0)]);
        assert_eq!(times(&flat), [0.0, 0.5, 1.0, 1.5, 1.75, 2.0], "ends of rows belong to the row before");
        let rise = times(&Rate::FreeForm(vec![chunk(0.0, 100.0, 10.0)]));
        assert_eq!(rise[..1], [0.2], "nothing at rate 0");
        assert!((rise.len() as f64 - 500.0).abs() < 15.0, "{}", rise.len());
        let pause = Rate::FreeForm(vec![chunk(0.0, 0.0, 2.0), chunk(1.0, 1.0, 2.0), chunk(0.0, 0.0, 0.0)]);
        assert_eq!(times(&pause), [2.2, 3.2]);
        assert_eq!(times(&Rate::FreeForm(vec![chunk(-1.0, -1.0, 2.0)])), [0.0f64; 0]);
    }

    #[test]
    fn a_limit_ends_the_test_with_its_last_arrival() {
        let plan = ArrivalsPlan { limit: Some(3), at_most: None };
        let arrivals = Arrivals::new(Rate::Ramp(ramp(10.0, 0.0, 0.0, 60.0)), plan, 5 * S);
        assert_eq!(arrivals.end_ns(), Some(5 * S + S / 5));
        let starts: Vec<_> = arrivals.starts().map(|start| (start.user, start.start_ns - 5 * S)).collect();
        assert_eq!(starts, [(0, 0), (1, S / 10), (2, S / 5)]);
        let arrivals = Arrivals::new(Rate::Ramp(ramp(1.0, 0.0, 0.0, 2.0)), plan, 0);
        assert_eq!((arrivals.starts().count(), arrivals.end_ns()), (2, Some(2 * S)));
    }
}
