//! Which draw is next in each stream.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use parking_lot::Mutex;

/// More streams than this are refused, so that made-up seeds do not fill the memory.
const STREAMS_MAX: usize = 4_096;

/// Counters, one a stream; a stream is a seed with the text of a distribution.
#[derive(Debug, Default)]
pub(crate) struct Draws {
    next: Mutex<HashMap<u64, u64>>,
}

impl Draws {
    /// The index of the next draw of that stream, or `None` where there are too many streams.
    pub(crate) fn next(&self, seed: u64, distribution: &str) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        (seed, distribution).hash(&mut hasher);
        let mut next = self.next.lock();
        let full = next.len() >= STREAMS_MAX;
        let counter = match next.get_mut(&hasher.finish()) {
            Some(counter) => counter,
            None if full => return None,
            None => next.entry(hasher.finish()).or_default(),
        };
        *counter += 1;
        Some(*counter - 1)
    }

    /// Every stream begins again.
    pub(crate) fn reset(&self) {
        self.next.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_count_by_themselves() {
        let draws = Draws::default();
        let seen: Vec<_> = [(1, "a"), (1, "a"), (2, "a"), (1, "b"), (1, "a")]
            .into_iter()
            .map(|(seed, text)| draws.next(seed, text).unwrap())
            .collect();
        assert_eq!(seen, [0, 1, 0, 0, 2]);
        draws.reset();
        assert_eq!(draws.next(1, "a"), Some(0));
    }

    #[test]
    fn streams_have_a_limit() {
        let draws = Draws::default();
        assert!((0..STREAMS_MAX as u64).all(|seed| draws.next(seed, "").is_some()));
        assert_eq!(draws.next(u64::MAX, ""), None);
        assert_eq!(draws.next(0, ""), Some(1));
    }
}
