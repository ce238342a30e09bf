//! Scripts on a JVM in a child process: its end does not end the run, and each run has a separate
//! one.

use std::sync::Arc;

use parking_lot::Mutex;
use swell_plan::{Node, Plan};
use swell_run::{JvmPlace, Message, TrialSettings};

use crate::plans::{Ran, jvm, plan, run_with, sampler, script};

fn in_child(settings: &mut TrialSettings) {
    settings.jvm.place = JvmPlace::Child;
}

fn with_script(loops: u32, text: &str) -> Plan {
    plan(loops, vec![sampler("a").with(Node::new(script("JSR223PreProcessor", text)))])
}

/// The messages of the samples.
fn messages(ran: &Ran) -> Vec<&str> {
    ran.samples.iter().map(|sample| sample.message.as_str()).collect()
}

#[test]
fn scripts_run_in_a_process_of_their_own() {
    let Some(_jvm) = jvm() else { return };
    let ran = run_with(&with_script(1, "vars.put('seen', '' + ProcessHandle.current().pid())"), in_child);
    let seen: u32 = ran.samples[0].message.parse().expect("a number");
    assert_ne!(seen, std::process::id());
}

#[test]
fn a_child_that_is_killed_is_started_again_and_its_user_goes_on_with_the_next_sample() {
    let Some(_jvm) = jvm() else { return };
    let text = "int n = (vars.get('n') ?: '0') as int; \
                vars.put('n', '' + (n + 1)); \
                vars.put('seen', n + ' ' + vars.getObject('kept')?.class?.simpleName); \
                vars.putObject('kept', new ArrayList([n])); \
                if (n == 2 && !new File(vars.get('mark')).exists()) { \
                    new File(vars.get('mark')).createNewFile(); \
                    ['kill', '-9', '' + ProcessHandle.current().pid()].execute(); Thread.sleep(600000) }";
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    let mut plan = with_script(5, text);
    let variable = swell_plan::Element::new("Argument", "", "mark")
        .with_text("Argument.name", "mark")
        .with_text("Argument.value", &mark.to_string_lossy());
    let variables = swell_plan::Element::new("Arguments", "ArgumentsPanel", "v")
        .with_elements("Arguments.arguments", vec![variable]);
    plan.root.children.push(Node::new(variables));
    let ran = run_with(&plan, in_child);
    // The third iteration is lost with the process, including the effects of its script. The text
    // of an object stays.
    assert_eq!(messages(&ran), ["0 null", "1 ArrayList", "2 String", "3 ArrayList"]);
    for wanted in ["JSR223PreProcessor", "SIGKILL", "the next call restarts it", "swell.JvmProcessEnded"] {
        assert!(ran.log.contains(wanted), "{wanted} is not in: {}", ran.log);
    }
    assert_eq!(ran.report.outcome.expect("the engine ended").stopped, None);
}

#[test]
fn a_child_that_ends_time_and_again_stops_the_test() {
    let Some(_jvm) = jvm() else { return };
    let text = "['kill', '-9', '' + ProcessHandle.current().pid()].execute(); Thread.sleep(600000)";
    let ran = run_with(&with_script(1000, text), in_child);
    assert_eq!(ran.samples.len(), 0);
    assert!(ran.log.contains("the JVM process ended 10 times"), "{}", ran.log);
    assert!(ran.report.outcome.expect("the engine ended").stopped.is_some());
}

#[test]
fn system_exit_in_a_child_stops_the_test_and_not_the_process() {
    let Some(_jvm) = jvm() else { return };
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = said.clone();
    let text = "if (vars.get('seen')) System.exit(3); vars.put('seen', 'once')";
    let ran = run_with(&with_script(5, text), |settings| {
        in_child(settings);
        settings.messages = Arc::new(move |message| {
            if let Message::Broken(reason) = message {
                heard.lock().push(reason.to_owned());
            }
        });
    });
    assert_eq!(messages(&ran), ["once"]);
    assert_eq!(
        *said.lock(),
        ["a script called System.exit(3); the test stops at once [plan > users > a > JSR223PreProcessor]"]
    );
    assert!(ran.report.outcome.expect("the engine ended").stopped.is_some());
    let after = run_with(&with_script(1, "vars.put('seen', 'fine')"), in_child);
    assert_eq!(messages(&after), ["fine"], "another test of this process has another");
}

#[test]
fn a_full_heap_is_an_error_of_its_script_and_no_end_of_the_child() {
    let Some(_jvm) = jvm() else { return };
    let text = "if (!vars.get('seen')) { vars.put('seen', 'full'); def all = []; while (true) all << new byte[1 << 24] }; \
                vars.put('seen', 'fine')";
    let two = plan(1, vec![sampler("a").with(Node::new(script("JSR223PreProcessor", text)))]);
    let ran = run_with(&two, |settings| {
        in_child(settings);
        settings.jvm.heap_mb = Some(128);
    });
    assert!(ran.log.contains("OutOfMemoryError"), "{}", ran.log);
    assert!(!ran.log.contains("has ended"), "{}", ran.log);
}

#[test]
fn two_tests_at_once_have_a_jvm_each() {
    let Some(_jvm) = jvm() else { return };
    let text = "props.put('own', '' + (props.get('own') ?: '') + vars.get('who')); vars.put('seen', props.get('own'))";
    let seen = |who: &'static str| {
        let text = format!("vars.put('who', '{who}'); {text}");
        let ran = run_with(&with_script(3, &text), in_child);
        ran.samples.last().expect("three samples").message.clone()
    };
    let both = std::thread::scope(|scope| {
        let other = scope.spawn(|| seen("b"));
        (seen("a"), other.join().expect("no panic"))
    });
    assert_eq!(both, ("aaa".to_owned(), "bbb".to_owned()));
}
