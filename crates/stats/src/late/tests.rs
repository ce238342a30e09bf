use super::*;
use crate::{LabelStats, Observation, Recorder};

const MS: u64 = 1_000_000;

/// Samples: how late they started, and how long they took, in milliseconds; with response times
/// where there is a schedule.
fn changed(scheduled: bool, samples: impl IntoIterator<Item = (f64, f64)>) -> Changed {
    let mut recorder = Recorder::default();
    for (late_ms, took_ms) in samples {
        let [late_ns, elapsed_ns] = [late_ms, took_ms].map(|ms| (ms * MS as f64) as u64);
        recorder.record(&Observation {
            label: "a",
            success: true,
            start_delay_ns: Some(late_ns),
            elapsed_ns,
            response_ns: scheduled.then_some(elapsed_ns + late_ns),
            ..Observation::default()
        });
    }
    let snapshot = recorder.take_interval();
    snapshot.changed_by_late_starts(&snapshot.total()).expect("enough samples")
}

fn is_within(changed: &Changed) -> bool {
    changed.by_ns <= changed.allowed_ns()
}

#[test]
fn users_in_step_whose_server_is_the_bottleneck_change_nothing() {
    // A pool of 200 answers 200 users at once; they start within 23 ms, and are served with the
    // next batch but one.
    let in_step = (0..20_000).map(|at| {
        let late_ms = (f64::from(at % 200) / 200.0).powi(6) * 23.0;
        (late_ms, if at % 3 == 0 { 400.0 } else { 600.0 } - late_ms)
    });
    let found = changed(false, in_step);
    assert!(is_within(&found) && found.by_ns < 5 * MS, "{found:?}");
}

#[test]
fn late_starts_that_find_the_same_server_change_no_service_time() {
    let alike = |at: u32| (if at.is_multiple_of(10) { 8.0 } else { 0.0 }, 20.0 + f64::from(at % 7) / 100.0);
    let found = changed(false, (0..10_000).map(alike));
    assert!(is_within(&found), "{found:?}");
    let found = changed(true, (0..10_000).map(alike));
    assert!(found.of_responses && found.by_ns > 7 * MS, "they are in the response times: {found:?}");
}

#[test]
fn those_that_came_in_a_clump_and_waited_for_each_other_are_seen() {
    let clumped = (0..10_000).map(|at| match at % 100 {
        place @ 0..5 => (5.0 - f64::from(place), 2.0 + f64::from(place)),
        _ => (0.0, 2.0),
    });
    let found = changed(false, clumped);
    assert!(found.quantile.is_some() && !is_within(&found), "{found:?}");
    // No sample can wait longer for others than these were late.
    assert!(found.by_ns <= 5 * MS, "{found:?}");
}

#[test]
fn where_all_are_late_the_later_ones_tell() {
    let found = changed(false, (0..5_000).map(|_| (3.0, 2.0)));
    assert!(found.by_ns >= 2 * MS, "all are as late, so this is unknown: {found:?}");
    let found = changed(false, (0..5_000).map(|_| (3.0, 500.0)));
    assert!(is_within(&found), "3 of 500 ms: {found:?}");
    // Users in step before a server that has time for all of them, and before one that has not.
    let late_ms = |at: u32| 1.0 + f64::from(at % 50) / 10.0;
    let found = changed(false, (0..5_000).map(|at| (late_ms(at), 10.0 + f64::from(at % 7) / 100.0)));
    assert!(is_within(&found), "{found:?}");
    let found = changed(false, (0..5_000).map(|at| (late_ms(at), 10.0 - late_ms(at))));
    assert!(found.by_ns > 3 * MS, "{found:?}");
}

#[test]
fn labels_are_not_compared_with_each_other() {
    let mut recorder = Recorder::default();
    for at in 0..4_000_u64 {
        let is_slow = at % 2 == 0;
        recorder.record(&Observation {
            label: if is_slow { "slow" } else { "fast" },
            success: true,
            start_delay_ns: Some(if is_slow && at % 4 == 0 { 9 * MS } else { 0 }),
            elapsed_ns: if is_slow { 200 * MS } else { MS },
            ..Observation::default()
        });
    }
    let snapshot = recorder.take_interval();
    let found = snapshot.changed_by_late_starts(&snapshot.total()).expect("enough samples");
    assert!(is_within(&found), "{found:?}");
}

#[test]
fn many_late_samples_are_drawn_and_tell_the_same() {
    let some = |at: u32| {
        (if at.is_multiple_of(2) { 4.0 } else { 0.0 }, if at.is_multiple_of(2) { 6.0 } else { 2.0 })
    };
    let few = changed(true, (0..2_000).map(some));
    let many = changed(true, (0..100_000).map(some));
    assert_eq!((few.quantile, few.by_ns / MS), (many.quantile, many.by_ns / MS));
}

#[test]
fn users_who_connect_all_at_once_tell_little_of_the_others() {
    let of = |samples: u64, each_ns: u64| {
        let mut recorder = Recorder::default();
        for at in 0..samples {
            let connects = at < 500;
            let late_ns = if connects { at * each_ns } else { at % 9 * MS / 10 };
            recorder.record(&Observation {
                label: "a",
                success: true,
                start_delay_ns: Some(late_ns),
                connect_ns: connects.then_some(MS),
                elapsed_ns: 200 * MS + if connects { late_ns } else { 0 },
                ..Observation::default()
            });
        }
        let snapshot = recorder.take_interval();
        snapshot.changed_by_late_starts(&snapshot.total()).expect("enough samples")
    };
    let found = of(12_000, MS / 25);
    assert!(is_within(&found) && found.by_ns < MS / 10, "{found:?}");
    assert!(is_within(&of(12_000, MS / 4)), "a long run forgets when they came");
    assert!(!is_within(&of(4_000, MS / 4)), "a short one does not");
    assert!(is_within(&of(4_000, MS / 100)));
}

#[test]
fn what_was_counted_elsewhere_is_not_known() {
    let mut stats = LabelStats::default();
    for _ in 0..500 {
        stats.record(&Observation { start_delay_ns: Some(5 * MS), elapsed_ns: MS, ..Observation::default() });
    }
    assert!(stats.changed(true).is_some());
    stats.late = LateSamples::default();
    assert_eq!(stats.changed(true), None);
}
