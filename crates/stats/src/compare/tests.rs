//! Simulated runs with known changes.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::*;
use crate::{Interval, Observation, Recorder};

/// How runs are made up.
#[derive(Clone, Copy)]
struct Made {
    seconds: i64,
    per_s: u64,
    /// Times are this long in the mean, with a long tail.
    ms: f64,
    /// How much the level of a second is like that of the second before, 0..1, and how far it
    /// wanders.
    memory: f64,
    wander: f64,
    error_percent: f64,
}

const STEADY: Made =
    Made { seconds: 120, per_s: 40, ms: 20.0, memory: 0.0, wander: 0.02, error_percent: 1.0 };

fn normal(random: &mut SmallRng) -> f64 {
    // Twelve uniform numbers: close enough, without tails.
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}

fn run(made: Made, seed: u64) -> Side {
    run_with(made, seed, |_| 1.0)
}

/// `factor`: of the times in that second.
fn run_with(made: Made, seed: u64, factor: impl Fn(i64) -> f64) -> Side {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut side = Side::default();
    let mut level = 0.0;
    for at in 0..made.seconds {
        level = made.memory * level + (1.0 - made.memory * made.memory).sqrt() * normal(&mut random);
        let scale = made.ms * factor(at) * (made.wander * level).exp();
        side.add(&second(made, at, scale, &mut random));
    }
    side
}

fn second(made: Made, at: i64, scale: f64, random: &mut SmallRng) -> Interval {
    let mut recorder = Recorder::default();
    for _ in 0..made.per_s {
        let tail = -(1.0 - random.random::<f64>()).ln();
        let elapsed_ns = (1e6 * scale * (0.5 + 0.5 * tail)) as u64;
        let success = random.random::<f64>() * 100.0 >= made.error_percent;
        recorder.record(&Observation { label: "a", success, elapsed_ns, ..Observation::default() });
    }
    Interval { start_ms: at * 1000, length_ms: 1000, labels: recorder.take_interval(), ..Interval::default() }
}

fn finding(comparison: &Comparison, measure: Measure) -> Finding {
    comparison.total.changes[measure as usize].finding
}

/// In how many of these seeds there is any change.
fn changed(a: Made, b: Made, seeds: std::ops::Range<u64>) -> usize {
    let found = seeds.filter(|seed| {
        let found = compare(&run(a, 2 * seed), &run(b, 2 * seed + 1), Options::default());
        found.total.is_worse() || found.total.is_better()
    });
    found.count()
}

#[test]
fn a_run_begins_with_its_first_user_and_not_where_agents_join() {
    let mut random = SmallRng::seed_from_u64(1);
    for (started, seconds) in [(0, 2), (3, 5)] {
        let mut side = Side::default();
        for at in 0..3 {
            let users = crate::Users { started, active: started, finished: 0 };
            side.add(&Interval { start_ms: at * 1000, length_ms: 1000, users, ..Interval::default() });
        }
        (3..5).for_each(|at| side.add(&second(STEADY, at, 20.0, &mut random)));
        assert_eq!(side.seconds(), seconds);
    }
}

#[test]
fn a_rate_counts_from_the_first_sample_and_not_from_the_second_of_the_clock_in_which_that_is() {
    // A hundred samples a second from 7.6 s on; intervals end at 7.9 s and each second after that.
    let side = |ends_s: i64| {
        let mut side = Side::default();
        let mut from_ms = 7600;
        for to_ms in (7900..).step_by(1000).take_while(|to_ms| *to_ms <= ends_s * 1000) {
            let mut recorder = Recorder::default();
            for at_ms in (from_ms..to_ms).step_by(10) {
                let start_ns = at_ms * 1_000_000;
                let end_ns = (at_ms + 1) * 1_000_000;
                let elapsed_ns = 1_000_000;
                recorder.record(&Observation {
                    label: "a",
                    success: true,
                    elapsed_ns,
                    start_ns,
                    end_ns,
                    ..Observation::default()
                });
            }
            let length_ms = (to_ms - from_ms).unsigned_abs();
            let labels = recorder.take_interval();
            side.add(&Interval { start_ms: from_ms, length_ms, labels, ..Interval::default() });
            from_ms = to_ms;
        }
        side
    };
    let short = side(12);
    let long = side(300);
    let comparison = compare(&short, &long, Options { without_warm_up: false, ..Options::default() });
    let rate = &comparison.total.changes[Measure::Rate as usize];
    for per_s in [rate.before, rate.after] {
        let per_s = per_s.expect("it has samples");
        assert!((per_s - 100.0).abs() < 1e-9, "{per_s}");
    }
}

#[test]
fn runs_that_are_alike_show_no_change_in_95_of_100_seeds() {
    let found = changed(STEADY, STEADY, 0..40);
    assert!(found <= 2, "{found} of 40");
}

#[test]
fn runs_whose_seconds_are_like_their_neighbours_show_no_change_either() {
    let wandering = Made { memory: 0.5, wander: 0.05, seconds: 240, per_s: 20, ..STEADY };
    let found = changed(wandering, wandering, 100..120);
    assert!(found <= 1, "{found} of 20");
}

#[test]
fn a_shift_of_5_percent_is_found_with_enough_data() {
    let mut found = 0;
    let long = Made { seconds: 240, per_s: 60, ..STEADY };
    for seed in 0..10 {
        let slower = Made { ms: long.ms * 1.05, ..long };
        let comparison = compare(&run(long, seed), &run(slower, 1000 + seed), Options::default());
        let mean = &comparison.total.changes[0];
        found += usize::from(mean.finding == Finding::Worse && comparison.is_worse());
        let back = compare(&run(slower, seed), &run(long, 1000 + seed), Options::default());
        assert_ne!(finding(&back, Measure::Mean), Finding::Worse);
    }
    assert!(found >= 9, "{found} of 10");
}

#[test]
fn the_interval_of_a_change_holds_the_true_one() {
    let slower = Made { ms: STEADY.ms * 1.2, ..STEADY };
    let held = (0..20).filter(|seed| {
        let found = compare(&run(STEADY, *seed), &run(slower, 500 + seed), Options::default());
        found.total.changes[0].interval.is_some_and(|(low, high)| low <= 0.2 && 0.2 <= high)
    });
    let held = held.count();
    assert!(held >= 17, "{held} of 20");
}

#[test]
fn more_errors_and_a_lower_rate_are_worse() {
    let failing = Made { error_percent: 4.0, ..STEADY };
    let found = compare(&run(STEADY, 1), &run(failing, 2), Options::default());
    assert_eq!(
        (finding(&found, Measure::ErrorPercent), finding(&found, Measure::Mean)),
        (Finding::Worse, Finding::Same)
    );
    let slow = Made { per_s: 33, ..STEADY };
    let found = compare(&run(STEADY, 1), &run(slow, 2), Options::default());
    assert_eq!(finding(&found, Measure::Rate), Finding::Worse);
    let found = compare(&run(slow, 1), &run(STEADY, 2), Options::default());
    assert_eq!(finding(&found, Measure::Rate), Finding::Better);
    let none = Made { error_percent: 0.0, ..STEADY };
    let found = compare(&run(none, 1), &run(none, 2), Options::default());
    assert_eq!(finding(&found, Measure::ErrorPercent), Finding::Same);
}

#[test]
fn a_rate_that_goes_the_way_of_the_load_is_no_news() {
    let with_users = |per_s, seed, users| {
        let mut random = SmallRng::seed_from_u64(seed);
        let made = Made { per_s, ..STEADY };
        let mut side = Side::default();
        for at in 0..made.seconds {
            let interval = second(made, at, made.ms, &mut random);
            let users = crate::Users { active: users, started: users, ..interval.users };
            side.add(&Interval { users, ..interval });
        }
        side
    };
    for (before, after, finding, obscured) in [
        ((40, 20), (80, 40), Finding::Unknown, Some(Obscured::OtherLoad)),
        ((80, 40), (40, 20), Finding::Unknown, Some(Obscured::OtherLoad)),
        // More users make less, or fewer more: that is news.
        ((80, 20), (40, 40), Finding::Worse, None),
        ((40, 40), (80, 20), Finding::Better, None),
        ((40, 20), (80, 20), Finding::Better, None),
    ] {
        let found =
            compare(&with_users(before.0, 1, before.1), &with_users(after.0, 2, after.1), Options::default());
        for row in found.rows() {
            let rate = &row.changes[Measure::Rate as usize];
            assert_eq!((rate.finding, rate.obscured), (finding, obscured), "{before:?} {after:?}");
        }
    }
}

#[test]
fn a_run_that_is_too_short_tells_nothing() {
    let short = Made { seconds: 8, ..STEADY };
    let found = compare(&run(short, 1), &run(Made { ms: 90.0, ..STEADY }, 2), Options::default());
    assert!(found.total.changes.iter().all(|change| change.finding == Finding::Unknown));
    assert!(found.total.changes[0].change.is_some_and(|change| change > 3.0), "the figures are there");
    let empty = compare(&Side::default(), &Side::default(), Options::default());
    assert_eq!((empty.total.samples, empty.is_worse()), ((0, 0), false));
}

#[test]
fn a_slow_beginning_is_left_out() {
    let slow_start = |seed| run_with(STEADY, seed, |at| if at < 30 { 5.0 } else { 1.0 });
    let side = slow_start(1);
    assert!((25..=40).contains(&side.steadiness().warm_up_s), "{:?}", side.steadiness());
    let found = compare(&run(STEADY, 2), &side, Options::default());
    assert_eq!(finding(&found, Measure::Mean), Finding::Same, "{:?}", found.total.changes);
    let with = compare(&run(STEADY, 2), &side, Options { without_warm_up: false, ..Options::default() });
    assert!(with.total.changes[0].change.is_some_and(|change| change > 0.5));
}

#[test]
fn a_change_inside_a_run_is_found_and_a_steady_run_has_none() {
    let jump = run_with(STEADY, 3, |at| if at < 70 { 1.0 } else { 1.3 });
    let found = jump.steadiness().changes;
    assert!(found.len() == 1 && found[0].at_s.abs_diff(70) <= 3, "{found:?}");
    assert!((found[0].after_ms / found[0].before_ms - 1.3).abs() < 0.1, "{found:?}");
    let steady = (0..20).filter(|seed| run(STEADY, *seed).steadiness().changes.is_empty()).count();
    assert!(steady >= 19, "{steady} of 20");
}

#[test]
fn labels_are_paired_and_those_of_one_run_only_are_told() {
    let side = |labels: &[&str], ms: u64| {
        let mut side = Side::default();
        for at in 0..40_i64 {
            let mut recorder = Recorder::default();
            for label in labels {
                for number in 0..50_u64 {
                    let elapsed_ns = 1_000_000 * ms + number * 10_000 + (at as u64 * 7919) % 5000;
                    recorder.record(&Observation {
                        label,
                        success: true,
                        elapsed_ns,
                        ..Observation::default()
                    });
                }
            }
            side.add(&Interval {
                start_ms: at * 1000,
                length_ms: 1000,
                labels: recorder.take_interval(),
                ..Interval::default()
            });
        }
        side
    };
    let found = compare(&side(&["a", "b", "old"], 10), &side(&["new", "b", "a"], 12), Options::default());
    let labels: Vec<_> = found.labels.iter().map(|label| (&*label.label, label.is_worse())).collect();
    assert_eq!(labels, [("b", true), ("a", true)]);
    assert_eq!((&*found.only_before[0], &*found.only_after[0]), ("old", "new"));
}

/// As the runs of a comparison of servers that ended `SAME: mean +87 %, interval −97 to +262,722
/// %`.
const WILD: Made = Made { seconds: 14, per_s: 3, ms: 20.0, memory: 0.5, wander: 1.5, error_percent: 0.0 };

#[test]
fn a_difference_that_noise_can_hide_is_unknown_and_not_the_same() {
    let answers = |seed| {
        let found = compare(&run(WILD, seed), &run(Made { ms: 37.0, ..WILD }, 50 + seed), Options::default());
        found.total.changes[0].clone()
    };
    for change in (0..10).map(answers) {
        let (low, high) = change.interval.expect("ten blocks have an interval");
        assert!(low < -0.1 || high > 0.1, "{change:?}");
        assert!(!matches!(change.finding, Finding::Same), "{change:?}");
        assert!(change.smallest.is_some_and(|smallest| smallest > 0.5), "{change:?}");
        assert!(change.needed.is_some_and(|needed| needed.seconds > 100.0), "{change:?}");
    }
    assert!((0..10).map(answers).filter(|change| change.finding == Finding::Unknown).count() >= 7);
}

#[test]
fn runs_of_the_length_that_is_needed_show_the_change_and_equal_ones_are_the_same() {
    let short = Made { seconds: 30, per_s: 5, wander: 0.1, ..STEADY };
    let found = compare(&run(short, 1), &run(short, 2), Options::default());
    let mean = &found.total.changes[0];
    assert_eq!(mean.finding, Finding::Unknown, "{mean:?}");
    let needed = mean.needed.expect("a length");
    let long = Made { seconds: needed.seconds as i64, ..short };
    assert!((needed.samples / (needed.seconds * 5.0) - 1.0).abs() < 0.1, "{needed:?}");
    let is = |ms: f64, wanted: Finding| {
        (0..10)
            .filter(|seed| {
                let other = run(Made { ms, ..long }, 500 + seed);
                finding(&compare(&run(long, 20 + seed), &other, Options::default()), Measure::Mean) == wanted
            })
            .count()
    };
    let seen = is(short.ms * 1.1, Finding::Worse);
    let same = is(short.ms, Finding::Same);
    assert!(seen >= 6 && same >= 7, "{seen} and {same} of 10");
}

#[test]
fn the_smallest_change_that_would_have_been_seen_is_seen_in_most_runs() {
    let smallest = compare(&run(STEADY, 1), &run(STEADY, 2), Options::default()).total.changes[0].smallest;
    let slower = Made { ms: STEADY.ms * (1.0 + smallest.expect("it is known")), ..STEADY };
    let seen = (0..10).filter(|seed| {
        let found = compare(&run(STEADY, *seed), &run(slower, 700 + seed), Options::default());
        finding(&found, Measure::Mean) == Finding::Worse
    });
    let seen = seen.count();
    assert!(seen >= 6, "{seen} of 10");
}

#[test]
fn a_few_samples_without_an_error_do_not_show_that_there_are_none() {
    let few = Made { seconds: 20, per_s: 1, error_percent: 0.0, ..STEADY };
    let found = compare(&run(few, 1), &run(few, 2), Options::default());
    assert_eq!(finding(&found, Measure::ErrorPercent), Finding::Unknown);
    let needed = found.total.changes[Measure::P99 as usize].needed.expect("a percentile without samples");
    assert!((380.0..=500.0).contains(&needed.samples), "{needed:?}");
}

#[test]
fn the_band_is_chosen_and_the_answer_for_the_whole_follows_the_total() {
    let found = |same_within| {
        compare(&run(STEADY, 1), &run(STEADY, 2), Options { same_within, ..Options::default() })
    };
    assert_eq!(finding(&found(0.1), Measure::Mean), Finding::Same);
    assert_eq!(finding(&found(0.001), Measure::Mean), Finding::Unknown);
    assert_eq!((found(10.0).finding(), found(0.001).finding()), (Finding::Same, Finding::Unknown));
    let slow = compare(&run(STEADY, 1), &run(Made { ms: 40.0, ..STEADY }, 2), Options::default());
    assert_eq!(slow.finding(), Finding::Worse);
}

#[test]
fn nothing_is_better_where_more_samples_fail() {
    let failing = Made { error_percent: 30.0, ms: 10.0, ..STEADY };
    let found = compare(&run(STEADY, 1), &run(failing, 2), Options::default());
    let row = &found.total;
    assert!(row.is_worse() && row.has_more_failures() && !row.is_better(), "{row:?}");
    let mean = &row.changes[Measure::Mean as usize];
    assert!(mean.change.is_some_and(|change| change < -0.4), "{mean:?}");
    assert_eq!((mean.finding, mean.obscured), (Finding::Unknown, Some(Obscured::MoreFailed)));
    let slower = Made { error_percent: 30.0, ms: 40.0, ..STEADY };
    let found = compare(&run(STEADY, 1), &run(slower, 2), Options::default());
    assert_eq!(finding(&found, Measure::Mean), Finding::Worse, "what is worse stays worse");
}

#[test]
fn times_of_failures_alone_are_neither_better_nor_worse() {
    let broken = Made { error_percent: 100.0, ms: 1.0, ..STEADY };
    let both = [(STEADY, broken, Finding::Worse), (broken, STEADY, Finding::Better)];
    for (before, after, errors) in both {
        let found = compare(&run(before, 1), &run(after, 2), Options::default());
        assert_eq!(finding(&found, Measure::ErrorPercent), errors);
        for measure in [Measure::Mean, Measure::P50, Measure::P95, Measure::P99] {
            let change = &found.total.changes[measure as usize];
            assert_eq!((change.finding, change.obscured), (Finding::Unknown, Some(Obscured::AllFailed)));
            assert_eq!((change.smallest, change.needed), (None, None));
        }
        assert_eq!(found.finding(), errors);
    }
}
