//! Converts counters to increases per second.

use std::collections::HashMap;
use std::hash::Hash;

/// The counts of the previous reading.
#[derive(Clone, Debug)]
pub(crate) struct Rises<K> {
    last: HashMap<K, f64>,
    at_s: Option<f64>,
    seconds: f64,
}

impl<K> Default for Rises<K> {
    fn default() -> Self {
        Self { last: HashMap::new(), at_s: None, seconds: 0.0 }
    }
}

impl<K: Eq + Hash> Rises<K> {
    /// A look begins, at this time on any clock. Gives the seconds since the last one; none at the
    /// first.
    pub(crate) fn begin(&mut self, at_s: f64) -> Option<f64> {
        self.seconds = self.at_s.map_or(0.0, |last_s| at_s - last_s);
        self.at_s = Some(at_s);
        (self.seconds > 0.0).then_some(self.seconds)
    }

    /// How much a count rose per second since the last look; none if it was missing then, or
    /// started again.
    pub(crate) fn per_s(&mut self, key: K, count: f64) -> Option<f64> {
        let last = self.last.insert(key, count)?;
        (self.seconds > 0.0 && count >= last).then(|| (count - last) / self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_began_anew_has_no_rise() {
        let mut rises = Rises::default();
        assert_eq!((rises.begin(5.0), rises.per_s("a", 10.0)), (None, None));
        assert_eq!((rises.begin(7.0), rises.per_s("a", 16.0)), (Some(2.0), Some(3.0)));
        assert_eq!((rises.begin(8.0), rises.per_s("a", 1.0), rises.per_s("b", 4.0)), (Some(1.0), None, None));
        assert_eq!(
            (rises.begin(9.0), rises.per_s("a", 1.0), rises.per_s("b", 4.5)),
            (Some(1.0), Some(0.0), Some(0.5))
        );
        assert_eq!((rises.begin(9.0), rises.per_s("a", 2.0)), (None, None), "no time has passed");
    }
}
