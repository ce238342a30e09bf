//! Random arrivals (`PoissonArrivalsRamp`): those of a Poisson process with a given number of
//! events.

use swell_java::JavaRandom;

use super::slope::Slope;

/// Seconds from the start of the step, sorted. The numbers are drawn in JMeter's order, so all of
/// them are in memory.
pub(super) fn draw(slope: &Slope, random: &mut JavaRandom) -> Vec<f64> {
    let from = slope.from_per_second;
    let to = slope.to_per_second;
    let length_s = slope.length_s;
    let count = slope.count();
    let flat = flat(slope);
    let mut times = Vec::with_capacity(count as usize);
    times.extend((0..flat).map(|_| random.next_double() * length_s));
    // Where the rates are equal nothing is left.
    if flat < count {
        // The part above the lower rate rises from 0 or falls to it: its distribution is a square.
        times.extend((flat..count).map(|_| {
            let up = random.next_double().sqrt();
            (if from > to { 1.0 - up } else { up }) * length_s
        }));
    }
    times.sort_unstable_by(f64::total_cmp);
    times
}

/// Arrivals of a step that the lower of its two rates gives.
fn flat(slope: &Slope) -> u64 {
    let lower = slope.from_per_second.min(slope.to_per_second);
    ((lower * slope.length_s) as u64).min(slope.count())
}

/// The arrivals of a step one after the other, with the distribution of [`draw`], without storing
/// each.
#[derive(Clone, Debug)]
pub(super) struct InOrder {
    length_s: f64,
    falls: bool,
    flat: Sorted,
    sloped: Sorted,
}

impl InOrder {
    pub(super) fn new(slope: &Slope, seed: i64) -> Self {
        let flat = flat(slope);
        Self {
            length_s: slope.length_s,
            falls: slope.from_per_second > slope.to_per_second,
            flat: Sorted::new(flat, JavaRandom::new(seed)),
            sloped: Sorted::new(slope.count() - flat, JavaRandom::new(!seed)),
        }
    }

    /// Seconds from the start of the step.
    pub(super) fn seconds(&self) -> impl Iterator<Item = f64> {
        let length_s = self.length_s;
        let falls = self.falls;
        let mut flat = self.flat.clone().map(|above| 1.0 - above).peekable();
        let mut sloped = self
            .sloped
            .clone()
            .map(move |above| if falls { 1.0 - above.sqrt() } else { (1.0 - above).sqrt() })
            .peekable();
        std::iter::from_fn(move || match (flat.peek(), sloped.peek()) {
            (Some(one), Some(other)) if one > other => sloped.next(),
            (Some(_), _) => flat.next(),
            (None, _) => sloped.next(),
        })
        .map(move |part| part * length_s)
    }
}

/// Independent uniform numbers from the least to the largest, each as its distance from 1. The
/// least of n numbers leaves the n-th root of a uniform number above it, and the others are uniform
/// there (Devroye, Non-Uniform Random Variate Generation, V.3.1).
#[derive(Clone, Debug)]
struct Sorted {
    left: u64,
    above: f64,
    random: JavaRandom,
}

impl Sorted {
    fn new(count: u64, random: JavaRandom) -> Self {
        Self { left: count, above: 1.0, random }
    }
}

impl Iterator for Sorted {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        if self.left == 0 {
            return None;
        }
        self.above *= (1.0 - self.random.next_double()).powf(1.0 / self.left as f64);
        self.left -= 1;
        Some(self.above)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::Arrival;
    use super::*;

    fn slope(from_per_second: f64, to_per_second: f64) -> Slope {
        Slope { arrival: Arrival::Random, offset_s: 0.0, length_s: 10.0, from_per_second, to_per_second }
    }

    #[test]
    fn arrivals_in_order_have_the_distribution_of_drawn_ones() {
        type Law = (f64, f64, fn(f64) -> f64);
        let laws: [Law; 4] = [
            (1000.0, 1000.0, |x| x),
            (0.0, 2000.0, |x| x * x),
            (2000.0, 0.0, |x| 2.0 * x - x * x),
            (500.0, 1500.0, |x| f64::midpoint(x, x * x)),
        ];
        for (from, to, law) in laws {
            let all: Vec<f64> = InOrder::new(&slope(from, to), 11).seconds().collect();
            assert_eq!(all.len(), 10_000);
            assert!(all.is_sorted() && all[0] >= 0.0 && all[9_999] <= 10.0);
            let distance = |(rank, at_s): (u32, &f64)| (f64::from(rank) / 1e4 - law(at_s / 10.0)).abs();
            let largest = (1..).zip(&all).map(distance).fold(0.0, f64::max);
            // Kolmogorov: exceeded once in a thousand seeds.
            assert!(largest < 1.95 / 100.0, "{from} {to}: {largest}");
        }
        let all: Vec<f64> = InOrder::new(&slope(1000.0, 1000.0), 3).seconds().collect();
        let long = all.windows(2).filter(|pair| pair[1] - pair[0] > 0.001).count() as f64 / 9_999.0;
        assert!((long - (-1.0_f64).exp()).abs() < 0.02, "gaps are exponential: {long}");
    }
}
