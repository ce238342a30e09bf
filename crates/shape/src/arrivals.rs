//! Arrivals that follow a load profile.

use std::sync::Arc;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use serde::{Deserialize, Serialize};

use crate::Shape;

/// Spacing of arrivals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spacing {
    /// One arrival where the sum of the profile reaches a whole number: as even as possible.
    #[default]
    Even,
    /// Like independent users: a Poisson process whose rate is the profile.
    Poisson {
        /// The same seed gives the same arrivals.
        seed: u64,
    },
}

/// The arrivals of a profile in order. Control may multiply it.
#[derive(Clone, Debug)]
pub struct Pacer {
    shape: Arc<Shape>,
    /// The sum at which the next arrival is due; a whole number if even. A Poisson process is even
    /// in its transformed time, in which distances are exponential (time change of a Poisson
    /// process; Çınlar 1975).
    next: f64,
    random: Option<SmallRng>,
    factor: f64,
    /// The sum of the profile, and the sum of all due arrivals, when the factor was set.
    origin: (f64, f64),
}

impl Pacer {
    /// The arrivals of a profile.
    pub fn new(shape: Arc<Shape>, spacing: Spacing) -> Self {
        let random = match spacing {
            Spacing::Even => None,
            Spacing::Poisson { seed } => Some(SmallRng::seed_from_u64(seed)),
        };
        let mut pacer = Self { shape, next: 0.0, random, factor: 1.0, origin: (0.0, 0.0) };
        if pacer.random.is_some() {
            pacer.advance();
        }
        pacer
    }

    /// When the next arrival is due, in seconds since the start; none after the last.
    pub fn due_s(&self) -> Option<f64> {
        let (sum, due) = self.origin;
        // Control never sets a factor of 0; it would be the end.
        self.shape.time_of(sum + (self.next - due) / self.factor)
    }

    /// The next one has arrived.
    pub fn advance(&mut self) {
        self.next += match &mut self.random {
            None => 1.0,
            Some(random) => -(1.0 - random.random::<f64>()).ln(),
        };
    }

    /// Multiplies the profile by that factor from now on.
    #[expect(clippy::float_cmp, reason = "factors are set, never worked out")]
    pub fn multiply(&mut self, factor: f64, at_s: f64) {
        if factor != self.factor {
            self.origin = (self.shape.sum(at_s), self.due_by(at_s));
            self.factor = factor;
        }
    }

    /// How many arrivals were due by a time.
    pub fn due_by(&self, at_s: f64) -> f64 {
        let (sum, due) = self.origin;
        due + (self.shape.sum(at_s) - sum) * self.factor
    }

    /// Skips the arrivals that are due before that time; returns their number.
    pub fn skip_to(&mut self, at_s: f64) -> u64 {
        let due = self.due_by(at_s);
        let mut left_out = 0;
        while self.next < due {
            self.advance();
            left_out += 1;
        }
        left_out
    }
}

impl Iterator for Pacer {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let due_s = self.due_s()?;
        self.advance();
        Some(due_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShapePart;

    /// A sine of ten minutes between 20 and 2,000 a second.
    fn sine() -> Arc<Shape> {
        let part = ShapePart::Sine {
            mean: 1010.0,
            amplitude: 990.0,
            period_s: 600.0,
            phase: -0.25,
            length_s: 600.0,
        };
        Arc::new(Shape::new([part], None))
    }

    fn a_second(spacing: Spacing) -> Vec<f64> {
        let mut counts = vec![0.0; 600];
        for at_s in Pacer::new(sine(), spacing) {
            counts[at_s as usize] += 1.0;
        }
        counts
    }

    #[test]
    fn even_arrivals_are_within_one_of_the_shape_in_each_second() {
        let shape = sine();
        for (second, count) in a_second(Spacing::Even).into_iter().enumerate() {
            let wanted = shape.sum(second as f64 + 1.0) - shape.sum(second as f64);
            assert!((count - wanted).abs() <= 1.0, "{second}: {count} of {wanted}");
        }
    }

    /// Variance over mean of the differences is 1 for a Poisson process; with 600 counts its
    /// standard error is 0.058.
    #[test]
    fn random_arrivals_have_the_dispersion_of_a_poisson_process() {
        let shape = sine();
        for seed in [1, 2, 3] {
            let counts = a_second(Spacing::Poisson { seed });
            let mut squares = 0.0;
            for (second, count) in counts.iter().enumerate() {
                let wanted = shape.sum(second as f64 + 1.0) - shape.sum(second as f64);
                let deviation = (count - wanted) / wanted.sqrt();
                assert!(deviation.abs() < 5.0, "{second}: {count} of {wanted}");
                squares += deviation * deviation;
            }
            let dispersion = squares / counts.len() as f64;
            assert!((dispersion - 1.0).abs() < 4.0 * 0.058, "{seed}: {dispersion}");
        }
    }

    /// In the time of the shape, distances are exponential (Kolmogorov-Smirnov at 0.1 %), and
    /// arrivals are uniform.
    #[test]
    fn random_arrivals_pass_kolmogorov_and_smirnov() {
        let shape = sine();
        let sums: Vec<_> =
            Pacer::new(shape.clone(), Spacing::Poisson { seed: 7 }).map(|at_s| shape.sum(at_s)).collect();
        let mut gaps: Vec<_> = sums.windows(2).map(|pair| 1.0 - (-(pair[1] - pair[0])).exp()).collect();
        let mut shares: Vec<_> = sums.iter().map(|sum| sum / shape.total()).collect();
        for uniform in [&mut gaps, &mut shares] {
            uniform.sort_unstable_by(f64::total_cmp);
            let n = uniform.len() as f64;
            let distances =
                uniform.iter().enumerate().map(|(at, value)| (value - (at as f64 + 0.5) / n).abs());
            let largest = distances.fold(0.0, f64::max) + 0.5 / n;
            assert!(largest < 1.95 / n.sqrt(), "{largest} of {n}");
        }
    }

    #[test]
    fn a_seed_makes_the_same_arrivals_and_another_others() {
        let first = |seed| Pacer::new(sine(), Spacing::Poisson { seed }).take(50).collect::<Vec<_>>();
        assert_eq!(first(5), first(5));
        assert_ne!(first(5), first(6));
        assert!(first(5).is_sorted());
    }

    #[test]
    fn a_factor_counts_from_when_it_is_set_and_a_pause_is_left_out() {
        let flat = Arc::new(Shape::new([ShapePart::Line { from: 10.0, to: 10.0, length_s: 60.0 }], None));
        let mut pacer = Pacer::new(flat, Spacing::Even);
        assert_eq!(pacer.by_ref().take(3).collect::<Vec<_>>(), [0.0, 0.1, 0.2]);
        pacer.multiply(2.0, 0.3);
        let near = |found: Vec<f64>, wanted: &[f64]| {
            assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
        };
        near(pacer.by_ref().take(3).collect(), &[0.3, 0.35, 0.4]);
        assert_eq!(pacer.skip_to(10.0), 191);
        near(pacer.by_ref().take(2).collect(), &[10.0, 10.05]);
    }
}
