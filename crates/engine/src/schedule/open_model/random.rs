//! Random arrivals (`PoissonArrivalsRamp`): those of a Poisson process, given how many there are.

use swell_java::JavaRandom;

use super::slope::Slope;

/// Seconds from the start of the step, sorted. The numbers are drawn in JMeter's order.
pub(super) fn draw(slope: &Slope, random: &mut JavaRandom) -> Vec<f64> {
    let (from, to, length_s) = (slope.from_per_second, slope.to_per_second, slope.length_s);
    let count = slope.count();
    let flat = ((from.min(to) * length_s) as u64).min(count);
    let mut times = Vec::with_capacity(count as usize);
    times.extend((0..flat).map(|_| random.next_double() * length_s));
    // Where the rates are equal nothing is left.
    if flat < count {
        // What is over the lower rate rises from 0 or falls to it: its distribution is a square.
        times.extend((flat..count).map(|_| {
            let up = random.next_double().sqrt();
            (if from > to { 1.0 - up } else { up }) * length_s
        }));
    }
    times.sort_by(f64::total_cmp);
    times
}
