//! Scripts that block or never end.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use swell_jvm::request::{self, CallState, Overrides, Role};
use swell_jvm::{Answer, Change, Done, JvmFault, Pool};

use crate::real::{Caller, groovy, with_jvm};

fn submit(pool: &Pool, caller: &Caller, script: u32, limit: Option<Duration>) -> mpsc::Receiver<Done> {
    let mut message = Vec::new();
    request::run_script(&mut message, caller.user, script, &Overrides::default(), &CallState::default());
    let (sender, receiver) = mpsc::channel();
    pool.submit(caller.user, message, limit, move |done| {
        sender.send(done).expect("the test waits");
    });
    receiver
}

const AT_ONCE: Option<Duration> = Some(Duration::from_millis(1));

#[test]
fn a_script_that_sleeps_too_long_is_interrupted() {
    with_jvm(|mut caller| {
        let pool = Pool::new(Arc::new(caller.jvm), 2);
        let script = caller.define(&groovy(Role::PreProcessor, "Thread.sleep(3600000)"));
        let done = submit(&pool, &caller, script, AT_ONCE).recv().expect("an answer");
        assert!(done.interrupted);
        let answer = done.answer.expect("it ended");
        let fault = Answer::read(&answer).expect("understood").fault.expect("a fault");
        assert_eq!(fault.class, "java.lang.InterruptedException");
    });
}

#[test]
fn a_script_that_never_ends_loses_its_thread_and_no_other() {
    with_jvm(|mut caller| {
        let pool = Pool::new(Arc::new(caller.jvm), 1);
        // It ends once another script says so, for the sake of the machine that runs the test.
        let endless =
            caller.define(&groovy(Role::PreProcessor, "while (props.get('endless.ends') == null) { }"));
        let done = submit(&pool, &caller, endless, AT_ONCE).recv().expect("an answer");
        assert!(matches!(done.answer, Err(JvmFault::Stuck(_))), "{done:?}");
        let mut another = caller.another();
        let ends = another
            .define(&groovy(Role::PreProcessor, "props.put('endless.ends', '1'); vars.put('done', '1')"));
        let answer = submit(&pool, &another, ends, None).recv().expect("an answer").answer.expect("it ran");
        assert_eq!(Answer::read(&answer).expect("understood").variables, [("done", Change::Text("1"))]);
    });
}

#[test]
fn a_script_that_fills_the_heap_fails_and_the_next_runs() {
    with_jvm(|mut caller| {
        let greedy = caller
            .define(&groovy(Role::PreProcessor, "def all = []; while (true) { all << new long[8 << 20] }"));
        let fault = caller.run(greedy, &CallState::default()).fault.map(|fault| fault.class.to_owned());
        assert_eq!(fault.as_deref(), Some("java.lang.OutOfMemoryError"));
        let timer = caller.define(&groovy(Role::Timer, "5"));
        assert_eq!(caller.run(timer, &CallState::default()).delay_ms, 5);
    });
}
