//! Control flow of a user: actions, errors, locks, endless loops.

use std::rc::Rc;

use swell_api::{Sampler, SamplerFuture, User};
use swell_engine::Stopped;
use swell_expr::Thrown;

use crate::bench::{Bench, Instant, element, group, java, plan, sampler, text};

#[test]
fn errors_do_what_the_group_says() {
    let fail = || java("bad", "NO", 0);
    let labels = |action: &str| {
        let below = [sampler("a"), fail(), sampler("c")].concat();
        let jmx = plan(&group("G", 1, 2, &text("ThreadGroup.on_sample_error", action), &below));
        let ran = Bench::default().workers(1).run(&jmx);
        (ran.labels().join(" "), ran.outcome.stopped)
    };
    assert_eq!(labels("continue"), ("a bad c a bad c".into(), None));
    assert_eq!(labels("startnextloop"), ("a bad a bad".into(), None));
    assert_eq!(labels("stopthread"), ("a bad".into(), None));
    assert_eq!(labels("stoptest"), ("a bad".into(), Some(Stopped::Graceful)));
    assert_eq!(labels("stoptestnow"), ("a bad".into(), Some(Stopped::Immediate)));
}

#[test]
fn flow_control_goes_where_it_says() {
    let action = |action: &str, target: &str, duration: &str| {
        let properties = [
            text("ActionProcessor.action", action),
            text("ActionProcessor.target", target),
            text("ActionProcessor.duration", duration),
        ];
        element("TestAction", "act", &properties.concat(), "")
    };
    let labels = |action: String| {
        let inner = [sampler("b"), action, sampler("c")].concat();
        let inner = element("LoopController", "L", &text("LoopController.loops", "2"), &inner);
        let jmx = plan(&group("G", 1, 2, "", &[sampler("a"), inner, sampler("d")].concat()));
        let ran = Bench::default().workers(1).run(&jmx);
        (ran.labels().join(""), ran.outcome.stopped)
    };
    assert_eq!(labels(action("1", "0", "1")), ("abcbcdabcbcd".into(), None));
    assert_eq!(labels(action("3", "0", "")), ("abab".into(), None));
    assert_eq!(labels(action("4", "0", "")), ("abbdabbd".into(), None));
    assert_eq!(labels(action("5", "0", "")), ("abdabd".into(), None));
    assert_eq!(labels(action("0", "0", "")), ("ab".into(), None));
    assert_eq!(labels(action("0", "2", "")), ("ab".into(), Some(Stopped::Graceful)));
    assert_eq!(labels(action("2", "2", "")), ("ab".into(), Some(Stopped::Immediate)));
}

/// Throws and gives no sample.
struct Throwing;

impl Sampler for Throwing {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move {
            let thrown =
                Thrown { class: "java.lang.IllegalStateException", message: "on purpose".to_owned() };
            user.cx.thrown = Some(Box::new(thrown));
            None
        })
    }
}

#[test]
fn a_sampler_that_throws_ends_its_package_and_not_its_user() {
    let mut bench = Bench::default();
    bench.add_sampler("ThrowingSampler", |_, _| Rc::new(Throwing));
    let below = [element("ThrowingSampler", "throws", "", ""), sampler("after")].concat();
    let ran = bench.run(&plan(&group("G", 1, 2, "", &below)));
    assert_eq!(ran.labels(), ["after", "after"]);
}

#[test]
fn assertions_of_the_group_decide_about_samples() {
    let assertion = element(
        "ResponseAssertion",
        "must be 200",
        &format!(
            r#"<collectionProp name="Asserion.test_strings">{}</collectionProp>{}<intProp name="Assertion.test_type">8</intProp>"#,
            text("1", "200"),
            text("Assertion.test_field", "Assertion.response_code")
        ),
        "",
    );
    let mut bench = Bench::default();
    bench.add_sampler("OkSampler", |_, _| {
        Rc::new(Instant { success: true, body: "", code: "200", message: "" })
    });
    bench.add_sampler("MissingSampler", |_, _| {
        Rc::new(Instant { success: true, body: "", code: "404", message: "" })
    });
    let below = [assertion, element("OkSampler", "ok", "", ""), element("MissingSampler", "missing", "", "")]
        .concat();
    let ran = bench.run(&plan(&group("G", 1, 1, "", &below)));
    let seen: Vec<_> = ran.heard.iter().map(|heard| (heard.label.as_str(), heard.success)).collect();
    assert_eq!(seen, [("ok", true), ("missing", false)]);
}

#[test]
fn users_of_a_critical_section_are_alone_in_it() {
    let section = element(
        "CriticalSectionController",
        "cs",
        &text("CriticalSectionController.lockName", "lock"),
        &[java("in", "OK", 1), java("out", "OK", 1)].concat(),
    );
    let ran = Bench::default().workers(3).run(&plan(&group("G", 9, 3, "", &section)));
    assert_eq!(ran.heard.len(), 54);
    for pair in ran.heard.chunks(2) {
        assert_eq!((pair[0].label.as_str(), pair[1].label.as_str()), ("in", "out"));
        assert_eq!(pair[0].thread, pair[1].thread);
    }
}

#[test]
fn a_loop_without_a_sampler_ends_its_user_and_not_the_test() {
    let never = element(
        "IfController",
        "never",
        &format!(
            r#"{}<boolProp name="IfController.useExpression">true</boolProp>"#,
            text("IfController.condition", "false")
        ),
        &sampler("x"),
    );
    let endless = element("WhileController", "W", &text("WhileController.condition", "true"), &never);
    let jmx = plan(&[group("A", 2, -1, "", &endless), group("B", 1, 2, "", &sampler("b"))].concat());
    let ran = Bench::default().workers(1).run(&jmx);
    assert_eq!(ran.labels(), ["b", "b"]);
    assert!(
        ran.log
            .iter()
            .any(|line| line.ends_with("loop `W` contains no sampler that can run; the user stops")),
        "{:?}",
        ran.log
    );
}

#[test]
fn users_that_never_wait_let_others_run() {
    let greedy = group("A", 1, -1, "", &element("DebugSampler", "d", "", ""));
    let action = [text("ActionProcessor.action", "0"), text("ActionProcessor.target", "2")].concat();
    let stopper =
        group("B", 1, 1, "", &[java("b", "OK", 5), element("TestAction", "stop", &action, "")].concat());
    let ran = Bench::default().workers(1).run(&plan(&[greedy, stopper].concat()));
    assert_eq!(ran.outcome.stopped, Some(Stopped::Graceful));
    assert!(ran.labels().contains(&"b"));
}
