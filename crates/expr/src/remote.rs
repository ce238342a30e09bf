//! Functions that are evaluated elsewhere, such as by JMeter's classes in a JVM. The result takes
//! time, but texts are evaluated where waiting is impossible: [`crate::Replay`] combines the two.

use std::fmt;
use std::sync::Arc;

use crate::context::{Context, StopRequest};
use crate::function::CallFailure;
use crate::refusal::ScriptPlace;
use crate::remote_answer::{RemoteCall, RemoteFault};
use crate::replay::{Key, RemoteMode};
use crate::thrown::Thrown;

/// Evaluates calls of functions. One object serves a run.
pub trait RemoteFunctions: Send + Sync {
    /// What this machine lacks to answer anything, with what to do; none: calls can be answered.
    fn missing(&self) -> Option<String>;
    /// Whether it takes all scripts, also those that would be understood here.
    fn takes_all_scripts(&self) -> bool;
    /// Whether it has a function of that name, `__` included, that is not Swell's own. May wait;
    /// called only before the test.
    fn knows(&self, name: &str) -> bool;
    /// Gives a place in the plan where a function is called with that number of arguments its
    /// number. `place`: the element.
    ///
    /// # Errors
    /// The function cannot be called so; in JMeter the plan does not start.
    fn define(&self, name: &str, arguments: usize, place: &ScriptPlace) -> Result<u32, String>;
    /// Calls will come: what answers them may get ready. Where it was not told so, it gets ready
    /// with the first.
    fn expect(&self);
    /// Answers a call, and waits for that: before the test.
    ///
    /// # Errors
    /// No result.
    fn call_and_wait(&self, call: &RemoteCall, cx: &mut Context) -> Result<String, RemoteFault>;
}

/// Why a call is not made.
const NOBODY_WAITS: &str = "it cannot be called here: its result cannot be awaited";

/// A place in a plan that calls a function evaluated elsewhere.
pub struct RemoteFunction {
    remote: Arc<dyn RemoteFunctions>,
    number: u32,
    key: Key,
}

impl RemoteFunction {
    pub(crate) fn new(remote: Arc<dyn RemoteFunctions>, number: u32, key: Key) -> Self {
        Self { remote, number, key }
    }

    /// Calls it. Where the answer is not there yet, the context is suspended
    /// ([`Context::is_suspended`]).
    pub(crate) fn call(&self, arguments: Vec<String>, cx: &mut Context) -> Result<String, CallFailure> {
        if cx.thrown.is_some() {
            return Err(CallFailure::Refused);
        }
        let call = RemoteCall { number: self.number, arguments };
        let answer = match &mut cx.remote {
            RemoteMode::Never => return Err(CallFailure::empty(NOBODY_WAITS)),
            RemoteMode::Waits => self.remote.call_and_wait(&call, cx),
            RemoteMode::Replays(replay) => match replay.answer_of(self.key) {
                Some(answer) => answer,
                None if replay.acts() => return Err(CallFailure::empty(NOBODY_WAITS)),
                None => {
                    replay.ask(self.key, call);
                    cx.suspend();
                    return Err(CallFailure::Refused);
                }
            },
        };
        answer.map_err(|fault| match fault {
            RemoteFault::Empty(reason) => CallFailure::Empty(reason),
            RemoteFault::Thrown(thrown) => CallFailure::Thrown(thrown),
            RemoteFault::Lost(reason) => {
                cx.stop = cx.stop.max(Some(StopRequest::Test));
                CallFailure::thrown(Thrown::NO_ANSWER, reason)
            }
        })
    }
}

impl fmt::Debug for RemoteFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteFunction").field("number", &self.number).finish_non_exhaustive()
    }
}
