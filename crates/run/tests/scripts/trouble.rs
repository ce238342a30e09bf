//! Scripts that fail, stop the test or hang, and machines without Java.

use swell_plan::Node;
use swell_run::{ScriptMode, Trial, TrialSettings};
use swell_stats::verdict::{Criterion, Grade};

use crate::plans::{jvm, plan, run, run_with, sampler, script};

#[test]
fn a_script_that_throws_is_logged_and_its_user_goes_on() {
    let Some(_jvm) = jvm() else { return };
    let throws = Node::new(script(
        "JSR223PostProcessor",
        "vars.put('seen', 'x'); throw new IllegalStateException('on purpose')",
    ));
    let ran = run(&plan(2, vec![sampler("a").with(throws), sampler("b")]));
    assert_eq!(ran.samples.len(), 4);
    assert_eq!(ran.samples[1].message, "x", "what it set before counts");
    assert!(ran.log.contains("on purpose") && ran.log.contains("ERROR"), "{}", ran.log);
}

#[test]
fn a_script_stops_its_user_the_test_or_the_loop() {
    let Some(_jvm) = jvm() else { return };
    for (text, samples) in [
        ("prev.setStopThread(true)", 1),
        ("ctx.engine.askThreadsToStop()", 1),
        (
            "ctx.testLogicalAction = org.apache.jmeter.threads.JMeterContext.TestLogicalAction.START_NEXT_ITERATION_OF_THREAD",
            3,
        ),
    ] {
        let stops = sampler("a").with(Node::new(script("JSR223PostProcessor", text)));
        let ran = run(&plan(3, vec![stops, sampler("never")]));
        let labels: Vec<_> = ran.samples.iter().map(|sample| sample.label.as_str()).collect();
        assert_eq!(labels, vec!["a"; samples], "{text}");
    }
}

#[test]
fn a_script_that_does_not_end_is_interrupted_and_stops_the_test() {
    let Some(_jvm) = jvm() else { return };
    let hangs = Node::new(script("JSR223PreProcessor", "Thread.sleep(600000)"));
    let ran = run_with(&plan(5, vec![sampler("a").with(hangs)]), |settings| {
        settings.props.set("swell.script.timeout", "200");
    });
    assert_eq!(ran.samples.len(), 0);
    assert!(ran.log.contains("longer than 200 ms (swell.script.timeout)"), "{}", ran.log);
    assert!(ran.report.outcome.expect("the engine ended").stopped.is_some());
}

#[test]
fn a_simple_script_runs_natively_and_starts_no_jvm() {
    let simple = sampler("a").with(Node::new(script("JSR223PreProcessor", "vars.put('seen', 'native')")));
    let ran = run_with(&plan(1, vec![simple]), |settings| {
        settings.scripts = ScriptMode::Auto;
        settings.jvm.java_home = Some("/nowhere".into());
    });
    assert_eq!(ran.samples[0].message, "native");
}

#[test]
fn a_plan_that_needs_java_is_refused_where_there_is_none() {
    let complex = sampler("a")
        .with(Node::new(script("JSR223PreProcessor", "[1, 2].each { vars.put('seen', it + '') }")));
    let mut settings = TrialSettings::new(".");
    settings.jvm.java_home = Some("/nowhere".into());
    let refused =
        Trial::prepare(&plan(1, vec![complex]), settings).err().expect("there is no Java").to_string();
    for wanted in ["JSR223PreProcessor", "/nowhere", "--java-home"] {
        assert!(refused.contains(wanted), "{wanted} is not in: {refused}");
    }
}

#[test]
fn scripts_that_wait_for_threads_are_told_as_the_limit() {
    let Some(_jvm) = jvm() else { return };
    let mut plan =
        plan(30, vec![sampler("s").with(Node::new(script("JSR223PreProcessor", "Thread.sleep(3)")))]);
    let group = &mut plan.root.children[0];
    group.element = group.element.clone().with_text("ThreadGroup.num_threads", "4");
    let ran = run_with(&plan, |settings| {
        settings.props.set("swell.foreign.threads", "1");
    });
    let scripts = ran.report.evidence.scripts.expect("scripts ran");
    assert_eq!((scripts.thread_limit, scripts.most_threads, scripts.refused), (1, 1, 0));
    // One of four users runs its script, and three wait for it.
    assert!(scripts.calls >= 120 && scripts.waited_s > scripts.ran_s, "{scripts:?}");
    let verdict = ran.report.verdict.expect("something ran");
    let gate = verdict.gates.iter().find(|gate| gate.criterion == Criterion::ScriptWait);
    assert_eq!(gate.map(swell_stats::verdict::Gate::grade), Some(Grade::Degraded), "{verdict:?}");
}
