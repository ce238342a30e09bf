//! The confidence interval of a quantile of correlated samples.
//!
//! The distribution-free interval of a quantile assumes independent samples. Latencies are not
//! independent: a slow second makes many slow samples. So the run is cut into batches of equal
//! length. The spread of the number of samples per batch at or below the quantile tells how many
//! independent samples the run is worth (batch means applied to the indicator of the quantile; Law,
//! *Simulation Modeling and Analysis*, chapter 9). No percentile is averaged.

use crate::{Histogram, LabelStats, Precision, Series};

/// Batches at most; beyond, neighbours are merged.
const MOST_BATCHES: usize = 64;

/// With fewer batches their spread says too little.
const FEWEST_BATCHES: usize = 10;

/// Service times of a run in batches of equal length.
#[derive(Clone, Debug)]
pub struct Batches {
    series: Series,
}

impl Default for Batches {
    fn default() -> Self {
        Self::new(Precision::Three)
    }
}

/// An interval that contains the true quantile with a probability of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantileInterval {
    /// Lower end in nanoseconds.
    pub low_ns: u64,
    /// Upper end in nanoseconds.
    pub high_ns: u64,
    /// Independent samples that the run is worth for this quantile.
    pub effective_samples: f64,
}

impl Batches {
    /// No batch yet; intervals are as exact as the histograms.
    pub fn new(precision: Precision) -> Self {
        Self { series: Series::new(MOST_BATCHES, precision) }
    }

    /// Adds what was counted in a second, named by whole seconds since the epoch.
    pub fn add(&mut self, at_s: i64, counted: &LabelStats) {
        self.series.add(at_s, counted, 0);
    }

    /// All batches in one.
    pub fn total(&self) -> Histogram {
        let mut total = Histogram::new(self.series.precision());
        self.series.points().iter().for_each(|batch| total.merge(&batch.elapsed));
        total
    }

    /// The 95 % interval of a quantile. None if there are too few batches or samples for one.
    pub fn interval(&self, quantile: f64) -> Option<QuantileInterval> {
        let total = self.total();
        let (effect, batches) = self.design_effect(&total, quantile)?;
        let effective_samples = total.count() as f64 / effect;
        let (low, high) = ranks(total.count(), quantile, effective_samples, student(batches - 1))?;
        let low_ns = total.bounds_at_rank(low).0;
        let high_ns = total.bounds_at_rank(high).1;
        Some(QuantileInterval { low_ns, high_ns, effective_samples })
    }

    /// By how much the alikeness of neighbours widens the spread of batches, at least 1; and the
    /// number of batches.
    fn design_effect(&self, total: &Histogram, quantile: f64) -> Option<(f64, usize)> {
        // A last batch that is not full yet would weigh as much as it has samples; that is what it
        // is worth.
        let all = self.series.points().iter().map(|batch| &batch.elapsed);
        let batches: Vec<_> = all.filter(|batch| !batch.is_empty()).collect();
        if batches.len() < FEWEST_BATCHES {
            return None;
        }
        let value = total.quantile(quantile);
        let share = total.count_up_to(value) as f64 / total.count() as f64;
        if share >= 1.0 {
            return Some((1.0, batches.len()));
        }
        let spread: f64 = batches
            .iter()
            .map(|batch| {
                let n = batch.count() as f64;
                n * (batch.count_up_to(value) as f64 / n - share).powi(2)
            })
            .sum();
        let effect = spread / (batches.len() - 1) as f64 / (share * (1.0 - share));
        Some((effect.max(1.0), batches.len()))
    }
}

/// Ranks, from 1, between which the true quantile lies, for `samples` of which only `effective` are
/// independent, at `z` standard deviations. None if a rank falls outside the samples.
pub fn ranks(samples: u64, quantile: f64, effective: f64, z: f64) -> Option<(u64, u64)> {
    let n = samples as f64;
    let half = z * n * (quantile * (1.0 - quantile) / effective).sqrt();
    let low = (n * quantile - half).floor();
    let high = (n * quantile + half).ceil() + 1.0;
    (low >= 1.0 && high <= n).then_some((low as u64, high as u64))
}

/// The 97.5 % quantile of Student's distribution, within 0.03 for 9 degrees of freedom and more.
fn student(freedom: usize) -> f64 {
    1.96 + 2.45 / freedom as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observation;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    #[test]
    fn ranks_of_a_million_independent_samples() {
        assert_eq!(ranks(1_000_000, 0.999, 1e6, 1.96), Some((998_938, 999_063)));
        assert_eq!(ranks(100, 0.5, 100.0, 1.96), Some((40, 61)));
        assert_eq!(ranks(381, 0.999, 381.0, 1.96), None);
        assert_eq!(ranks(0, 0.5, 1.0, 1.96), None);
    }

    #[test]
    fn student_is_close_to_the_tables() {
        for (freedom, table) in [(9, 2.262), (15, 2.131), (31, 2.040), (63, 1.998), (10_000, 1.960)] {
            assert!((student(freedom) - table).abs() < 0.035, "{freedom}");
        }
    }

    /// A run of 64 seconds with 100 samples each, whose level wanders from sample to sample with
    /// that memory; the values are uniform in 0..1_000_000 whatever the memory.
    fn run(memory: f64, seed: u64) -> Batches {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut batches = Batches::default();
        let mut level: f64 = normal(&mut random);
        for at_s in 0..64 {
            let mut second = LabelStats::default();
            for _ in 0..100 {
                level = memory * level + (1.0 - memory * memory).sqrt() * normal(&mut random);
                second.record(&sample((1e6 * normal_share(level)) as u64));
            }
            batches.add(at_s, &second);
        }
        batches
    }

    fn sample(elapsed_ns: u64) -> Observation<'static> {
        Observation { elapsed_ns, ..Observation::default() }
    }

    fn normal(random: &mut SmallRng) -> f64 {
        let radius = 1.0 - random.random::<f64>();
        let turn = random.random::<f64>();
        (-2.0 * radius.ln()).sqrt() * (turn * std::f64::consts::TAU).cos()
    }

    /// The normal distribution function (logistic approximation, error below 0.0002).
    fn normal_share(x: f64) -> f64 {
        1.0 / (1.0 + (-1.5976 * x - 0.070_565_992 * x.powi(3)).exp())
    }

    /// How many of 24 runs have an interval that holds the true 90th percentile; corrected and as
    /// if independent.
    fn held(memory: f64) -> (usize, usize) {
        let truth = 900_000;
        let holds = |low, high| low <= truth && truth <= high;
        let runs = (0..24).map(|seed| run(memory, seed));
        runs.fold((0, 0), |(corrected, naive), batches| {
            let found = batches.interval(0.9).expect("enough samples");
            let total = batches.total();
            let (low, high) = ranks(total.count(), 0.9, total.count() as f64, 1.96).expect("enough samples");
            let naive_holds = holds(total.value_at_rank(low), total.value_at_rank(high));
            (corrected + usize::from(holds(found.low_ns, found.high_ns)), naive + usize::from(naive_holds))
        })
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says_also_when_neighbours_are_alike() {
        let alike = held(0.95);
        let independent = held(0.0);
        assert!(alike.0 >= 21 && independent.0 >= 21, "{alike:?} {independent:?} of 24");
        assert!(alike.1 <= 16, "{alike:?} of 24: the correction would not be needed");
    }

    #[test]
    fn independent_samples_are_worth_themselves_and_alike_ones_less() {
        let worth = |memory| run(memory, 5).interval(0.9).expect("enough").effective_samples;
        assert!(worth(0.0) > 3_000.0, "{}", worth(0.0));
        assert!(worth(0.95) < 1_500.0, "{}", worth(0.95));
    }

    #[test]
    fn a_short_run_has_no_interval() {
        let mut batches = Batches::default();
        let mut second = LabelStats::default();
        (0..1000).for_each(|_| second.record(&sample(5)));
        (0..9).for_each(|at_s| batches.add(at_s, &second));
        assert_eq!(batches.interval(0.5), None);
        batches.add(9, &second);
        assert_eq!(batches.interval(0.5).map(|i| (i.low_ns, i.high_ns)), Some((5, 5)));
        assert_eq!(Batches::default().interval(0.5), None);
    }
}
