//! The end of a run, and agents that were stopped for a while.

use super::*;

fn counted(samples: u64) -> Body {
    Body::Counts { at_s: 3, snapshot: counts(samples) }
}

fn given_up(samples: u64) -> Body {
    let given_up = Some("no answer from the broker for 11.5 s".to_owned());
    Body::End(Box::new(ShareEnd {
        samples,
        evidence: encode(&Evidence::default()),
        given_up,
        ..ShareEnd::default()
    }))
}

/// Agent a is silent from 2 s on, and b ends its share at 10 s.
fn all_but_a_ended(on_loss: OnLoss) -> RunCoordinator {
    let mut coordinator = running();
    coordinator.options.on_loss = on_loss;
    pass(&mut coordinator, 2..9, &["b"]);
    if on_loss == OnLoss::Redistribute {
        assert!(matches!(claim(&mut coordinator, "b", 0, 2, 9 * S), Grant::Yes { .. }));
        up(&mut coordinator, "b", 2, 2, end(0), 9 * S);
    }
    up(&mut coordinator, "b", 1, 1, end(0), 10 * S);
    pass(&mut coordinator, 9..15, &["b"]);
    coordinator
}

fn finished(coordinator: &mut RunCoordinator) -> Option<Vec<String>> {
    let actions = coordinator.take_actions();
    let is_over = actions.iter().any(|action| matches!(action, Action::Finish(_)));
    is_over.then(|| said(&actions).into_iter().map(str::to_owned).collect())
}

#[test]
fn what_an_agent_counted_before_it_was_stopped_counts_though_all_else_is_over() {
    for on_loss in [OnLoss::Continue, OnLoss::Redistribute, OnLoss::Abort] {
        let mut coordinator = all_but_a_ended(on_loss);
        assert_eq!(finished(&mut coordinator), None, "{on_loss:?}");
        coordinator.heartbeat(heart("a", State::Running { held: None }), 15 * S);
        pass(&mut coordinator, 15..20, &["a", "b"]);
        assert_eq!(finished(&mut coordinator), None, "{on_loss:?}: it is back, and sends its rows");
        up(&mut coordinator, "a", 1, 1, counted(9), 20 * S);
        up(&mut coordinator, "a", 1, 2, given_up(9), 20 * S);
        coordinator.tick(20 * S);
        let said = finished(&mut coordinator).expect("all is reported");
        assert!(said.iter().any(|line| line == "accounted: 9 of 9 samples"), "{on_loss:?}: {said:?}");
    }
}

#[test]
fn an_agent_that_does_not_come_back_is_waited_for_a_while() {
    let mut coordinator = all_but_a_ended(OnLoss::Continue);
    let told = "the load has finished; waiting for figures of agent a, at most 20 s after its last message";
    assert!(said(&coordinator.take_actions()).contains(&told));
    pass(&mut coordinator, 15..21, &["b"]);
    assert_eq!(finished(&mut coordinator), None);
    pass(&mut coordinator, 21..22, &["b"]);
    assert!(finished(&mut coordinator).is_some());
}

#[test]
fn an_agent_that_is_heard_and_tells_nothing_is_waited_for_a_while() {
    let mut coordinator = all_but_a_ended(OnLoss::Continue);
    pass(&mut coordinator, 15..16, &["a", "b"]);
    coordinator.rows_came("a-1.1", 20 * S);
    pass(&mut coordinator, 16..35, &["a", "b"]);
    assert_eq!(finished(&mut coordinator), None, "its rows came at 20 s");
    pass(&mut coordinator, 35..36, &["a", "b"]);
    assert!(finished(&mut coordinator).is_some());
}

#[test]
fn who_stops_a_test_does_not_wait_for_machines_that_are_gone() {
    let mut coordinator = all_but_a_ended(OnLoss::Continue);
    assert_eq!(finished(&mut coordinator), None);
    coordinator.stop(Stopped::Graceful);
    coordinator.tick(15 * S);
    assert!(finished(&mut coordinator).is_some());
}

#[test]
fn an_agent_that_was_left_out_and_still_holds_its_slices_goes_on_with_them() {
    for holds in [vec![0], Vec::new()] {
        let mut coordinator = running();
        coordinator.options.on_loss = OnLoss::Continue;
        pass(&mut coordinator, 2..9, &["b"]);
        coordinator.heartbeat(
            Heartbeat { holds: holds.clone(), ..heart("a", State::Running { held: None }) },
            9 * S,
        );
        up(&mut coordinator, "b", 1, 1, end(0), 10 * S);
        pass(&mut coordinator, 9..40, &["a", "b"]);
        assert_eq!(finished(&mut coordinator).is_none(), !holds.is_empty(), "{holds:?}");
        if !holds.is_empty() {
            up(&mut coordinator, "a", 1, 1, end(0), 40 * S);
            coordinator.tick(40 * S);
            assert!(finished(&mut coordinator).is_some());
        }
    }
}
