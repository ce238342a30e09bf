//! Finds lasting changes in a sequence of figures, such as one of each run of a plan.

use super::change_points::ends;
use crate::drift::median;

/// How often a sequence is halved: at most 15 changes.
const DEPTH: u32 = 4;

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// By their ratio; a smaller change, as a part of the value, is not reported. For times and
    /// rates.
    Ratio(f64),
    /// By their difference; a smaller change is not reported. For shares that can be 0.
    Difference(f64),
}

/// A place from which on the level is another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelChange {
    /// The place of the first value after the change.
    pub at: usize,
    /// Median before it, back to the change before.
    pub before: f64,
    /// Median after it, up to the next change.
    pub after: f64,
}

/// The lasting changes of a sequence, in their order: at least five values on both sides, and a
/// difference that none of 199 shufflings of the values has. Values are finite.
pub fn level_changes(values: &[f64], scale: Scale) -> Vec<LevelChange> {
    let level = |value: &f64| match scale {
        Scale::Ratio(_) => value.max(1e-9).ln(),
        Scale::Difference(_) => *value,
    };
    let levels: Vec<f64> = values.iter().map(level).collect();
    let median_of = |from: usize, to: usize| median(&mut values[from..to].to_vec());
    let ends = ends(&levels, DEPTH);
    let found = ends.windows(3).map(|around| LevelChange {
        at: around[1],
        before: median_of(around[0], around[1]),
        after: median_of(around[1], around[2]),
    });
    let is_large = |change: &LevelChange| match scale {
        Scale::Ratio(least) => (change.after.max(1e-9) / change.before.max(1e-9)).ln().abs() >= least.ln_1p(),
        Scale::Difference(least) => (change.after - change.before).abs() >= least,
    };
    found.filter(is_large).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng as _, SeedableRng as _};

    /// Values around each level, with that much noise.
    fn around(levels: &[(f64, usize)], noise: f64, seed: u64) -> Vec<f64> {
        let mut random = SmallRng::seed_from_u64(seed);
        let values = levels.iter().flat_map(|(level, count)| std::iter::repeat_n(*level, *count));
        values.map(|value| value * (1.0 + noise * random.random_range(-1.0..1.0))).collect()
    }

    #[test]
    fn each_lasting_change_is_found_where_it_is() {
        let values = around(&[(100.0, 30), (130.0, 40), (90.0, 30)], 0.05, 1);
        let found = level_changes(&values, Scale::Ratio(0.05));
        assert_eq!(found.iter().map(|change| change.at).collect::<Vec<_>>(), [30, 70], "{found:?}");
        assert!((found[0].after / 130.0 - 1.0).abs() < 0.03, "{found:?}");
    }

    #[test]
    fn noise_outliers_and_small_changes_are_none() {
        for seed in 0..20 {
            let mut values = around(&[(100.0, 200)], 0.1, seed);
            values[50] = 5000.0;
            let found = level_changes(&values, Scale::Ratio(0.05));
            assert!(found.is_empty(), "{seed}: {found:?}");
        }
        assert!(level_changes(&around(&[(100.0, 50), (102.0, 50)], 0.001, 1), Scale::Ratio(0.05)).is_empty());
        assert!(level_changes(&[], Scale::Ratio(0.05)).is_empty());
        assert!(level_changes(&[1.0, 9.0, 9.0], Scale::Ratio(0.05)).is_empty());
    }

    #[test]
    fn shares_change_from_zero() {
        let values: Vec<f64> = (0..40).map(|number| if number < 20 { 0.0 } else { 2.0 }).collect();
        let found = level_changes(&values, Scale::Difference(0.1));
        assert_eq!(found, [LevelChange { at: 20, before: 0.0, after: 2.0 }]);
    }
}
