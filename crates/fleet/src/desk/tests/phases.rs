//! Phases that all begin together, and those that do not end.

use super::*;

#[test]
fn a_phase_begins_when_signs_of_life_say_that_all_wait_though_figures_come_seldom() {
    let mut desk = running();
    desk.take_actions();
    for name in ["a", "b"] {
        // Five seconds ago it waited for the main phase, and by now for the tear-down.
        up(&mut desk, name, 1, 1, goes(5, 0, Some(1), true), 5 * S);
        desk.heartbeat(heart(name, State::Running { held: Some(2) }), 9 * S);
    }
    desk.tick(9 * S);
    let actions = desk.take_actions();
    let begins = actions.iter().any(|action| matches!(action, Action::Send(Down::Go { phase: 2, .. })));
    assert!(begins, "{actions:?}");
}

/// Two agents, of which one does set-up, and the other waits for the main phase.
fn in_set_up(on_loss: OnLoss) -> Desk {
    let mut desk = Desk::new(DeskOptions { on_loss, phase_timeout_ns: 60 * S, ..options(2) }, 0);
    for name in ["a", "b"] {
        desk.heartbeat(heart(name, State::Ready), S);
    }
    desk.tick(S);
    for (slice, name) in [(0, "a"), (1, "b")] {
        assert_eq!(claim(&mut desk, name, slice, 1, S), Grant::Yes { from: 0, taken_over: None });
    }
    desk.tick(S);
    up(&mut desk, "a", 1, 0, goes(1, 0, Some(0), true), S);
    up(&mut desk, "b", 1, 0, goes(1, 0, Some(0), true), S);
    desk.tick(S);
    up(&mut desk, "a", 1, 1, goes(2, 0, Some(0), false), 2 * S);
    up(&mut desk, "b", 1, 1, goes(2, 0, Some(1), true), 2 * S);
    desk.take_actions();
    desk
}

#[test]
fn a_set_up_that_does_not_end_ends_the_test_and_names_who_is_late() {
    let mut desk = in_set_up(OnLoss::Redistribute);
    pass(&mut desk, 2..62, &["a", "b"]);
    let waits = |lines: Vec<&str>| lines.iter().all(|line| *line == "the main phase waits for agent a");
    let actions = desk.take_actions();
    assert!(waits(said(&actions)) && said(&actions).len() == 5, "{actions:?}");
    pass(&mut desk, 62..63, &["a", "b"]);
    let actions = desk.take_actions();
    let told = "the set-up phase has not finished on agent a after 60 s: the test ends (--phase-timeout)";
    assert_eq!(said(&actions), [told]);
    let stops = |action: &Action| matches!(action, Action::Send(Down::Stop(Stopped::Immediate)));
    assert!(actions.iter().any(stops), "{actions:?}");
    up(&mut desk, "b", 1, 2, end(0), 63 * S);
    pass(&mut desk, 63..77, &["a", "b"]);
    assert!(desk.is_running(), "who is late has time to stop");
    pass(&mut desk, 77..80, &["a", "b"]);
    let actions = desk.take_actions();
    let evicted = |action: &Action| matches!(action, Action::Send(Down::Evict { share }) if share == "a-1.1");
    assert!(actions.iter().any(evicted), "{actions:?}");
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    assert_eq!(end.failed.as_deref(), Some(told));
}

#[test]
fn others_go_on_without_an_agent_whose_set_up_does_not_end() {
    let mut desk = in_set_up(OnLoss::Continue);
    pass(&mut desk, 2..64, &["a", "b"]);
    let actions = desk.take_actions();
    let told = "the set-up phase has not finished on agent a after 60 s: the others continue without it";
    assert!(said(&actions).contains(&told), "{actions:?}");
    let begins = |action: &Action| matches!(action, Action::Send(Down::Go { phase: 1, .. }));
    assert!(actions.iter().any(begins), "{actions:?}");
    up(&mut desk, "b", 1, 2, end(0), 65 * S);
    desk.tick(65 * S);
    let Some(Action::Finish(end)) = desk.take_actions().pop() else { panic!("it is over") };
    assert_eq!(end.failed, None);
}

#[test]
fn main_users_have_the_time_that_they_need_as_long_as_they_count() {
    let status = |phase, is_held, samples| {
        let status = ShareStatus { phase: Some(phase), is_held, samples, ..ShareStatus::default() };
        Body::Goes { through_s: 3, samples: 0, status, load: Load::default() }
    };
    let mut desk = running();
    desk.options.phase_timeout_ns = 60 * S;
    up(&mut desk, "b", 1, 1, status(2, true, 0), 3 * S);
    for second in 3..300 {
        up(&mut desk, "a", 1, second, status(1, false, second), second as i64 * S);
        pass(&mut desk, second as i64..second as i64 + 1, &["a", "b"]);
    }
    let actions = desk.take_actions();
    assert!(
        said(&actions).iter().all(|line| *line == "the tear-down phase waits for agent a"),
        "{actions:?}"
    );
    pass(&mut desk, 300..361, &["a", "b"]);
    let actions = desk.take_actions();
    let told = "agent a has not ended the main phase 60 s after its time: the test ends (--phase-timeout)";
    assert!(said(&actions).contains(&told), "{actions:?}");
}
