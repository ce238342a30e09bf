//! Users of thread groups: which run, when, and with which names.

use std::collections::{HashMap, HashSet};

use swell_engine::RunOutcome;

use crate::bench::{Bench, Heard, group, group_of, java, plan, sampler, serialized, text};

/// Labels of each user in their order.
fn by_user(heard: &[Heard]) -> HashMap<&str, Vec<&str>> {
    let mut all: HashMap<_, Vec<_>> = HashMap::new();
    for sample in heard {
        all.entry(sample.thread.as_str()).or_default().push(sample.label.as_str());
    }
    all
}

#[test]
fn every_user_of_every_group_runs_its_loops_whatever_the_workers() {
    for workers in [1, 2, 3, 5] {
        let jmx = plan(
            &[
                group("A", 3, 2, "", &[sampler("a"), sampler("b")].concat()),
                group("B", 2, 1, "", &sampler("c-${__threadNum}")),
            ]
            .concat(),
        );
        let ran = Bench::default().workers(workers).run(&jmx);
        let users = by_user(&ran.heard);
        assert_eq!(users.len(), 5);
        for user in ["A 1-1", "A 1-2", "A 1-3"] {
            assert_eq!(users[user], ["a", "b", "a", "b"]);
        }
        assert_eq!((&users["B 2-1"][..], &users["B 2-2"][..]), (&["c-1"][..], &["c-2"][..]));
        let RunOutcome { users, samples, stopped, problems, .. } = ran.outcome;
        assert_eq!((users, samples, stopped, problems.len()), (5, 14, None, 0));
    }
}

#[test]
fn set_up_runs_before_and_tear_down_after() {
    let jmx = plan(
        &[
            group_of("PostThreadGroup", "last", 2, 1, "", &sampler("z")),
            group("main", 2, 2, "", &java("m", "OK", 2)),
            group_of("SetupThreadGroup", "first", 2, 1, "", &java("s", "OK", 5)),
        ]
        .concat(),
    );
    let ran = Bench::default().run(&jmx);
    assert_eq!(ran.labels(), ["s", "s", "m", "m", "m", "m", "z", "z"]);
    let threads: HashSet<_> = ran.heard.iter().map(|heard| heard.thread.as_str()).collect();
    let expected = ["first 1-1", "first 1-2", "main 1-1", "main 1-2", "last 1-1", "last 1-2"];
    assert_eq!(threads, HashSet::from(expected));
}

#[test]
fn tear_down_after_a_stop_only_if_the_plan_says_so() {
    let below = |flag: &str| {
        let more = text("ThreadGroup.on_sample_error", "stoptest");
        let jmx = plan(
            &[
                group("G", 1, 5, &more, &java("bad", "NO", 0)),
                group_of("PostThreadGroup", "T", 1, 1, "", &sampler("z")),
            ]
            .concat(),
        );
        let flag = format!(
            r#"enabled="true"><boolProp name="TestPlan.tearDown_on_shutdown">{flag}</boolProp></TestPlan>"#
        );
        let jmx = String::from_utf8(jmx).unwrap().replacen(r#"enabled="true"></TestPlan>"#, &flag, 1);
        Bench::default().run(jmx.as_bytes()).labels().join(" ")
    };
    assert_eq!((below("true"), below("false")), ("bad z".into(), "bad".into()));
}

#[test]
fn active_users_are_counted_as_they_start_and_end() {
    let more = text("ThreadGroup.ramp_time", "0");
    let jmx = plan(
        &[group("A", 2, 1, &more, &java("a", "OK", 400)), group("B", 1, 1, &more, &java("b", "OK", 50))]
            .concat(),
    );
    let ran = Bench::default().run(&jmx);
    let seen: Vec<_> = ran
        .heard
        .iter()
        .map(|heard| (heard.label.as_str(), heard.group_threads, heard.all_threads))
        .collect();
    assert_eq!(seen[0], ("b", 1, 3));
    assert_eq!(seen[1], ("a", 2, 2));
}

#[test]
fn a_scheduler_without_duration_is_a_problem_of_its_group_only() {
    let more = text("ThreadGroup.scheduler", "true");
    let jmx = plan(&[group("A", 1, 1, &more, &sampler("a")), group("B", 1, 1, "", &sampler("b"))].concat());
    let ran = Bench::default().run(&jmx);
    assert_eq!(ran.labels(), ["b"]);
    assert_eq!(ran.outcome.problems.len(), 1);
    assert!(ran.outcome.problems[0].to_string().contains("duration"), "{}", ran.outcome.problems[0]);
}

#[test]
fn serialized_groups_wait_for_each_other() {
    let jmx =
        plan(&[group("A", 2, 2, "", &java("a", "OK", 50)), group("B", 1, 1, "", &sampler("b"))].concat());
    let ran = Bench::default().run(&jmx);
    assert_eq!(ran.labels()[0], "b", "they start together");
    let ran = Bench::default().run(&serialized(&jmx));
    assert_eq!(ran.labels(), ["a", "a", "a", "a", "b"]);
}
