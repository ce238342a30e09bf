//! The JVM that all tests of this program share, because a process can have only one.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use swell_jvm::request::{self, CallState, Family, Overrides, Script, ScriptRole, UserIdentity};
use swell_jvm::{Config, Jvm, JvmAnswer, JvmFault, Transport};

use crate::installed::installed;

/// Threads that call the JVM need more stack than threads of tests have.
const STACK: usize = 8 << 20;

/// The JVM; none, with the reason printed, where Java or JMeter is not installed.
fn jvm() -> Option<Jvm> {
    static JVM: OnceLock<Option<Jvm>> = OnceLock::new();
    *JVM.get_or_init(|| installed(Jvm::start(&Config::default())))
}

/// Runs a test with the JVM on a thread with enough stack.
pub(crate) fn with_jvm(test: impl FnOnce(Caller) + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let run = thread.spawn_scoped(scope, || {
            if let Some(jvm) = jvm() {
                test(Caller::new(jvm));
            }
        });
        if let Err(panic) = run.expect("a thread").join() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// A separate user, and the buffers of its calls.
pub(crate) struct Caller {
    pub(crate) jvm: Jvm,
    pub(crate) user: u64,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Caller {
    fn new(jvm: Jvm) -> Self {
        static USERS: AtomicU64 = AtomicU64::new(1);
        let user = USERS.fetch_add(1, Ordering::Relaxed);
        let mut caller = Self { jvm, user, request: Vec::new(), answer: Vec::new() };
        let identity =
            UserIdentity { thread_name: "Group 1-3", thread_number: 2, group: "Group", group_threads: 5 };
        request::user_started(&mut caller.request, user, &identity);
        caller.jvm.tell(&caller.request).expect("the user starts");
        caller
    }

    /// Another user.
    pub(crate) fn another(&self) -> Self {
        Self::new(self.jvm)
    }

    /// Makes a script known.
    pub(crate) fn define(&mut self, script: &Script<'_>) -> u32 {
        static SCRIPTS: AtomicU32 = AtomicU32::new(1);
        let number = SCRIPTS.fetch_add(1, Ordering::Relaxed);
        request::define_script(&mut self.request, number, script);
        self.jvm.tell(&self.request).expect("the script is taken");
        number
    }

    /// Makes a call of a function known.
    pub(crate) fn define_call(&mut self, name: &str, parameters: usize) -> Result<u32, JvmFault> {
        static CALLS: AtomicU32 = AtomicU32::new(1);
        let number = CALLS.fetch_add(1, Ordering::Relaxed);
        request::define_call(&mut self.request, number, name, parameters as u8);
        self.jvm.tell(&self.request).map(|()| number)
    }

    /// Evaluates one.
    pub(crate) fn evaluate(
        &mut self,
        call: u32,
        parameters: &[&str],
        state: &CallState<'_>,
    ) -> JvmAnswer<'_> {
        request::evaluate(&mut self.request, self.user, call, parameters, state);
        self.jvm.call(&self.request, &mut self.answer).expect("an answer");
        JvmAnswer::read(&self.answer).expect("an answer that is understood")
    }

    /// Sends a request that is answered as a call; `write` writes it for this user.
    pub(crate) fn call(&mut self, write: impl FnOnce(&mut Vec<u8>, u64)) -> JvmAnswer<'_> {
        write(&mut self.request, self.user);
        self.jvm.call(&self.request, &mut self.answer).expect("an answer");
        JvmAnswer::read(&self.answer).expect("an answer that is understood")
    }

    /// Runs one.
    pub(crate) fn run(&mut self, script: u32, state: &CallState<'_>) -> JvmAnswer<'_> {
        self.run_with(script, &Overrides::default(), state)
    }

    /// Runs one whose fields have other values this time.
    pub(crate) fn run_with(
        &mut self,
        script: u32,
        overrides: &Overrides<'_>,
        state: &CallState<'_>,
    ) -> JvmAnswer<'_> {
        request::run_script(&mut self.request, self.user, script, overrides, state);
        self.jvm.call(&self.request, &mut self.answer).expect("an answer");
        JvmAnswer::read(&self.answer).expect("an answer that is understood")
    }
}

/// A Groovy script of JSR223.
pub(crate) fn groovy(role: ScriptRole, text: &str) -> Script<'_> {
    Script {
        family: Family::Jsr223,
        role,
        strict: false,
        reset_interpreter: false,
        language: "groovy",
        label: "my script",
        text,
        file: "",
        parameters: "",
        cache_key: "true",
    }
}
