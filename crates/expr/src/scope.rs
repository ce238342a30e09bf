//! The context in which a text is parsed: the plan's compiler, or a running user (`__eval`).

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use crate::compiler::{Compiler, Problem, Shared};
use crate::foreign::ForeignFunction;
use crate::level::Level;
use crate::refusal::ScriptPlace;
use crate::remote::{RemoteFunction, RemoteFunctions};
use crate::replay::Key;
use crate::template::Place;
use crate::vars::Names;

/// Marks the keys of answers among those of calls.
const OF_REMOTE: Key = 1 << 62;
/// Marks the keys of calls in texts that are made while the test runs.
const LIVE: Key = 1 << 61;

/// The surroundings in which a text is parsed.
pub(crate) struct Scope<'c> {
    names: Rc<Names>,
    shared: Arc<Shared>,
    plan: Option<&'c Compiler>,
    /// The number of the text, if it is one of the plan's.
    text: Option<u64>,
    /// Calls of the text that keep state, so far.
    calls: Cell<u32>,
}

/// The part of its scope that a function keeps to parse texts during the test.
pub(crate) struct LiveScope {
    names: Rc<Names>,
    shared: Arc<Shared>,
}

impl<'c> Scope<'c> {
    /// A text of the plan: its variables get slots, its functions numbers.
    pub(crate) fn plan(compiler: &'c Compiler, text: &str) -> Self {
        Self {
            names: compiler.names.clone(),
            shared: compiler.shared.clone(),
            plan: Some(compiler),
            text: compiler.texts.number(text),
            calls: Cell::new(0),
        }
    }

    /// A function that another crate brought.
    pub(crate) fn foreign(&self, name: &str) -> Option<Arc<dyn ForeignFunction>> {
        self.shared.function(name)
    }

    /// What answers functions that have no code here.
    pub(crate) fn remote(&self) -> Option<Arc<dyn RemoteFunctions>> {
        self.shared.remote()
    }

    /// A place where a function is called that something else answers. The number of a place in the
    /// plan is the same on every worker.
    ///
    /// # Errors
    /// The function cannot be called so.
    pub(crate) fn remote_function(
        &self,
        remote: Arc<dyn RemoteFunctions>,
        name: &str,
        arguments: usize,
    ) -> Result<RemoteFunction, String> {
        let number = match self.plan {
            Some(compiler) => {
                let define = || remote.define(name, arguments, &compiler.place.borrow());
                (*self.global(define)).clone()?
            }
            None => *self
                .common(&format!("{name} in texts made while the test runs"), || {
                    remote.define(name, arguments, &ScriptPlace::default())
                })
                .as_ref()
                .as_ref()
                .map_err(Clone::clone)?,
        };
        if let Some(compiler) = self.plan {
            compiler.calls_remotely.set(true);
        }
        Ok(RemoteFunction::new(remote, number, self.call_key(name) | OF_REMOTE))
    }

    /// What identifies a call. Calls in texts that are built during the test are identified by
    /// their functions' names.
    pub(crate) fn call_key(&self, name: &str) -> Key {
        if let Some(compiler) = self.plan {
            return compiler.next_key.replace(compiler.next_key.get() + 1);
        }
        let mut hasher = std::hash::DefaultHasher::new();
        name.hash(&mut hasher);
        hasher.finish() >> 8 | LIVE
    }

    pub(crate) fn live(&self) -> LiveScope {
        // It may turn out that something else has to answer.
        if let (Some(compiler), true) = (self.plan, self.shared.remote().is_some()) {
            compiler.calls_remotely.set(true);
        }
        LiveScope { names: self.names.clone(), shared: self.shared.clone() }
    }

    /// Where a variable is looked up. A text made while the test runs gets no new slots: the table
    /// of names would grow with the length of the run.
    pub(crate) fn place(&self, name: &str) -> Place {
        match self.plan {
            Some(compiler) => Place::Slot(compiler.names.slot(name)),
            None => self.names.find(name).map_or_else(|| Place::Name(name.into()), Place::Slot),
        }
    }

    /// The number of a function call that keeps state; none for a call that lives for one
    /// evaluation only.
    pub(crate) fn instance(&self) -> Option<u32> {
        let compiler = self.plan?;
        Some(match self.text {
            Some(text) => compiler.instance_in(text, self.next_call()),
            None => compiler.next_instance(),
        })
    }

    /// Where the text is in the plan.
    pub(crate) fn script_place(&self) -> Rc<ScriptPlace> {
        self.plan.map_or_else(Rc::default, |compiler| compiler.place.borrow().clone())
    }

    /// Whether the text is made while the test runs.
    pub(crate) fn is_live(&self) -> bool {
        self.plan.is_none()
    }

    fn next_call(&self) -> u32 {
        self.calls.replace(self.calls.get() + 1)
    }

    /// State of one function call, shared by all users of all workers.
    pub(crate) fn global<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        match (self.plan, self.text) {
            (None, _) => Arc::new(make()),
            (_, Some(text)) => self.shared.get(&format!("call {} of text {text}", self.next_call()), make),
            (Some(compiler), None) => self.shared.get(&format!("call {}", compiler.next_instance()), make),
        }
    }

    /// State shared by every call that uses the same key.
    pub(crate) fn common<T: Send + Sync + 'static>(&self, key: &str, make: impl FnOnce() -> T) -> Arc<T> {
        self.shared.get(key, make)
    }

    pub(crate) fn problem(&self, level: Level, message: String, hint: Option<String>) {
        if let Some(compiler) = self.plan {
            compiler.problems.borrow_mut().push(Problem { level, message, hint });
        }
    }
}

impl LiveScope {
    /// The scope of a text that is parsed now.
    pub(crate) fn scope(&self) -> Scope<'static> {
        Scope {
            names: self.names.clone(),
            shared: self.shared.clone(),
            plan: None,
            text: None,
            calls: Cell::new(0),
        }
    }
}
