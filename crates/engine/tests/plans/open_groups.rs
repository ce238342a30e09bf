//! Other thread groups than JMeter's plain one, on the real clock: users, their names, and the end.

use std::collections::{BTreeMap, HashSet};

use swell_plan::Severity;

use crate::bench::{Bench, Heard, calmly, element, group, java, plan, sampler, text};

const MS: i64 = 1_000_000;
const CONCURRENCY: &str = "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup";
const ARRIVALS: &str = "com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup";
const FREE_FORM: &str = "com.blazemeter.jmeter.threads.arrivals.FreeFormArrivalsThreadGroup";

fn open_model(schedule: &str, more: &str, below: &str) -> Vec<u8> {
    let properties = text("OpenModelThreadGroup.schedule", schedule) + more;
    plan(&element("OpenModelThreadGroup", "G", &properties, below))
}

fn blazemeter(class: &str, fields: &[(&str, &str)], below: &str) -> Vec<u8> {
    let controller = r#"<elementProp name="ThreadGroup.main_controller" elementType="com.blazemeter.jmeter.control.VirtualUserController"/>"#;
    let fields: String = fields.iter().map(|(name, value)| text(name, value)).collect();
    plan(&element(class, "G", &(controller.to_owned() + &fields), below))
}

fn endless() -> String {
    let properties = r#"<elementProp name="ThreadGroup.main_controller" elementType="LoopController"><boolProp name="LoopController.continue_forever">false</boolProp><intProp name="LoopController.loops">-1</intProp></elementProp>"#;
    properties.to_owned()
}

pub(crate) fn table(name: &str, rows: &[&[&str]]) -> String {
    let cells = |row: &&[&str]| row.iter().map(|cell| text("1", cell)).collect::<String>();
    let row = |row| [r#"<collectionProp name="9">"#, &cells(row), "</collectionProp>"].concat();
    let rows: String = rows.iter().map(row).collect();
    format!(r#"<collectionProp name="{name}">{rows}</collectionProp>"#)
}

fn threads(heard: &[Heard]) -> HashSet<&str> {
    heard.iter().map(|heard| heard.thread.as_str()).collect()
}

/// Labels of each thread in order.
fn by_thread(heard: &[Heard]) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for sample in heard {
        all.entry(sample.thread.as_str()).or_default().push(sample.label.as_str());
    }
    all
}

#[test]
fn every_arrival_of_an_open_model_is_a_new_user_at_its_time() {
    for workers in [1, 3] {
        let below = [java("a ${__threadNum}", "OK", 0), sampler("b")].concat();
        let jmx = open_model("rate(100/s) even_arrivals(200 ms) pause(500 ms)", "", &below);
        let ran = Bench::default().workers(workers).run(&jmx);
        let users = by_thread(&ran.heard);
        assert_eq!(users.len(), 20);
        assert_eq!(users["G 1-7"], ["a 7", "b"], "one iteration each");
        let mut due: Vec<_> =
            ran.heard.iter().filter(|heard| heard.label != "b").map(|heard| heard.intended_ns).collect();
        due.sort_unstable();
        assert!(
            due.windows(2).all(|pair| pair[1] - pair[0] == 10 * MS),
            "the schedule is kept to the nanosecond"
        );
        assert!(ran.heard.iter().all(|heard| heard.start_ns >= heard.intended_ns));
        // Response times count from the arrival, so only the first sample of each has one.
        assert!(ran.heard.iter().all(|heard| heard.scheduled == (heard.label != "b")));
        assert_eq!((ran.outcome.users, ran.outcome.samples, ran.outcome.stopped), (20, 40, None));
    }
}

#[test]
fn arrivals_do_not_wait_for_those_before() {
    // Each takes ten times as long as the next is away.
    let jmx = open_model("rate(100/s) even_arrivals(100 ms) pause(500 ms)", "", &java("slow", "OK", 100));
    let ran = Bench::default().run(&jmx);
    assert_eq!(ran.heard.len(), 10);
    assert!(ran.heard.iter().map(|heard| heard.group_threads).max() >= Some(8));
}

#[test]
fn the_end_of_an_open_model_cuts_who_is_still_there() {
    let below = [java("quick", "OK", 0), java("slow", "OK", 5_000), sampler("never")].concat();
    let others = group("Other", 1, 1, "", &java("other", "OK", 400));
    let group = element(
        "OpenModelThreadGroup",
        "G",
        &text("OpenModelThreadGroup.schedule", "rate(20/s) even_arrivals(200 ms)"),
        &below,
    );
    let jmx = plan(&[group, others].concat());
    let Some(ran) = calmly(|| Bench::default().run(&jmx)) else { return };
    let count = |label: &str| ran.heard.iter().filter(|heard| heard.label == label).count();
    assert_eq!((count("quick"), count("slow"), count("never"), count("other")), (4, 0, 0, 1));
    assert_eq!((ran.outcome.cut, ran.outcome.stopped), (4, None), "the test as a whole was not stopped");
    let took_ms = (ran.outcome.ended_ns - ran.outcome.started_ns) / MS;
    assert!(took_ms < 3_000, "{took_ms}");
}

#[test]
fn a_timer_of_an_open_model_ends_with_the_schedule() {
    let timer = element("ConstantTimer", "t", &text("ConstantTimer.delay", "60000"), "");
    let ran = Bench::default().run(&open_model(
        "rate(10/s) even_arrivals(200 ms)",
        "",
        &[timer, sampler("a")].concat(),
    ));
    assert_eq!((ran.heard.len(), ran.outcome.users, ran.outcome.cut), (0, 2, 0));
}

#[test]
fn the_same_seed_makes_the_same_arrivals_on_any_number_of_workers() {
    let starts = |workers, seed: &str| {
        let more = text("OpenModelThreadGroup.random_seed", seed);
        let jmx = open_model("rate(200/s) random_arrivals(100 ms) pause(500 ms)", &more, &sampler("a"));
        let ran = Bench::default().workers(workers).run(&jmx);
        let mut due: Vec<_> = ran.heard.iter().map(|heard| heard.intended_ns).collect();
        due.sort_unstable();
        due.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
    };
    assert_eq!(starts(1, "5").len(), 19);
    assert_eq!(starts(1, "5"), starts(3, "5"));
    assert_ne!(starts(1, "5"), starts(1, "6"));
}

#[test]
fn next_thread_loop_means_nothing_in_an_open_model() {
    let more = text("ThreadGroup.on_sample_error", "startnextloop");
    let below = [java("bad", "NO", 0), sampler("after")].concat();
    let ran =
        Bench::default().run(&open_model("rate(10/s) even_arrivals(100 ms) pause(500 ms)", &more, &below));
    assert_eq!(ran.labels(), ["bad", "after"], "as in JMeter");
}

#[test]
fn a_schedule_that_is_none_is_refused_before_the_run() {
    let jmx = open_model("rate(1/s) rest(1 s)", "", &sampler("a"));
    let prepared = Bench::default().prepare(&jmx);
    let found = &prepared.diagnostics()[0];
    assert_eq!(found.severity, Severity::Error);
    assert!(found.message.contains("`rest(1 s)`") && found.message.contains("character 11"), "{found}");
    // One that is only known as the group starts is a problem of that group.
    let jmx = open_model("${__P(schedule,x)}", "", &sampler("a"));
    let ran = Bench::default().run(&jmx);
    assert!(ran.outcome.problems[0].to_string().contains("character 1"), "{:?}", ran.outcome.problems);
}

#[test]
fn users_of_an_ultimate_group_start_and_end_by_their_rows() {
    let rows = table("ultimatethreadgroupdata", &[&["2", "0", "0", "1", "0"], &["1", "1", "0", "0", "0"]]);
    let group = element(
        "kg.apc.jmeter.threads.UltimateThreadGroup",
        "G",
        &(endless() + &rows),
        &java("a", "OK", 100),
    );
    let jmx = plan(&group);
    let Some(ran) = calmly(|| Bench::default().run(&jmx)) else { return };
    let users = by_thread(&ran.heard);
    assert_eq!(users.keys().copied().collect::<Vec<_>>(), ["G 1-1", "G 1-2", "G 1-3"]);
    assert!((9..=11).contains(&users["G 1-1"].len()), "{users:?}");
    assert_eq!(users["G 1-3"].len(), 1, "its time passes at once, and it takes one sample nevertheless");
    let first = ran.heard.iter().map(|heard| heard.intended_ns).min().unwrap();
    let third = ran.heard.iter().find(|heard| heard.thread == "G 1-3").unwrap();
    assert_eq!((third.intended_ns - first) / (100 * MS), 10);
}

#[test]
fn users_of_a_stepping_group_start_and_end_in_steps() {
    let fields = [
        ("ThreadGroup.num_threads", "2"),
        ("Start users count", "1"),
        ("Start users period", "1"),
        ("flighttime", "0"),
        ("Stop users count", "1"),
        ("Stop users period", "1"),
    ];
    let fields: String = fields.iter().map(|(name, value)| text(name, value)).collect();
    let group = element(
        "kg.apc.jmeter.threads.SteppingThreadGroup",
        "G",
        &(endless() + &fields),
        &java("a", "OK", 50),
    );
    let jmx = plan(&group);
    let Some(ran) = calmly(|| Bench::default().run(&jmx)) else { return };
    let of = |thread: &str| {
        ran.heard
            .iter()
            .filter(|heard| heard.thread == thread)
            .map(|heard| heard.start_ns)
            .collect::<Vec<_>>()
    };
    let first = of("G 1-1");
    let second = of("G 1-2");
    let start = first[0];
    let tenths = |ns: i64| (ns - start + 50 * MS) / (100 * MS);
    assert_eq!(tenths(second[0]), 10, "a second later");
    assert!((9..=10).contains(&tenths(*first.last().unwrap())), "the first to start is the first to end");
    assert!((19..=20).contains(&tenths(*second.last().unwrap())));
}

#[test]
fn a_concurrency_is_kept_up_and_ends_between_samples() {
    // Each user does two iterations, then another takes its place.
    let fields = [("TargetLevel", "3"), ("Hold", "1"), ("Iterations", "2")];
    let below = [java("a", "OK", 40), sampler("b")].concat();
    for workers in [1, 2] {
        let Some(ran) =
            calmly(|| Bench::default().workers(workers).run(&blazemeter(CONCURRENCY, &fields, &below)))
        else {
            return;
        };
        let users = by_thread(&ran.heard);
        assert!(users.len() > 20, "{}", users.len());
        for number in 1..=6 {
            assert_eq!(users[format!("G-ThreadStarter 1-{number}").as_str()], ["a", "b", "a", "b"]);
        }
        assert!(ran.heard.iter().all(|heard| heard.group_threads <= 3));
        let took_ms = (ran.outcome.ended_ns - ran.outcome.started_ns) / MS;
        assert!((1000..1500).contains(&took_ms), "{took_ms}");
        assert_eq!((ran.outcome.cut, ran.outcome.stopped), (0, None));
    }
}

#[test]
fn a_user_that_does_nothing_is_not_replaced_over_and_over() {
    let fields = [("TargetLevel", "2"), ("Hold", "1")];
    let Some(ran) = calmly(|| Bench::default().run(&blazemeter(CONCURRENCY, &fields, ""))) else { return };
    assert!(ran.outcome.users <= 4, "{}", ran.outcome.users);
}

#[test]
fn a_user_whose_samples_fail_is_replaced() {
    let fields = [("TargetLevel", "1"), ("Hold", "1"), ("ThreadGroup.on_sample_error", "stopthread")];
    let Some(ran) =
        calmly(|| Bench::default().run(&blazemeter(CONCURRENCY, &fields, &java("bad", "NO", 100))))
    else {
        return;
    };
    assert!((8..=10).contains(&ran.heard.len()), "{}", ran.heard.len());
    assert_eq!(threads(&ran.heard).len(), ran.heard.len());
}

#[test]
fn a_concurrency_follows_a_property_while_it_runs() {
    let fields = [("TargetLevel", "${__P(level,1)}"), ("Hold", "2")];
    // The first sample raises the level, the 5th of any user lowers it.
    let below = [
        java("${__setProperty(level,4)}up", "OK", 50),
        element("OnceOnlyController", "once", "", &java("steady", "OK", 700)),
        java("${__setProperty(level,2)}down", "OK", 100),
    ];
    let jmx = blazemeter(CONCURRENCY, &fields, &below.concat());
    let Some(ran) = calmly(|| Bench::default().workers(2).run(&jmx)) else { return };
    let most = ran.heard.iter().map(|heard| heard.group_threads).max().unwrap();
    assert!((3..=4).contains(&most), "{most}");
    assert!(ran.outcome.users >= 4, "{}", ran.outcome.users);
}

#[test]
fn arrivals_take_users_that_have_nothing_to_do() {
    // A user has ten times as long as it needs: a machine that is busy elsewhere must not make a
    // second one necessary.
    let fields = [("TargetLevel", "5"), ("Hold", "2")];
    let below = [java("a", "OK", 20), sampler("b ${__counter(TRUE,)}")].concat();
    let Some(ran) = calmly(|| Bench::default().workers(3).run(&blazemeter(ARRIVALS, &fields, &below))) else {
        return;
    };
    let a: Vec<_> = ran.heard.iter().filter(|heard| heard.label == "a").collect();
    assert_eq!(a.len(), 10);
    assert_eq!(threads(&ran.heard), HashSet::from(["G-ThreadStarter 1-1"]), "one is enough");
    assert!(a.windows(2).all(|pair| pair[1].intended_ns - pair[0].intended_ns == 200 * MS));
    assert!(ran.heard.iter().any(|heard| heard.label == "b 7"), "{:?}", ran.labels());
    assert!(ran.heard.iter().all(|heard| heard.scheduled == (heard.label == "a")));
    assert_eq!(ran.outcome.users, 1);
    // Rest is time that the plan wants: nine tenths here. Where the machine is busy, each sample
    // may begin some milliseconds late.
    let spent = ran.outcome.spent;
    assert!(spent.waited_ns + spent.sampled_ns > spent.lived_ns / 2, "{spent:?}");
}

#[test]
fn arrivals_come_however_busy_all_are() {
    let fields = [("TargetLevel", "20"), ("Hold", "1")];
    let Some(ran) =
        calmly(|| Bench::default().workers(2).run(&blazemeter(ARRIVALS, &fields, &java("a", "OK", 200))))
    else {
        return;
    };
    let count = ran.heard.len();
    assert_eq!(count, 20);
    assert!((4..=6).contains(&threads(&ran.heard).len()), "{:?}", threads(&ran.heard));
}

#[test]
fn at_the_end_of_arrivals_users_stop_before_their_next_sample() {
    let fields = [("TargetLevel", "5"), ("Hold", "2")];
    let below = [java("a", "OK", 620), sampler("b")].concat();
    let Some(ran) = calmly(|| Bench::default().workers(1).run(&blazemeter(ARRIVALS, &fields, &below))) else {
        return;
    };
    let count = |label: &str| ran.heard.iter().filter(|heard| heard.label == label).count();
    // Arrivals at 0, 0.2, ... 1.8 s; those of 1.4 s and later have their b after the end. So the
    // plug-in's version 2.10.
    assert_eq!((count("a"), count("b")), (10, 7));
}

#[test]
fn a_limit_of_arrivals_ends_the_group_with_the_last() {
    let fields = [("TargetLevel", "20"), ("Hold", "60"), ("ArrivalsLimit", "4")];
    let below = [java("a", "OK", 20), sampler("b")].concat();
    let ran = Bench::default().workers(2).run(&blazemeter(ARRIVALS, &fields, &below));
    let of = |label: &str| ran.heard.iter().filter(|heard| heard.label == label).collect::<Vec<_>>();
    let firsts = of("a");
    let seconds = of("b");
    let end_ns = firsts.iter().map(|heard| heard.intended_ns).max().unwrap();
    assert_eq!(firsts.len(), 4, "the last has its first sample, as with the plug-in");
    // Each user continues until the last has come, however slow the machine is; borderline cases
    // are not judged.
    for first in firsts {
        let goes_on =
            seconds.iter().any(|second| second.thread == first.thread && second.start_ns >= first.end_ns);
        let is_close = (end_ns - 10 * MS..end_ns).contains(&first.end_ns);
        assert!(is_close || goes_on == (first.end_ns < end_ns), "{} {goes_on} {}", first.end_ns, end_ns);
    }
}

#[test]
fn arrivals_beyond_the_concurrency_limit_are_dropped_and_told() {
    let fields = [("TargetLevel", "20"), ("Hold", "1"), ("ConcurrencyLimit", "2")];
    let Some(ran) =
        calmly(|| Bench::default().workers(1).run(&blazemeter(ARRIVALS, &fields, &java("a", "OK", 400))))
    else {
        return;
    };
    assert!((4..=6).contains(&ran.heard.len()), "{}", ran.heard.len());
    assert_eq!(ran.outcome.users, 2);
    assert_eq!(ran.outcome.missed, 20 - ran.heard.len() as u64);
    let said = ran.outcome.problems[0].to_string();
    assert!(said.contains(&format!("{} arrivals were dropped", 20 - ran.heard.len())), "{said}");
}

#[test]
fn a_free_form_group_follows_its_rows() {
    let rows = table("Schedule", &[&["10", "10", "1"], &["50", "50", "1"]]);
    let group = element(FREE_FORM, "G", &(text("Unit", "S") + &rows), &sampler("a"));
    let ran = Bench::default().run(&plan(&group));
    let first = ran.heard.iter().map(|heard| heard.intended_ns).min().unwrap();
    let early = ran.heard.iter().filter(|heard| heard.intended_ns - first <= 1000 * MS).count();
    assert_eq!((early, ran.heard.len()), (11, 57));
}

#[test]
fn a_test_that_is_stopped_ends_those_who_rest_and_those_to_come() {
    let stop = element(
        "TestAction",
        "stop",
        &[text("ActionProcessor.action", "0"), text("ActionProcessor.target", "2")].concat(),
        "",
    );
    let late = group("Late", 1, 1, "", &[java("late", "OK", 300), stop].concat());
    let controller = r#"<elementProp name="ThreadGroup.main_controller" elementType="com.blazemeter.jmeter.control.VirtualUserController"/>"#;
    let fields: String =
        [("TargetLevel", "10"), ("Hold", "600")].iter().map(|(name, value)| text(name, value)).collect();
    let arrivals = element(ARRIVALS, "G", &(controller.to_owned() + &fields), &sampler("a"));
    let kept = element(CONCURRENCY, "K", &(controller.to_owned() + &fields), &java("k", "OK", 50));
    let open = element(
        "OpenModelThreadGroup",
        "O",
        &text("OpenModelThreadGroup.schedule", "rate(10/s) even_arrivals(1 h)"),
        &sampler("o"),
    );
    let jmx = plan(&[arrivals, kept, open, late].concat());
    let Some(ran) = calmly(|| Bench::default().run(&jmx)) else { return };
    let took_ms = (ran.outcome.ended_ns - ran.outcome.started_ns) / MS;
    assert!(took_ms < 2_000, "{took_ms}");
    assert!(ran.outcome.stopped.is_some());
    for label in ["a", "k", "o", "late"] {
        assert!(ran.heard.iter().any(|heard| heard.label == label), "{label}");
    }
}
