use super::joining::dealt;
use super::*;
use crate::wire::{Body, Claim, Grant, LeftOff, PROTOCOL, State, Up};
use swell_stats::encoding::encode;
use swell_stats::verdict::Evidence;
use swell_stats::{Observation, Recorder};

fn options(agents: usize) -> DeskOptions {
    DeskOptions {
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
    }
}

/// Half a second after the other passes, the controller hears the broker, and these agents give signs of life.
fn pass(desk: &mut Desk, seconds: std::ops::Range<i64>, heard: &[&str]) {
    for half in seconds.start * 2..seconds.end * 2 {
        let now_ns = half * S / 2;
        desk.hears(now_ns);
        for name in heard {
            desk.heartbeat(heart(name, State::Running { held: None }), now_ns);
        }
        desk.tick(now_ns);
    }
}

fn said(actions: &[Action]) -> Vec<&str> {
    actions
        .iter()
        .filter_map(|action| if let Action::Say(text) = action { Some(text.as_str()) } else { None })
        .collect()
}

fn claim(desk: &mut Desk, name: &str, slice: u32, epoch: u64, now_ns: i64) -> Grant {
    let claim = Claim { agent: format!("{name}-1"), share: format!("{name}-1.{epoch}"), slice, epoch };
    desk.claim(&claim, now_ns)
}

fn counts(samples: u64) -> Vec<u8> {
    let mut recorder = Recorder::default();
    (0..samples)
        .for_each(|_| recorder.record(&Observation { label: "a", success: true, ..Observation::default() }));
    encode(&recorder.take_interval())
}

fn up(desk: &mut Desk, name: &str, share: u64, seq: u64, body: Body, now_ns: i64) {
    let (agent, share) = (format!("{name}-1"), format!("{name}-1.{share}"));
    desk.up(Up { agent, share, seq, body }, now_ns);
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
fn left_off(lost_ns: i64) -> LeftOff {
    LeftOff { lost_ns, ended: vec![2], rows_read: [("csv f".to_owned(), 9)].into() }
}

fn end(samples: u64) -> Body {
    let evidence = encode(&Evidence::default());
    Body::End(Box::new(ShareEnd { samples, evidence, ..ShareEnd::default() }))
}

/// Two agents that make one slice each, in their main phase from 2 s on.
fn running() -> Desk {
    let mut desk = Desk::new(options(2), 0);
    for name in ["a", "b"] {
        desk.heartbeat(heart(name, State::Ready), S);
    }
    desk.tick(S);
    let actions = desk.take_actions();
    assert!(actions.iter().any(|action| matches!(action, Action::Slice(2))), "{actions:?}");
    for (slice, name) in [(0, "a"), (1, "b")] {
        assert_eq!(claim(&mut desk, name, slice, 1, S), Grant::Yes { from: 0, taken_over: None });
    }
    desk.tick(S);
    for name in ["a", "b"] {
        up(&mut desk, name, 1, 0, goes(1, 0, Some(1), true), S);
    }
    desk.tick(S);
    let actions = desk.take_actions();
    let released = actions
        .iter()
        .any(|action| matches!(action, Action::Send(Down::Go { phase: 1, start_ns }) if *start_ns == 2 * S));
    assert!(released && actions.iter().any(|action| matches!(action, Action::Begin)), "{actions:?}");
    desk
}

#[test]
fn a_run_goes_from_joining_to_an_account_that_is_whole() {
    let mut desk = running();
    for (name, samples) in [("a", 3), ("b", 4)] {
        up(&mut desk, name, 1, 1, Body::Counts { at_s: 2, snapshot: counts(samples) }, 3 * S);
        up(&mut desk, name, 1, 1, Body::Counts { at_s: 2, snapshot: counts(samples) }, 3 * S);
        up(&mut desk, name, 1, 2, goes(3, samples, Some(1), false), 3 * S);
    }
    desk.tick(3 * S);
    let counted: Vec<_> = desk
        .take_actions()
        .into_iter()
        .filter_map(|action| {
            if let Action::Counted(at_s, all) = action {
                Some((at_s, all.total(false).samples))
            } else {
                None
            }
        })
        .collect();
    assert_eq!(counted, [(2, 7)], "what came twice counts once");
    let status = desk.status().expect("it runs");
    assert_eq!((status.active, status.planned), (10, 10));
    for (name, samples) in [("a", 3), ("b", 4)] {
        up(&mut desk, name, 1, 3, end(samples), 4 * S);
    }
    desk.tick(4 * S);
    let actions = desk.take_actions();
    assert!(said(&actions).contains(&"accounted: 7 of 7 samples"), "{actions:?}");
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    assert_eq!((end.machines.len(), end.failed.as_deref(), end.invalid.as_deref()), (2, None, None));
}

#[test]
fn slices_of_a_lost_agent_go_on_elsewhere_and_its_late_word_still_counts() {
    let mut desk = running();
    up(&mut desk, "a", 1, 1, goes(3, 0, Some(1), false), 3 * S);
    pass(&mut desk, 2..9, &["b"]);
    let actions = desk.take_actions();
    assert!(
        said(&actions).iter().any(|line| line.starts_with("agent a is lost: no sign of it for ")),
        "{actions:?}"
    );
    let grant = claim(&mut desk, "b", 0, 2, 9 * S);
    assert_eq!(grant, Grant::Yes { from: 1, taken_over: Some(left_off(3 * S)) });
    let actions = desk.take_actions();
    let evicted = |action: &Action| matches!(action, Action::Send(Down::Evict { share }) if share == "a-1.1");
    assert!(actions.iter().any(evicted), "{actions:?}");
    // What it had counted before and could not send.
    up(&mut desk, "a", 1, 2, Body::Counts { at_s: 3, snapshot: counts(9) }, 10 * S);
    up(
        &mut desk,
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
    up(&mut desk, "b", 1, 1, end(0), 11 * S);
    desk.tick(11 * S);
    assert!(desk.is_running(), "slice 0 is not done");
    up(&mut desk, "b", 2, 2, end(0), 12 * S);
    desk.tick(12 * S);
    let actions = desk.take_actions();
    assert!(said(&actions).contains(&"accounted: 9 of 9 samples"), "{actions:?}");
}

#[test]
fn a_slice_that_was_given_up_before_anybody_took_it_goes_on_where_it_was_left() {
    let mut desk = running();
    up(&mut desk, "a", 1, 1, goes(7, 0, Some(1), false), 8 * S);
    let given_up = ShareEnd {
        evidence: encode(&Evidence::default()),
        given_up: Some("stopped for a while".into()),
        ..ShareEnd::default()
    };
    up(&mut desk, "a", 1, 2, Body::End(Box::new(given_up)), 9 * S);
    let grant = claim(&mut desk, "b", 0, 2, 10 * S);
    // Of seven that had started, two had ended; the others were cut, and start anew.
    assert_eq!(grant, Grant::Yes { from: 1, taken_over: Some(left_off(7 * S)) });
}

#[test]
fn a_lie_about_an_epoch_or_a_share_counts_for_nothing() {
    let mut desk = running();
    for (slice, epoch) in [(0, 1), (0, 0), (7, 1)] {
        assert!(matches!(claim(&mut desk, "b", slice, epoch, 3 * S), Grant::No { .. }), "{slice} {epoch}");
    }
    for seq in 1..3 {
        up(&mut desk, "b", 9, seq, Body::Counts { at_s: 2, snapshot: counts(5) }, 3 * S);
    }
    let actions = desk.take_actions();
    assert_eq!(said(&actions), ["agent b counts for b-1.9, which it was not given: that is ignored"]);
    assert_eq!(desk.ledger.account().counted, 0);
}

#[test]
fn nobody_takes_a_slice_whose_holder_is_heard_whatever_epoch_it_tells() {
    let mut desk = running();
    let holder = |holds: Vec<u32>| Heartbeat { holds, ..heart("a", State::Running { held: None }) };
    desk.heartbeat(holder(vec![0]), 3 * S);
    assert_eq!(claim(&mut desk, "b", 0, 2, 3 * S), Grant::Kept, "it may have been given back just now");
    assert_eq!(said(&desk.take_actions()), [""; 0]);
    assert_eq!(claim(&mut desk, "b", 0, 99, 3 * S), Grant::Kept);
    let told =
        "agent b claims slice 0 as given out 99 times, and agent a holds it as given out 1: that is ignored";
    assert_eq!(said(&desk.take_actions()), [told]);
    up(&mut desk, "a", 1, 1, Body::Counts { at_s: 2, snapshot: counts(3) }, 3 * S);
    assert_eq!(desk.ledger.account().counted, 3, "who holds it goes on");
    desk.heartbeat(holder(Vec::new()), 4 * S);
    assert!(matches!(claim(&mut desk, "b", 0, 2, 4 * S), Grant::Yes { .. }), "it was given back");
}

#[test]
fn agents_are_not_lost_to_a_controller_that_hears_nobody() {
    for on_loss in [OnLoss::Abort, OnLoss::Continue, OnLoss::Redistribute] {
        let mut desk = running();
        desk.options.on_loss = on_loss;
        pass(&mut desk, 2..3, &["a", "b"]);
        // The broker is away for ten seconds.
        (6..26).for_each(|half| desk.tick(half * S / 2));
        pass(&mut desk, 13..14, &[]);
        pass(&mut desk, 14..16, &["a", "b"]);
        let actions = desk.take_actions();
        assert_eq!(said(&actions), [""; 0], "{on_loss:?}");
        assert!(desk.is_running() && desk.stopped.is_none(), "{on_loss:?}");
    }
}

#[test]
fn a_broker_that_takes_no_figures_is_named_and_ends_the_run() {
    let mut desk = running();
    let full = |unsent_s| Heartbeat {
        unsent: 7,
        unsent_s,
        refusal: Some("no space left on device".into()),
        ..heart("a", State::Running { held: None })
    };
    for unsent_s in [4, 5, 6] {
        desk.heartbeat(full(unsent_s), 2 * S);
        desk.tick(2 * S);
    }
    let told =
        "the broker has taken no figures of agent a for 5 s (no space left on device): 7 messages wait there";
    assert_eq!(said(&desk.take_actions()), [told]);
    desk.heartbeat(full(30), 2 * S);
    desk.tick(2 * S);
    let actions = desk.take_actions();
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    let why = end.failed.as_deref().unwrap_or_default();
    assert!(why.starts_with("the broker has taken no figures of agent a for 30 s (no space left"), "{why}");
    assert!(why.contains("\n  hint: its disk is full"), "{why}");
}

#[test]
fn a_broker_that_stays_away_ends_the_run_in_one_line() {
    let mut desk = running();
    pass(&mut desk, 2..3, &["a", "b"]);
    (6..70).for_each(|half| desk.tick(half * S / 2));
    let actions = desk.take_actions();
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    assert_eq!(end.failed.as_deref(), Some("the broker was not heard for 30 s"));
}

#[test]
fn who_is_missing_is_named() {
    let failed = |desk: &mut Desk, now_ns| {
        desk.tick(now_ns);
        let actions = desk.take_actions();
        let Some(Action::Finish(end)) = actions.into_iter().next_back() else { return None };
        end.failed
    };
    let mut desk = Desk::new(DeskOptions { named: vec!["a".into(), "c".into()], ..options(2) }, 0);
    desk.heartbeat(heart("a", State::Preparing), 29 * S);
    desk.heartbeat(heart("b", State::Ready), 29 * S);
    assert_eq!(failed(&mut desk, 29 * S), None);
    let told = failed(&mut desk, 30 * S);
    assert_eq!(
        told.as_deref(),
        Some("0 of 2 agents are ready after 30 s: agent a is not ready yet, c has not joined")
    );
    let mut desk = Desk::new(options(1), 0);
    desk.heartbeat(heart("a", State::Failed { why: "data.csv is damaged".into() }), S);
    assert_eq!(failed(&mut desk, S).as_deref(), Some("agent a cannot take part: data.csv is damaged"));
    let mut desk = Desk::new(options(1), 0);
    desk.heartbeat(Heartbeat { version: "0.0.1".into(), ..heart("a", State::Ready) }, S);
    assert!(
        failed(&mut desk, S)
            .is_some_and(|why| why.starts_with("agent a cannot take part: it is Swell 0.0.1"))
    );
}

#[test]
fn what_becomes_of_a_loss_is_chosen() {
    for (on_loss, stops) in [(OnLoss::Abort, true), (OnLoss::Continue, false)] {
        let mut desk = running();
        desk.options.on_loss = on_loss;
        pass(&mut desk, 2..9, &["b"]);
        let actions = desk.take_actions();
        let stopped =
            actions.iter().any(|action| matches!(action, Action::Send(Down::Stop(Stopped::Immediate))));
        assert_eq!(stopped, stops, "{actions:?}");
        up(&mut desk, "b", 1, 1, end(0), 10 * S);
        desk.tick(10 * S);
        let finished = desk
            .take_actions()
            .into_iter()
            .find_map(|action| if let Action::Finish(end) = action { Some(end) } else { None });
        assert_eq!(finished.map(|end| end.failed.is_some()), Some(stops));
    }
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

/// Two agents with three slices each, every one a share of its own, in their main phase from 2 s on.
fn six_slices() -> Desk {
    let mut desk = Desk::new(DeskOptions { slices: Some(6), ..options(2) }, 0);
    for name in ["a", "b"] {
        desk.heartbeat(heart(name, State::Ready), S);
    }
    desk.tick(S);
    for slice in 0..6 {
        let name = if slice < 3 { "a" } else { "b" };
        assert_eq!(take(&mut desk, name, slice, 1, S), Grant::Yes { from: 0, taken_over: None });
    }
    desk.tick(S);
    for held in [true, false] {
        for slice in 0..6 {
            let name = if slice < 3 { "a" } else { "b" };
            up(&mut desk, name, slice, slice * 2 + u64::from(!held), goes(1, 0, Some(1), held), S);
        }
        desk.tick(S);
    }
    desk.take_actions();
    desk
}

/// Claims a slice for a share of its own number.
fn take(desk: &mut Desk, name: &str, slice: u64, epoch: u64, now_ns: i64) -> Grant {
    let claim =
        Claim { agent: format!("{name}-1"), share: format!("{name}-1.{slice}"), slice: slice as u32, epoch };
    desk.claim(&claim, now_ns)
}

/// The slice that is to leave its holder, if one is.
fn leaves(desk: &mut Desk, now_ns: i64) -> Option<u64> {
    desk.tick(now_ns);
    let evicted = |action| if let Action::Send(Down::Evict { share }) = action { Some(share) } else { None };
    let share = desk.take_actions().into_iter().find_map(evicted)?;
    share.rsplit_once('.').and_then(|(_, slice)| slice.parse().ok())
}

#[test]
fn slices_move_to_an_agent_that_comes_late_until_agents_are_even() {
    let mut desk = six_slices();
    assert_eq!(leaves(&mut desk, 3 * S), None, "three slices each are even");
    desk.heartbeat(heart("c", State::Ready), 3 * S);
    let mut moved = Vec::new();
    while let Some(slice) = leaves(&mut desk, 3 * S) {
        assert_eq!(leaves(&mut desk, 3 * S), None, "one at a time");
        let holder = if slice < 3 { "a" } else { "b" };
        assert_eq!(take(&mut desk, holder, slice, 2, 3 * S), Grant::Kept, "it is the new one's");
        let grant = take(&mut desk, "c", slice, 3, 3 * S);
        assert!(matches!(grant, Grant::Yes { from: 1, taken_over: Some(_) }), "{grant:?}");
        assert!(matches!(take(&mut desk, holder, slice, 3, 3 * S), Grant::No { .. }), "an epoch is one's");
        // The former holder is told once more, should it have missed the first word.
        desk.take_actions();
        moved.push(slice);
    }
    moved.sort_unstable();
    assert_eq!(moved.len(), 2, "{moved:?}");
    assert!(moved[0] < 3 && moved[1] >= 3, "one of each: {moved:?}");
}

#[test]
fn a_slice_on_its_way_to_an_agent_that_dies_goes_to_any() {
    let mut desk = six_slices();
    desk.heartbeat(heart("c", State::Ready), 3 * S);
    let slice = leaves(&mut desk, 3 * S).expect("one moves");
    assert_eq!(take(&mut desk, "b", slice, 2, 4 * S), Grant::Kept);
    assert!(matches!(take(&mut desk, "b", slice, 3, 19 * S), Grant::Yes { .. }), "it is kept for 15 s");
}

#[test]
fn shares_of_several_slices_stay_and_who_comes_late_is_told_so() {
    let mut desk = running();
    desk.shares.values_mut().for_each(|share| share.slices = vec![0, 1]);
    desk.heartbeat(heart("c", State::Ready), 3 * S);
    assert!(said(&desk.take_actions()).iter().any(|line| line.starts_with("agent c stands by: ")));
    assert_eq!(leaves(&mut desk, 3 * S), None);
}

#[test]
fn who_lies_about_workers_phases_or_grants_gains_nothing() {
    let mut desk = Desk::new(options(1), 0);
    desk.heartbeat(Heartbeat { workers: u32::MAX, ..heart("a", State::Ready) }, S);
    let actions = desk.take_actions();
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    let why = end.failed.as_deref().unwrap_or_default();
    assert!(why.ends_with("it says that it has 4294967295 workers, and 1 to 1024 can be"), "{why}");

    let mut desk = running();
    up(&mut desk, "b", 9, 1, Body::Granted { slice: 0, epoch: 7 }, 3 * S);
    up(&mut desk, "b", 9, 2, Body::Granted { slice: u32::MAX, epoch: 7 }, 3 * S);
    assert_eq!(desk.slices.len(), 2);
    assert_eq!(desk.slices[0].share.as_deref(), Some("a-1.1"), "only a claim gives a slice");
    for name in ["a", "b"] {
        up(&mut desk, name, 1, 3, goes(i64::MAX, u64::MAX, Some(u8::MAX), true), 3 * S);
    }
    desk.tick(4 * S);
    desk.tick(5 * S);
    assert!(desk.released.keys().all(|phase| *phase <= 2), "{:?}", desk.released);
}

#[test]
fn more_workers_than_slices_can_be_are_refused() {
    let mut desk = Desk::new(options(11), 0);
    for place in 0..11 {
        desk.heartbeat(Heartbeat { workers: 1000, ..heart(&format!("n{place}"), State::Ready) }, S);
    }
    desk.tick(S);
    let actions = desk.take_actions();
    let Some(Action::Finish(end)) = actions.last() else { panic!("{actions:?}") };
    assert!(end.failed.as_deref().is_some_and(|why| why.contains("11000 workers together")), "{actions:?}");
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
    let told = "the set-up phase is not over on agent a after 60 s: the test ends (--phase-timeout)";
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
    let told = "the set-up phase is not over on agent a after 60 s: the others go on without it";
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

/// What was counted of a label whose samples are many enough to go with two digits, and its third digit.
fn in_two_parts(samples: u64) -> (Snapshot, Body, Body) {
    let mut recorder = Recorder::default();
    (0..samples).for_each(|at| {
        let elapsed_ns = 1_000_000 + at * 1009;
        recorder.record(&Observation { label: "a", success: true, elapsed_ns, ..Observation::default() });
    });
    let (counted, mut fine) = (recorder.take_interval(), Snapshot::default());
    counted.rows.iter().for_each(|row| fine.add_fine(row));
    let counts = Body::Counts { at_s: 2, snapshot: encode(&counted.coarse(0)) };
    (counted, counts, Body::Fine { snapshot: encode(&fine) })
}

/// The end of a run, with what was counted in it.
fn ended(desk: &mut Desk) -> (End, Snapshot) {
    let (mut end, mut counted) = (None, Snapshot::default());
    for action in desk.take_actions() {
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
        let mut desk = running();
        // The third digit overtakes the figures.
        up(&mut desk, "a", 1, 2, fine.clone(), 3 * S);
        assert!(desk.fine.rows.is_empty(), "there are no values yet");
        if a_sends_all {
            up(&mut desk, "a", 1, 1, counts.clone(), 3 * S);
            assert_eq!(desk.fine.rows[0].stats.samples, 500);
        } else {
            up(&mut desk, "a", 1, 3, counts.clone(), 3 * S);
            assert!(desk.fine.rows.is_empty(), "the message before it is not here");
        }
        up(&mut desk, "b", 1, 1, counts.clone(), 3 * S);
        if b_sends_all {
            up(&mut desk, "b", 1, 2, fine.clone(), 3 * S);
        }
        for name in ["a", "b"] {
            up(&mut desk, name, 1, 9, end(500), 4 * S);
        }
        desk.tick(5 * S);
        let coarse = desk.ledger.account().coarse;
        let (end, mut live) = ended(&mut desk);
        assert_eq!((live.refine(&end.fine), live.total(false).samples), (0, 1000));
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
    let mut desk = running();
    for (seq, body) in
        [counts.clone(), fine, counts.clone(), goes(5, 1000, Some(1), false)].into_iter().enumerate()
    {
        up(&mut desk, "a", 1, seq as u64 + 1, body, 3 * S);
    }
    up(&mut desk, "b", 1, 1, end(0), 4 * S);
    pass(&mut desk, 4..8, &["b"]);
    desk.give_up("enough".into());
    let actions = desk.take_actions();
    let account = said(&actions).into_iter().find(|text| text.starts_with("accounted")).expect("an account");
    assert_eq!(
        account,
        "accounted: 1,000 of 1,000 samples; lost, and not counted after their last word: a-1.1; 500 of them are in percentiles within 1/128, all others within 1/1024"
    );
    assert!(desk.ledger.account().wrong.is_empty());
}

#[test]
fn intervals_of_many_agents_are_longer_and_wait_longer_for_late_ones() {
    assert_eq!((interval_of(200), interval_of(201)), (1, 5));
    let mut desk = Desk::new(DeskOptions { interval_s: 5, ..options(1) }, 0);
    desk.pending.insert(100, Snapshot::default());
    let closed = |desk: &mut Desk, now_s: i64| {
        desk.close_seconds(now_s * S);
        desk.take_actions().iter().any(|action| matches!(action, Action::Counted(100, _)))
    };
    desk.shares.insert("late".into(), Share { agent: "a-1".into(), ..Share::default() });
    desk.heartbeat(heart("a", State::Ready), 100 * S);
    assert!(!closed(&mut desk, 109), "it is over since 4 s");
    assert!(closed(&mut desk, 110), "late ones have had 5 s");
}

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
