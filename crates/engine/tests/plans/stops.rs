//! Ends of runs: schedules, stops from outside.

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use swell_api::{Sampler, SamplerFuture, User, UserState};
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
    let spent = ran.outcome.spent;
    assert!(spent.waited_ns <= spent.lived_ns, "a wait that was not waited counts for nothing: {spent:?}");
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
    assert_eq!(ran.outcome.stopped, Some(Stopped::Graceful));
    assert_eq!(ran.outcome.cut, 0);
    let slow: Vec<_> = ran.heard.iter().filter(|heard| heard.label == "slow").collect();
    assert_eq!(slow.len(), 2, "each finished its sample and took no other");
    assert!(slow.iter().all(|heard| heard.elapsed_ns >= 150 * MS));
    assert!(!ran.labels().contains(&"never"));
}

/// Waits until that number of users has started.
fn stop_when_all_started(control: &Control, users: u32, stop: fn(&Control)) {
    loop {
        if control.status().is_some_and(|status| status.started >= users) {
            stop(control);
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A pause is accounted for when it begins. The stop ends it early: with more time accounted for
/// than was lived, the time that the tool takes would not be seen.
#[test]
fn pauses_that_a_stop_ends_are_accounted_for_as_long_as_they_took() {
    let pause = element("ConstantTimer", "t", &text("ConstantTimer.delay", "600000"), "");
    let inside = element("TransactionController", "T", "", &[pause.clone(), sampler("b")].concat());
    // Users that only wait are abandoned; those in a transaction end by themselves.
    for below in [[pause, sampler("a")].concat(), inside] {
        let bench = Bench::default();
        let control = bench.control.clone();
        let stopper = std::thread::spawn(move || stop_when_all_started(&control, 4, Control::stop));
        let ran = bench.run(&plan(&group("G", 4, -1, "", &below)));
        stopper.join().unwrap();
        let spent = ran.outcome.spent;
        // Not even the ten minutes of one of them.
        assert!(spent.waited_ns < 600_000 * MS as u128 && spent.lived_ns > 0, "{spent:?}");
    }
}

#[test]
fn a_stop_at_once_cuts_running_samples() {
    let bench = Bench::default();
    let control = bench.control.clone();
    let stopper = std::thread::spawn(move || stop_when_all_started(&control, 4, Control::stop_now));
    let ran = bench.run(&plan(&group("G", 4, -1, "", &java("a", "OK", 600_000))));
    stopper.join().unwrap();
    assert_eq!((ran.outcome.stopped, ran.outcome.cut, ran.heard.len()), (Some(Stopped::Immediate), 4, 0));
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
        *keep.lock() = control.status();
        control.stop_now();
    });
    let ran = bench.run(&plan(&group("G", 3, -1, &more, &java("a", "OK", 600_000))));
    stopper.join().unwrap();
    let status = seen.lock().take().unwrap();
    assert_eq!((status.phase, status.active, status.started, status.planned), (Some(Phase::Main), 3, 3, 3));
    assert_eq!((status.groups[0].name.as_str(), status.groups[0].active), ("G", 3));
    let left_ms = (status.expected_end_ns.unwrap() - status.started_ns) / MS;
    assert!((100_000..101_000).contains(&left_ms), "{left_ms}");
    assert_eq!(ran.outcome.users, 3);
}

/// Users of a group who wait long before their second sample, until the test is stopped.
fn waiting(users: u32, first: &str) -> String {
    let timer = element("ConstantTimer", "t", &text("ConstantTimer.delay", "600000"), "");
    let second =
        sampler("never").replace("</JavaSampler><hashTree>", &format!("</JavaSampler><hashTree>{timer}"));
    group("waiting", users, -1, "", &[first.to_owned(), second].concat())
}

#[test]
fn a_stop_does_not_wake_users_who_only_wait() {
    for stop in [Control::stop, Control::stop_now] {
        let bench = Bench::default();
        let control = bench.control.clone();
        let stopper = std::thread::spawn(move || stop_when_all_started(&control, 2000, stop));
        let after = bench.control.clone();
        let ran = bench.run(&plan(&waiting(2000, &sampler("first"))));
        stopper.join().unwrap();
        // One on each worker may have been on its way to its wait.
        assert!((1998..=2000).contains(&ran.outcome.left_waiting), "{}", ran.outcome.left_waiting);
        assert!((1998..=2000).contains(&ran.heard.len()), "{}", ran.heard.len());
        assert_eq!((ran.outcome.users, ran.outcome.cut), (2000, 0));
        let status = after.status().unwrap();
        assert_eq!((status.active, status.finished, status.groups[0].finished), (0, 2000, 2000));
        let lived_s = ran.outcome.spent.lived_ns as f64 / 1e9;
        let ran_s = (ran.outcome.ended_ns - ran.outcome.started_ns) as f64 / 1e9;
        assert!(lived_s > 0.0 && lived_s <= 2000.0 * ran_s, "{lived_s} of {ran_s}");
    }
}

#[test]
fn pauses_of_the_plan_are_waits_too_and_transactions_that_are_open_report() {
    let pause = [
        ("ActionProcessor.action", "1"),
        ("ActionProcessor.target", "0"),
        ("ActionProcessor.duration", "600000"),
    ];
    let pause = element("TestAction", "pause", &pause.map(|(name, value)| text(name, value)).concat(), "");
    let parent = r#"<boolProp name="TransactionController.parent">true</boolProp>"#;
    let open = element("TransactionController", "T", parent, &[sampler("a"), pause.clone()].concat());
    let stop = [text("ActionProcessor.action", "0"), text("ActionProcessor.target", "2")].concat();
    let stopper = [java("nap", "OK", 50), element("TestAction", "stop", &stop, "")].concat();
    let groups = [
        group("pausing", 30, -1, "", &pause),
        group("open", 1, -1, "", &open),
        group("stop", 1, 1, "", &stopper),
    ];
    // On one worker all others pause before the last has slept.
    let ran = Bench::default().workers(1).run(&plan(&groups.concat()));
    assert_eq!(ran.outcome.left_waiting, 30);
    assert_eq!(ran.labels(), ["nap", "T"], "it is reported with its samples");
}

#[test]
fn users_that_were_left_do_nothing_while_the_test_is_torn_down() {
    let timer = element("ConstantTimer", "t", &text("ConstantTimer.delay", "200"), "");
    let below = [timer, sampler("again")].concat();
    let stop = |name: &str| {
        element(
            "TestAction",
            name,
            &[text("ActionProcessor.action", "0"), text("ActionProcessor.target", "2")].concat(),
            "",
        )
    };
    let jmx = [
        group("users", 50, -1, "", &below),
        group("stopper", 1, 1, "", &[java("first", "OK", 50), stop("stop")].concat()),
        crate::bench::group_of("PostThreadGroup", "tear down", 1, 1, "", &java("last", "OK", 500)),
    ];
    let jmx = String::from_utf8(plan(&jmx.concat())).unwrap();
    let down = r#"testname="P" enabled="true"><boolProp name="TestPlan.tearDown_on_shutdown">true</boolProp></TestPlan>"#;
    let ran =
        Bench::default().run(jmx.replace(r#"testname="P" enabled="true"></TestPlan>"#, down).as_bytes());
    let stopped_ns = ran.outcome.stopped_ns.unwrap();
    let last = ran.heard.iter().find(|heard| heard.label == "last").unwrap();
    assert!(last.start_ns >= stopped_ns, "it ran after the stop");
    let late =
        ran.heard.iter().filter(|heard| heard.label == "again" && heard.start_ns > last.start_ns).count();
    assert_eq!(late, 0);
}

/// Counts those who are there.
struct Held;

static HELD: AtomicU32 = AtomicU32::new(0);

impl Drop for Held {
    fn drop(&mut self) {
        HELD.fetch_sub(1, Ordering::SeqCst);
    }
}

impl UserState for Held {
    fn iteration_start(&mut self, _same_user: bool) {}

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

struct Holds;

impl Sampler for Holds {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        user.state(|| {
            HELD.fetch_add(1, Ordering::SeqCst);
            Held
        });
        Box::pin(std::future::ready(None))
    }
}

#[test]
fn memory_of_users_that_were_left_is_given_back_unless_the_process_ends() {
    let run = |ends_process| {
        let mut bench = Bench::default();
        bench.add_sampler("HoldingSampler", |_, _| Rc::new(Holds));
        bench.options.ends_process = ends_process;
        let control = bench.control.clone();
        let stopper = std::thread::spawn(move || stop_when_all_started(&control, 100, Control::stop));
        let ran = bench.run(&plan(&waiting(100, &element("HoldingSampler", "holds", "", ""))));
        stopper.join().unwrap();
        (ran.outcome.left_waiting as u32, HELD.load(Ordering::SeqCst))
    };
    assert_eq!([run(false).1, run(false).1], [0, 0], "one run after another keeps nothing");
    let (left, held) = run(true);
    assert_eq!(held, left, "each of them");
}
