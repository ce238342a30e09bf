//! Agents as a desk hears them, and what it decides.

mod event_loops;
mod figures;
mod joining;
mod lies;
mod losses;
mod lost_load;
mod moving;
mod phases;
mod returning;

use super::*;
use crate::wire::{AgentMessage, Body, Claim, Grant, PROTOCOL, SliceProgress, State};
use swell_stats::encoding::encode;
use swell_stats::verdict::Evidence;
use swell_stats::{Observation, Recorder};

fn options(agents: usize) -> CoordinatorOptions {
    CoordinatorOptions {
        agents,
        named: Vec::new(),
        timeout_ns: 30 * S,
        begin_without: false,
        on_loss: OnLoss::Redistribute,
        multiply: false,
        slices: None,
        allow_skew: false,
        interval_s: 1,
        phase_timeout_ns: 3600 * S,
    }
}

fn heart(name: &str, state: State) -> Heartbeat {
    Heartbeat {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").into(),
        agent: format!("{name}-1"),
        name: name.into(),
        host: "h".into(),
        pid: 7,
        workers: 1,
        state,
        clock: crate::offset::Offset::default(),
        drift: crate::offset::Offset::default(),
        unsent: 0,
        unsent_s: 0,
        refusal: None,
        holds: Vec::new(),
        rests: false,
    }
}

/// Half a second after the other passes, the controller hears the broker, and these agents give
/// signs of life.
fn pass(coordinator: &mut RunCoordinator, seconds: std::ops::Range<i64>, heard: &[&str]) {
    for half in seconds.start * 2..seconds.end * 2 {
        let now_ns = half * S / 2;
        coordinator.hears(now_ns);
        for name in heard {
            coordinator.heartbeat(heart(name, State::Running { held: None }), now_ns);
        }
        coordinator.tick(now_ns);
    }
}

fn said(actions: &[Action]) -> Vec<&str> {
    actions
        .iter()
        .filter_map(|action| if let Action::Say(text) = action { Some(text.as_str()) } else { None })
        .collect()
}

fn claim(coordinator: &mut RunCoordinator, name: &str, slice: u32, epoch: u64, now_ns: i64) -> Grant {
    let claim = Claim { agent: format!("{name}-1"), share: format!("{name}-1.{epoch}"), slice, epoch };
    coordinator.claim(&claim, now_ns)
}

fn counts(samples: u64) -> Vec<u8> {
    let mut recorder = Recorder::default();
    (0..samples)
        .for_each(|_| recorder.record(&Observation { label: "a", success: true, ..Observation::default() }));
    encode(&recorder.take_interval())
}

fn up(coordinator: &mut RunCoordinator, name: &str, share: u64, seq: u64, body: Body, now_ns: i64) {
    let agent = format!("{name}-1");
    let share = format!("{name}-1.{share}");
    coordinator.up(AgentMessage { agent, share, seq, body }, now_ns);
}

fn goes(through_s: i64, samples: u64, phase: Option<u8>, is_held: bool) -> Body {
    let group = crate::wire::GroupCounts {
        phase: 1,
        active: 5,
        started: 7,
        finished: 2,
        planned: 10,
        ..Default::default()
    };
    let rows_read = left_off(0).rows_read;
    let status = ShareStatus { phase, is_held, groups: vec![group], rows_read, ..ShareStatus::default() };
    Body::Goes { through_s, samples, status, load: Load::default() }
}

/// How far a share was that last told [`goes`].
fn left_off(lost_ns: i64) -> SliceProgress {
    SliceProgress { lost_ns, ended: vec![2], rows_read: [("csv f".to_owned(), 9)].into() }
}

fn end(samples: u64) -> Body {
    let evidence = encode(&Evidence::default());
    Body::End(Box::new(ShareEnd { samples, evidence, ..ShareEnd::default() }))
}

/// Two agents that make one slice each, in their main phase from 2 s on.
fn running() -> RunCoordinator {
    let mut coordinator = RunCoordinator::new(options(2), 0);
    for name in ["a", "b"] {
        coordinator.heartbeat(heart(name, State::Ready), S);
    }
    coordinator.tick(S);
    let actions = coordinator.take_actions();
    assert!(actions.iter().any(|action| matches!(action, Action::Slice(2))), "{actions:?}");
    for (slice, name) in [(0, "a"), (1, "b")] {
        assert_eq!(claim(&mut coordinator, name, slice, 1, S), Grant::Yes { from: 0, taken_over: None });
    }
    coordinator.tick(S);
    for name in ["a", "b"] {
        up(&mut coordinator, name, 1, 0, goes(1, 0, Some(1), true), S);
    }
    coordinator.tick(S);
    let actions = coordinator.take_actions();
    let released = actions
        .iter()
        .any(|action| matches!(action, Action::Send(ControllerMessage::Go { phase: 1, start_ns }) if *start_ns == 2 * S));
    assert!(released && actions.iter().any(|action| matches!(action, Action::Begin)), "{actions:?}");
    coordinator
}

#[test]
fn a_run_goes_from_joining_to_an_account_that_is_whole() {
    let mut coordinator = running();
    for (name, samples) in [("a", 3), ("b", 4)] {
        up(&mut coordinator, name, 1, 1, Body::Counts { at_s: 2, snapshot: counts(samples) }, 3 * S);
        up(&mut coordinator, name, 1, 1, Body::Counts { at_s: 2, snapshot: counts(samples) }, 3 * S);
        up(&mut coordinator, name, 1, 2, goes(3, samples, Some(1), false), 3 * S);
    }
    coordinator.tick(3 * S);
    let counted: Vec<_> = coordinator
        .take_actions()
        .into_iter()
        .filter_map(|action| {
            if let Action::Counted(at_s, all) = action { Some((at_s, all.total().samples)) } else { None }
        })
        .collect();
    assert_eq!(counted, [(2, 7)], "what came twice counts once");
    let status = coordinator.status().expect("it runs");
    assert_eq!((status.active, status.planned), (10, 10));
    for (name, samples) in [("a", 3), ("b", 4)] {
        up(&mut coordinator, name, 1, 3, end(samples), 4 * S);
    }
    coordinator.tick(4 * S);
    let actions = coordinator.take_actions();
    assert!(said(&actions).contains(&"accounted: 7 of 7 samples"), "{actions:?}");
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    assert_eq!((end.machines.len(), end.failed.as_deref(), end.invalid.as_deref()), (2, None, None));
}
