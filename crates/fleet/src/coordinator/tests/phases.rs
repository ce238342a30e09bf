//! Phases that all begin together, and those that do not end.

use super::*;

#[test]
fn a_phase_begins_when_signs_of_life_say_that_all_wait_though_figures_come_seldom() {
    let mut coordinator = running();
    coordinator.take_actions();
    for name in ["a", "b"] {
        // Five seconds ago it waited for the main phase, and by now for the tear-down.
        up(&mut coordinator, name, 1, 1, goes(5, 0, Some(1), true), 5 * S);
        coordinator.heartbeat(heart(name, State::Running { held: Some(2) }), 9 * S);
    }
    coordinator.tick(9 * S);
    let actions = coordinator.take_actions();
    let begins =
        actions.iter().any(|action| matches!(action, Action::Send(ControllerMessage::Go { phase: 2, .. })));
    assert!(begins, "{actions:?}");
}

/// Two agents that have taken a slice each, before any phase.
fn dealt() -> RunCoordinator {
    let mut coordinator = RunCoordinator::new(options(2), 0);
    for name in ["a", "b"] {
        coordinator.heartbeat(heart(name, State::Ready), S);
    }
    coordinator.tick(S);
    for (slice, name) in [(0, "a"), (1, "b")] {
        assert_eq!(claim(&mut coordinator, name, slice, 1, S), Grant::Yes { from: 0, taken_over: None });
    }
    coordinator
}

fn begins(actions: &[Action], wanted: u8) -> bool {
    actions
        .iter()
        .any(|action| matches!(action, Action::Send(ControllerMessage::Go { phase, .. }) if *phase == wanted))
}

#[test]
fn the_first_phase_begins_without_an_agent_that_is_lost() {
    let mut coordinator = dealt();
    up(&mut coordinator, "b", 1, 0, goes(1, 0, Some(1), true), S);
    pass(&mut coordinator, 1..5, &["b"]);
    assert!(!begins(&coordinator.take_actions(), 1), "it may only be slow");
    pass(&mut coordinator, 5..7, &["b"]);
    let actions = coordinator.take_actions();
    assert!(begins(&actions, 1), "agents take no slices before it: {actions:?}");
}

#[test]
fn no_phase_waits_for_a_share_whose_only_slice_another_has_before_the_start() {
    let mut coordinator = dealt();
    up(&mut coordinator, "a", 1, 0, goes(1, 0, Some(1), true), S);
    coordinator.tick(S);
    coordinator.take_actions();
    // The agent of the second share did not receive the grant.
    assert_eq!(claim(&mut coordinator, "a", 1, 2, 2 * S), Grant::Yes { from: 0, taken_over: None });
    up(&mut coordinator, "a", 2, 1, goes(2, 0, Some(1), true), 2 * S);
    coordinator.tick(2 * S);
    let actions = coordinator.take_actions();
    let evicts = |action: &Action| matches!(action, Action::Send(ControllerMessage::Evict { share }) if share == "b-1.1");
    assert!(actions.iter().any(evicts), "{actions:?}");
    assert!(begins(&actions, 1), "{actions:?}");
}

/// Two agents, of which one does set-up, and the other waits for the main phase.
fn in_set_up(on_loss: OnLoss) -> RunCoordinator {
    let mut coordinator =
        RunCoordinator::new(CoordinatorOptions { on_loss, phase_timeout_ns: 60 * S, ..options(2) }, 0);
    for name in ["a", "b"] {
        coordinator.heartbeat(heart(name, State::Ready), S);
    }
    coordinator.tick(S);
    for (slice, name) in [(0, "a"), (1, "b")] {
        assert_eq!(claim(&mut coordinator, name, slice, 1, S), Grant::Yes { from: 0, taken_over: None });
    }
    coordinator.tick(S);
    up(&mut coordinator, "a", 1, 0, goes(1, 0, Some(0), true), S);
    up(&mut coordinator, "b", 1, 0, goes(1, 0, Some(0), true), S);
    coordinator.tick(S);
    up(&mut coordinator, "a", 1, 1, goes(2, 0, Some(0), false), 2 * S);
    up(&mut coordinator, "b", 1, 1, goes(2, 0, Some(1), true), 2 * S);
    coordinator.take_actions();
    coordinator
}

#[test]
fn a_set_up_that_does_not_end_ends_the_test_and_names_who_is_late() {
    let mut coordinator = in_set_up(OnLoss::Redistribute);
    pass(&mut coordinator, 2..62, &["a", "b"]);
    let waits = |lines: Vec<&str>| lines.iter().all(|line| *line == "the main phase waits for agent a");
    let actions = coordinator.take_actions();
    assert!(waits(said(&actions)) && said(&actions).len() == 5, "{actions:?}");
    pass(&mut coordinator, 62..63, &["a", "b"]);
    let actions = coordinator.take_actions();
    let told = "the set-up phase has not finished on agent a after 60 s: the test ends (--phase-timeout)";
    assert_eq!(said(&actions), [told]);
    let stops = |action: &Action| matches!(action, Action::Send(ControllerMessage::Stop(Stopped::Immediate)));
    assert!(actions.iter().any(stops), "{actions:?}");
    up(&mut coordinator, "b", 1, 2, end(0), 63 * S);
    pass(&mut coordinator, 63..77, &["a", "b"]);
    assert!(coordinator.is_running(), "who is late has time to stop");
    pass(&mut coordinator, 77..80, &["a", "b"]);
    let actions = coordinator.take_actions();
    let evicted = |action: &Action| matches!(action, Action::Send(ControllerMessage::Evict { share }) if share == "a-1.1");
    assert!(actions.iter().any(evicted), "{actions:?}");
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    assert_eq!(end.failed.as_deref(), Some(told));
}

#[test]
fn others_go_on_without_an_agent_whose_set_up_does_not_end() {
    let mut coordinator = in_set_up(OnLoss::Continue);
    pass(&mut coordinator, 2..64, &["a", "b"]);
    let actions = coordinator.take_actions();
    let told = "the set-up phase has not finished on agent a after 60 s: the others continue without it";
    assert!(said(&actions).contains(&told), "{actions:?}");
    let begins = |action: &Action| matches!(action, Action::Send(ControllerMessage::Go { phase: 1, .. }));
    assert!(actions.iter().any(begins), "{actions:?}");
    up(&mut coordinator, "b", 1, 2, end(0), 65 * S);
    coordinator.tick(65 * S);
    let Some(Action::Finish(end)) = coordinator.take_actions().pop() else { panic!("it is over") };
    assert_eq!(end.failed, None);
}

#[test]
fn main_users_have_the_time_that_they_need_as_long_as_they_count() {
    let status = |phase, is_held, samples| {
        let status = ShareStatus { phase: Some(phase), is_held, samples, ..ShareStatus::default() };
        Body::Goes { through_s: 3, samples: 0, status, load: Load::default() }
    };
    let mut coordinator = running();
    coordinator.options.phase_timeout_ns = 60 * S;
    up(&mut coordinator, "b", 1, 1, status(2, true, 0), 3 * S);
    for second in 3..300 {
        up(&mut coordinator, "a", 1, second, status(1, false, second), second as i64 * S);
        pass(&mut coordinator, second as i64..second as i64 + 1, &["a", "b"]);
    }
    let actions = coordinator.take_actions();
    assert!(
        said(&actions).iter().all(|line| *line == "the tear-down phase waits for agent a"),
        "{actions:?}"
    );
    pass(&mut coordinator, 300..361, &["a", "b"]);
    let actions = coordinator.take_actions();
    let told = "agent a has not ended the main phase 60 s after its time: the test ends (--phase-timeout)";
    assert!(said(&actions).contains(&told), "{actions:?}");
}
