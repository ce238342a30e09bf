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
fn all_but_a_ended(on_loss: OnLoss) -> Desk {
    let mut desk = running();
    desk.options.on_loss = on_loss;
    pass(&mut desk, 2..9, &["b"]);
    if on_loss == OnLoss::Redistribute {
        assert!(matches!(claim(&mut desk, "b", 0, 2, 9 * S), Grant::Yes { .. }));
        up(&mut desk, "b", 2, 2, end(0), 9 * S);
    }
    up(&mut desk, "b", 1, 1, end(0), 10 * S);
    pass(&mut desk, 9..15, &["b"]);
    desk
}

fn finished(desk: &mut Desk) -> Option<Vec<String>> {
    let actions = desk.take_actions();
    let is_over = actions.iter().any(|action| matches!(action, Action::Finish(_)));
    is_over.then(|| said(&actions).into_iter().map(str::to_owned).collect())
}

#[test]
fn what_an_agent_counted_before_it_was_stopped_counts_though_all_else_is_over() {
    for on_loss in [OnLoss::Continue, OnLoss::Redistribute, OnLoss::Abort] {
        let mut desk = all_but_a_ended(on_loss);
        assert_eq!(finished(&mut desk), None, "{on_loss:?}");
        desk.heartbeat(heart("a", State::Running { held: None }), 15 * S);
        pass(&mut desk, 15..20, &["a", "b"]);
        assert_eq!(finished(&mut desk), None, "{on_loss:?}: it is heard again, and sends its rows");
        up(&mut desk, "a", 1, 1, counted(9), 20 * S);
        up(&mut desk, "a", 1, 2, given_up(9), 20 * S);
        desk.tick(20 * S);
        let said = finished(&mut desk).expect("all is told");
        assert!(said.iter().any(|line| line == "accounted: 9 of 9 samples"), "{on_loss:?}: {said:?}");
    }
}

#[test]
fn an_agent_that_does_not_come_back_is_waited_for_a_while() {
    let mut desk = all_but_a_ended(OnLoss::Continue);
    let told = "the load has finished; waiting for figures of agent a, at most 20 s after its last message";
    assert!(said(&desk.take_actions()).contains(&told));
    pass(&mut desk, 15..21, &["b"]);
    assert_eq!(finished(&mut desk), None);
    pass(&mut desk, 21..22, &["b"]);
    assert!(finished(&mut desk).is_some());
}

#[test]
fn an_agent_that_is_heard_and_tells_nothing_is_waited_for_a_while() {
    let mut desk = all_but_a_ended(OnLoss::Continue);
    pass(&mut desk, 15..16, &["a", "b"]);
    desk.rows_came("a-1.1", 20 * S);
    pass(&mut desk, 16..35, &["a", "b"]);
    assert_eq!(finished(&mut desk), None, "its rows came at 20 s");
    pass(&mut desk, 35..36, &["a", "b"]);
    assert!(finished(&mut desk).is_some());
}

#[test]
fn who_stops_a_test_does_not_wait_for_machines_that_are_gone() {
    let mut desk = all_but_a_ended(OnLoss::Continue);
    assert_eq!(finished(&mut desk), None);
    desk.stop(Stopped::Graceful);
    desk.tick(15 * S);
    assert!(finished(&mut desk).is_some());
}

#[test]
fn an_agent_that_was_left_out_and_still_holds_its_slices_goes_on_with_them() {
    for holds in [vec![0], Vec::new()] {
        let mut desk = running();
        desk.options.on_loss = OnLoss::Continue;
        pass(&mut desk, 2..9, &["b"]);
        desk.heartbeat(
            Heartbeat { holds: holds.clone(), ..heart("a", State::Running { held: None }) },
            9 * S,
        );
        up(&mut desk, "b", 1, 1, end(0), 10 * S);
        pass(&mut desk, 9..40, &["a", "b"]);
        assert_eq!(finished(&mut desk).is_none(), !holds.is_empty(), "{holds:?}");
        if !holds.is_empty() {
            up(&mut desk, "a", 1, 1, end(0), 40 * S);
            desk.tick(40 * S);
            assert!(finished(&mut desk).is_some());
        }
    }
}
