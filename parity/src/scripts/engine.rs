//! JMeter's script engines in an embedded JVM.

use swell_jvm::request::{self, CallState, UserIdentity};
use swell_jvm::{Config, Jvm, JvmAnswer, LogLevel, Transport, ValueChange};

use super::{MISSING, Made, VARIABLES, WRITTEN};

/// A user in the JVM who runs one script after the other.
pub struct Engine {
    jvm: Jvm,
    request: Vec<u8>,
    answer: Vec<u8>,
    calls: u32,
    scripts: u32,
}

/// The number of the user.
pub(super) const USER: u64 = 1;

/// Largest number of scripts per user.
const SCRIPTS_OF_A_USER: u32 = 500;

impl Engine {
    /// Starts the JVM. The calling thread needs some megabytes of stack.
    ///
    /// # Errors
    /// Java or JMeter is missing.
    pub fn start() -> Result<Self, String> {
        let jvm = Jvm::start(&Config::default()).map_err(|error| error.to_string())?;
        let mut engine = Self { jvm, request: Vec::new(), answer: Vec::new(), calls: 0, scripts: 0 };
        engine.user_started()?;
        Ok(engine)
    }

    fn user_started(&mut self) -> Result<(), String> {
        let identity =
            UserIdentity { thread_name: "Users 1-1", thread_number: 0, group: "Users", group_threads: 1 };
        request::user_started(&mut self.request, USER, &identity);
        self.jvm.tell(&self.request).map_err(|fault| fault.to_string())
    }

    /// Changes to a new user: otherwise a BeanShell interpreter per script would fill the heap.
    fn change_user(&mut self) -> Result<(), String> {
        request::user_ended(&mut self.request, USER);
        self.jvm.tell(&self.request).map_err(|fault| fault.to_string())?;
        self.user_started()
    }

    /// Defines a call of a function with a script.
    pub(super) fn function(&mut self, name: &str) -> Result<u32, String> {
        self.calls += 1;
        request::define_call(&mut self.request, self.calls, name, 1);
        self.jvm.tell(&self.request).map_err(|fault| fault.to_string())?;
        Ok(self.calls)
    }

    /// Evaluates a script by a function.
    pub(super) fn evaluate(&mut self, call: u32, script: &str) -> Result<Made, String> {
        self.call(|request, state| request::evaluate(request, USER, call, &[script], state))
    }

    /// Defines a script element.
    pub(super) fn define(&mut self, script: &request::Script<'_>) -> Result<u32, String> {
        self.scripts += 1;
        if self.scripts.is_multiple_of(SCRIPTS_OF_A_USER) {
            self.change_user()?;
        }
        request::define_script(&mut self.request, self.scripts, script);
        self.jvm.tell(&self.request).map_err(|fault| fault.to_string())?;
        Ok(self.scripts)
    }

    /// Sends the request that `write` writes, with the initial variables.
    pub(super) fn call(&mut self, write: impl FnOnce(&mut Vec<u8>, &CallState<'_>)) -> Result<Made, String> {
        self.ask(write).map(|answer| made(&answer))
    }

    pub(super) fn ask(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>, &CallState<'_>),
    ) -> Result<JvmAnswer<'_>, String> {
        let mut variables: Vec<_> =
            VARIABLES.iter().map(|(name, value)| (*name, ValueChange::Text(value))).collect();
        variables.extend(WRITTEN.iter().chain(&[MISSING]).map(|name| (*name, ValueChange::Removed)));
        let state = CallState { iteration: 1, variables: &variables, ..CallState::default() };
        write(&mut self.request, &state);
        self.jvm.call(&self.request, &mut self.answer).map_err(|fault| fault.to_string())?;
        JvmAnswer::read(&self.answer).map_err(|fault| fault.to_string())
    }
}

fn made(answer: &JvmAnswer<'_>) -> Made {
    // Some functions catch the exception and only log it.
    let logged = answer.logs.iter().find(|line| line.level <= LogLevel::Warn && !line.text.is_empty());
    let fault = answer.fault.map(|fault| format!("{}: {}", fault.class, fault.message));
    match fault
        .or(logged.filter(|_| answer.value.unwrap_or_default().is_empty()).map(|line| line.text.to_owned()))
    {
        Some(reason) => Made::Thrown(reason),
        None => Made::Value(answer.value.unwrap_or_default().to_owned(), variables(answer)),
    }
}

/// Returns the variables that a script set.
pub(super) fn variables(answer: &JvmAnswer<'_>) -> Vec<(String, Option<String>)> {
    let mut set: Vec<_> = answer
        .variables
        .iter()
        .filter_map(|(name, change)| match change {
            ValueChange::Text(text) => Some(((*name).to_owned(), Some((*text).to_owned()))),
            ValueChange::Object(text) => Some(((*name).to_owned(), Some(format!("object {text}")))),
            ValueChange::Null => Some(((*name).to_owned(), None)),
            ValueChange::Removed => None,
        })
        .collect();
    set.sort();
    set
}
