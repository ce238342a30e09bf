//! The Throughput Shaping Timer on the real clock.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use swell_api::{SampleResult, Sampler, SamplerFuture, User};
use swell_expr::Properties;

use crate::bench::{Bench, Heard, calmly, element, group, java, plan, sampler, text};
use crate::open_groups::table;

const MS: i64 = 1_000_000;

fn shaping(rows: &[&[&str]]) -> String {
    element("kg.apc.jmeter.timers.VariableThroughputTimer", "shape", &table("load_profile", rows), "")
}

/// Times at which samples were due, in order.
fn due(heard: &[Heard]) -> Vec<i64> {
    let mut all: Vec<_> = heard.iter().map(|heard| heard.intended_ns).collect();
    all.sort_unstable();
    all
}

#[test]
fn samples_are_exactly_even_over_all_users_and_the_group_ends_with_the_schedule() {
    let jmx = plan(&group(
        "G",
        5,
        -1,
        "",
        &[shaping(&[&["50", "50", "1"], &["${__P(up,100)}", "100", "1"]]), sampler("a")].concat(),
    ));
    let Some(ran) = calmly(|| Bench::default().workers(2).run(&jmx)) else { return };
    let due = due(&ran.heard);
    // What a machine that is busy elsewhere has not made is counted.
    assert_eq!(due.len() as u64 + ran.outcome.missed, 150);
    let places = due.iter().map(|at_ns| at_ns - due[0]).map(|ns| (ns, ns < 1000 * MS));
    let even = places.map(|(ns, first)| if first { ns % (20 * MS) } else { ns % (10 * MS) });
    assert_eq!(even.sum::<i64>(), 0, "{due:?}");
    let took_ms = (ran.outcome.ended_ns - ran.outcome.started_ns) / MS;
    assert!((2000..3000).contains(&took_ms), "{took_ms}");
    assert_eq!((ran.outcome.stopped, ran.outcome.cut), (None, 0));
}

#[test]
fn one_timer_of_the_plan_is_one_schedule_for_all_groups_and_ends_those_that_ask_it() {
    let below = [
        group("A", 2, -1, "", &sampler("a")),
        group("B", 2, -1, "", &sampler("b")),
        shaping(&[&["40", "40", "1"]]),
    ];
    let ran = Bench::default().run(&plan(&below.concat()));
    assert_eq!(due(&ran.heard).len() as u64 + ran.outcome.missed, 40);
    let with_own = [
        group("A", 1, -1, "", &[shaping(&[&["40", "40", "1"]]), sampler("a")].concat()),
        group("B", 1, 15, "", &java("b", "OK", 100)),
    ];
    let ran = Bench::default().run(&plan(&with_own.concat()));
    let count = |label: &str| ran.heard.iter().filter(|heard| heard.label == label).count();
    assert_eq!((count("a") as u64 + ran.outcome.missed, count("b")), (40, 15), "the other group continues");
}

#[test]
fn a_property_of_the_run_replaces_the_rows() {
    for name in ["load_profile", "shape.load_profile"] {
        let bench = Bench { props: Properties::default(), ..Bench::default() };
        bench.props.set(name, "const(30,1s)");
        let ran = bench.run(&plan(&group(
            "G",
            3,
            -1,
            "",
            &[shaping(&[&["1", "1", "600"]]), sampler("a")].concat(),
        )));
        assert_eq!(ran.heard.len() as u64 + ran.outcome.missed, 30, "{name}");
    }
}

#[test]
fn a_late_sample_keeps_the_time_it_was_due() {
    // One user of 50 ms a sample cannot do 40 a second.
    let ran = Bench::default().run(&plan(&group(
        "G",
        1,
        4,
        "",
        &[shaping(&[&["40", "40", "5"]]), java("a", "OK", 50)].concat(),
    )));
    let due = due(&ran.heard);
    assert!(due.windows(2).all(|pair| pair[1] - pair[0] == 25 * MS), "{due:?}");
    let last = &ran.heard[3];
    assert!(last.start_ns - last.intended_ns >= 75 * MS);
    assert!(ran.heard.iter().all(|heard| heard.scheduled));
}

/// Holds up its worker, and all users there, with its fifth sample.
struct Stalling {
    samples: Arc<AtomicU32>,
}

impl Sampler for Stalling {
    fn sample<'a>(&'a self, _user: &'a mut User) -> SamplerFuture<'a> {
        let start_ns = swell_net::now_ns();
        if self.samples.fetch_add(1, Ordering::Relaxed) == 4 {
            std::thread::sleep(Duration::from_millis(1100));
        }
        let mut sample = SampleResult::default();
        (sample.timing.start_ns, sample.timing.end_ns) = (start_ns, swell_net::now_ns());
        Box::pin(std::future::ready(Some(Box::new(sample))))
    }
}

#[test]
fn what_was_due_before_the_end_is_sampled_late_by_a_worker_that_stood_still() {
    let mut bench = Bench::default().workers(2);
    bench.add_sampler("StallingSampler", |_, compile| {
        Rc::new(Stalling { samples: compile.expr.shared.get("samples of the test", AtomicU32::default) })
    });
    let below = [shaping(&[&["40", "40", "1"]]), element("StallingSampler", "a", "", "")].concat();
    let ran = bench.run(&plan(&group("G", 40, -1, "", &below)));
    // Some users wait for the one that blocks their worker when the other worker ends the schedule.
    let due = due(&ran.heard);
    assert_eq!((due.len(), ran.outcome.missed), (40, 0), "{due:?}");
    let late = ran.heard.iter().filter(|heard| heard.start_ns - heard.intended_ns > 100 * MS).count();
    assert!(late >= 5, "{late}");
}

#[test]
fn samples_that_nobody_was_free_for_are_counted() {
    let jmx = plan(&group("G", 1, 2, "", &[shaping(&[&["40", "40", "5"]]), java("a", "OK", 1100)].concat()));
    let missed = Bench::default().run(&jmx).outcome.missed;
    // The first takes one of 40 of the first second; the second is asked for in the next.
    assert_eq!(missed, 39);
}

#[test]
fn feedback_finds_the_users_that_a_rate_needs() {
    let controller = r#"<elementProp name="ThreadGroup.main_controller" elementType="com.blazemeter.jmeter.control.VirtualUserController"/>"#;
    let fields = [text("TargetLevel", "${__tstFeedback(shape,1,20)}"), text("Hold", "60")].concat();
    let below = [shaping(&[&["40", "40", "4"]]), java("a", "OK", 100)].concat();
    let class = "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup";
    let group = element(class, "G", &(controller.to_owned() + &fields), &below);
    let ran = Bench::default().workers(2).run(&plan(&group));
    // One user does ten a second: more come, as many as are allowed. (When they come is up to the
    // machine: where that is busy, a second one may be there before the first has its sample.)
    let most = ran.heard.iter().map(|heard| heard.group_threads).max().unwrap();
    assert!((3..=20).contains(&most), "{most}");
    let due = due(&ran.heard);
    assert_eq!(
        due.len() as u64 + ran.outcome.missed,
        160,
        "the others of 40 a second for 4 seconds had no user"
    );
    assert!(due.last().unwrap() - due[0] < 4000 * MS, "{due:?}");
}
