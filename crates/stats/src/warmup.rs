//! Finds where a run becomes steady: MSER-5 (White, *An effective truncation heuristic for bias
//! reduction in simulation output*, Simulation 69, 1997).

/// Values a batch.
const BATCH: usize = 5;

/// The time from which a run is steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steady {
    /// After how many values; 0 if it always was.
    From(usize),
    /// No steady part of half the run or more: the run is too short, or never became steady.
    TooShort,
}

/// The cut that makes the rest of a series steadiest: of all cuts that leave five batches, the one
/// with the least standard error of the mean of what is left. Values are one figure a second, such
/// as the median or mean time; the method can be wrong (Wang and Glynn, 2016), so show figures with
/// and without the cut.
pub fn mser5(values: &[f64]) -> Steady {
    mser(values, BATCH)
}

/// The same for trials that are too short for batches of five: of 10 to 49 values, batches are as
/// large as leaves ten of them (MSER-1 to MSER-4). With so few values a cut is more often wrong,
/// mostly too late.
pub fn steady(values: &[f64]) -> Steady {
    mser(values, (values.len() / (2 * BATCH)).clamp(1, BATCH))
}

fn mser(values: &[f64], size: usize) -> Steady {
    let means: Vec<f64> =
        values.chunks_exact(size).map(|batch| batch.iter().sum::<f64>() / size as f64).collect();
    if means.len() < 2 * BATCH {
        return Steady::TooShort;
    }
    // Sums are taken around a typical value: squares of large close numbers would cancel.
    let middle = means[means.len() / 2];
    let mut sum = 0.0;
    let mut squares = 0.0;
    let mut best = (f64::INFINITY, 0);
    for (cut, mean) in means.iter().enumerate().rev() {
        sum += mean - middle;
        squares += (mean - middle).powi(2);
        let left = (means.len() - cut) as f64;
        let error = (squares - sum * sum / left).max(0.0) / (left * left);
        if means.len() - cut >= BATCH && error <= best.0 {
            best = (error, cut);
        }
    }
    if best.1 > means.len() / 2 { Steady::TooShort } else { Steady::From(best.1 * size) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn noisy(level: impl Fn(usize) -> f64, count: usize, seed: u64) -> Vec<f64> {
        let mut random = SmallRng::seed_from_u64(seed);
        (0..count).map(|at| level(at) + random.random_range(-1.0..1.0)).collect()
    }

    #[test]
    fn a_slow_start_is_cut_off_at_its_end() {
        for seed in 0..20 {
            let found = mser5(&noisy(|at| if at < 60 { 100.0 - at as f64 } else { 40.0 }, 600, seed));
            assert!(matches!(found, Steady::From(50..=90)), "{found:?}");
        }
    }

    #[test]
    fn a_steady_run_loses_little() {
        let cuts = (0..50).map(|seed| mser5(&noisy(|_| 40.0, 600, seed)));
        let kept = cuts.filter(|cut| matches!(cut, Steady::From(0..=150))).count();
        assert!(kept >= 45, "{kept} of 50");
    }

    #[test]
    fn short_series_have_smaller_batches() {
        assert_eq!(steady(&[1.0; 9]), Steady::TooShort);
        for count in [10, 20, 35, 49, 80] {
            assert_eq!(steady(&vec![3.0; count]), Steady::From(0), "{count}");
            let cuts = (0..40)
                .map(|seed| steady(&noisy(|at| if at < count / 5 { 100.0 } else { 40.0 }, count, seed)));
            // The slow start is never kept; now and then too much goes with it.
            let cuts: Vec<_> = cuts.collect();
            assert!(cuts.iter().all(|cut| !matches!(cut, Steady::From(cut) if *cut < count / 5)), "{count}");
            let good = cuts.iter().filter(|cut| matches!(cut, Steady::From(cut) if *cut <= count / 2));
            assert!(good.count() >= 24, "{count} {cuts:?}");
        }
    }

    #[test]
    fn equal_values_are_not_cut() {
        assert_eq!(mser5(&[1e9; 100]), Steady::From(0));
    }

    #[test]
    fn a_run_that_climbs_to_its_end_or_is_tiny_is_too_short() {
        assert_eq!(mser5(&noisy(|at| (at * at) as f64, 200, 1)), Steady::TooShort);
        assert_eq!(mser5(&[1.0; 49]), Steady::TooShort);
        assert_eq!(mser5(&[]), Steady::TooShort);
    }
}
