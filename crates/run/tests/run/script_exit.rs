//! A script that calls `System.exit`. The test runs in a separate process, because the JVM of a
//! process cannot be used after that.

use std::sync::Arc;

use parking_lot::Mutex;
use swell_plan::{Element, Node, Plan};
use swell_run::{Message, ScriptMode, Trial, TrialSettings};

use crate::alone::in_separate_process;

fn script(class: &str, text: &str) -> Node {
    Node::new(
        Element::new(class, "TestBeanGUI", class)
            .with_text("script", text)
            .with_text("scriptLanguage", "groovy"),
    )
}

#[test]
fn a_script_that_calls_system_exit_stops_the_test_and_keeps_its_samples() {
    if in_separate_process(
        module_path!(),
        "a_script_that_calls_system_exit_stops_the_test_and_keeps_its_samples",
    ) {
        return;
    }
    let java = swell_jvm::Java::find(None).map_err(|error| error.to_string());
    let home = swell_jvm::JMeterHome::find(None).map_err(|error| error.to_string());
    if let Some(missing) = java.err().or(home.err()) {
        return println!("skipped: {missing}");
    }
    let main = Element::new("LoopController", "", "loop")
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", "3");
    let group = Element::new("ThreadGroup", "", "users")
        .with_text("ThreadGroup.num_threads", "2")
        .with_element("ThreadGroup.main_controller", main);
    let group = Node::new(group).with(script("JSR223Sampler", "'fine'")).with(script(
        "JSR223Sampler",
        "if (ctx.threadNum == 1) { Thread.sleep(600000) } else { System.exit(3) }",
    ));
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = said.clone();
    let folder = tempfile::tempdir().expect("a folder");
    let settings = TrialSettings {
        scripts: ScriptMode::Jvm,
        messages: Arc::new(move |message| {
            if let Message::Broken(reason) = message {
                heard.lock().push(reason.to_owned());
            }
        }),
        ..TrialSettings::new(folder.path())
    };
    let plan = Plan::new(Node::new(Element::new("TestPlan", "", "plan")).with(group));
    let report = Trial::prepare(&plan, settings).expect("it can run").start().expect("threads").wait();
    assert_eq!(
        *said.lock(),
        ["a script called System.exit(3); the test stops at once [plan > users > JSR223Sampler]"]
    );
    let total = &report.summary.total;
    assert!((1..=2).contains(&total.samples) && total.errors == 0, "{}", total.samples);
    assert!(report.outcome.expect("the engine ended").stopped.is_some());
}
