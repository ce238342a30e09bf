//! The clocks of a machine as functions of world time.
//!
//! World time is what an observer outside of all machines would read: nanoseconds since the world
//! began. A machine's monotonic clock starts anywhere, drifts, and stands still while the machine is
//! suspended; its wall clock continues then, and can be stepped.

/// From one instant of world time up to another, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its beginning.
    pub from_ns: i64,
    /// Its end, which is not part of it.
    pub until_ns: i64,
}

impl Span {
    /// From an instant for a time.
    pub fn new(from_ns: i64, length_ns: i64) -> Self {
        Self { from_ns, until_ns: from_ns + length_ns }
    }

    /// Whether an instant is part of it.
    pub fn contains(&self, at_ns: i64) -> bool {
        (self.from_ns..self.until_ns).contains(&at_ns)
    }
}

/// The end of the spans that an instant is part of; the instant itself where there are none.
pub(crate) fn end_of(spans: &[Span], at_ns: i64) -> i64 {
    let mut end_ns = at_ns;
    while let Some(span) = spans.iter().find(|span| span.contains(end_ns)) {
        end_ns = span.until_ns;
    }
    end_ns
}

/// The clocks of a machine.
#[derive(Clone, Debug)]
pub struct Clock {
    /// What the monotonic clock shows when the world begins.
    pub start_ns: i64,
    /// How much faster than world time it is, parts per thousand million.
    pub drift_ppb: i64,
    /// Wall clock minus monotonic clock when the world begins.
    pub epoch_ns: i64,
    /// Steps of the wall clock: when, and by how much.
    pub steps: Vec<(i64, i64)>,
    /// When the machine is suspended.
    pub suspended: Vec<Span>,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            start_ns: 1_000_000_000,
            drift_ppb: 0,
            epoch_ns: 1_700_000_000_000_000_000,
            steps: Vec::new(),
            suspended: Vec::new(),
        }
    }
}

impl Clock {
    /// How long the machine has been suspended before an instant.
    fn suspended_ns(&self, world_ns: i64) -> i64 {
        let before = |span: &Span| (world_ns.min(span.until_ns) - span.from_ns).max(0);
        self.suspended.iter().map(before).sum()
    }

    fn scaled(&self, ns: i64) -> i64 {
        ns + (i128::from(ns) * i128::from(self.drift_ppb)).div_euclid(1_000_000_000) as i64
    }

    /// `CLOCK_MONOTONIC` at an instant of world time.
    pub fn monotonic_ns(&self, world_ns: i64) -> i64 {
        self.start_ns + self.scaled(world_ns - self.suspended_ns(world_ns))
    }

    /// `CLOCK_BOOTTIME` at an instant of world time.
    pub fn boot_ns(&self, world_ns: i64) -> i64 {
        self.start_ns + self.scaled(world_ns)
    }

    /// `CLOCK_REALTIME` at an instant of world time.
    pub fn wall_ns(&self, world_ns: i64) -> i64 {
        let stepped: i64 = self.steps.iter().filter(|(at_ns, _)| *at_ns <= world_ns).map(|(_, by)| by).sum();
        self.boot_ns(world_ns) + self.epoch_ns + stepped
    }

    /// The first instant of world time at which the monotonic clock shows at least this; 0 if it
    /// does from the beginning.
    pub fn world_ns(&self, monotonic_ns: i64) -> i64 {
        let mut low = 0;
        let mut high = (monotonic_ns - self.start_ns).max(0);
        high += high / 100 + self.suspended_ns(i64::MAX) + 2;
        while low < high {
            let middle = low + (high - low) / 2;
            if self.monotonic_ns(middle) >= monotonic_ns { high = middle } else { low = middle + 1 }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    fn drifting() -> Clock {
        Clock {
            drift_ppb: 50_000,
            steps: vec![(20 * S, -5 * S)],
            suspended: vec![Span::new(5 * S, 3 * S), Span::new(40 * S, S)],
            ..Clock::default()
        }
    }

    #[test]
    fn a_suspended_machine_has_a_monotonic_clock_that_rests_and_a_wall_clock_that_does_not() {
        let clock = drifting();
        assert_eq!(clock.monotonic_ns(5 * S), clock.monotonic_ns(8 * S));
        assert_eq!(clock.wall_ns(8 * S) - clock.wall_ns(5 * S), 3 * S + 150_000);
        assert_eq!(clock.boot_ns(8 * S) - clock.boot_ns(5 * S), 3 * S + 150_000);
        assert_eq!(clock.monotonic_ns(9 * S) - clock.monotonic_ns(8 * S), S + 50_000);
    }

    #[test]
    fn a_step_moves_the_wall_clock_only() {
        let clock = Clock { drift_ppb: 0, ..drifting() };
        assert_eq!(clock.wall_ns(20 * S) - clock.wall_ns(20 * S - 1), 1 - 5 * S);
        assert_eq!(clock.monotonic_ns(20 * S) - clock.monotonic_ns(20 * S - 1), 1);
    }

    #[test]
    fn world_time_of_an_instant_is_the_first_at_which_the_clock_shows_it() {
        for clock in [drifting(), Clock { drift_ppb: -9_000_000, ..drifting() }, Clock::default()] {
            for world_ns in (0..60 * S).step_by(777_777_777).chain([5 * S, 8 * S, 8 * S + 1]) {
                let shown = clock.monotonic_ns(world_ns);
                let found = clock.world_ns(shown);
                assert!(found <= world_ns && clock.monotonic_ns(found) >= shown, "{clock:?} {world_ns}");
                assert!(found == 0 || clock.monotonic_ns(found - 1) < shown, "{clock:?} {world_ns}");
            }
        }
    }
}
