//! The elements that `docs/adding-an-element.md` adds run in a plan, brought by the caller or found
//! by a provider.

mod elements;

use std::sync::{Arc, Mutex};

use elements::{
    Plugins, Twice, backwards, described_pairs, echo, greeting, growing_timer, keep_last, notes, pairs,
    replay, sign, without,
};
use swell_api::{ElementKind, Registry, StatedLoad};
use swell_expr::ForeignFunctions;
use swell_plan::{Element, Node, Plan};
use swell_run::{Trial, TrialReport, TrialSettings};

fn node(class: &str, name: &str) -> Node {
    Node::new(Element::new(class, "", name))
}

fn sampler(name: &str, text: &str) -> Node {
    Node::new(Element::new("com.example.EchoSampler", "", name).with_text("Echo.text", text))
}

/// Two users that go backwards through two samplers, twice.
fn plan() -> Plan {
    let main = Element::new("LoopController", "", "loop")
        .with_text("LoopController.loops", "2")
        .with_flag("LoopController.continue_forever", false);
    let group = Element::new("com.example.PairsThreadGroup", "", "pairs")
        .with_text("Pairs.number", "${__P(pairs)}")
        .with_element("ThreadGroup.main_controller", main);
    let timer = Element::new("com.example.GrowingTimer", "", "timer").with_text("GrowingTimer.step", "1");
    let config = Element::new("com.example.Greeting", "", "greeting").with_text("Greeting.text", "hi ");
    let assertion = Element::new("com.example.WithoutAssertion", "", "w").with_text("Without.text", "xx");
    let controller = node("com.example.BackwardsController", "backwards")
        .with(sampler("first", "after ${last}"))
        .with(sampler("second", "${__twice(b)}").with(node("com.example.KeepLastPostProcessor", "keep")))
        .with(sampler("third", "${__twice(x)}"));
    let group = Node::new(group)
        .with(Node::new(timer))
        .with(Node::new(config))
        .with(Node::new(assertion))
        .with(node("com.example.NotesListener", "notes"))
        .with(controller);
    Plan::new(node("TestPlan", "plan").with(group))
}

fn run(elements: Vec<ElementKind>, plugins: Vec<ElementKind>) -> TrialReport {
    let settings = TrialSettings {
        elements,
        providers: vec![Arc::new(Plugins(plugins))],
        functions: ForeignFunctions::new([Arc::new(Twice) as _]),
        workers: Some(1),
        ..TrialSettings::new(".")
    };
    settings.props.set("pairs", "1");
    Trial::prepare(&plan(), settings).expect("the plan can run").start().expect("threads").wait()
}

fn kinds(lines: &Arc<Mutex<Vec<String>>>) -> Vec<ElementKind> {
    vec![
        growing_timer(),
        backwards(),
        echo(),
        greeting(),
        notes(lines.clone()),
        pairs(),
        keep_last(),
        without(),
    ]
}

/// What two users with two iterations do.
fn check(report: &TrialReport, lines: &Mutex<Vec<String>>) {
    assert_eq!((report.summary.total.samples, report.summary.total.errors), (12, 4));
    let mut lines = lines.lock().expect("no test panics with it").clone();
    lines.sort();
    let each = ["first: hi after hi bb, true", "second: hi bb, true", "third: hi xx, false"];
    assert_eq!(lines, each.map(|line| [line; 4]).concat());
}

#[test]
fn elements_of_another_crate_run_in_a_plan() {
    let lines = Arc::default();
    check(&run(kinds(&lines), Vec::new()), &lines);
}

#[test]
fn elements_that_a_provider_finds_run_in_a_plan() {
    let lines = Arc::default();
    check(&run(Vec::new(), kinds(&lines)), &lines);
}

#[test]
fn without_them_the_plan_is_refused_class_by_class() {
    let settings = TrialSettings { workers: Some(1), ..TrialSettings::new(".") };
    let refused = Trial::prepare(&plan(), settings).err().expect("unknown classes");
    let said: Vec<String> = refused.diagnostics().iter().map(ToString::to_string).collect();
    for kind in kinds(&Arc::default()).iter().filter(|kind| kind.class() != "com.example.NotesListener") {
        let named = said.iter().any(|line| line.contains(kind.class()));
        assert!(named, "{} is not refused: {said:#?}", kind.class());
    }
}

#[test]
fn the_table_knows_files_load_and_missing_values_of_an_element() {
    let registry = Registry::of([described_pairs()]);
    let mut group = Element::new("com.example.PairsThreadGroup", "", "pairs")
        .with_text("Pairs.names", "names.txt")
        .with_text("Pairs.comment", "notes.txt");
    let files: Vec<_> = registry.files(&group).iter().map(|file| file.text.to_owned()).collect();
    assert_eq!(files, ["names.txt"]);
    registry.fill_missing(&mut group);
    assert_eq!(group.text("Pairs.number"), Some("0"));
    let load = registry.kind(&group).expect("its kind").load.expect("its load");
    assert_eq!((load.stated)(&group), StatedLoad::Unknown);
    (load.set)(&mut group, 7.0, None);
    assert_eq!((load.stated)(&group), StatedLoad::Number(8.0));
}

#[test]
fn a_controller_runs_its_children_in_its_own_order() {
    let lines = Arc::default();
    run(kinds(&lines), Vec::new());
    let lines = lines.lock().expect("no test panics with it");
    let of_first: Vec<_> = lines.iter().map(|line| &line[..5]).collect();
    let third = of_first.iter().position(|l| *l == "third");
    let first = of_first.iter().position(|l| *l == "first");
    assert!(third < first, "{lines:?}");
}

#[test]
fn a_pre_processor_changes_the_coming_request_on_another_thread() {
    let target = swell_target::start(swell_target::Options::default()).expect("a free port");
    let at = target.addr();
    let main = Element::new("LoopController", "", "loop")
        .with_text("LoopController.loops", "3")
        .with_flag("LoopController.continue_forever", false);
    let group = Element::new("ThreadGroup", "", "users")
        .with_text("ThreadGroup.num_threads", "2")
        .with_element("ThreadGroup.main_controller", main);
    let sampler = Element::new("HTTPSamplerProxy", "", "headers")
        .with_text("HTTPSampler.domain", &at.ip().to_string())
        .with_text("HTTPSampler.port", &at.port().to_string())
        .with_text("HTTPSampler.path", "/headers")
        .with_text("HTTPSampler.method", "GET");
    let signing =
        Element::new("com.example.SignPreProcessor", "", "sign").with_text("Sign.key", "k${__twice(1)}");
    let sampler = Node::new(sampler)
        .with(Node::new(signing))
        .with(node("com.example.KeepLastPostProcessor", "keep"))
        .with(node("com.example.NotesListener", "notes"));
    let plan = Plan::new(node("TestPlan", "plan").with(Node::new(group).with(sampler)));
    let lines = Arc::default();
    let settings = TrialSettings {
        elements: [kinds(&lines), vec![sign()]].concat(),
        functions: ForeignFunctions::new([Arc::new(Twice) as _]),
        ..TrialSettings::new(".")
    };
    let report = Trial::prepare(&plan, settings).expect("the plan can run").start().expect("threads").wait();
    let lines = lines.lock().expect("no test panics with it");
    assert_eq!(lines.len(), 6);
    for line in &*lines {
        assert!(line.to_lowercase().contains("k11 for /headers"), "{line}");
    }
    let foreign = report.outcome.expect("the engine ended").foreign;
    assert_eq!((foreign.done, foreign.running, foreign.waiting), (6, 0, 0));
    assert!(foreign.waited_ns > 0 && foreign.ran_ns > 0, "{foreign:?}");
}

#[test]
fn samples_of_a_group_that_something_else_runs_are_counted_and_heard() {
    let group = Element::new("com.example.ReplayThreadGroup", "", "old").with_text("Replay.labels", "a b a");
    let group = Node::new(group).with(node("com.example.NotesListener", "notes"));
    let plan = Plan::new(node("TestPlan", "plan").with(group));
    let lines = Arc::default();
    let settings =
        TrialSettings { elements: [kinds(&lines), vec![replay()]].concat(), ..TrialSettings::new(".") };
    let report = Trial::prepare(&plan, settings).expect("the plan can run").start().expect("threads").wait();
    assert_eq!((report.summary.total.samples, report.summary.total.errors), (3, 0));
    let outcome = report.outcome.expect("the engine ended");
    assert_eq!((outcome.samples, outcome.external_samples, outcome.users), (3, 3, 1));
    assert_eq!(*lines.lock().expect("no test panics with it"), ["a: , true", "b: , true", "a: , true"]);
}

#[test]
fn the_code_of_the_page_is_the_code_that_runs() {
    let page = include_str!("../../../../docs/adding-an-element.md");
    let code =
        [include_str!("elements.rs"), include_str!("main.rs"), include_str!("../../examples/own_element.rs")];
    let blocks: Vec<&str> =
        page.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert!(blocks.len() >= 6, "an element of each role");
    for block in blocks {
        assert!(code.iter().any(|file| file.contains(block)), "not in the tests:\n{block}");
    }
}
