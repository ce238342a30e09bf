//! `System.exit` in a script. It runs in a separate process, because the JVM of a process cannot be
//! used after that.

use std::sync::mpsc;

use swell_jvm::request::{self, CallState, Family, Overrides, Script, ScriptRole, UserIdentity};
use swell_jvm::{Config, Jvm, Transport};

use crate::alone::in_separate_process;
use crate::installed::installed;

#[test]
fn system_exit_is_told_and_leaves_the_process_to_end_in_order() {
    if in_separate_process(module_path!(), "system_exit_is_told_and_leaves_the_process_to_end_in_order") {
        return;
    }
    let Some(jvm) = installed(Jvm::start(&Config::default())) else { return };
    let script = Script {
        family: Family::Jsr223,
        role: ScriptRole::PreProcessor,
        strict: false,
        reset_interpreter: false,
        language: "groovy",
        label: "exits",
        text: "System.exit(3)",
        file: "",
        parameters: "",
        cache_key: "true",
    };
    let mut message = Vec::new();
    request::define_script(&mut message, 1, &script);
    jvm.tell(&message).expect("the script is taken");
    let identity = UserIdentity { thread_name: "G 1-1", thread_number: 0, group: "G", group_threads: 1 };
    request::user_started(&mut message, 1, &identity);
    jvm.tell(&message).expect("the user starts");
    let (sender, receiver) = mpsc::channel();
    Jvm::on_exit(move |status| {
        // A second exit would have no receiver.
        let _ = sender.send(status);
    });
    request::run_script(&mut message, 1, 1, &Overrides::default(), &CallState::default());
    // It never comes back, and ends with the process.
    let caller = std::thread::Builder::new().stack_size(2 << 20);
    let call = move || jvm.call(&message, &mut Vec::new());
    let _ = caller.spawn(call).expect("a thread");
    assert_eq!(receiver.recv().expect("it exits"), 3);
}
