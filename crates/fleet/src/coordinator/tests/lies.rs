//! Agents that say what is not so.

use super::*;

#[test]
fn a_lie_about_an_epoch_or_a_share_counts_for_nothing() {
    let mut coordinator = running();
    for (slice, epoch) in [(0, 1), (0, 0), (7, 1)] {
        assert!(
            matches!(claim(&mut coordinator, "b", slice, epoch, 3 * S), Grant::No { .. }),
            "{slice} {epoch}"
        );
    }
    for seq in 1..3 {
        up(&mut coordinator, "b", 9, seq, Body::Counts { at_s: 2, snapshot: counts(5) }, 3 * S);
    }
    let actions = coordinator.take_actions();
    assert_eq!(said(&actions), ["ignored counts of agent b for b-1.9, which was not assigned to it"]);
    assert_eq!(coordinator.ledger.account().counted, 0);
}

#[test]
fn finished_slice_is_answered_with_done_at_every_epoch() {
    let mut coordinator = running();
    up(&mut coordinator, "a", 1, 1, end(0), 3 * S);
    for epoch in [1, 2, 99] {
        assert_eq!(claim(&mut coordinator, "b", 0, epoch, 3 * S), Grant::Done, "epoch {epoch}");
    }
    assert!(
        !matches!(claim(&mut coordinator, "a", 1, 2, 3 * S), Grant::Done),
        "the slice of b is not finished"
    );
}

#[test]
fn nobody_takes_a_slice_whose_holder_is_heard_whatever_epoch_it_tells() {
    let mut coordinator = running();
    let holder = |holds: Vec<u32>| Heartbeat { holds, ..heart("a", State::Running { held: None }) };
    coordinator.heartbeat(holder(vec![0]), 3 * S);
    assert_eq!(
        claim(&mut coordinator, "b", 0, 2, 3 * S),
        Grant::Kept,
        "it may have been given back just now"
    );
    assert_eq!(said(&coordinator.take_actions()), [""; 0]);
    assert_eq!(claim(&mut coordinator, "b", 0, 99, 3 * S), Grant::Kept);
    let told = "ignored: agent b claims slice 0 as assigned 99 times, but agent a holds it as assigned 1";
    assert_eq!(said(&coordinator.take_actions()), [told]);
    up(&mut coordinator, "a", 1, 1, Body::Counts { at_s: 2, snapshot: counts(3) }, 3 * S);
    assert_eq!(coordinator.ledger.account().counted, 3, "the holder continues");
    coordinator.heartbeat(holder(Vec::new()), 4 * S);
    assert!(matches!(claim(&mut coordinator, "b", 0, 2, 4 * S), Grant::Yes { .. }), "it was given back");
}

#[test]
fn who_lies_about_workers_phases_or_grants_gains_nothing() {
    let mut coordinator = RunCoordinator::new(options(1), 0);
    coordinator.heartbeat(Heartbeat { workers: u32::MAX, ..heart("a", State::Ready) }, S);
    let actions = coordinator.take_actions();
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    let why = end.failed.as_deref().unwrap_or_default();
    assert!(why.ends_with("it reports 4294967295 workers: expected 1 to 1024"), "{why}");

    let mut coordinator = running();
    up(&mut coordinator, "b", 9, 1, Body::Granted { slice: 0, epoch: 7 }, 3 * S);
    up(&mut coordinator, "b", 9, 2, Body::Granted { slice: u32::MAX, epoch: 7 }, 3 * S);
    assert_eq!(coordinator.slices.len(), 2);
    assert_eq!(coordinator.slices[0].share.as_deref(), Some("a-1.1"), "only a claim gives a slice");
    for name in ["a", "b"] {
        up(&mut coordinator, name, 1, 3, goes(i64::MAX, u64::MAX, Some(u8::MAX), true), 3 * S);
    }
    coordinator.tick(4 * S);
    coordinator.tick(5 * S);
    assert!(coordinator.released.keys().all(|phase| *phase <= 2), "{:?}", coordinator.released);
}

#[test]
fn nobody_speaks_for_another_agent() {
    let mut coordinator = running();
    assert!(
        coordinator.speaks("a-1", "agent-1")
            && coordinator.speaks("b-1", "agent-2")
            && coordinator.speaks("a-1", "agent-1")
    );
    assert!(!coordinator.speaks("a-1", "agent-2") && !coordinator.speaks_for("a-1.1", "agent-2"));
    assert!(
        coordinator.speaks_for("b-1.7", "agent-2") && !coordinator.speaks_for("b-1", "agent-3"),
        "an agent of another name"
    );
    let told = "ignored a message for agent a sent with the credential agent-2";
    assert_eq!(
        said(&coordinator.take_actions()).iter().filter(|line| **line == told).count(),
        1,
        "it is reported once"
    );
}
