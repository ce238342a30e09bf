//! Searches of simulated servers with known limits.

use super::*;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

fn normal(random: &mut SmallRng) -> f64 {
    let radius = 1.0 - random.random::<f64>();
    let turn = random.random::<f64>();
    (-2.0 * radius.ln()).sqrt() * (turn * std::f64::consts::TAU).cos()
}

/// The trials of a search, and how it ended.
fn search(goal: &Goal, mut trial: impl FnMut(f64) -> (TrialOutcome, Option<f64>)) -> (Vec<SearchTrial>, End) {
    let mut history: Vec<SearchTrial> = Vec::new();
    loop {
        match goal.next(&history) {
            Step::Try { load, seconds, .. } => {
                let (outcome, reached) = trial(load);
                history.push(SearchTrial { load, seconds, outcome, reached });
            }
            Step::End(end) => return (history, end),
        }
    }
}

fn outcome(passes: bool) -> TrialOutcome {
    if passes { TrialOutcome::Pass } else { TrialOutcome::Fail }
}

/// What searches found: intervals that hold the limit, the median of the trials, the widest
/// interval.
fn many(searches: u64, tells_reached: bool) -> (usize, usize, f64) {
    let mut held = 0;
    let mut trials = Vec::new();
    let mut widest = 0.0_f64;
    let goal = Goal::between(50.0, 7500.0);
    for seed in 0..searches {
        let mut random = SmallRng::seed_from_u64(seed);
        let truth = 60.0 * 80_f64.powf(random.random::<f64>());
        let (history, end) = search(&goal, |load| {
            let limit = truth * (0.03 * normal(&mut random)).exp();
            let reached = (tells_reached && load > limit / 0.99).then_some(limit);
            (outcome(load <= limit && !random.random_bool(0.1)), reached)
        });
        let known = goal.estimate(&history);
        let low = known.holds.unwrap_or(0.0);
        let high = known.fails.unwrap_or(f64::INFINITY);
        held += usize::from(low <= truth && truth <= high);
        trials.push(history.len());
        if end == End::Found {
            widest = widest.max(high / low - 1.0);
        }
    }
    trials.sort_unstable();
    (held, trials[trials.len() / 2], widest)
}

/// Limits of 60 to 4,800 that differ by 3 % from trial to trial, and one trial of ten that fails
/// for no reason.
#[test]
fn a_thousand_noisy_limits_are_found() {
    // An overloaded server tells what it reached, or with how many users its times would hold.
    let (held, median, widest) = many(1000, true);
    assert!(held >= 950 && median <= 20 && widest <= 0.0501, "{held} held, median {median}, widest {widest}");
}

/// Without that a trial is one bit, and 3 % of noise take more of them.
#[test]
fn limits_are_found_by_passing_and_failing_alone() {
    let (held, median, widest) = many(200, false);
    assert!(held >= 186 && median <= 25 && widest <= 0.0501, "{held} held, median {median}, widest {widest}");
}

#[test]
fn a_limit_without_noise_takes_few_trials() {
    let goal = Goal::between(50.0, 100_000.0);
    let mut trials = Vec::new();
    for truth in [51.0, 60.0, 130.0, 999.0, 1219.5, 12_345.0, 98_000.0] {
        let (history, end) = search(&goal, |load| (outcome(load <= truth), None));
        let known = goal.estimate(&history);
        let low = known.holds.expect("holds");
        let high = known.fails.expect("fails");
        assert!(
            end == End::Found && low <= truth && truth <= high && high / low <= 1.0501,
            "{truth}: {known:?}"
        );
        trials.push(history.len());
    }
    assert!(trials.iter().all(|count| *count <= 24), "{trials:?}");
}

#[test]
fn the_same_outcomes_make_the_same_loads() {
    let goal = Goal::between(50.0, 7500.0);
    let loads = || search(&goal, |load| (outcome(load <= 777.0), None)).0;
    assert_eq!(loads(), loads());
}

#[test]
fn ends_are_told() {
    let goal = Goal::between(50.0, 1000.0);
    let (history, end) = search(&goal, |_| (TrialOutcome::Pass, None));
    let known = goal.estimate(&history);
    assert_eq!((end, known.holds, known.fails), (End::BearsAll, Some(1000.0), None), "{history:?}");
    let (history, end) = search(&goal, |_| (TrialOutcome::Fail, None));
    let known = goal.estimate(&history);
    assert_eq!((end, known.holds, known.fails), (End::BearsNone, None, Some(50.0)), "{history:?}");
    assert!(history.iter().all(|tried| tried.load < 50.1) && history.len() <= 4, "{history:?}");
}

#[test]
fn a_void_trial_moves_no_bound_and_a_second_one_ends_the_search() {
    let goal = Goal::between(50.0, 1000.0);
    let tried = |load, outcome| SearchTrial { load, seconds: 5.0, outcome, reached: None };
    let passed = [tried(50.0, TrialOutcome::Pass)];
    let Step::Try { load, .. } = goal.next(&passed) else { panic!("more trials are needed") };
    let mut history = passed.to_vec();
    history.push(tried(load, TrialOutcome::Void));
    assert_eq!(goal.next(&history), Step::Try { load, seconds: 5.0, decide: false });
    assert_eq!(goal.estimate(&history), goal.estimate(&passed));
    history.push(tried(load, TrialOutcome::Void));
    assert_eq!(goal.next(&history), Step::End(End::Generator(load)));
    history.pop();
    history.push(tried(load, TrialOutcome::Pass));
    assert!(matches!(goal.next(&history), Step::Try { load: next, .. } if next > load));
}

#[test]
fn an_undecided_trial_is_made_again_longer_and_in_the_end_the_figure_decides() {
    let goal = Goal::between(50.0, 1000.0);
    let mut history = Vec::new();
    let mut asked = Vec::new();
    for _ in 0..4 {
        let Step::Try { load, seconds, decide } = goal.next(&history) else { panic!("nothing is known") };
        asked.push((seconds, decide));
        history.push(SearchTrial { load, seconds, outcome: TrialOutcome::Undecided, reached: None });
    }
    assert_eq!(asked, [(5.0, false), (10.0, false), (20.0, false), (40.0, true)]);
    let again = SearchTrial { load: 50.0, seconds: 80.0, outcome: TrialOutcome::Undecided, reached: None };
    assert!(matches!(goal.next(&history), Step::Try { .. }));
    history.push(again);
    assert_eq!(goal.next(&history), Step::End(End::Unsteady));
}

/// A server that can handle 700 until its first overload, and 300 forever after.
#[test]
fn a_server_that_remembers_an_overload_is_told_in_both_directions() {
    let goal = Goal::between(50.0, 7500.0);
    let mut overloaded = false;
    let (history, end) = search(&goal, |load| {
        let limit = if overloaded { 300.0 } else { 700.0 };
        overloaded |= load > limit;
        (outcome(load <= limit), None)
    });
    let known = goal.estimate(&history);
    let low = known.holds.expect("holds");
    let high = known.fails.expect("fails");
    assert!(end == End::Found && low <= 300.0 && 300.0 <= high && high / low <= 1.0501, "{known:?}");
    let memory = goal.memory(&history).expect("it remembers");
    assert!(memory.before > 350.0 && memory.before <= 700.0 && memory.after > 300.0, "{memory:?}");
    // It takes some failures to believe them rather than what passed.
    assert!(history.len() <= 36, "{} trials", history.len());
    let forgets = search(&goal, |load| (outcome(load <= 700.0), None)).0;
    assert_eq!(goal.memory(&forgets), None);
}

#[test]
fn whole_numbers_are_tried_as_such_and_neighbours_are_close_enough() {
    let goal = Goal { whole: true, ..Goal::between(1.0, 500.0) };
    for truth in [1.5, 3.5, 15.5, 36.5, 250.5] {
        let (history, end) = search(&goal, |load| (outcome(load <= truth), None));
        assert!(history.iter().all(|tried| tried.load.fract() == 0.0), "{history:?}");
        let known = goal.estimate(&history);
        let low = known.holds.expect("holds");
        let high = known.fails.expect("fails");
        assert!(
            end == End::Found && low < truth && truth < high && high - low <= (0.05 * low).max(1.0),
            "{known:?}"
        );
    }
}

#[test]
fn a_search_that_was_cut_short_says_what_it_knows() {
    let goal = Goal::between(50.0, 10_000.0);
    let (history, _) = search(&goal, |load| (outcome(load <= 1219.5), None));
    for cut in 0..history.len() {
        let known = goal.estimate(&history[..cut]);
        assert!(
            known.holds.is_none_or(|load| load <= 1219.5) && known.fails.is_none_or(|load| load > 1219.5)
        );
    }
    assert_eq!(goal.estimate(&[]).holds, None);
}

#[test]
fn a_load_has_the_class_of_its_own_trials() {
    let goal = Goal::between(50.0, 1000.0);
    let tried = |load, outcome| SearchTrial { load, seconds: 10.0, outcome, reached: None };
    let history = [
        tried(60.0, TrialOutcome::Pass),
        tried(80.0, TrialOutcome::Fail),
        tried(60.0, TrialOutcome::Void),
        tried(60.0, TrialOutcome::Fail),
        tried(80.0, TrialOutcome::Fail),
        tried(60.0, TrialOutcome::Pass),
    ];
    let classes = [60.0, 70.0, 80.0].map(|load| goal.class_of(&history, load));
    assert_eq!(classes, [Class::Lower, Class::Open, Class::Upper]);
}
