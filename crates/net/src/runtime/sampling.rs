//! Selects the sends that the kernel stamps.

use std::cell::Cell;

/// Nanoseconds from one stamped send of a loop to the next, about.
const WANTED_NS: i64 = 10_000_000;

/// Selects every n-th send, and adjusts n to about a hundred a second, so that a percentile is
/// known after some seconds. A stamp costs three system calls and an event, a few microseconds in
/// total: less than a thousandth of a processor.
pub(super) struct Sampling {
    each: Cell<i64>,
    left: Cell<i64>,
    last_ns: Cell<i64>,
}

impl Sampling {
    pub(super) fn new() -> Self {
        Self { each: Cell::new(1), left: Cell::new(0), last_ns: Cell::new(0) }
    }

    /// Whether the send that comes now, at `now_ns`, is stamped.
    pub(super) fn is_next(&self, now_ns: impl FnOnce() -> i64) -> bool {
        if self.left.get() > 0 {
            self.left.set(self.left.get() - 1);
            return false;
        }
        let now_ns = now_ns();
        let since_ns = (now_ns - self.last_ns.replace(now_ns)).max(1);
        let each = self.each.get();
        // Not much more than before, so that a burst does not make the next one wait.
        let each = (each * WANTED_NS / since_ns).clamp(1, 2 * each);
        self.each.set(each);
        self.left.set(each - 1);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the sends of `seconds` are stamped, one each `gap_ns`.
    fn stamped(sampling: &Sampling, from_ns: i64, gap_ns: i64, seconds: i64) -> i64 {
        let sends = (from_ns..from_ns + seconds * 1_000_000_000).step_by(gap_ns as usize);
        sends.filter(|now_ns| sampling.is_next(|| *now_ns)).count() as i64
    }

    #[test]
    fn there_are_a_hundred_a_second_at_any_rate() {
        const FROM_NS: i64 = 1_000_000_000_000;
        for gap_ns in [5_000_000, 3_000_000, 100_000, 7_000] {
            let sampling = Sampling::new();
            stamped(&sampling, FROM_NS, gap_ns, 20);
            let count = stamped(&sampling, FROM_NS + 20_000_000_000, gap_ns, 20);
            assert!((1_900..=2_300).contains(&count), "{count} in 20 s, one send each {gap_ns} ns");
        }
    }

    #[test]
    fn of_few_sends_all_are_stamped() {
        assert_eq!(stamped(&Sampling::new(), 1_000_000_000_000, 300_000_000, 60), 200);
    }

    #[test]
    fn it_follows_a_rate_that_falls() {
        let sampling = Sampling::new();
        stamped(&sampling, 1_000_000_000_000, 10_000, 5);
        let count = stamped(&sampling, 1_005_000_000_000, 1_000_000, 60);
        assert!(count > 4_900, "{count}: the first waits for 1,000 sends");
    }
}
