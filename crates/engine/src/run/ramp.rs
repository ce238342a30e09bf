//! A value set by control, reached immediately or along a straight line over time.

/// A straight line from one value to another, constant after that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ramp {
    from: f64,
    to: f64,
    start_ns: i64,
    end_ns: i64,
}

impl Ramp {
    /// A value that holds at all times.
    pub(crate) const fn constant(value: f64) -> Self {
        Self { from: value, to: value, start_ns: i64::MIN, end_ns: i64::MIN }
    }

    /// From one value at `start_ns` to another `over_ns` later.
    pub(super) fn new(from: f64, to: f64, start_ns: i64, over_ns: i64) -> Self {
        Self { from, to, start_ns, end_ns: start_ns.saturating_add(over_ns) }
    }

    /// The value at a time.
    pub(crate) fn at(&self, now_ns: i64) -> f64 {
        if now_ns >= self.end_ns {
            return self.to;
        }
        let passed = (now_ns - self.start_ns).max(0) as f64 / (self.end_ns - self.start_ns).max(1) as f64;
        self.from + (self.to - self.from) * passed
    }

    /// Whether the value still changes after that time.
    pub(crate) fn changes_after(&self, now_ns: i64) -> bool {
        now_ns < self.end_ns
    }

    /// Whether it is that value at all times from then on.
    #[expect(clippy::float_cmp, reason = "values are assigned, never computed")]
    pub(crate) fn stays(&self, value: f64, now_ns: i64) -> bool {
        self.to == value && !self.changes_after(now_ns)
    }

    /// The value that it ends at.
    pub(crate) fn last(&self) -> f64 {
        self.to
    }

    /// The higher of its two ends.
    pub(crate) fn peak(&self) -> f64 {
        self.from.max(self.to)
    }
}

/// An event rate as the product of two ramps: the rate set by control, and the factor for the whole
/// load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RampedRate {
    pub(super) per_second: Ramp,
    pub(super) factor: Ramp,
}

/// Halvings of an interval until the time of an event is exact to the nanosecond: an hour has 2^42
/// of them.
const HALVINGS: u32 = 64;

impl RampedRate {
    fn at(&self, at_ns: i64) -> f64 {
        self.per_second.at(at_ns) * self.factor.at(at_ns)
    }

    /// How many events there are between two times.
    pub(super) fn events(&self, from_ns: i64, to_ns: i64) -> f64 {
        let Self { per_second, factor } = self;
        let mut bends = [per_second.start_ns, per_second.end_ns, factor.start_ns, factor.end_ns];
        bends.sort_unstable();
        let mut at_ns = from_ns;
        let mut sum = 0.0;
        for until_ns in bends.map(|bend_ns| bend_ns.clamp(from_ns, to_ns)).into_iter().chain([to_ns]) {
            // Between two bends the rate is a polynomial of the second degree, for which Simpson's
            // rule is exact.
            let middle_ns = at_ns + (until_ns - at_ns) / 2;
            let mean = (self.at(at_ns) + 4.0 * self.at(middle_ns) + self.at(until_ns)) / 6.0;
            sum += mean * (until_ns - at_ns) as f64 / 1e9;
            at_ns = until_ns;
        }
        sum
    }

    /// When this many events have come since a time; none if they never do.
    pub(super) fn time_of(&self, events: f64, since_ns: i64) -> Option<i64> {
        let bent_ns = self.per_second.end_ns.max(self.factor.end_ns).max(since_ns);
        let before = self.events(since_ns, bent_ns);
        if before < events {
            let rate = self.at(bent_ns);
            return (rate > 0.0)
                .then(|| bent_ns.saturating_add(((events - before) / rate * 1e9).round() as i64));
        }
        let mut early_ns = since_ns;
        let mut late_ns = bent_ns;
        for _ in 0..HALVINGS {
            if late_ns - early_ns <= 1 {
                break;
            }
            let middle_ns = early_ns + (late_ns - early_ns) / 2;
            if self.events(since_ns, middle_ns) < events {
                early_ns = middle_ns;
            } else {
                late_ns = middle_ns;
            }
        }
        Some(late_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn a_line_leads_from_one_value_to_the_other_and_stays_there() {
        let ramp = Ramp::new(100.0, 300.0, 10 * S, 10 * S);
        for (at_s, value) in [(0, 100.0), (10, 100.0), (15, 200.0), (20, 300.0), (99, 300.0)] {
            assert!(near(ramp.at(at_s * S), value), "at {at_s} s: {}", ramp.at(at_s * S));
        }
        assert!(ramp.changes_after(20 * S - 1) && !ramp.changes_after(20 * S));
        assert!(!ramp.stays(300.0, 19 * S) && ramp.stays(300.0, 20 * S) && !ramp.stays(100.0, 0));
        let at_once = Ramp::new(5.0, 2.0, S, 0);
        assert!(near(at_once.at(S), 2.0) && near(at_once.peak(), 5.0) && Ramp::constant(1.0).stays(1.0, 0));
    }

    #[test]
    fn events_of_a_ramp_are_its_area_and_come_when_that_is_reached() {
        let ramp = Ramp::new(0.0, 100.0, 0, 10 * S);
        let rate = RampedRate { per_second: ramp, factor: Ramp::constant(1.0) };
        assert!(near(rate.events(0, 10 * S), 500.0) && near(rate.events(0, 12 * S), 700.0));
        for (events, at_ns) in [(500.0, 10 * S), (125.0, 5 * S), (600.0, 11 * S), (0.0, 0)] {
            let found = rate.time_of(events, 0).expect("it is reached");
            assert!((found - at_ns).abs() <= 2, "{events} events at {found} ns");
        }
        let down = RampedRate { per_second: Ramp::new(10.0, 0.0, 0, 2 * S), factor: Ramp::constant(1.0) };
        assert!(down.time_of(9.9, 0).is_some() && down.time_of(10.1, 0).is_none(), "ten in all");
    }

    #[test]
    fn a_factor_that_rises_multiplies_a_rate_that_rises() {
        let rate = RampedRate {
            per_second: Ramp::new(0.0, 10.0, 0, 10 * S),
            factor: Ramp::new(1.0, 3.0, 5 * S, 5 * S),
        };
        // 0 to 5 s: 12.5. Then (5 + u)(1 + 2u/5) for u from 0 to 5: 25 + 37.5 + 50/3.
        assert!(near(rate.events(0, 10 * S), 75.0 + 50.0 / 3.0), "{}", rate.events(0, 10 * S));
        let at_ns = rate.time_of(50.0, 0).expect("it is reached");
        assert!((rate.events(0, at_ns) - 50.0).abs() < 1e-6);
    }
}
