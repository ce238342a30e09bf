//! Who takes part, and with how much.

use super::super::joining::dealt;
use super::*;
use crate::wire::Hello;

#[test]
fn who_is_missing_is_named() {
    let failed = |coordinator: &mut RunCoordinator, now_ns| {
        coordinator.tick(now_ns);
        let actions = coordinator.take_actions();
        let Some(Action::Finish(end)) = actions.into_iter().next_back() else { return None };
        end.failed
    };
    let mut coordinator =
        RunCoordinator::new(CoordinatorOptions { named: vec!["a".into(), "c".into()], ..options(2) }, 0);
    coordinator.heartbeat(heart("a", State::Preparing), 29 * S);
    coordinator.heartbeat(heart("b", State::Ready), 29 * S);
    assert_eq!(failed(&mut coordinator, 29 * S), None);
    let told = failed(&mut coordinator, 30 * S);
    assert_eq!(
        told.as_deref(),
        Some("0 of 2 agents were ready after 30 s: agent a is not ready yet, c has not joined")
    );
    let mut coordinator = RunCoordinator::new(options(1), 0);
    coordinator.heartbeat(heart("a", State::Failed { why: "data.csv is damaged".into() }), S);
    assert_eq!(failed(&mut coordinator, S).as_deref(), Some("agent a cannot take part: data.csv is damaged"));
    let mut coordinator = RunCoordinator::new(options(1), 0);
    coordinator.heartbeat(Heartbeat { version: "0.0.1".into(), ..heart("a", State::Ready) }, S);
    assert!(
        failed(&mut coordinator, S)
            .is_some_and(|why| why.starts_with("agent a cannot take part: it runs Swell 0.0.1"))
    );
}

#[test]
fn slices_are_dealt_to_all() {
    let of = |slices, workers: &[u32]| {
        let mut takes =
            workers.iter().enumerate().map(|(place, workers)| (place.to_string(), *workers)).collect();
        let all = dealt(&mut takes, slices);
        assert_eq!(all, takes.values().sum::<u32>());
        takes.into_values().collect::<Vec<_>>()
    };
    assert_eq!(of(None, &[2, 1, 4]), [2, 1, 4]);
    assert_eq!(of(Some(8), &[1, 1, 1]), [3, 3, 2]);
    assert_eq!(of(Some(1), &[1, 1, 1]), [1, 1, 1]);
}

#[test]
fn more_workers_than_slices_can_be_are_refused() {
    let mut coordinator = RunCoordinator::new(options(11), 0);
    for place in 0..11 {
        coordinator.heartbeat(Heartbeat { workers: 1000, ..heart(&format!("n{place}"), State::Ready) }, S);
    }
    coordinator.tick(S);
    let actions = coordinator.take_actions();
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    assert!(end.failed.as_deref().is_some_and(|why| why.contains("11000 workers in total")), "{actions:?}");
}

#[test]
fn an_agent_that_is_about_to_leave_is_not_waited_for_and_begins_no_run() {
    let mut coordinator = RunCoordinator::new(options(2), 0);
    coordinator.heartbeat(heart("a", State::Ready), S);
    coordinator.heartbeat(Heartbeat { rests: true, ..heart("b", State::Ready) }, S);
    coordinator.tick(S);
    assert!(coordinator.take_actions().iter().all(|action| matches!(action, Action::Say(_))), "it waits");
    pass(&mut coordinator, 2..3, &[]);
    coordinator.heartbeat(heart("a", State::Ready), 30 * S);
    coordinator.heartbeat(Heartbeat { rests: true, ..heart("b", State::Ready) }, 30 * S);
    coordinator.tick(30 * S);
    let Some(Action::Finish(end)) = coordinator.take_actions().pop() else { panic!("it waits for ever") };
    assert_eq!(end.failed.as_deref(), Some("1 of 2 agents were ready after 30 s: agent b is leaving"));
}

#[test]
fn an_agent_of_another_version_is_named_though_its_words_cannot_be_read() {
    let hello = |protocol, version: &str, name: &str| Hello {
        protocol,
        version: version.into(),
        agent: format!("{name}-1"),
        name: name.into(),
        host: "h".into(),
    };
    let mut coordinator = RunCoordinator::new(options(1), 0);
    coordinator.strange_heartbeat(hello(PROTOCOL, env!("CARGO_PKG_VERSION"), "odd"));
    assert!(coordinator.take_actions().is_empty(), "of this version it is no sign of life at all");
    coordinator.strange_heartbeat(hello(PROTOCOL - 1, "0.1.0", "old"));
    let Some(Action::Finish(end)) = coordinator.take_actions().pop() else { panic!("it waits") };
    let why = end.failed.unwrap_or_default();
    assert!(why.starts_with("agent old cannot take part: it runs Swell 0.1.0 (protocol "), "{why}");
    let mut coordinator = running();
    coordinator.take_actions();
    for _ in 0..2 {
        coordinator.strange_heartbeat(hello(PROTOCOL - 1, "0.1.0", "old"));
    }
    let actions = coordinator.take_actions();
    assert_eq!((actions.len(), coordinator.is_running()), (1, true), "it is reported once: {actions:?}");
}
