//! Agents and brokers that are gone.

use super::*;

#[test]
fn slices_of_a_lost_agent_go_on_elsewhere_and_its_late_word_still_counts() {
    let mut coordinator = running();
    up(&mut coordinator, "a", 1, 1, goes(3, 0, Some(1), false), 3 * S);
    pass(&mut coordinator, 2..9, &["b"]);
    let actions = coordinator.take_actions();
    assert!(
        said(&actions).iter().any(|line| line.starts_with("agent a is lost: no message from it for ")),
        "{actions:?}"
    );
    let grant = claim(&mut coordinator, "b", 0, 2, 9 * S);
    assert_eq!(grant, Grant::Yes { from: 1, taken_over: Some(left_off(3 * S)) });
    let actions = coordinator.take_actions();
    let evicted = |action: &Action| matches!(action, Action::Send(ControllerMessage::Evict { share }) if share == "a-1.1");
    assert!(actions.iter().any(evicted), "{actions:?}");
    // What it had counted before and could not send.
    up(&mut coordinator, "a", 1, 2, Body::Counts { at_s: 3, snapshot: counts(9) }, 10 * S);
    up(
        &mut coordinator,
        "a",
        1,
        3,
        Body::End(Box::new(ShareEnd {
            samples: 9,
            evidence: encode(&Evidence::default()),
            given_up: Some("cut off".into()),
            ..ShareEnd::default()
        })),
        10 * S,
    );
    up(&mut coordinator, "b", 1, 1, end(0), 11 * S);
    coordinator.tick(11 * S);
    assert!(coordinator.is_running(), "slice 0 is not done");
    up(&mut coordinator, "b", 2, 2, end(0), 12 * S);
    coordinator.tick(12 * S);
    let actions = coordinator.take_actions();
    assert!(said(&actions).contains(&"accounted: 9 of 9 samples"), "{actions:?}");
}

#[test]
fn a_slice_that_was_given_up_before_anybody_took_it_goes_on_where_it_was_left() {
    let mut coordinator = running();
    up(&mut coordinator, "a", 1, 1, goes(7, 0, Some(1), false), 8 * S);
    let given_up = ShareEnd {
        evidence: encode(&Evidence::default()),
        given_up: Some("stopped for a while".into()),
        ..ShareEnd::default()
    };
    up(&mut coordinator, "a", 1, 2, Body::End(Box::new(given_up)), 9 * S);
    let grant = claim(&mut coordinator, "b", 0, 2, 10 * S);
    // Two of the seven started ones had ended; the others were cut, and start again.
    assert_eq!(grant, Grant::Yes { from: 1, taken_over: Some(left_off(7 * S)) });
}

#[test]
fn agents_are_not_lost_to_a_controller_that_hears_nobody() {
    for on_loss in [OnLoss::Abort, OnLoss::Continue, OnLoss::Redistribute] {
        let mut coordinator = running();
        coordinator.options.on_loss = on_loss;
        pass(&mut coordinator, 2..3, &["a", "b"]);
        // The broker is away for ten seconds.
        (6..26).for_each(|half| coordinator.tick(half * S / 2));
        pass(&mut coordinator, 13..14, &[]);
        pass(&mut coordinator, 14..16, &["a", "b"]);
        let actions = coordinator.take_actions();
        assert_eq!(said(&actions), [""; 0], "{on_loss:?}");
        assert!(coordinator.is_running() && coordinator.stopped.is_none(), "{on_loss:?}");
    }
}

#[test]
fn a_broker_that_takes_no_figures_is_named_and_ends_the_run() {
    let mut coordinator = running();
    let full = |unsent_s| Heartbeat {
        unsent: 7,
        unsent_s,
        refusal: Some("no space left on device".into()),
        ..heart("a", State::Running { held: None })
    };
    for unsent_s in [4, 5, 6] {
        coordinator.heartbeat(full(unsent_s), 2 * S);
        coordinator.tick(2 * S);
    }
    let told = "the broker has not accepted figures of agent a for 5 s (no space left on device): 7 messages are queued there";
    assert_eq!(said(&coordinator.take_actions()), [told]);
    coordinator.heartbeat(full(30), 2 * S);
    coordinator.tick(2 * S);
    let actions = coordinator.take_actions();
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    let why = end.failed.as_deref().unwrap_or_default();
    assert!(
        why.starts_with("the broker has not accepted figures of agent a for 30 s (no space left"),
        "{why}"
    );
    assert!(why.contains("\n  hint: the broker's disk is full"), "{why}");
}

#[test]
fn a_broker_that_stays_away_ends_the_run_in_one_line() {
    let mut coordinator = running();
    pass(&mut coordinator, 2..3, &["a", "b"]);
    (6..70).for_each(|half| coordinator.tick(half * S / 2));
    let actions = coordinator.take_actions();
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    assert_eq!(end.failed.as_deref(), Some("no answer from the broker for 30 s"));
}

#[test]
fn what_becomes_of_a_loss_is_chosen() {
    for (on_loss, stops) in [(OnLoss::Abort, true), (OnLoss::Continue, false)] {
        let mut coordinator = running();
        coordinator.options.on_loss = on_loss;
        pass(&mut coordinator, 2..9, &["b"]);
        let actions = coordinator.take_actions();
        let stopped = actions
            .iter()
            .any(|action| matches!(action, Action::Send(ControllerMessage::Stop(Stopped::Immediate))));
        assert_eq!(stopped, stops, "{actions:?}");
        up(&mut coordinator, "b", 1, 1, end(0), 10 * S);
        // What was lost may come back for a while.
        pass(&mut coordinator, 9..23, &["b"]);
        let finished = coordinator
            .take_actions()
            .into_iter()
            .find_map(|action| if let Action::Finish(end) = action { Some(end) } else { None });
        assert_eq!(finished.map(|end| end.failed.is_some()), Some(stops));
    }
}

#[test]
fn an_agent_that_leaves_where_nobody_takes_its_slices_is_a_loss() {
    let given_up = ShareEnd {
        evidence: encode(&Evidence::default()),
        given_up: Some("it received a request to leave".into()),
        ..ShareEnd::default()
    };
    let told = "agent a gave up 1 slices: it received a request to leave; ";
    for (on_loss, then) in [
        (OnLoss::Continue, "the other agents continue without its slices"),
        (OnLoss::Abort, "the test ends (--on-agent-loss)"),
    ] {
        let mut coordinator = running();
        coordinator.options.on_loss = on_loss;
        up(&mut coordinator, "a", 1, 1, Body::End(Box::new(given_up.clone())), 3 * S);
        let actions = coordinator.take_actions();
        assert_eq!(said(&actions), [format!("{told}{then}")]);
        let stops =
            |action: &Action| matches!(action, Action::Send(ControllerMessage::Stop(Stopped::Immediate)));
        assert_eq!(actions.iter().any(stops), on_loss == OnLoss::Abort, "{actions:?}");
        up(&mut coordinator, "b", 1, 1, end(0), 4 * S);
        coordinator.tick(4 * S);
        let Some(Action::Finish(end)) = coordinator.take_actions().pop() else { panic!("it never ends") };
        assert_eq!(end.failed.is_some(), on_loss == OnLoss::Abort, "{:?}", end.failed);
    }
}
