//! The blocks of a run, and figures of resampled blocks.

use std::collections::BTreeMap;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::Measure;
use crate::{Point, supports};

/// Draws: the spread of this many is within a few percent of the true one.
const DRAWS: usize = 200;

/// Figures of samples; `None` if there are too few samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures([Option<f64>; Measure::ALL.len()]);

impl Figures {
    pub(super) fn get(&self, measure: Measure) -> Option<f64> {
        self.0[measure as usize]
    }
}

/// Counts of each block, by buckets of service times.
pub(super) struct Blocks {
    /// Middle of each bucket in which there is a sample, milliseconds, rising.
    values: Vec<f64>,
    /// For each block: its buckets as (place in `values`, count).
    times: Vec<Vec<(u32, u64)>>,
    errors: Vec<u64>,
    /// Length of a block in seconds, in the mean.
    seconds: f64,
    /// All samples, those of the last point included.
    all_samples: u64,
}

impl Blocks {
    /// `width_s`: length of a point; all together are by `more_s` longer than that. The last point
    /// is mostly not whole, and left out if the others have half of the samples.
    pub(super) fn of(points: &[Point], width_s: f64, more_s: f64) -> Self {
        let all_samples: u64 = points.iter().map(|point| point.samples).sum();
        let whole = match points {
            [others @ .., last] if last.samples <= all_samples / 2 => others,
            _ => points,
        };
        let nominal_s = whole.len() as f64 * width_s;
        let count = whole.len().max(1) as f64;
        let all_s = if nominal_s + more_s > 0.0 { nominal_s + more_s } else { nominal_s };
        let mut places: BTreeMap<u64, u32> = whole
            .iter()
            .flat_map(|point| point.elapsed.iter())
            .map(|(low, high, _)| (low.midpoint(high), 0))
            .collect();
        for (place, number) in places.values_mut().zip(0..) {
            *place = number;
        }
        let times = whole.iter().map(|point| {
            point.elapsed.iter().map(|(low, high, count)| (places[&low.midpoint(high)], count)).collect()
        });
        Self {
            times: times.collect(),
            errors: whole.iter().map(|point| point.errors).collect(),
            values: places.keys().map(|ns| *ns as f64 / 1e6).collect(),
            seconds: all_s / count,
            all_samples,
        }
    }

    /// Number of blocks.
    pub(super) fn count(&self) -> usize {
        self.times.len()
    }

    /// Length of all blocks in seconds.
    pub(super) fn all_s(&self) -> f64 {
        self.seconds * self.count() as f64
    }

    /// Standard deviation of the share of errors in percentage points if each sample fails
    /// independently, with two failures and two successes more than were seen (Agresti and Coull,
    /// 1998): runs without any error do not show that there are none.
    pub(super) fn least_error_noise(&self) -> f64 {
        let samples = self.in_blocks() as f64 + 4.0;
        let errors = self.errors.iter().sum::<u64>() as f64 + 2.0;
        let share = errors / samples;
        100.0 * (share * (1.0 - share) / samples).sqrt()
    }

    /// How many samples there were, also those of the last point, which may not be part of the
    /// figures.
    pub(super) fn all_samples(&self) -> u64 {
        self.all_samples
    }

    /// Whether there are samples, and all of them failed.
    pub(super) fn all_failed(&self) -> bool {
        let samples = self.in_blocks();
        samples > 0 && self.errors.iter().sum::<u64>() == samples
    }

    pub(super) fn in_blocks(&self) -> u64 {
        self.times.iter().flatten().map(|(_, count)| count).sum()
    }

    /// Figures of all blocks.
    pub(super) fn figures(&self) -> Figures {
        self.weighted(&vec![1; self.count()])
    }

    /// Figures of as many blocks as there are, drawn with replacement, again and again; none of
    /// fewer than two.
    pub(super) fn draws(&self, seed: u64) -> Vec<Figures> {
        if self.count() < 2 {
            return Vec::new();
        }
        let mut random = SmallRng::seed_from_u64(seed);
        let mut weights = vec![0; self.count()];
        let drawn = (0..DRAWS).map(|_| {
            weights.fill(0);
            for _ in 0..self.count() {
                weights[random.random_range(0..self.count())] += 1;
            }
            self.weighted(&weights)
        });
        drawn.collect()
    }

    fn weighted(&self, weights: &[u64]) -> Figures {
        let mut counts = vec![0_u64; self.values.len()];
        let mut samples = 0;
        let mut errors = 0;
        for ((times, failed), weight) in self.times.iter().zip(&self.errors).zip(weights) {
            for (place, count) in times {
                counts[*place as usize] += count * weight;
                samples += count * weight;
            }
            errors += failed * weight;
        }
        let blocks: u64 = weights.iter().sum();
        let quantile =
            |quantile| supports(samples, quantile).then(|| self.quantile(&counts, samples, quantile));
        let sum: f64 = counts.iter().zip(&self.values).map(|(count, ms)| *count as f64 * ms).sum();
        let of_samples = |figure: f64| (samples > 0).then_some(figure);
        Figures([
            of_samples(sum / samples as f64),
            quantile(0.5),
            quantile(0.95),
            quantile(0.99),
            (blocks > 0 && samples > 0).then(|| samples as f64 / (blocks as f64 * self.seconds)),
            of_samples(100.0 * errors as f64 / samples as f64),
        ])
    }

    fn quantile(&self, counts: &[u64], samples: u64, quantile: f64) -> f64 {
        let rank = (quantile * samples as f64).ceil() as u64;
        let mut below = 0;
        for (count, ms) in counts.iter().zip(&self.values) {
            below += count;
            if below >= rank.max(1) {
                return *ms;
            }
        }
        0.0
    }
}
