//! Ends: schedules, stops from elsewhere.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use swell_engine::{Control, Phase, Stopped};

use crate::bench::{Bench, element, group, java, plan, sampler, text};

const MS: i64 = 1_000_000;

#[test]
fn the_schedule_ends_users_and_cuts_timers() {
    let more = [
        text("ThreadGroup.scheduler", "true"),
        text("ThreadGroup.duration", "1"),
        text("ThreadGroup.delay", "0"),
    ]
    .concat();
    // The second waits longer than the schedule lasts, so its user ends at once.
    let jmx = plan(
        &[
            group("A", 1, -1, &more, &java("a", "OK", 100)),
            group(
                "B",
                1,
                -1,
                &more,
                &[element("ConstantTimer", "t", &text("ConstantTimer.delay", "5000"), ""), sampler("b")]
                    .concat(),
            ),
        ]
        .concat(),
    );
    let ran = Bench::default().run(&jmx);
    let count = ran.heard.len();
    assert!((1..=10).contains(&count), "{count}");
    assert!(ran.heard.iter().all(|heard| heard.label == "a"));
    let length_ms = (ran.outcome.ended_ns - ran.outcome.started_ns) / MS;
    assert!((1000..4000).contains(&length_ms), "{length_ms}");
}

#[test]
fn a_stop_lets_running_samples_finish_and_wakes_sleepers() {
    let slow = group("slow", 2, -1, "", &java("slow", "OK", 150));
    let timer = element("ConstantTimer", "t", &text("ConstantTimer.delay", "600000"), "");
    let asleep = group("asleep", 50, -1, "", &[timer, sampler("never")].concat());
    let ramping = group("ramping", 3, 1, &text("ThreadGroup.ramp_time", "900000"), &sampler("first"));
    let bench = Bench::default();
    let control = bench.control.clone();
    let stopper = std::thread::spawn(move || stop_when_all_started(&control, 53, Control::stop));
    let ran = bench.run(&plan(&[slow, asleep, ramping].concat()));
    stopper.join().unwrap();
    assert_eq!(ran.outcome.stopped, Some(Stopped::Gently));
    assert_eq!(ran.outcome.cut, 0);
    let slow: Vec<_> = ran.heard.iter().filter(|heard| heard.label == "slow").collect();
    assert_eq!(slow.len(), 2, "each finished its sample and took no other");
    assert!(slow.iter().all(|heard| heard.elapsed_ns >= 150 * MS));
    assert!(!ran.labels().contains(&"never"));
}

/// Waits until so many users have started.
fn stop_when_all_started(control: &Control, users: u32, stop: fn(&Control)) {
    loop {
        if control.status().is_some_and(|status| status.started >= users) {
            stop(control);
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_stop_at_once_cuts_running_samples() {
    let bench = Bench::default();
    let control = bench.control.clone();
    let stopper = std::thread::spawn(move || stop_when_all_started(&control, 4, Control::stop_now));
    let ran = bench.run(&plan(&group("G", 4, -1, "", &java("a", "OK", 600_000))));
    stopper.join().unwrap();
    assert_eq!((ran.outcome.stopped, ran.outcome.cut, ran.heard.len()), (Some(Stopped::AtOnce), 4, 0));
}

#[test]
fn the_time_of_samples_that_were_cut_is_not_the_tools() {
    let bench = Bench::default();
    let control = bench.control.clone();
    let stopper = std::thread::spawn(move || stop_when_all_started(&control, 4, Control::stop_now));
    let ran = bench.run(&plan(&group("G", 4, -1, "", &java("a", "OK", 600_000))));
    stopper.join().unwrap();
    let spent = ran.outcome.spent;
    assert_eq!((ran.outcome.cut, ran.outcome.samples), (4, 0));
    // From when they were due on, which is before the user's first instant.
    assert!(0 < spent.lived_ns && spent.lived_ns <= spent.sampled_ns + spent.waited_ns, "{spent:?}");
    assert!(ran.outcome.stopped_ns.is_some_and(|at_ns| at_ns <= ran.outcome.ended_ns));
}

#[test]
fn a_stop_before_the_start_starts_nobody() {
    let bench = Bench::default();
    bench.control.stop();
    let ran = bench.run(&plan(&group("G", 4, -1, "", &sampler("a"))));
    assert_eq!((ran.heard.len(), ran.outcome.users), (0, 0));
}

#[test]
fn status_tells_phase_groups_and_end() {
    let more = [text("ThreadGroup.scheduler", "true"), text("ThreadGroup.duration", "100")].concat();
    let bench = Bench::default();
    let control = bench.control.clone();
    let seen = Arc::new(Mutex::new(None));
    let keep = seen.clone();
    let stopper = std::thread::spawn(move || {
        stop_when_all_started(&control, 3, |_| {});
        *keep.lock().unwrap() = control.status();
        control.stop_now();
    });
    let ran = bench.run(&plan(&group("G", 3, -1, &more, &java("a", "OK", 600_000))));
    stopper.join().unwrap();
    let status = seen.lock().unwrap().take().unwrap();
    assert_eq!((status.phase, status.active, status.started, status.planned), (Some(Phase::Main), 3, 3, 3));
    assert_eq!((status.groups[0].name.as_str(), status.groups[0].active), ("G", 3));
    let left_ms = (status.expected_end_ns.unwrap() - status.started_ns) / MS;
    assert!((100_000..101_000).contains(&left_ms), "{left_ms}");
    assert_eq!(ran.outcome.users, 3);
}
