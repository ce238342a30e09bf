//! The Java side in a separate process, and the class-data archive that such a process makes.

use swell_jvm::request::{self, CallState, Family, Overrides, Script, ScriptRole, UserIdentity};
use swell_jvm::{Child, Config, JvmAnswer, JvmFault, Transport, ValueChange, archive};

use crate::installed::installed;

fn define(child: &Child, text: &str) {
    let script = Script {
        family: Family::Jsr223,
        role: ScriptRole::PreProcessor,
        strict: false,
        reset_interpreter: false,
        language: "groovy",
        label: "child",
        text,
        file: "",
        parameters: "",
        cache_key: "true",
    };
    let mut message = Vec::new();
    request::define_script(&mut message, 1, &script);
    child.tell(&message).expect("the script is taken");
    let identity = UserIdentity { thread_name: "G 1-1", thread_number: 0, group: "G", group_threads: 1 };
    request::user_started(&mut message, 1, &identity);
    child.tell(&message).expect("the user starts");
}

fn run(child: &Child, answer: &mut Vec<u8>) -> Result<(), JvmFault> {
    let mut message = Vec::new();
    request::run_script(&mut message, 1, 1, &Overrides::default(), &CallState::default());
    child.call(&message, answer)
}

#[test]
fn a_script_runs_in_a_child() {
    let Some(child) = installed(Child::start(&Config::default())) else { return };
    define(&child, "println 'goes to standard error'; vars.put('a', 'x' * 100000)");
    let mut answer = Vec::new();
    run(&child, &mut answer).expect("an answer");
    let long = "x".repeat(100_000);
    assert_eq!(JvmAnswer::read(&answer).expect("understood").variables, [("a", ValueChange::Text(&long))]);
}

#[test]
fn a_child_that_ends_answers_with_a_fault_and_so_does_each_call_after() {
    let Some(child) = installed(Child::start(&Config::default())) else { return };
    define(&child, "System.exit(3)");
    for _ in 0..2 {
        let fault = run(&child, &mut Vec::new()).expect_err("it has ended");
        assert!(matches!(&fault, JvmFault::Died(how) if how.contains("exit status: 3")), "{fault}");
    }
}

#[test]
fn an_archive_is_made_and_used() {
    let Some(made) = installed(archive::make(&Config::default())) else { return };
    if !made {
        println!("skipped: this Java makes no archive");
        return;
    }
    let Some(child) = installed(Child::start(&Config::default())) else { return };
    let text = "vars.put('option', java.lang.management.ManagementFactory.runtimeMXBean.inputArguments\
                .find { it.startsWith('-XX:SharedArchiveFile=') } ?: 'none')";
    define(&child, text);
    let mut answer = Vec::new();
    run(&child, &mut answer).expect("an answer");
    let read = JvmAnswer::read(&answer).expect("understood");
    let [("option", ValueChange::Text(option))] = read.variables[..] else { panic!("{read:?}") };
    let file = option.strip_prefix("-XX:SharedArchiveFile=").expect("it is used");
    assert!(std::path::Path::new(file).is_file(), "{file}");
}
