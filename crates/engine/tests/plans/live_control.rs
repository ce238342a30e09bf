//! The load changes during a run.

use std::time::{Duration, Instant};

use swell_engine::{Ceilings, Control, ControlError, GroupStatus, Phase, Stopped};

use crate::bench::{Bench, Ran, element, group, group_of, java, plan, sampler, text};

/// Long enough for a machine that is busy with other tests; nothing is judged by it.
const PATIENCE: Duration = Duration::from_mins(1);

fn status(control: &Control) -> Option<Vec<GroupStatus>> {
    control.status().map(|status| status.groups)
}

/// Looks again and again until it holds.
fn until(control: &Control, what: &str, holds: impl Fn(&[GroupStatus]) -> bool) {
    let started = Instant::now();
    while !status(control).is_some_and(|groups| holds(&groups)) {
        assert!(started.elapsed() < PATIENCE, "{what}: {:?}", status(control));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs a plan on two workers while a closure changes its load. The run always ends.
fn changed(jmx: &[u8], change: impl FnOnce(&Control) + Send) -> Ran {
    let bench = Bench::default();
    let control = bench.control.clone();
    std::thread::scope(|scope| {
        let changing = scope.spawn(move || {
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| change(&control)));
            control.stop();
            done
        });
        let ran = bench.run(jmx);
        if let Err(failure) = changing.join().expect("it catches its failures") {
            std::panic::resume_unwind(failure);
        }
        ran
    })
}

fn runs(users: u32) -> impl Fn(&[GroupStatus]) -> bool {
    move |groups| groups[0].active == users && groups[0].wanted_users == Some(users)
}

fn pause_ms(ms: u32) -> String {
    element("ConstantTimer", "t", &text("ConstantTimer.delay", &ms.to_string()), "")
}

#[test]
fn users_of_a_plain_group_follow_control_and_then_the_plan_again() {
    let below = [pause_ms(1), sampler("a")].concat();
    let ran = changed(&plan(&group("G", 5, -1, "", &below)), |control| {
        until(control, "the plan", runs(5));
        for users in [12, 3, 0, 7] {
            control.set_users(0, Some(users)).unwrap();
            until(control, "control", runs(users));
        }
        control.set_users(0, None).unwrap();
        until(control, "the plan again", runs(5));
    });
    assert_eq!(ran.outcome.cut, 0, "users that leave finish their sample");
    // 5, 7 more, then 7 after none, which are 19 in all, or more where users ended for control and
    // were wanted again.
    assert!(ran.outcome.users >= 19, "{}", ran.outcome.users);
}

#[test]
fn users_that_sleep_leave_at_once_and_those_in_a_sample_finish_it() {
    let asleep = plan(&group("G", 40, -1, "", &[pause_ms(600_000), sampler("never")].concat()));
    let ran = changed(&asleep, |control| {
        until(control, "all sleep", runs(40));
        control.set_users(0, Some(2)).unwrap();
        until(control, "they leave", runs(2));
    });
    assert_eq!((ran.heard.len(), ran.outcome.users), (0, 40));
    let busy = plan(&group("G", 10, -1, "", &java("a", "OK", 100)));
    let ran = changed(&busy, |control| {
        until(control, "all run", runs(10));
        control.set_users(0, Some(1)).unwrap();
        until(control, "they leave", runs(1));
    });
    assert!(ran.heard.len() >= 10 && ran.heard.iter().all(|heard| heard.success));
    assert_eq!(ran.outcome.cut, 0);
}

#[test]
fn users_that_have_done_their_loops_are_not_replaced_and_the_group_ends() {
    let jmx = plan(&group("G", 2, 3, "", &java("a", "OK", 20)));
    let ran = changed(&jmx, |control| {
        until(control, "both run", |groups| groups[0].active == 2);
        control.set_users(0, Some(4)).unwrap();
        until(control, "the group has finished", |groups| groups[0].active == 0 && groups[0].finished == 4);
    });
    assert_eq!(ran.heard.len(), 12, "four users, three loops each");
}

/// A worker without a share of one user has to wait for its part of more, and the group has to end
/// all the same.
#[test]
fn a_group_with_fewer_users_than_workers_follows_control_and_ends() {
    let below = [pause_ms(1), sampler("a")].concat();
    changed(&plan(&group("G", 1, -1, "", &below)), |control| {
        until(control, "the plan", runs(1));
        control.multiply_load(3.0).unwrap();
        until(control, "three times as many", runs(3));
        control.set_users(0, Some(1)).unwrap();
        until(control, "one again", runs(1));
        control.set_users(0, Some(2)).unwrap();
        until(control, "two", runs(2));
    });
    for users in [1, 2] {
        let jmx = plan(&group("G", users, 3, "", &java("a", "OK", 20)));
        let ran = changed(&jmx, |control| {
            until(control, "it runs", |groups| groups[0].active == users);
            control.set_users(0, Some(1)).unwrap();
            // The next group of a plan would start now, and the test end.
            until(control, "the end", |_| control.status().is_some_and(|status| status.phase.is_none()));
        });
        assert_eq!(ran.outcome.stopped, None, "it ended by itself");
    }
}

#[test]
fn a_group_that_keeps_its_users_follows_control() {
    let fields = [("TargetLevel", "4"), ("RampUp", "0"), ("Steps", "0"), ("Hold", "600"), ("Unit", "S")];
    let fields: String = fields.iter().map(|(name, value)| text(name, value)).collect();
    let controller = r#"<elementProp name="ThreadGroup.main_controller" elementType="com.blazemeter.jmeter.control.VirtualUserController"/>"#;
    let class = "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup";
    let below = [pause_ms(1), sampler("a")].concat();
    let jmx = plan(&element(class, "G", &(controller.to_owned() + &fields), &below));
    changed(&jmx, |control| {
        until(control, "the plan", runs(4));
        control.set_users(0, Some(9)).unwrap();
        until(control, "control", runs(9));
        control.set_users(0, None).unwrap();
        control.multiply_load(0.5).unwrap();
        until(control, "half of the plan", runs(2));
    });
}

#[test]
fn a_factor_multiplies_users_arrivals_and_shared_rates() {
    let users = group("G", 4, -1, "", &[pause_ms(1), sampler("a")].concat());
    let open = text("OpenModelThreadGroup.schedule", "rate(5/s) even_arrivals(600 s)");
    let open = element("OpenModelThreadGroup", "O", &open, &sampler("o"));
    changed(&plan(&[users, open].concat()), |control| {
        until(control, "the plan", runs(4));
        until(control, "its rate", |groups| groups[1].wanted_per_second == Some(5.0));
        control.multiply_load(2.5).unwrap();
        until(control, "more", runs(10));
        until(control, "a higher rate", |groups| groups[1].wanted_per_second == Some(12.5));
    });
    // Four users share a rate of one sample a minute: without the factor only the first sample
    // would come.
    let rate = text("calcMode", "3") + &text("throughput", "1");
    let timer = element("ConstantThroughputTimer", "t", &rate, "");
    let listener = plan(&group("G", 4, -1, "", &[timer, sampler("a")].concat()));
    let ran = changed(&listener, |control| {
        until(control, "the plan", runs(4));
        control.multiply_load(1000.0).unwrap();
        // 16 samples a second: more come than there are users.
        until(control, "more users", |groups| groups[0].wanted_users == Some(4000));
        std::thread::sleep(Duration::from_millis(500));
    });
    assert!(ran.heard.len() >= 4, "users that wait move with the rate: {}", ran.heard.len());
}

/// A day is so long that no user reaches the end of the line in a test.
const DAY: Duration = Duration::from_hours(24);

#[test]
fn a_ramp_leads_users_slowly_to_their_number_and_a_later_change_ends_it() {
    let below = [pause_ms(1), sampler("a")].concat();
    let ran = changed(&plan(&group("G", 5, -1, "", &below)), |control| {
        until(control, "the plan", runs(5));
        // Ten users a second.
        control.ramp_users(0, 864_005, DAY).unwrap();
        let rises = |groups: &[GroupStatus]| groups[0].active >= 8 && groups[0].wanted_users < Some(2_000);
        until(control, "it rises", rises);
        control.ramp_users(0, 3, Duration::from_millis(50)).unwrap();
        until(control, "down by a ramp, which ends", runs(3));
        control.ramp_load(1000.0, DAY).unwrap();
        assert_eq!(
            status(control).unwrap()[0].wanted_users,
            Some(3),
            "a number that is set is not multiplied"
        );
        control.set_users(0, None).unwrap();
        until(control, "the factor rises", |groups| {
            groups[0].active >= 6 && groups[0].wanted_users < Some(200)
        });
        control.multiply_load(1.0).unwrap();
        until(control, "the plan again", runs(5));
    });
    assert_eq!(ran.outcome.cut, 0);
}

#[test]
fn a_ramp_leads_a_rate_slowly_and_multiplies_it() {
    let open = text("OpenModelThreadGroup.schedule", "rate(1/h) even_arrivals(24 h)");
    let jmx = plan(&element("OpenModelThreadGroup", "O", &open, &sampler("o")));
    changed(&jmx, |control| {
        until(control, "the plan", |groups| groups[0].wanted_per_second.is_some());
        // The rate rises by ten a second each second.
        control.ramp_rate(0, 864_000.0, DAY).unwrap();
        until(control, "arrivals", |groups| groups[0].started >= 5);
        let wanted = status(control).unwrap()[0].wanted_per_second.unwrap();
        assert!(wanted > 1.0 && wanted < 2_000.0, "{wanted}");
        control.set_rate(0, Some(1.0)).unwrap();
        control.ramp_load(1000.0, Duration::from_millis(100)).unwrap();
        until(control, "the end of the ramp", |groups| groups[0].wanted_per_second == Some(1000.0));
        let before = status(control).unwrap()[0].started;
        until(control, "more arrivals", |groups| groups[0].started >= before + 50);
    });
    // One user waits for its turn at one sample a minute while the rate rises to more than sixteen
    // a second.
    let rate = text("calcMode", "3") + &text("throughput", "1");
    let timer = element("ConstantThroughputTimer", "t", &rate, "");
    let waits = plan(&group("G", 1, -1, "", &[timer, sampler("a")].concat()));
    let ran = changed(&waits, |control| {
        until(control, "the first sample", |_| control.status().is_some_and(|status| status.samples >= 1));
        control.ramp_load(1000.0, Duration::from_millis(1)).unwrap();
        until(control, "the next", |_| control.status().is_some_and(|status| status.samples >= 3));
    });
    assert!(ran.heard.len() >= 3);
}

#[test]
fn a_rate_of_control_takes_the_place_of_the_plans() {
    let open = text("OpenModelThreadGroup.schedule", "rate(1/s) even_arrivals(3600 s)");
    let jmx = plan(&element("OpenModelThreadGroup", "O", &open, &sampler("o")));
    let ran = changed(&jmx, |control| {
        until(control, "the plan", |groups| groups[0].wanted_per_second == Some(1.0));
        control.set_rate(0, Some(1000.0)).unwrap();
        until(control, "control", |groups| {
            groups[0].wanted_per_second == Some(1000.0) && groups[0].started >= 300
        });
        control.set_rate(0, Some(0.0)).unwrap();
    });
    let times: Vec<_> = ran.heard.iter().map(|heard| heard.intended_ns).collect();
    let first = times.iter().min().unwrap();
    let last = times.iter().max().unwrap();
    let length_s = (last - first) as f64 / 1e9;
    assert!(times.len() as f64 <= 1000.0 * length_s + 5.0, "{} in {length_s} s", times.len());
}

#[test]
fn a_pause_starts_nothing_and_makes_up_for_nothing() {
    let users = group("G", 3, -1, "", &[pause_ms(1), sampler("a")].concat());
    let open = text("OpenModelThreadGroup.schedule", "rate(200/s) even_arrivals(600 s)");
    let open = element("OpenModelThreadGroup", "O", &open, &sampler("o"));
    let ran = changed(&plan(&[users, open].concat()), |control| {
        until(control, "arrivals", |groups| groups[1].started >= 10);
        control.pause().unwrap();
        // Running samples have ended within this time.
        std::thread::sleep(Duration::from_millis(300));
        control.resume().unwrap();
        let before = status(control).unwrap()[1].started;
        until(control, "arrivals again", |groups| groups[1].started >= before + 10);
    });
    let mut starts: Vec<_> = ran.heard.iter().map(|heard| heard.start_ns).collect();
    starts.sort_unstable();
    let longest_ns = starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!(longest_ns >= 200_000_000, "{longest_ns} ns without a start");
    assert_eq!(ran.outcome.missed, 0);
}

#[test]
fn one_group_is_stopped_and_the_others_go_on() {
    let below = [pause_ms(1), sampler("a")].concat();
    let other = group("H", 2, -1, "", &[pause_ms(600_000), sampler("b")].concat());
    let ran = changed(&plan(&[group("G", 2, -1, "", &below), other].concat()), |control| {
        until(control, "both run", |groups| groups[0].active == 2 && groups[1].active == 2);
        control.stop_group(1, Stopped::Graceful).unwrap();
        until(control, "one has finished", |groups| groups[1].active == 0);
        assert_eq!(status(control).unwrap()[0].active, 2);
    });
    assert_eq!(ran.outcome.stopped, Some(Stopped::Graceful), "by the end of the test");
}

#[test]
fn a_property_is_seen_by_the_plan() {
    let jmx = plan(&group("G", 1, -1, "", &[pause_ms(1), sampler("${__P(name,before)}")].concat()));
    let ran = changed(&jmx, |control| {
        until(control, "it runs", runs(1));
        control.set_property("name", "after").unwrap();
        std::thread::sleep(Duration::from_millis(100));
    });
    assert!(ran.labels().ends_with(&["after"]), "{:?}", ran.labels().last());
}

#[test]
fn ceilings_hold_for_what_control_sets_and_not_for_the_plan() {
    let below = [pause_ms(1), sampler("a")].concat();
    let open = text("OpenModelThreadGroup.schedule", "rate(5/s) even_arrivals(600 s)");
    let open = element("OpenModelThreadGroup", "O", &open, &sampler("o"));
    changed(&plan(&[group("G", 5, -1, "", &below), open].concat()), |control| {
        until(control, "the plan", runs(5));
        until(control, "its rate", |groups| groups[1].wanted_per_second == Some(5.0));
        control.limit_load(Ceilings { users: Some(4), per_second: Some(20.0) });
        until(control, "the plan has no ceiling", runs(5));
        let told = |error: Result<(), ControlError>| error.unwrap_err().to_string();
        assert_eq!(
            told(control.set_users(0, Some(5))),
            "thread group `G` would have 5 users, but control may set at most 4 in this run"
        );
        assert!(told(control.multiply_load(1.5)).contains("`G` would have 7.5 users"));
        control.limit_load(Ceilings { users: Some(40), per_second: Some(20.0) });
        assert!(told(control.multiply_load(5.0)).contains("`O` would have 25 arrivals a second"));
        assert!(told(control.ramp_rate(1, 21.0, DAY)).contains("`O` would have 21 arrivals a second"));
        control.set_rate(1, Some(10.0)).unwrap();
        assert!(told(control.multiply_load(2.1)).contains("`O` would have 21 arrivals a second"));
        control.multiply_load(2.0).unwrap();
        assert!(told(control.set_rate(1, Some(11.0))).contains("`O` would have 22 arrivals a second"));
        until(control, "what is allowed", runs(10));
        control.multiply_load(0.5).unwrap();
        control.set_users(0, Some(40)).unwrap();
        until(control, "up to the ceiling", runs(40));
    });
}

#[test]
fn what_cannot_be_changed_is_told() {
    let control = Control::new();
    assert_eq!(control.set_users(0, Some(1)), Err(ControlError::NotStarted));
    let open = text("OpenModelThreadGroup.schedule", "rate(1/s) even_arrivals(3600 s)");
    let open = element("OpenModelThreadGroup", "O", &open, &sampler("o"));
    let jmx = plan(&[group("G", 1, -1, "", &[pause_ms(1), sampler("a")].concat()), open].concat());
    changed(&jmx, |control| {
        until(control, "it runs", runs(1));
        let told = |result: Result<(), ControlError>| result.unwrap_err().to_string();
        assert_eq!(
            told(control.set_users(2, None)),
            "unknown thread group 2; the thread groups are 0: `G` 1: `O`"
        );
        assert!(told(control.set_users(1, Some(3))).contains("`O` has an arrival rate: set the rate"));
        assert!(told(control.set_rate(0, Some(3.0))).contains("`G` has users, not an arrival rate"));
        assert!(told(control.set_rate(1, Some(-1.0))).starts_with("-1 is not a rate"));
        assert!(told(control.ramp_rate(0, 3.0, DAY)).contains("`G` has users, not an arrival rate"));
        assert!(told(control.multiply_load(0.0)).starts_with("0 is not a factor above 0"));
    });
}

#[test]
fn phases_wait_for_their_release_and_begin_at_a_given_time() {
    let set_up = group_of("SetupThreadGroup", "S", 1, 1, "", &sampler("s"));
    let jmx = plan(&[set_up, group("G", 2, 1, "", &sampler("a"))].concat());
    let bench = Bench::default();
    bench.control.hold_phases();
    let control = bench.control.clone();
    let (ran, start_ns) = std::thread::scope(|scope| {
        let outside = scope.spawn(move || {
            let is_held = |control: &Control, phase| {
                control.status().is_some_and(|status| status.is_held && status.phase == Some(phase))
            };
            while !is_held(&control, Phase::SetUp) {
                std::thread::yield_now();
            }
            assert_eq!(control.status().unwrap().started, 0);
            control.release(Phase::SetUp, None).unwrap();
            while !is_held(&control, Phase::Main) {
                std::thread::yield_now();
            }
            assert_eq!(control.status().unwrap().started, 1);
            let start_ns = swell_net::now_ns() + 50_000_000;
            control.release(Phase::Main, Some(start_ns)).unwrap();
            start_ns
        });
        let ran = bench.run(&jmx);
        (ran, outside.join().unwrap())
    });
    let main: Vec<_> = ran.heard.iter().filter(|heard| heard.label == "a").collect();
    assert_eq!(main.len(), 2);
    assert!(main.iter().all(|heard| heard.intended_ns == start_ns && heard.start_ns >= start_ns));
}

#[test]
fn a_held_run_can_be_stopped() {
    let bench = Bench::default();
    bench.control.hold_phases();
    let control = bench.control.clone();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while !control.status().is_some_and(|status| status.is_held) {
                std::thread::yield_now();
            }
            control.stop();
        });
        let ran = bench.run(&plan(&group("G", 2, 1, "", &sampler("a"))));
        assert_eq!((ran.heard.len(), ran.outcome.stopped), (0, Some(Stopped::Graceful)));
    });
}
