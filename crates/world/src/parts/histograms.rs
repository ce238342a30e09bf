//! Percentiles: those of the values, within the documented part of them.

use rand::Rng;
use rand::rngs::SmallRng;
use swell_stats::{Histogram, Precision};

use super::{Checked, equal, must, one_of};

/// Values of any size, near powers of two among them, which are borders of buckets.
fn value(draws: &mut SmallRng) -> u64 {
    let power = 1_u64 << draws.random_range(0..45);
    match draws.random_range(0..4) {
        0 => power,
        1 => power - 1,
        2 => power + draws.random_range(0..power),
        _ => draws.random_range(0..3_000_000_000),
    }
}

/// Two significant digits are within 1/128, three within 1/1024.
fn parts_of(precision: Precision) -> u64 {
    match precision {
        Precision::Two => 128,
        Precision::Three => 1024,
    }
}

/// Values into some histograms that are merged in any order.
pub(super) fn check(draws: &mut SmallRng, operations: u32) -> Checked {
    for precision in [Precision::Two, Precision::Three] {
        let mut parts = vec![Histogram::new(precision); draws.random_range(1..4)];
        let mut values: Vec<u64> = Vec::new();
        for _ in 0..operations * one_of(draws, &[1, 2]) {
            let part = draws.random_range(0..parts.len());
            let value = value(draws);
            let times = if draws.random_bool(0.05) { draws.random_range(0..20) } else { 1 };
            match times {
                1 => parts[part].record(value),
                _ => parts[part].record_many(value, times),
            }
            values.extend((0..times).map(|_| value));
        }
        let mut all = parts.remove(draws.random_range(0..parts.len()));
        for part in &parts {
            all.merge(part);
        }
        values.sort_unstable();
        whole(draws, &all, &values)?;
        outgrown(draws, precision)?;
    }
    mixed(draws)
}

fn whole(draws: &mut SmallRng, all: &Histogram, values: &[u64]) -> Checked {
    let parts = parts_of(all.precision());
    equal("values", &all.count(), &(values.len() as u64))?;
    equal("no values", &all.is_empty(), &values.is_empty())?;
    let mut below = 0;
    let mut last = None;
    for (low, high, times) in all.iter() {
        let within = values.iter().filter(|value| (low..=high).contains(*value)).count();
        equal(&format!("values of {low} to {high}"), &times, &(within as u64))?;
        must(high - low <= low / parts, || format!("the bucket {low} to {high} is too wide"))?;
        must(last.is_none_or(|last| last < low), || "buckets are not in order".to_owned())?;
        last = Some(high);
        below += times;
        equal("values up to a bucket", &all.count_up_to(high), &below)?;
        let before = high.checked_sub(1).map_or(0, |value| all.count_up_to(value));
        equal("values up to before the end of a bucket", &before, &(below - times))?;
    }
    equal("values of all buckets", &below, &(values.len() as u64))?;
    for quantile in [0.0, 1.0, 0.5, 0.9, 0.95, 0.99, 0.999, draws.random_range(0.0..1.0)] {
        let rank = ((quantile * values.len() as f64).ceil() as usize).max(1);
        value_of(all, values, rank, all.quantile(quantile), &format!("quantile {quantile}"))?;
    }
    for rank in [0, 1, values.len(), values.len() + 1, draws.random_range(0..=values.len())] {
        value_of(all, values, rank, all.value_at_rank(rank as u64), &format!("rank {rank}"))?;
    }
    Ok(())
}

/// The value of a rank is the highest of its bucket.
fn value_of(all: &Histogram, values: &[u64], rank: usize, is: u64, what: &str) -> Checked {
    let Some(last) = values.len().checked_sub(1) else { return equal(what, &is, &0) };
    let truth = values[rank.saturating_sub(1).min(last)];
    let most = truth + truth / parts_of(all.precision());
    must((truth..=most).contains(&is), || format!("{what} of {}: {is}, not {truth} to {most}", values.len()))
}

/// Counts that outgrow 32 bits.
fn outgrown(draws: &mut SmallRng, precision: Precision) -> Checked {
    let mut parts = [Histogram::new(precision), Histogram::new(precision)];
    let values: Vec<u64> = (0..draws.random_range(1..200)).map(|place| 1 << 20 | place << 12).collect();
    let times = u64::from(u32::MAX) - draws.random_range(0..3);
    for part in &mut parts {
        for value in &values {
            part.record_many(*value, times);
        }
    }
    let [mut all, other] = parts;
    all.merge(&other);
    all.record_many(values[0], 7);
    equal("many values", &all.count(), &(2 * times * values.len() as u64 + 7))?;
    let in_buckets: u64 = all.iter().map(|(_, _, times)| times).sum();
    equal("many values of all buckets", &in_buckets, &all.count())
}

/// The coarser of two precisions is that of both.
fn mixed(draws: &mut SmallRng) -> Checked {
    let (mut fine, mut coarse) = (Histogram::new(Precision::Three), Histogram::new(Precision::Two));
    let mut values: Vec<u64> = (0..draws.random_range(2..60)).map(|_| value(draws)).collect();
    let (some, others) = values.split_at(values.len() / 2);
    for value in some {
        fine.record(*value);
    }
    for value in others {
        coarse.record(*value);
    }
    fine.merge(&coarse);
    equal("the precision", &fine.precision(), &Precision::Two)?;
    values.sort_unstable();
    equal("values of both", &fine.count(), &(values.len() as u64))?;
    value_of(&fine, &values, values.len().div_ceil(2), fine.quantile(0.5), "the median of both")
}
