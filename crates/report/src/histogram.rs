//! How response times are distributed, as lines for a terminal.

use std::fmt::Write;

use swell_stats::Histogram;

use crate::line::line;
use crate::number::{count, ms};
use crate::styled::{Role, Styled};

/// Lines of it.
const LINES: u32 = 15;

/// Characters of the longest bar.
const BAR: f64 = 60.0;

/// Bars over ranges that grow by the same factor, so that a long tail and a short body both show.
/// Nothing for no samples.
pub fn text(times_ns: &Histogram) -> Styled {
    let mut out = Styled::default();
    let (Some(low), Some(high)) = (times_ns.iter().next(), times_ns.iter().last()) else { return out };
    let low = low.0.max(1) as f64;
    let high = high.1.max(1) as f64;
    let factor = (high / low).powf(1.0 / f64::from(LINES)).max(1.000_1);
    let mut counts = [0_u64; LINES as usize];
    for (from, _, times) in times_ns.iter() {
        let at = ((from.max(1) as f64 / low).ln() / factor.ln()).floor();
        counts[(at as usize).min(LINES as usize - 1)] += times;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let total = times_ns.count() as f64;
    line!(out);
    out.push(Role::Head, &format!("{:>10} {:>11} {:>7}", "up to ms", "samples", "%"));
    line!(out);
    for (line, times) in counts.iter().enumerate() {
        let limit = if line + 1 == LINES as usize { high } else { low * factor.powi(line as i32 + 1) };
        let share = 100.0 * *times as f64 / total;
        let bar = "#".repeat((*times as f64 / most * BAR).ceil() as usize);
        line!(out, "{:>10} {:>11} {share:>7.2}  {bar}", ms(limit / 1e6), count(*times));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::Precision;

    #[test]
    fn every_sample_is_in_one_line() {
        let mut times = Histogram::new(Precision::Three);
        times.record_many(1_000_000, 900);
        times.record_many(2_000_000, 90);
        times.record_many(800_000_000, 10);
        let text = text(&times);
        let lines: Vec<Vec<&str>> =
            text.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
        let counts: Vec<u64> = lines.iter().map(|line| line[1].parse().expect("a number")).collect();
        assert_eq!((counts.len(), counts.iter().sum::<u64>()), (15, 1000), "{text}");
        assert_eq!((counts[0], counts[14]), (900, 10), "{text}");
        assert_eq!(lines[0][3].len(), 60, "the longest bar: {text}");
        assert_eq!(lines[1][3].len(), 6, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn no_samples_are_no_lines_and_equal_ones_are_one() {
        assert_eq!(&*text(&Histogram::new(Precision::Three)), "");
        let mut times = Histogram::new(Precision::Three);
        times.record_many(5_000_000, 7);
        assert!(text(&times).contains(" 7  100.00  ####"), "{}", text(&times));
    }
}
