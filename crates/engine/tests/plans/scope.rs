//! The elements in the scope of a sampler, and their order.

use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{
    ElementKind, Listener, Make, Needs, Role, SampleEvent, SampleResult, Step, StepProgress, User,
};

use crate::bench::{Bench, element, group, java, plan, sampler, text};

/// Writes down what it hears, after its name.
struct Named(String, Arc<Mutex<Vec<String>>>);

impl Listener for Named {
    fn needs(&self) -> Needs {
        Needs::default()
    }
    fn sample(&self, event: &SampleEvent<'_>) {
        self.1.lock().push(format!("{}:{}", self.0, event.sample.label));
    }
}

fn listener(name: &str) -> String {
    element("ResultCollector", name, "", "")
}

/// A Java Request with something below it.
fn sampler_with(name: &str, below: &str) -> String {
    sampler(name).replace("</JavaSampler><hashTree>", &format!("</JavaSampler><hashTree>{below}"))
}

fn transaction(name: &str, parent: bool, below: &str) -> String {
    let flag = format!(r#"<boolProp name="TransactionController.parent">{parent}</boolProp>"#);
    element("TransactionController", name, &flag, below)
}

/// What the listeners of a group heard, in order.
fn heard(below: &str) -> String {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let mut bench = Bench::default().workers(1);
    let for_factory = lines.clone();
    let make = Make::listener(move |node, _| {
        Some(Rc::new(Named(node.element.name().to_owned(), for_factory.clone())))
    });
    bench.registry.add(ElementKind::native(Role::Listener, "ResultCollector", "Writes down", make));
    bench.run(&plan(&group("G", 1, 1, "", below)));
    let lines = lines.lock();
    lines.join(" ")
}

#[test]
fn listeners_hear_from_inside_out_what_stands_in_their_scope() {
    let below = [sampler_with("a", &listener("own")), sampler("b"), listener("1"), listener("2")].concat();
    assert_eq!(heard(&below), "own:a 1:a 2:a 1:b 2:b");
}

#[test]
fn samples_of_a_parent_transaction_go_only_to_listeners_below_it() {
    let inside = [sampler_with("a", &listener("own")), sampler("b"), listener("in")].concat();
    let below = |parent| [transaction("T", parent, &inside), listener("out")].concat();
    assert_eq!(heard(&below(true)), "own:a in:T out:T");
    assert_eq!(heard(&below(false)), "own:a in:a out:a in:b out:b in:T out:T");
}

#[test]
fn a_transaction_reports_to_the_listeners_of_its_last_sampler() {
    let inside = [sampler("a"), sampler_with("b", &listener("own"))].concat();
    assert_eq!(heard(&transaction("T", false, &inside)), "own:b own:T");
    let inside = [sampler_with("a", &listener("own")), sampler("b")].concat();
    assert_eq!(heard(&transaction("T", false, &inside)), "own:a");
}

#[test]
fn nested_parent_transactions_become_one_sample() {
    let inner = transaction("inner", true, &[sampler("a"), java("b", "NO", 0)].concat());
    let ran = Bench::default().run(&plan(&group(
        "G",
        1,
        1,
        "",
        &transaction("outer", true, &[inner, sampler("c")].concat()),
    )));
    assert_eq!(ran.labels(), ["outer"]);
    let outer = &ran.heard[0];
    assert_eq!(outer.subs, ["inner", "c"]);
    assert_eq!(outer.message, "Number of samples in transaction : 2, number of failing samples : 1");
    assert!(!outer.success);
}

/// A foreign step that takes its time, then writes down its name and what it sees.
struct Slow(String);

impl Step for Slow {
    fn run<'a>(&'a self, user: &'a mut User, sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        StepProgress::Pending(Box::pin(async move {
            swell_net::yield_now().await;
            let seen = match (&sample, &user.previous) {
                (Some(sample), _) => format!("after {}", sample.label),
                (None, Some(previous)) => format!("previous {}", previous.label),
                (None, None) => "nothing".to_owned(),
            };
            let trace = user.cx.vars.get("trace").map_or(String::new(), |trace| format!("{trace}, "));
            user.cx.vars.put("trace", format!("{trace}{}: {seen}", self.0));
        }))
    }
}

#[test]
fn foreign_steps_are_waited_for_and_run_from_outside_in() {
    let mut bench = Bench::default();
    for (role, class) in [
        (Role::PreProcessor, "JSR223PreProcessor"),
        (Role::PostProcessor, "JSR223PostProcessor"),
        (Role::Assertion, "JSR223Assertion"),
    ] {
        let make = Make::step(|node, _| Rc::new(Slow(node.element.name().into())));
        bench.registry.add(ElementKind::native(role, class, class, make));
    }
    let steps = |level: &str| {
        [
            element("JSR223Assertion", &format!("check {level}"), "", ""),
            element("JSR223PostProcessor", &format!("post {level}"), "", ""),
            element("JSR223PreProcessor", &format!("pre {level}"), "", ""),
        ]
        .concat()
    };
    let below = [steps("out"), sampler_with("a", &steps("in")), sampler("${trace}")].concat();
    let ran = bench.run(&plan(&group("G", 1, 1, "", &below)));
    let expected = "pre out: nothing, pre in: nothing, post out: after a, post in: after a, check out: after a, \
                    check in: after a, pre out: previous a";
    assert_eq!(ran.labels(), ["a", expected]);
}

#[test]
fn a_result_status_action_handler_acts_on_failures() {
    let labels = |action: &str| {
        let handler = element("ResultAction", "h", &text("OnError.action", action), "");
        let inner = [java("bad", "NO", 0), sampler("b")].concat();
        let inner = element("LoopController", "L", &text("LoopController.loops", "2"), &inner);
        let below = [handler, inner, sampler("c")].concat();
        Bench::default().run(&plan(&group("G", 1, 2, "", &below))).labels().join(" ")
    };
    let table = [
        ("0", "bad b bad b c bad b bad b c"),
        ("1", "bad"),
        ("2", "bad"),
        ("4", "bad bad"),
        ("5", "bad bad c bad bad c"),
        ("6", "bad c bad c"),
    ];
    for (action, expected) in table {
        assert_eq!(labels(action), expected, "action {action}");
    }
}
