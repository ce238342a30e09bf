//! What is counted, how exactly, and when.

use super::*;

/// What was counted of a label whose samples are many enough to go with two digits, and its third
/// digit.
fn in_two_parts(samples: u64) -> (Snapshot, Body, Body) {
    let mut recorder = Recorder::default();
    (0..samples).for_each(|at| {
        let elapsed_ns = 1_000_000 + at * 1009;
        recorder.record(&Observation { label: "a", success: true, elapsed_ns, ..Observation::default() });
    });
    let counted = recorder.take_interval();
    let mut fine = Snapshot::default();
    counted.rows.iter().for_each(|row| fine.add_fine(row));
    let counts = Body::Counts { at_s: 2, snapshot: encode(&counted.coarse(0)) };
    (counted, counts, Body::Fine { snapshot: encode(&fine) })
}

/// The end of a run, with what was counted in it.
fn ended(coordinator: &mut RunCoordinator) -> (End, Snapshot) {
    let mut end = None;
    let mut counted = Snapshot::default();
    for action in coordinator.take_actions() {
        match action {
            Action::Counted(_, interval) => counted.merge(&interval),
            Action::Finish(finished) => end = Some(*finished),
            _ => {}
        }
    }
    (end.expect("it is over"), counted)
}

#[test]
fn third_digits_count_when_what_they_are_of_has_come_and_samples_without_them_are_told() {
    let (counted, counts, fine) = in_two_parts(500);
    for (a_sends_all, b_sends_all) in [(true, true), (true, false), (false, true)] {
        let mut coordinator = running();
        // The third digit overtakes the figures.
        up(&mut coordinator, "a", 1, 2, fine.clone(), 3 * S);
        assert!(coordinator.fine.rows.is_empty(), "there are no values yet");
        if a_sends_all {
            up(&mut coordinator, "a", 1, 1, counts.clone(), 3 * S);
            assert_eq!(coordinator.fine.rows[0].stats.samples, 500);
        } else {
            up(&mut coordinator, "a", 1, 3, counts.clone(), 3 * S);
            assert!(coordinator.fine.rows.is_empty(), "the message before it is not here");
        }
        up(&mut coordinator, "b", 1, 1, counts.clone(), 3 * S);
        if b_sends_all {
            up(&mut coordinator, "b", 1, 2, fine.clone(), 3 * S);
        }
        for name in ["a", "b"] {
            up(&mut coordinator, name, 1, 9, end(500), 4 * S);
        }
        coordinator.tick(5 * S);
        let coarse = coordinator.ledger.account().coarse;
        let (end, mut live) = ended(&mut coordinator);
        assert_eq!((live.refine(&end.fine), live.total().samples), (0, 1000));
        let mut both = counted.clone();
        both.merge(&counted);
        assert_eq!(live.rows == both.rows, a_sends_all && b_sends_all);
        assert_eq!(coarse, if a_sends_all && b_sends_all { 0 } else { 500 });
        // Shares that have ended sent all there is.
        assert_eq!(end.invalid.is_none(), a_sends_all && b_sends_all, "{:?}", end.invalid);
    }
}

#[test]
fn a_killed_agent_costs_a_digit_of_its_last_values_and_no_sample() {
    let (_, counts, fine) = in_two_parts(500);
    let mut coordinator = running();
    for (seq, body) in
        [counts.clone(), fine, counts.clone(), goes(5, 1000, Some(1), false)].into_iter().enumerate()
    {
        up(&mut coordinator, "a", 1, seq as u64 + 1, body, 3 * S);
    }
    up(&mut coordinator, "b", 1, 1, end(0), 4 * S);
    pass(&mut coordinator, 4..8, &["b"]);
    coordinator.give_up("enough".into());
    let actions = coordinator.take_actions();
    let account = said(&actions).into_iter().find(|text| text.starts_with("accounted")).expect("an account");
    assert_eq!(
        account,
        "accounted: 1,000 of 1,000 samples; lost, and not counted after their last report: a-1.1; 500 of them are in percentiles within 1/128, all others within 1/1024"
    );
    assert!(coordinator.ledger.account().wrong.is_empty());
}

#[test]
fn intervals_of_many_agents_are_longer_and_wait_longer_for_late_ones() {
    assert_eq!((interval_of(200), interval_of(201)), (1, 5));
    let mut coordinator = RunCoordinator::new(CoordinatorOptions { interval_s: 5, ..options(1) }, 0);
    coordinator.pending.insert(100, Snapshot::default());
    let closed = |coordinator: &mut RunCoordinator, now_s: i64| {
        coordinator.close_seconds(now_s * S);
        coordinator.take_actions().iter().any(|action| matches!(action, Action::Counted(100, _)))
    };
    coordinator.shares.insert("late".into(), Share { agent: "a-1".into(), ..Share::default() });
    coordinator.heartbeat(heart("a", State::Ready), 100 * S);
    assert!(!closed(&mut coordinator, 109), "it is over since 4 s");
    assert!(closed(&mut coordinator, 110), "late ones have had 5 s");
}

#[test]
fn a_failure_that_an_agent_kept_comes_once_and_with_its_name() {
    let mut coordinator = running();
    let failure = || Body::Failure { packed: b"events".to_vec() };
    up(&mut coordinator, "b", 1, 1, failure(), 3 * S);
    up(&mut coordinator, "b", 1, 1, failure(), 3 * S);
    up(&mut coordinator, "a", 7, 1, failure(), 3 * S);
    let actions = coordinator.take_actions();
    let failures: Vec<_> = actions
        .iter()
        .filter_map(
            |action| if let Action::Failure(name, packed) = action { Some((name, packed)) } else { None },
        )
        .collect();
    assert_eq!(failures, [(&"b".to_owned(), &b"events".to_vec())]);
}
