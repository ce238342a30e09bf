//! Slices that move to agents that come late.

use super::*;

/// Two agents with three slices each, every one a separate share, in their main phase from 2 s on.
fn six_slices() -> RunCoordinator {
    let mut coordinator = RunCoordinator::new(CoordinatorOptions { slices: Some(6), ..options(2) }, 0);
    for name in ["a", "b"] {
        coordinator.heartbeat(heart(name, State::Ready), S);
    }
    coordinator.tick(S);
    for slice in 0..6 {
        let name = if slice < 3 { "a" } else { "b" };
        assert_eq!(take(&mut coordinator, name, slice, 1, S), Grant::Yes { from: 0, taken_over: None });
    }
    coordinator.tick(S);
    for held in [true, false] {
        for slice in 0..6 {
            let name = if slice < 3 { "a" } else { "b" };
            up(&mut coordinator, name, slice, slice * 2 + u64::from(!held), goes(1, 0, Some(1), held), S);
        }
        coordinator.tick(S);
    }
    coordinator.take_actions();
    coordinator
}

/// Claims a slice for a share with the same number.
fn take(coordinator: &mut RunCoordinator, name: &str, slice: u64, epoch: u64, now_ns: i64) -> Grant {
    let claim =
        Claim { agent: format!("{name}-1"), share: format!("{name}-1.{slice}"), slice: slice as u32, epoch };
    coordinator.claim(&claim, now_ns)
}

/// The slice that is to leave its holder, if one is.
fn leaves(coordinator: &mut RunCoordinator, now_ns: i64) -> Option<u64> {
    coordinator.tick(now_ns);
    let evicted = |action| {
        if let Action::Send(ControllerMessage::Evict { share }) = action { Some(share) } else { None }
    };
    let share = coordinator.take_actions().into_iter().find_map(evicted)?;
    share.rsplit_once('.').and_then(|(_, slice)| slice.parse().ok())
}

#[test]
fn slices_move_to_an_agent_that_comes_late_until_agents_are_even() {
    let mut coordinator = six_slices();
    assert_eq!(leaves(&mut coordinator, 3 * S), None, "three slices each are even");
    coordinator.heartbeat(heart("c", State::Ready), 3 * S);
    let mut moved = Vec::new();
    while let Some(slice) = leaves(&mut coordinator, 3 * S) {
        assert_eq!(leaves(&mut coordinator, 3 * S), None, "one at a time");
        let holder = if slice < 3 { "a" } else { "b" };
        assert_eq!(take(&mut coordinator, holder, slice, 2, 3 * S), Grant::Kept, "it is the new one's");
        let grant = take(&mut coordinator, "c", slice, 3, 3 * S);
        assert!(matches!(grant, Grant::Yes { from: 1, taken_over: Some(_) }), "{grant:?}");
        assert!(
            matches!(take(&mut coordinator, holder, slice, 3, 3 * S), Grant::No { .. }),
            "an epoch is one's"
        );
        // The former holder is notified once more, should it have missed the first message.
        coordinator.take_actions();
        moved.push(slice);
    }
    moved.sort_unstable();
    assert_eq!(moved.len(), 2, "{moved:?}");
    assert!(moved[0] < 3 && moved[1] >= 3, "one of each: {moved:?}");
}

#[test]
fn a_slice_on_its_way_to_an_agent_that_dies_goes_to_any() {
    let mut coordinator = six_slices();
    coordinator.heartbeat(heart("c", State::Ready), 3 * S);
    let slice = leaves(&mut coordinator, 3 * S).expect("one moves");
    assert_eq!(take(&mut coordinator, "b", slice, 2, 4 * S), Grant::Kept);
    assert!(
        matches!(take(&mut coordinator, "b", slice, 3, 19 * S), Grant::Yes { .. }),
        "it is kept for 15 s"
    );
}

#[test]
fn no_slice_moves_to_or_from_an_agent_that_is_about_to_leave() {
    let mut coordinator = six_slices();
    let rests = |name, state| Heartbeat { rests: true, ..heart(name, state) };
    coordinator.heartbeat(rests("c", State::Ready), 3 * S);
    assert_eq!(leaves(&mut coordinator, 3 * S), None, "c takes none");
    coordinator.heartbeat(rests("a", State::Running { held: None }), 3 * S);
    coordinator.heartbeat(heart("d", State::Ready), 3 * S);
    let slice = leaves(&mut coordinator, 3 * S).expect("one moves to d");
    assert!(slice >= 3, "a gives all of its slices up by itself: {slice}");
    assert_eq!(take(&mut coordinator, "b", slice, 2, 3 * S), Grant::Kept, "it is d's");
    coordinator.heartbeat(rests("d", State::Ready), 4 * S);
    let grant = take(&mut coordinator, "b", slice, 3, 4 * S);
    assert!(matches!(grant, Grant::Yes { .. }), "d takes it no more: {grant:?}");
}

#[test]
fn shares_of_several_slices_stay_and_who_comes_late_is_told_so() {
    let mut coordinator = running();
    coordinator.shares.values_mut().for_each(|share| share.slices = vec![0, 1]);
    coordinator.heartbeat(heart("c", State::Ready), 3 * S);
    assert!(said(&coordinator.take_actions()).iter().any(|line| line.starts_with("agent c is on standby: ")));
    assert_eq!(leaves(&mut coordinator, 3 * S), None);
}
