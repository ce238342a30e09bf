use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::*;
use crate::{LabelStats, Observation};

/// Values in an order with that statistic: of 1 to n, swapped at the end until as many pairs fall.
fn with_statistic(n: usize, s: i64) -> Vec<f64> {
    let mut values: Vec<f64> = (0..n).map(|value| value as f64).collect();
    let mut falls = ((n * (n - 1) / 2) as i64 - s) / 2;
    while falls > 0 {
        for at in (1..n).rev() {
            if falls > 0 && values[at] > values[at - 1] {
                values.swap(at, at - 1);
                falls -= 1;
            }
        }
    }
    values
}

/// The probability of a normal value above `z` (Abramowitz and Stegun, 26.2.17).
fn beyond(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let sum = t
        * (0.319_381_53
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum
}

#[test]
fn probabilities_are_those_of_the_table_of_kendall() {
    // Gilbert, table A18, 10 values.
    for (s, probability) in
        [(5, 0.364), (9, 0.242), (13, 0.146), (17, 0.078), (21, 0.036), (25, 0.014), (27, 0.0083)]
    {
        let values = with_statistic(10, s);
        let z = (s as f64 - 1.0) / variance(&values).sqrt();
        assert!((beyond(z) - probability).abs() < 0.006, "{s}: {} {probability}", beyond(z));
    }
}

#[test]
fn the_variance_knows_ties() {
    // 10 · 9 · 25 / 18; two ties of two and one of three take off 2 · 18 / 18 and 66 / 18.
    assert!((variance(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]) - 125.0).abs() < 1e-9);
    let tied = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 5.0, 6.0];
    assert!((variance(&tied) - (125.0 - 2.0 - 66.0 / 18.0)).abs() < 1e-9);
    assert_eq!((trend(&[4.0; 20]), trend(&[1.0, 2.0])), (None, None));
}

#[test]
fn a_straight_line_has_its_slope_and_so_does_one_with_wild_points() {
    let mut line: Vec<f64> = (0..40).map(|at| 5.0 + 0.25 * f64::from(at)).collect();
    let found = trend(&line).expect("a trend");
    assert!((found.slope - 0.25).abs() < 1e-12 && found.interval.0 <= 0.25 && found.interval.1 >= 0.25);
    assert!(found.z > 8.0);
    (line[3], line[20], line[33]) = (900.0, -500.0, 900.0);
    let found = trend(&line).expect("a trend");
    assert!((found.slope - 0.25).abs() < 0.02 && found.z > 5.0, "{found:?}");
    line.reverse();
    assert!(trend(&line).is_some_and(|found| found.z < -5.0 && found.slope < 0.0));
}

/// Values whose neighbours are alike, on a rise.
fn alike(memory: f64, slope: f64, seed: u64) -> Vec<f64> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut level = 0.0;
    let mut normal = move || {
        let radius = 1.0 - random.random::<f64>();
        let turn = random.random::<f64>();
        (-2.0 * radius.ln()).sqrt() * (turn * std::f64::consts::TAU).cos()
    };
    // The level forgets its start first.
    (0..164)
        .map(|at| {
            level = memory * level + (1.0 - memory * memory).sqrt() * normal();
            level + slope * f64::from(at)
        })
        .skip(100)
        .collect()
}

fn found(memory: f64, slope: f64) -> usize {
    let trends = (0..400).filter_map(|seed| trend(&alike(memory, slope, seed)));
    trends.filter(|trend| trend.z.abs() >= Z_TEST).count()
}

#[test]
fn neighbours_that_are_alike_make_no_trend_and_a_trend_is_found() {
    let counts = [found(0.0, 0.0), found(0.3, 0.0), found(0.6, 0.0)];
    assert!(counts[0] <= 3 && counts[1] <= 6 && counts[2] <= 16, "{counts:?} of 400");
    assert!(found(0.0, 0.05) >= 380 && found(0.3, 0.1) >= 380, "{} {}", found(0.0, 0.05), found(0.3, 0.1));
}

#[test]
fn the_interval_holds_the_slope() {
    let holds = |trend: &Trend| trend.interval.0 <= 0.02 && 0.02 <= trend.interval.1;
    let held = (0..400).filter_map(|seed| trend(&alike(0.0, 0.02, seed))).filter(holds).count();
    assert!((366..=396).contains(&held), "{held} of 400");
}

/// A run of that many seconds.
fn run(seconds: i64, users: impl Fn(i64) -> u64, elapsed_ms: impl Fn(i64) -> f64) -> Series {
    let mut series = Series::default();
    let mut random = SmallRng::seed_from_u64(3);
    for at_s in 0..seconds {
        let mut counted = LabelStats::default();
        for _ in 0..if seconds > 100_000 { 1 } else { 5 } {
            let elapsed_ns = (elapsed_ms(at_s) * 1e6 * random.random_range(0.8..1.2)) as u64;
            counted.record(&Observation { elapsed_ns, success: true, ..Observation::default() });
        }
        series.add(at_s, &counted, users(at_s));
    }
    series
}

#[test]
fn a_leak_over_eight_hours_is_found_and_a_steady_run_is_silent() {
    let leaking = run(8 * 3600, |_| 10, |at_s| 20.0 + 1.2 * at_s as f64 / 3600.0);
    let found = drifts(&leaking, 0);
    assert_eq!(
        found.iter().map(|drift| drift.what).collect::<Vec<_>>(),
        [DriftFigure::P50, DriftFigure::P99]
    );
    let p50 = found[0];
    assert!((p50.per_hour - 1.2).abs() < 0.05 && (p50.hours - 8.0).abs() < 0.01, "{p50:?}");
    assert!(p50.interval.0 < p50.per_hour && p50.per_hour < p50.interval.1, "{p50:?}");
    assert_eq!(drifts(&run(8 * 3600, |_| 10, |_| 20.0), 0), []);
    // Two in a hundred are sure, and not worth a word.
    assert_eq!(drifts(&run(8 * 3600, |_| 10, |at_s| 20.0 + 0.4 * at_s as f64 / 28_800.0), 0), []);
    assert_eq!(drifts(&run(500, |_| 10, |at_s| 20.0 + at_s as f64), 0), [], "too short");
    assert_eq!(drifts(&Series::default(), 7), []);
}

#[test]
fn a_run_whose_load_changes_is_silent() {
    // Cut where the ramp ends, as a warm-up is.
    let ramp = |at_s: i64| (at_s as u64).min(2000);
    let late = run(7200, ramp, |at_s| if at_s < 2000 { 500.0 } else { 20.0 + at_s as f64 / 100.0 });
    assert_eq!(drifts(&late, 1000).len(), 2);
    let wave = |at_s: i64| if at_s % 1000 < 500 { 10 } else { 5 };
    assert_eq!(drifts(&run(7200, wave, |at_s| 20.0 + at_s as f64), 0), []);
}

#[test]
fn a_week_of_seconds_is_bounded_and_its_drift_is_found() {
    let week = run(604_800, |_| 10, |at_s| 50.0 + at_s as f64 / 36_000.0);
    assert!(week.points().len() <= Series::DEFAULT_LIMIT && week.width_s() == 256, "{}", week.width_s());
    assert_eq!(week.points().iter().map(|point| point.samples).sum::<u64>(), 604_800);
    let found = drifts(&week, 0);
    // The 99th percentile lies a fifth above the median.
    assert!(found.iter().all(|drift| (0.095..0.125).contains(&drift.per_hour)), "{found:?}");
    assert_eq!(found.len(), 2);
}

#[test]
fn seconds_between_the_intervals_of_a_file_are_no_change_of_users() {
    let mut series = Series::default();
    for at_s in (0..3600).step_by(8) {
        let mut counted = LabelStats::default();
        let elapsed_ns = (100 + at_s as u64 / 36) * 1_000_000;
        counted.record(&Observation { elapsed_ns, success: true, ..Observation::default() });
        series.add(at_s, &counted, 4);
    }
    assert_eq!(drifts(&series, 0).len(), 2);
}
