//! The context in which a plan's texts are compiled.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::foreign::{ForeignFunction, ForeignFunctions};
use crate::level::Level;
use crate::plan_texts::PlanTexts;
use crate::refusal::ScriptPlace;
use crate::remote::RemoteFunctions;
use crate::replay::Key;
use crate::vars::Names;

/// State that all workers share (a global `__counter`, the cursor of a CSV file). Every worker
/// compiles the plan separately in the same order, so state is found by its key in the plan.
#[derive(Default)]
pub struct Shared {
    things: Mutex<HashMap<String, Arc<dyn Any + Send + Sync>>>,
    functions: ForeignFunctions,
}

impl Shared {
    /// Empty, in a run with these functions in addition to Swell's own.
    pub fn with_functions(functions: ForeignFunctions) -> Self {
        Self { things: Mutex::default(), functions }
    }

    pub(crate) fn remote(&self) -> Option<Arc<dyn RemoteFunctions>> {
        self.functions.remote()
    }

    pub(crate) fn function(&self, name: &str) -> Option<Arc<dyn ForeignFunction>> {
        self.functions.find(name)
    }

    /// The thing of that key and type, made on first use. `make` may ask for others: only those who
    /// want the same thing wait for it.
    pub fn get<T: Send + Sync + 'static>(&self, key: &str, make: impl FnOnce() -> T) -> Arc<T> {
        let key = format!("{}|{key}", std::any::type_name::<T>());
        let mut things = self.things.lock();
        let place = things.entry(key).or_insert_with(|| Arc::new(OnceLock::<Arc<T>>::new())).clone();
        drop(things);
        let place: Arc<OnceLock<Arc<T>>> = place.downcast().expect("the type is part of the key");
        place.get_or_init(|| Arc::new(make())).clone()
    }
}

/// A problem in an expression. The caller knows the element and the property, and makes a
/// diagnostic of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether the text can be evaluated in spite of it, as JMeter does ([`Level::Warn`]), or the
    /// plan cannot run ([`Level::Error`]).
    pub level: Level,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// Compiles texts to templates. One for each worker; all workers compile the same texts in the same
/// order.
pub struct Compiler {
    /// The table of variable names that have slots.
    pub names: Rc<Names>,
    /// State shared by all workers.
    pub shared: Arc<Shared>,
    /// Findings so far, in order.
    pub problems: RefCell<Vec<Problem>>,
    /// The plan's texts: calls in one of them keep state together, however often it is compiled.
    pub texts: Arc<PlanTexts>,
    /// The element whose texts are compiled now, for scripts that turn out not to be understood.
    pub place: RefCell<Rc<ScriptPlace>>,
    /// A text may call what something else answers.
    pub calls_remotely: Cell<bool>,
    pub(crate) next_key: Cell<Key>,
    next_instance: Cell<u32>,
    instances: RefCell<HashMap<String, u32>>,
    of_texts: RefCell<HashMap<(u64, u32), u32>>,
}

impl Compiler {
    /// A compiler with shared state, for texts that are not in a plan.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self {
            names: Rc::default(),
            shared,
            problems: RefCell::default(),
            texts: Arc::default(),
            place: RefCell::default(),
            calls_remotely: Cell::new(false),
            next_key: Cell::new(1),
            next_instance: Cell::new(0),
            instances: RefCell::default(),
            of_texts: RefCell::default(),
        }
    }

    /// The same of the texts of a plan.
    #[must_use]
    pub fn with_texts(self, texts: Arc<PlanTexts>) -> Self {
        Self { texts, ..self }
    }

    /// A number for the next function call or element that keeps state: the same on every worker.
    pub fn next_instance(&self) -> u32 {
        self.next_instance.replace(self.next_instance.get() + 1)
    }

    /// The number of what is known by a key, made on first use: parts of one element that keep
    /// state together.
    pub fn instance_of(&self, key: &str) -> u32 {
        if let Some(known) = self.instances.borrow().get(key) {
            return *known;
        }
        let number = self.next_instance();
        self.instances.borrow_mut().insert(key.to_owned(), number);
        number
    }

    /// The number of a call in a text of the plan that keeps state: by the text's number and the
    /// call's place in it.
    pub(crate) fn instance_in(&self, text: u64, call: u32) -> u32 {
        *self.of_texts.borrow_mut().entry((text, call)).or_insert_with(|| self.next_instance())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_may_be_made_of_what_is_shared() {
        let shared = Shared::default();
        let made = shared.get("a", || *shared.get("b", || 1_u32) + 1);
        assert_eq!((*made, *shared.get("b", || 7_u32)), (2, 1));
        assert_eq!(*shared.get("a", || 7_u64), 7, "of another type");
    }
}
