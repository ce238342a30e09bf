//! Tests a percentile or an error rate as a proportion.
//!
//! "The 99th percentile is below L" means that fewer than 1 % of all samples are above L. If k of n
//! samples are above, the exact binomial distribution gives the confidence. Samples of one second
//! are correlated, so n is the effective number that the seconds give.

use super::binomial::{at_least, at_most};

/// The result of a test of a proportion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proportion {
    /// Surely within the limit.
    Within,
    /// Surely beyond it.
    Beyond,
    /// Neither: more samples are needed.
    Unsure,
}

/// Numbers of samples and of bad samples, second by second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    seconds: Vec<(u64, u64)>,
}

impl Parts {
    /// Adds a second with this number of samples, of which `bad` are bad.
    pub fn add(&mut self, samples: u64, bad: u64) {
        self.seconds.push((samples, bad.min(samples)));
    }

    /// All samples, and the bad ones.
    pub fn total(&self) -> (u64, u64) {
        self.seconds.iter().fold((0, 0), |(n, k), (samples, bad)| (n + samples, k + bad))
    }

    /// The share of bad samples; 0 without samples.
    pub fn share(&self) -> f64 {
        let (n, k) = self.total();
        if n == 0 { 0.0 } else { k as f64 / n as f64 }
    }

    /// By how much the spread between seconds is larger than that of independent samples (batch
    /// means), at least 1. Neighbouring seconds that are alike count, too: pairs of them are the
    /// batches where that spread is the larger one.
    pub fn design_effect(&self) -> f64 {
        let pairs: Vec<_> = self.seconds.chunks(2).map(sum).collect();
        spread(&self.seconds).max(spread(&pairs)).max(1.0)
    }

    /// Whether fewer than `limit` (0..1) of all samples are bad, at this confidence (0.95: wrong in
    /// one of twenty cases that lie on the limit).
    pub fn test(&self, limit: f64, confidence: f64) -> Proportion {
        let (n, k) = self.total();
        let effect = self.design_effect();
        let n = n as f64 / effect;
        let k = k as f64 / effect;
        if n <= 0.0 {
            return Proportion::Unsure;
        }
        let doubt = 1.0 - confidence;
        if at_most(k, n, limit) <= doubt {
            Proportion::Within
        } else if at_least(k, n, limit) <= doubt {
            Proportion::Beyond
        } else {
            Proportion::Unsure
        }
    }
}

fn sum(seconds: &[(u64, u64)]) -> (u64, u64) {
    seconds.iter().fold((0, 0), |(n, k), (samples, bad)| (n + samples, k + bad))
}

/// With fewer batches their spread says too little.
const FEWEST: usize = 4;

/// The spread of the batches over that of independent samples; 1 where it cannot be told.
fn spread(batches: &[(u64, u64)]) -> f64 {
    let full: Vec<_> = batches.iter().filter(|(samples, _)| *samples > 0).collect();
    let (n, k) = full.iter().fold((0, 0), |(n, k), (samples, bad)| (n + samples, k + bad));
    let share = k as f64 / n.max(1) as f64;
    if full.len() < FEWEST || k == 0 || k == n {
        return 1.0;
    }
    let squares: f64 = full
        .iter()
        .map(|(samples, bad)| {
            let n = *samples as f64;
            n * (*bad as f64 / n - share).powi(2)
        })
        .sum();
    squares / (full.len() - 1) as f64 / (share * (1.0 - share))
}

/// The least number of independent samples that can show that fewer than `limit` (0..1) are bad:
/// without a bad one.
pub fn least_samples(limit: f64, confidence: f64) -> u64 {
    ((1.0 - confidence).ln() / (-limit).ln_1p()).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn parts(seconds: &[(u64, u64)]) -> Parts {
        let mut parts = Parts::default();
        for (samples, bad) in seconds {
            parts.add(*samples, *bad);
        }
        parts
    }

    #[test]
    fn the_least_numbers_are_those_of_the_tables() {
        let table = [(0.01, 0.95, 299), (0.01, 0.99, 459), (0.001, 0.95, 2995), (0.001, 0.99, 4603)];
        for (limit, confidence, least) in table {
            assert_eq!(least_samples(limit, confidence), least);
            assert_eq!(parts(&[(least, 0)]).test(limit, confidence), Proportion::Within);
            assert_eq!(parts(&[(least - 1, 0)]).test(limit, confidence), Proportion::Unsure);
        }
    }

    #[test]
    fn few_and_many_bad_samples_are_told_apart() {
        let of = |bad| parts(&[(1000, bad)]).test(0.01, 0.95);
        assert_eq!(
            [0, 4, 5, 10, 15, 16].map(of),
            [
                Proportion::Within,
                Proportion::Within,
                Proportion::Unsure,
                Proportion::Unsure,
                Proportion::Unsure,
                Proportion::Beyond
            ]
        );
        assert_eq!(parts(&[]).test(0.01, 0.95), Proportion::Unsure);
        assert_eq!(parts(&[(100, 300)]).total(), (100, 100));
    }

    #[test]
    fn seconds_that_differ_more_than_chance_are_worth_less() {
        let even = [(100, 2); 20];
        let bursts: Vec<_> = (0..20).map(|at| (100, if at % 10 == 0 { 20 } else { 0 })).collect();
        assert!((parts(&even).design_effect() - 1.0).abs() < 1e-9);
        let effect = parts(&bursts).design_effect();
        assert!(effect > 10.0, "{effect}");
        assert_eq!(parts(&even).test(0.03, 0.95), Proportion::Within);
        assert_eq!(parts(&bursts).test(0.03, 0.95), Proportion::Unsure);
        // Bad seconds that follow each other.
        let run: Vec<_> = (0..20).map(|at| (100, if at < 4 { 10 } else { 0 })).collect();
        assert!(parts(&run).design_effect() > parts(&[(100, 2); 20]).design_effect());
    }

    #[test]
    fn on_the_limit_it_is_wrong_as_seldom_as_it_says() {
        let mut random = SmallRng::seed_from_u64(7);
        let mut wrong = 0;
        for _ in 0..400 {
            let mut parts = Parts::default();
            for _ in 0..20 {
                parts.add(200, (0..200).filter(|_| random.random_bool(0.05)).count() as u64);
            }
            wrong += u32::from(parts.test(0.05, 0.95) == Proportion::Within);
        }
        assert!(wrong <= 400 / 12, "{wrong} of 400");
    }
}
