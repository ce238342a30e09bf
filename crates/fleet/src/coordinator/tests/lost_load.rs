//! The load that is missing where agents were lost.

use super::*;
use swell_stats::verdict::{Grade, LostLoad};

/// Reports of both agents, as [`running`] leaves them, and their numbers.
struct Fleet {
    coordinator: RunCoordinator,
    seq: BTreeMap<&'static str, u64>,
}

impl Fleet {
    fn new(on_loss: OnLoss) -> Self {
        let mut coordinator = running();
        coordinator.options.on_loss = on_loss;
        Self { coordinator, seq: BTreeMap::new() }
    }

    fn up(&mut self, name: &'static str, share: u64, body: Body, now_s: i64) {
        let seq = self.seq.entry(name).or_insert(0);
        *seq += 1;
        up(&mut self.coordinator, name, share, *seq, body, now_s * S);
    }

    /// In each of these seconds these shares report the second before.
    fn pass(&mut self, seconds: std::ops::Range<i64>, shares: &[(&'static str, u64)]) {
        for at_s in seconds {
            let heard: Vec<&str> = shares.iter().map(|(name, _)| *name).collect();
            for (name, share) in shares {
                self.up(name, *share, goes(at_s, 0, Some(1), false), at_s);
            }
            pass(&mut self.coordinator, at_s..at_s + 1, &heard);
        }
    }

    fn given_up(&mut self, name: &'static str, share: u64, at_s: i64) {
        let given_up = Some("others make its slices".to_owned());
        let end = ShareEnd { evidence: encode(&Evidence::default()), given_up, ..ShareEnd::default() };
        self.up(name, share, goes(at_s + 1, 0, Some(1), false), at_s);
        self.up(name, share, Body::End(Box::new(end)), at_s);
    }

    /// The load that was lost, with who was to make it.
    fn finished(&mut self) -> (Box<End>, Option<(String, LostLoad)>) {
        let actions = self.coordinator.take_actions();
        let end = actions.into_iter().find_map(|action| match action {
            Action::Finish(end) => Some(end),
            _ => None,
        });
        let end = end.expect("it is over");
        let lost = end.lost.clone().map(|lost| (lost.names.to_string(), lost.load));
        (end, lost)
    }
}

fn grade(lost_load: LostLoad) -> Grade {
    swell_stats::verdict(&Evidence { lost_load: Some(lost_load), ..Evidence::default() }).grade
}

#[test]
fn nothing_is_lost_where_all_report_to_the_end() {
    let mut fleet = Fleet::new(OnLoss::Redistribute);
    fleet.pass(2..40, &[("a", 1), ("b", 1)]);
    fleet.up("a", 1, end(0), 40);
    // It waits for the other, and need not report that.
    fleet.pass(40..60, &[("b", 1)]);
    fleet.up("b", 1, end(0), 60);
    fleet.coordinator.tick(60 * S);
    assert_eq!(fleet.finished().1, None);
}

#[test]
fn an_agent_that_was_stopped_for_a_few_seconds_was_lost_also_when_it_is_back() {
    let mut fleet = Fleet::new(OnLoss::Continue);
    fleet.pass(2..10, &[("a", 1), ("b", 1)]);
    fleet.pass(10..15, &[("b", 1)]);
    // It reports none of the seconds until 12.
    for at_s in 13..15 {
        fleet.up("a", 1, goes(at_s, 0, Some(1), false), 15);
    }
    fleet.pass(15..40, &[("a", 1), ("b", 1)]);
    fleet.up("a", 1, end(0), 40);
    fleet.up("b", 1, end(0), 40);
    fleet.coordinator.tick(40 * S);
    let (name, load) = fleet.finished().1.expect("a machine was lost");
    assert_eq!((name.as_str(), load.seconds, load.none_left), ("a", 3.0, false));
    assert_eq!(grade(load), Grade::Degraded);
}

#[test]
fn load_of_a_lost_agent_is_missing_until_another_takes_it() {
    let mut fleet = Fleet::new(OnLoss::Redistribute);
    fleet.pass(2..10, &[("a", 1), ("b", 1)]);
    fleet.pass(10..22, &[("b", 1)]);
    assert_eq!(
        claim(&mut fleet.coordinator, "b", 0, 2, 22 * S),
        Grant::Yes { from: 1, taken_over: Some(left_off(9 * S)) }
    );
    fleet.pass(22..42, &[("b", 1), ("b", 2)]);
    fleet.up("b", 1, end(0), 42);
    fleet.up("b", 2, end(0), 42);
    fleet.coordinator.tick(42 * S);
    let (_, lost) = fleet.finished();
    let load = LostLoad { part: 13.0 / 80.0, seconds: 13.0, part_then: 0.5, none_left: false };
    assert_eq!(lost, Some(("a".to_owned(), load)), "from 9 s, that it last reported, to 22 s, of 2 to 42 s");
    assert_eq!(grade(load), Grade::Invalid);
    assert_eq!(grade(LostLoad { part: 0.04, ..load }), Grade::Degraded);
}

#[test]
fn load_that_another_takes_when_the_plan_is_over_is_missing_all_the_same() {
    let mut fleet = Fleet::new(OnLoss::Redistribute);
    fleet.pass(2..10, &[("a", 1), ("b", 1)]);
    fleet.pass(10..12, &[("b", 1)]);
    fleet.up("b", 1, end(0), 12);
    pass(&mut fleet.coordinator, 12..22, &["b"]);
    assert!(matches!(claim(&mut fleet.coordinator, "b", 0, 2, 22 * S), Grant::Yes { .. }));
    fleet.up("b", 2, end(0), 22);
    pass(&mut fleet.coordinator, 22..32, &["b"]);
    let (name, load) = fleet.finished().1.expect("some is lost");
    assert_eq!((name.as_str(), load.seconds, load.part_then), ("a", 13.0, 0.5));
}

#[test]
fn load_that_nobody_takes_is_missing_to_the_end() {
    for (on_loss, until_s) in [(OnLoss::Continue, 42), (OnLoss::Abort, 13)] {
        let mut fleet = Fleet::new(on_loss);
        fleet.pass(2..10, &[("a", 1), ("b", 1)]);
        fleet.pass(10..until_s, &[("b", 1)]);
        fleet.up("b", 1, end(0), until_s);
        fleet.pass(until_s..33, &[("b", 1)]);
        fleet.coordinator.tick(until_s.max(33) * S);
        let (name, load) = fleet.finished().1.expect("some is lost");
        assert_eq!((name.as_str(), load.part_then, load.none_left), ("a", 0.5, false), "{on_loss:?}");
        let least_s = (until_s - 9) as f64;
        assert!(load.seconds >= least_s && load.seconds < least_s + 3.0, "{on_loss:?}: {load:?}");
        assert!(grade(load) > Grade::Valid, "{on_loss:?}");
    }
}

#[test]
fn a_test_without_an_agent_at_its_end_is_invalid() {
    for on_loss in [OnLoss::Continue, OnLoss::Abort, OnLoss::Redistribute] {
        let mut fleet = Fleet::new(on_loss);
        fleet.pass(2..1000, &[("a", 1), ("b", 1)]);
        fleet.pass(1000..1030, &[]);
        let (end, lost) = fleet.finished();
        let (names, load) = lost.expect("all is lost");
        assert!(load.none_left && names == "a, b", "{on_loss:?}: {names}: {load:?}");
        assert_eq!(grade(load), Grade::Invalid, "{on_loss:?}");
        assert_eq!(end.invalid.is_some(), on_loss == OnLoss::Redistribute, "{:?}", end.invalid);
    }
}

#[test]
fn an_agent_that_is_killed_just_before_the_end_is_named() {
    let mut fleet = Fleet::new(OnLoss::Continue);
    fleet.pass(2..1000, &[("a", 1), ("b", 1)]);
    fleet.up("b", 1, end(0), 999);
    fleet.pass(1000..1022, &[]);
    fleet.coordinator.tick(1022 * S);
    let (name, load) = fleet.finished().1.expect("what it did last is not known");
    assert!(name.contains('a') && load.part > 0.0, "{name}: {load:?}");
}

#[test]
fn an_agent_that_was_stopped_made_nothing_then_and_a_slice_that_moves_is_no_loss() {
    let mut fleet = Fleet::new(OnLoss::Redistribute);
    fleet.pass(2..10, &[("a", 1), ("b", 1)]);
    fleet.pass(10..22, &[("b", 1)]);
    assert!(matches!(claim(&mut fleet.coordinator, "b", 0, 2, 22 * S), Grant::Yes { .. }));
    fleet.pass(22..24, &[("b", 1), ("b", 2)]);
    // It wakes up, and reports the interval in which it was stopped.
    fleet.given_up("a", 1, 24);
    fleet.pass(24..30, &[("b", 1), ("b", 2)]);
    // Another slice moves on purpose.
    fleet.given_up("b", 1, 30);
    assert!(matches!(claim(&mut fleet.coordinator, "a", 1, 3, 31 * S), Grant::Yes { .. }));
    fleet.pass(31..42, &[("a", 3), ("b", 2)]);
    fleet.up("a", 3, end(0), 42);
    fleet.up("b", 2, end(0), 42);
    fleet.coordinator.tick(42 * S);
    let (name, load) = fleet.finished().1.expect("some is lost");
    assert_eq!((name.as_str(), load.seconds, load.part_then), ("a", 13.0, 0.5));
}

#[test]
fn figures_that_come_late_are_no_loss() {
    let mut fleet = Fleet::new(OnLoss::Redistribute);
    fleet.pass(2..10, &[("a", 1), ("b", 1)]);
    // The network of an agent is cut for ten seconds.
    fleet.pass(10..20, &[("b", 1)]);
    (10..20).for_each(|at_s| fleet.up("a", 1, goes(at_s, 0, Some(1), false), 20));
    fleet.pass(20..42, &[("a", 1), ("b", 1)]);
    fleet.up("a", 1, end(0), 42);
    fleet.up("b", 1, end(0), 42);
    fleet.coordinator.tick(42 * S);
    assert_eq!(fleet.finished().1, None);
}

#[test]
fn an_agent_that_the_start_does_not_reach_makes_no_load_though_it_reports() {
    let mut fleet = Fleet::new(OnLoss::Redistribute);
    for at_s in 3..20 {
        fleet.up("a", 1, goes(at_s, 0, Some(1), true), at_s);
        fleet.pass(at_s..at_s + 1, &[("b", 1)]);
    }
    // The message arrives, and what is left of the plan is made.
    fleet.pass(20..32, &[("a", 1), ("b", 1)]);
    for name in ["a", "b"] {
        fleet.up(name, 1, end(0), 32);
    }
    pass(&mut fleet.coordinator, 32..33, &["a", "b"]);
    let (_, lost) = fleet.finished();
    let (names, load) = lost.expect("half of the load is missing for 17 s");
    assert_eq!(names, "a");
    assert!((15.0..18.0).contains(&load.seconds), "{load:?}");
}
