//! Scripts that block or never end.

use std::sync::mpsc;

use swell_jvm::request::{self, CallState, Overrides, ScriptRole};
use swell_jvm::{JvmAnswer, Transport, ValueChange};
use swell_pool::{Pool, PoolOptions};

use crate::real::{Caller, groovy, with_jvm};

/// Runs a script on a thread of the pool.
fn submit(pool: &Pool, caller: &Caller, script: u32) -> mpsc::Receiver<Vec<u8>> {
    let mut message = Vec::new();
    request::run_script(&mut message, caller.user, script, &Overrides::default(), &CallState::default());
    let (sender, receiver) = mpsc::channel();
    let jvm = caller.jvm;
    pool.detach(move || {
        let mut answer = Vec::new();
        jvm.call(&message, &mut answer).expect("an answer");
        sender.send(answer).expect("the test waits");
    });
    receiver
}

fn pool() -> Pool {
    Pool::new(PoolOptions { least: 2, ..PoolOptions::blocking("calls", 2) })
}

#[test]
fn a_script_that_sleeps_is_interrupted() {
    with_jvm(|mut caller| {
        let pool = pool();
        let sleeper = "\n\nprops.put('sleeper.sleeps', '1'); Thread.sleep(3600000)";
        let sleeper = caller.define(&groovy(ScriptRole::PreProcessor, sleeper));
        let receiver = submit(&pool, &caller, sleeper);
        let mut another = caller.another();
        let sleeps =
            another.define(&groovy(ScriptRole::Timer, "props.get('sleeper.sleeps') == null ? 0 : 1"));
        while another.run(sleeps, &CallState::default()).delay_ms == 0 {
            std::thread::yield_now();
        }
        let mut interrupt = Vec::new();
        request::interrupt(&mut interrupt, caller.user);
        let mut told = Vec::new();
        caller.jvm.call(&interrupt, &mut told).expect("it is reported");
        assert_eq!(
            swell_jvm::interrupted(&told).expect("understood"),
            Some(3),
            "it sleeps in its third line"
        );
        let answer = receiver.recv().expect("an answer");
        let fault = JvmAnswer::read(&answer).expect("understood").fault.expect("a fault");
        assert_eq!(fault.class, "java.lang.InterruptedException");
    });
}

#[test]
fn a_script_that_does_not_end_holds_up_no_other() {
    with_jvm(|mut caller| {
        let pool = pool();
        // It ends once another script says so.
        let endless =
            caller.define(&groovy(ScriptRole::PreProcessor, "while (props.get('endless.ends') == null) { }"));
        let first = submit(&pool, &caller, endless);
        let mut another = caller.another();
        let ends = another.define(&groovy(
            ScriptRole::PreProcessor,
            "props.put('endless.ends', '1'); vars.put('done', '1')",
        ));
        let answer = submit(&pool, &another, ends).recv().expect("an answer");
        assert_eq!(
            JvmAnswer::read(&answer).expect("understood").variables,
            [("done", ValueChange::Text("1"))]
        );
        first.recv().expect("it ended");
    });
}

#[test]
fn a_script_that_fills_the_heap_fails_and_the_next_runs() {
    with_jvm(|mut caller| {
        let greedy = caller.define(&groovy(
            ScriptRole::PreProcessor,
            "def all = []; while (true) { all << new long[8 << 20] }",
        ));
        let fault = caller.run(greedy, &CallState::default()).fault.map(|fault| fault.class.to_owned());
        assert_eq!(fault.as_deref(), Some("java.lang.OutOfMemoryError"));
        let timer = caller.define(&groovy(ScriptRole::Timer, "5"));
        assert_eq!(caller.run(timer, &CallState::default()).delay_ms, 5);
    });
}
