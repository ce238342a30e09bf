//! Distributions of the random timers. All return whole milliseconds, as JMeter's do.

use rand::Rng;
use rand::rngs::SmallRng;

/// The distribution of a random timer's delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distribution {
    /// `|U·range + offset|`.
    Uniform,
    /// `|N·deviation + offset|`.
    Gaussian,
    /// `|Poisson(range) + offset|`.
    Poisson,
}

impl Distribution {
    /// A delay in milliseconds.
    pub(crate) fn draw(self, random: &mut SmallRng, offset_ms: i64, range_ms: f64) -> i64 {
        let offset = offset_ms as f64;
        match self {
            Self::Uniform => (random.random::<f64>() * range_ms + offset).abs() as i64,
            Self::Gaussian => (gaussian(random) * range_ms + offset).abs() as i64,
            Self::Poisson => {
                let lambda = crate::number::round(range_ms).clamp(i64::from(i32::MIN), i64::from(i32::MAX));
                (poisson(random, lambda as i32) + offset_ms).abs()
            }
        }
    }
}

/// A number of the standard normal distribution (Marsaglia's polar method, as
/// `Random.nextGaussian`).
fn gaussian(random: &mut SmallRng) -> f64 {
    loop {
        let a = 2.0 * random.random::<f64>() - 1.0;
        let b = 2.0 * random.random::<f64>() - 1.0;
        let square = a * a + b * b;
        if square < 1.0 && square > 0.0 {
            return a * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// A number of the Poisson distribution: Knuth's method for small means, Atkinson's rejection
/// (1979, algorithm PA) for others.
pub(crate) fn poisson(random: &mut SmallRng, lambda: i32) -> i64 {
    let mean = f64::from(lambda);
    if lambda <= 30 {
        let limit = (-mean).exp();
        let mut count = 0;
        let mut product = 1.0;
        loop {
            product *= random.random::<f64>();
            if product <= limit {
                return count;
            }
            count += 1;
        }
    }
    let scale = 0.767 - 3.36 / mean;
    let beta = std::f64::consts::PI / (3.0 * mean).sqrt();
    let alpha = beta * mean;
    let limit = scale.ln() - mean - beta.ln();
    loop {
        let first: f64 = random.random();
        let shifted = (alpha - ((1.0 - first) / first).ln()) / beta;
        let count = (shifted + 0.5).floor();
        if count < 0.0 || !count.is_finite() {
            continue;
        }
        let second: f64 = random.random();
        let tail = alpha - beta * shifted;
        let left = tail + (second / (1.0 + tail.exp()).powi(2)).ln();
        if left <= limit + count * mean.ln() - ln_factorial(count) {
            return count as i64;
        }
    }
}

/// Logarithm of n!, exact sums for small n, Stirling's series for others.
fn ln_factorial(n: f64) -> f64 {
    if n <= 254.0 {
        return (2..=n as u32).map(|i| f64::from(i).ln()).sum();
    }
    let x = n + 1.0;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + 1.0 / (12.0 * x)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn mean_and_deviation(law: Distribution, offset_ms: i64, range_ms: f64) -> (f64, f64, i64, i64) {
        let mut random = SmallRng::seed_from_u64(7);
        let draws: Vec<_> = (0..40_000).map(|_| law.draw(&mut random, offset_ms, range_ms)).collect();
        let count = draws.len() as f64;
        let mean = draws.iter().map(|d| *d as f64).sum::<f64>() / count;
        let square = draws.iter().map(|d| (*d as f64 - mean).powi(2)).sum::<f64>() / count;
        let low = draws.iter().min().unwrap();
        let high = draws.iter().max().unwrap();
        (mean, square.sqrt(), *low, *high)
    }

    #[test]
    fn random_timers_keep_their_laws() {
        // law, offset, range, mean, deviation, least, most
        let table = [
            (Distribution::Uniform, 1000, 100.0, 1049.5, 28.9, 1000, 1099),
            (Distribution::Uniform, -50, 100.0, 24.5, 14.4, 0, 50),
            (Distribution::Gaussian, 1000, 100.0, 999.5, 100.0, 500, 1500),
            (Distribution::Gaussian, 0, 100.0, 79.3, 60.3, 0, 600),
            (Distribution::Poisson, 300, 30.0, 330.0, 5.48, 300, 370),
            (Distribution::Poisson, 300, 100.0, 400.0, 10.0, 350, 460),
            (Distribution::Poisson, 0, 1000.0, 1000.0, 31.6, 800, 1200),
            (Distribution::Poisson, 5, 0.0, 5.0, 0.0, 5, 5),
        ];
        for (law, offset, range, mean, deviation, least, most) in table {
            let (m, d, low, high) = mean_and_deviation(law, offset, range);
            let near = |is: f64, ought: f64| (is - ought).abs() < 0.02 * ought.max(deviation) + 0.01;
            assert!(near(m, mean), "{law:?} {offset} {range}: mean {m}, not {mean}");
            assert!(near(d, deviation), "{law:?} {offset} {range}: deviation {d}, not {deviation}");
            assert!(low >= least && high <= most, "{law:?} {offset} {range}: {low}..{high}");
        }
    }
}
