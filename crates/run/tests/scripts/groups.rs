//! Thread groups on JMeter's engine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use swell_engine::Stopped;
use swell_plan::{Element, Node, Plan};
use swell_run::{JvmPlace, Message, Trial, TrialSettings};

use crate::plans::{Ran, jvm, plan, run_with, sampler, script};

/// Long enough for a machine that is busy with other tests; nothing is judged by it.
const PATIENCE: Duration = Duration::from_mins(1);

fn on_jmeter(settings: &mut TrialSettings) {
    settings.jvm.runs_all_groups = true;
}

fn in_child(settings: &mut TrialSettings) {
    on_jmeter(settings);
    settings.jvm.place = JvmPlace::Child;
}

fn groovy(name: &str, text: &str) -> Node {
    let element = script("JSR223Sampler", text).with_text("cacheKey", "true");
    Node::new(element.with_text("TestElement.name", name))
}

fn labels(ran: &Ran) -> Vec<&str> {
    ran.samples.iter().map(|sample| sample.label.as_str()).collect()
}

/// A set-up group that sets a property, and the plan's own group, which reads it.
fn phases() -> Plan {
    let mut plan = plan(
        2,
        vec![groovy("main ${__P(set,unset)}", "SampleResult.setResponseMessage(vars.get('v')); 'body'")],
    );
    let mut setup = plan.root.children[0].clone();
    setup.element = Element::new("SetupThreadGroup", "SetupThreadGroupGui", "setup")
        .with_element("ThreadGroup.main_controller", once())
        .with_text("ThreadGroup.num_threads", "1");
    setup.children = vec![groovy("setup", "props.put('set', 'from set-up'); 'x'")];
    let variable = Element::new("Argument", "", "v")
        .with_text("Argument.name", "v")
        .with_text("Argument.value", "${__intSum(1,2)}");
    let variables =
        Element::new("Arguments", "ArgumentsPanel", "v").with_elements("Arguments.arguments", vec![variable]);
    plan.root.children.push(setup);
    plan.root.children.push(Node::new(variables));
    Plan::new(plan.root)
}

fn once() -> Element {
    Element::new("LoopController", "LoopControlPanel", "loop")
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", "1")
}

#[test]
fn a_whole_plan_gives_the_same_samples_on_both_engines() {
    let Some(_jvm) = jvm() else { return };
    let shown = |change: fn(&mut TrialSettings)| {
        let ran = run_with(&phases(), change);
        let outcome = ran.report.outcome.as_ref().expect("the engine ended");
        assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
        let external = outcome.external_samples;
        let seen: Vec<_> = ran
            .samples
            .iter()
            .map(|sample| {
                (sample.label.clone(), sample.message.clone(), sample.thread_name.clone(), sample.success)
            })
            .collect();
        (external, seen, ran.report.summary.total.samples)
    };
    let (here, native, _) = shown(|_| {});
    assert_eq!((here, native.len()), (0, 2), "the listener is in the main group: {native:?}");
    let wanted = ("main from set-up".to_owned(), "3".to_owned(), "users 1-1".to_owned(), true);
    assert_eq!(native, [wanted.clone(), wanted]);
    for change in [on_jmeter, in_child] {
        assert_eq!(shown(change), (3, native.clone(), 3));
    }
}

#[test]
fn the_verdict_says_whose_times_they_are() {
    let Some(_jvm) = jvm() else { return };
    let ran = run_with(&plan(1, vec![sampler("a")]), on_jmeter);
    let verdict = ran.report.verdict.expect("something ran");
    let said = swell_report::reasons(&verdict).join("\n");
    assert!(said.contains("JMeter's engine made 100 % of the samples"), "{said}");
}

/// A plan without an end, on JMeter's engine, that is stopped when it has samples.
fn stopped(text: &str, stop: impl FnOnce(&swell_run::TrialControl)) -> (swell_run::TrialReport, Vec<String>) {
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = said.clone();
    let mut settings = TrialSettings {
        messages: Arc::new(move |message| {
            if let Message::Broken(reason) = message {
                heard.lock().push(reason.to_owned());
            }
        }),
        ..TrialSettings::new(".")
    };
    on_jmeter(&mut settings);
    settings.props.set("jmeterengine.threadstop.wait", "300");
    let mut endless = plan(100_000_000, vec![groovy("a", "'x'"), groovy("b", text)]);
    // The listener is unknown here.
    endless.root.children[0].children.remove(0);
    let running = Trial::prepare(&endless, settings).expect("it can run").start().expect("threads");
    let control = running.control();
    let started = Instant::now();
    while control.progress().counted.total().samples == 0 {
        assert!(started.elapsed() < PATIENCE, "no sample: {:?}", control.status());
        std::thread::sleep(Duration::from_millis(5));
    }
    stop(&control);
    let report = running.wait();
    let said = std::mem::take(&mut *said.lock());
    (report, said)
}

#[test]
fn a_stop_reaches_its_users_and_what_was_measured_stays() {
    let Some(_jvm) = jvm() else { return };
    for (text, at_once) in [("'x'", false), ("Thread.sleep(600000)", true)] {
        let (report, _) = stopped(text, |control| if at_once { control.stop_now() } else { control.stop() });
        assert!(report.summary.total.samples > 0);
        let outcome = report.outcome.expect("the engine ended");
        let how = if at_once { Stopped::Immediate } else { Stopped::Graceful };
        assert_eq!((outcome.stopped, outcome.users), (Some(how), 1));
        assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
    }
}

#[test]
fn users_that_heed_no_interrupt_are_left_behind_and_said_to_be() {
    let Some(_jvm) = jvm() else { return };
    let text = "long end = System.nanoTime() + 20_000_000_000L; while (System.nanoTime() < end) { }";
    let (report, _) = stopped(text, swell_run::TrialControl::stop_now);
    assert!(report.summary.total.samples > 0);
    let problems = report.outcome.expect("the engine ended").problems;
    assert!(problems.iter().any(|p| p.message.contains("1 of its threads did not end")), "{problems:?}");
}

#[test]
fn a_property_that_is_set_meanwhile_is_seen_there() {
    let Some(_jvm) = jvm() else { return };
    // Without the property it ends by itself, in another way.
    let text = "if (props.get('go') == 'yes') ctx.engine.askThreadsToStop(); \
                if (vars.getIteration() > 2000) throw new Error('not seen'); Thread.sleep(5); 'x'";
    let (report, _) = stopped(text, |control| control.set_property("go", "yes"));
    let outcome = report.outcome.expect("the engine ended");
    assert_eq!(outcome.stopped, Some(Stopped::Graceful), "{:?}", outcome.problems);
}

#[test]
fn a_script_there_stops_the_test_in_order() {
    let Some(_jvm) = jvm() else { return };
    let text = "if (vars.getIteration() == 3) ctx.engine.askThreadsToStop(); 'x'";
    let ran = run_with(&plan(100_000_000, vec![groovy("a", text)]), on_jmeter);
    assert!(ran.samples.len() >= 3);
    assert_eq!(ran.report.outcome.expect("the engine ended").stopped, Some(Stopped::Graceful));
}

#[test]
fn a_child_that_is_killed_ends_its_groups_and_keeps_their_samples() {
    let Some(_jvm) = jvm() else { return };
    let kill = "if (vars.getIteration() == 3) { Thread.sleep(1000); \
                ['kill', '-9', '' + ProcessHandle.current().pid()].execute(); Thread.sleep(600000) }; 'x'";
    let ran = run_with(&plan(10, vec![groovy("a", kill)]), in_child);
    assert_eq!(labels(&ran), ["a", "a"]);
    let outcome = ran.report.outcome.expect("the engine ended");
    let [problem] = &outcome.problems[..] else { panic!("{:?}", outcome.problems) };
    assert!(problem.message.contains("SIGKILL") && problem.place.element.contains("users"), "{problem}");
}

#[test]
fn system_exit_there_stops_the_test_and_keeps_its_samples() {
    let Some(_jvm) = jvm() else { return };
    let text = "if (vars.getIteration() == 3) { Thread.sleep(1000); System.exit(7) }; 'x'";
    let ran = run_with(&plan(10, vec![groovy("a", text)]), in_child);
    assert_eq!(labels(&ran), ["a", "a"]);
    assert!(ran.log.contains("a script called System.exit(7)"), "{}", ran.log);
}

#[test]
fn a_class_that_no_jar_has_is_named() {
    let Some(_jvm) = jvm() else { return };
    let unknown = Node::new(Element::new("com.example.OddSampler", "OddGui", "odd"));
    let prepared = |plan: &Plan| {
        let mut settings = TrialSettings::new(".");
        on_jmeter(&mut settings);
        Trial::prepare(plan, settings)
    };
    let mut plan = plan(1, vec![unknown]);
    // The listener is unknown here; the plan runs without it.
    let refused = prepared(&plan).err().expect("no jar has its class").to_string();
    let said = "`com.example.OddSampler` needs Java and JMeter's classes: no jar on JMeter's class path has its class";
    assert!(refused.contains(said) && !refused.contains("KeepListener"), "{refused}");
    plan.root.children[0].children.truncate(1);
    prepared(&plan).expect("nothing else is wrong");
}

/// The class of a thread group that no table has.
const ECHO: &str = "package com.example; public class EchoThreadGroup extends org.apache.jmeter.threads.ThreadGroup { \
                    @Override public int getNumThreads() { return getPropertyAsInt(\"Echo.users\"); } }";

/// The folder of the class; none, with the reason printed, where there is no compiler.
fn compiled(folder: &std::path::Path) -> Option<std::path::PathBuf> {
    let home = swell_jvm::JMeterHome::find(None).expect("it was found before");
    let path = [home.folder().join("lib/*"), home.folder().join("lib/ext/*")];
    let path = path.map(|part| part.display().to_string()).join(":");
    let source = folder.join("EchoThreadGroup.java");
    std::fs::write(&source, ECHO).expect("a file");
    let classes = folder.join("classes");
    let ran =
        std::process::Command::new("javac").args(["-cp", &path, "-d"]).arg(&classes).arg(&source).output();
    match ran {
        Ok(output) if output.status.success() => Some(classes),
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            println!("skipped: no javac: {error}");
            None
        }
    }
}

#[test]
fn a_thread_group_of_a_plug_in_runs_and_others_run_on_swells_engine() {
    let Some(_jvm) = jvm() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let Some(classes) = compiled(folder.path()) else { return };
    let mut plan = phases();
    let group = &mut plan.root.children[0];
    let properties = std::mem::take(&mut group.element.properties);
    group.element = Element::new("com.example.EchoThreadGroup", "EchoGui", "users");
    group.element.properties.extend(properties);
    group.element = group.element.clone().with_text("Echo.users", "2");
    // The JVM of this process has the class path of the tests before.
    let ran = run_with(&plan, |settings| {
        settings.props.set("user.classpath", &classes.to_string_lossy());
        settings.jvm.place = JvmPlace::Child;
    });
    let mut threads: Vec<_> = ran.samples.iter().map(|sample| sample.thread_name.as_str()).collect();
    threads.sort_unstable();
    assert_eq!(threads, ["users 1-1", "users 1-1", "users 1-2", "users 1-2"]);
    assert!(labels(&ran).iter().all(|label| *label == "main from set-up"), "{:?}", labels(&ran));
    assert!(ran.samples.iter().all(|sample| sample.message == "3"), "{:?}", ran.samples[0].message);
    let outcome = ran.report.outcome.expect("the engine ended");
    assert_eq!((outcome.samples, outcome.external_samples, outcome.users), (5, 4, 3));
}
