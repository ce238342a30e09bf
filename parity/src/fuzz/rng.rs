//! A random generator that makes the same choices for the same seed.

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

/// A seeded source of choices.
#[derive(Clone, Debug)]
pub(crate) struct ChoiceRng {
    random: SmallRng,
    numbers: u32,
}

impl ChoiceRng {
    /// Creates the generator for a seed and for a place among the things made from it.
    pub(crate) fn new(seed: u64, place: &[u64]) -> Self {
        // Multiplying by an odd number separates different places; SmallRng spreads the bits.
        let mixed = place.iter().fold(seed, |sum, part| {
            sum.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(*part).rotate_left(17)
        });
        Self { random: SmallRng::seed_from_u64(mixed), numbers: 0 }
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.random.random_range(0..end) }
    }

    /// Returns a number from `first` to `last`, inclusive.
    pub(crate) fn range(&mut self, first: i32, last: i32) -> i32 {
        if first >= last { first } else { self.random.random_range(first..=last) }
    }

    /// True in `percent` of 100 calls.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    /// Returns one of several items with equal chances.
    ///
    /// # Panics
    /// The list is empty: a mistake of the caller.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let at = self.below(items.len());
        items.get(at).expect("something to choose from")
    }

    /// Returns one of several texts with equal chances.
    ///
    /// # Panics
    /// The list is empty: a mistake of the caller.
    pub(crate) fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        self.pick::<&'a str>(words)
    }

    /// Returns one of several items, each as likely as its weight.
    ///
    /// # Panics
    /// All weights are 0: a mistake of the caller.
    pub(crate) fn weighted<'a, T>(&mut self, items: &'a [(u32, T)]) -> &'a T {
        let total: u32 = items.iter().map(|(weight, _)| weight).sum();
        let mut left = self.random.random_range(0..total);
        let chosen = items.iter().find(|(weight, _)| {
            let here = left < *weight;
            left = left.saturating_sub(*weight);
            here
        });
        &chosen.expect("a weight above 0").1
    }

    /// Returns a number that this generator has not returned before, starting at 1: for names.
    pub(crate) fn number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    /// Returns the next such number without using it.
    pub(crate) fn next_number(&self) -> u32 {
        self.numbers + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_place_gives_the_same_choices() {
        let draw = |place: &[u64]| {
            let mut rng = ChoiceRng::new(7, place);
            (0..50).map(|_| rng.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(&[1, 2]), draw(&[1, 2]));
        assert_ne!(draw(&[1, 2]), draw(&[2, 1]));
        assert_ne!(draw(&[0, 0]), draw(&[0, 1]));
    }

    #[test]
    fn choices_stay_within_their_bounds() {
        let mut rng = ChoiceRng::new(1, &[]);
        let mut seen = [0; 3];
        for _ in 0..1000 {
            assert!((-1..=1).contains(&rng.range(-1, 1)));
            assert!(!rng.chance(0) && rng.chance(100));
            seen[*rng.weighted(&[(1, 0), (0, 1), (9, 2)])] += 1;
        }
        assert!(seen[0] > 0 && seen[1] == 0 && seen[2] > seen[0], "{seen:?}");
        assert_eq!((rng.below(0), rng.range(3, 2), *rng.pick(&[4])), (0, 3, 4));
        assert_eq!((rng.number(), rng.number()), (1, 2));
    }
}
