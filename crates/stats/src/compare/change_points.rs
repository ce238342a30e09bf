//! Finds lasting changes in a run: medians before and after a point differ by more than chance
//! explains.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use crate::{Histogram, Series};

/// Blocks on each side of a change at least.
const FEWEST: usize = 5;

/// Changes of a run at most: twice two halves.
const DEPTH: u32 = 2;

/// A change is reported if none of this number of shufflings of the blocks has as large a one.
const SHUFFLINGS: usize = 199;

/// Smaller changes are not told, however certain they are.
const LEAST: f64 = 0.03;

/// A time at which the median of a run changed for good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// Seconds after its first sample.
    pub at_s: u64,
    /// Median before it, back to the change before, in milliseconds.
    pub before_ms: f64,
    /// Median after it, up to the next change, in milliseconds.
    pub after_ms: f64,
}

/// The changes of a series from `begin_s` on, in their order.
pub(super) fn change_points(series: &Series, begin_s: i64) -> Vec<ChangePoint> {
    let width_s = series.width_s().cast_signed();
    let start_of = |place: usize| series.first_s().saturating_add(width_s.saturating_mul(place as i64));
    let points = series.points();
    // The last one is mostly not whole.
    let whole = points.len().saturating_sub(1);
    let places: Vec<usize> =
        (0..whole).filter(|place| start_of(*place) >= begin_s && points[*place].samples > 0).collect();
    let levels: Vec<f64> =
        places.iter().map(|place| (points[*place].elapsed.quantile(0.5).max(1) as f64).ln()).collect();
    let ends = ends(&levels, DEPTH);
    let median_ms = |from: usize, to: usize| {
        let mut all = Histogram::new(series.precision());
        places[from..to].iter().for_each(|place| all.merge(&points[*place].elapsed));
        all.quantile(0.5) as f64 / 1e6
    };
    let found = ends.windows(3).map(|around| ChangePoint {
        at_s: start_of(places[around[1]]).saturating_sub(series.first_s()).cast_unsigned(),
        before_ms: median_ms(around[0], around[1]),
        after_ms: median_ms(around[1], around[2]),
    });
    found.filter(|change| (change.after_ms / change.before_ms).ln().abs() >= LEAST).collect()
}

/// Where the parts of a sequence end, each of which has one level: 0, each place from which on the
/// level is another one, and the length. `depth`: how often the sequence is halved.
pub(super) fn ends(levels: &[f64], depth: u32) -> Vec<usize> {
    let mut ends = vec![0, levels.len()];
    split(levels, 0, depth, &mut SmallRng::seed_from_u64(7), &mut ends);
    ends.sort_unstable();
    ends
}

/// Binary segmentation.
fn split(levels: &[f64], offset: usize, depth: u32, random: &mut SmallRng, cuts: &mut Vec<usize>) {
    if depth == 0 || levels.len() < 2 * FEWEST {
        return;
    }
    let (cut, size) = largest(levels);
    let mut shuffled = levels.to_vec();
    let by_chance = (0..SHUFFLINGS).any(|_| {
        shuffled.shuffle(random);
        largest(&shuffled).1 >= size
    });
    if by_chance {
        return;
    }
    cuts.push(offset + cut);
    split(&levels[..cut], offset, depth - 1, random, cuts);
    split(&levels[cut..], offset + cut, depth - 1, random, cuts);
}

/// The cut with the largest difference of the means on both sides, weighted by how many there are;
/// and that size.
fn largest(levels: &[f64]) -> (usize, f64) {
    let n = levels.len() as f64;
    let all = levels.iter().sum::<f64>();
    let mut left = 0.0;
    let mut best = (FEWEST, 0.0);
    for (cut, level) in (1..).zip(levels) {
        left += level;
        if cut < FEWEST || levels.len() - cut < FEWEST {
            continue;
        }
        let k = cut as f64;
        let size = (left / k - (all - left) / (n - k)).abs() * (k * (n - k) / n).sqrt();
        if size > best.1 {
            best = (cut, size);
        }
    }
    best
}
