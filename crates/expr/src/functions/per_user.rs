//! State that a call keeps for each virtual user (Java's `ThreadLocal`).

use std::any::Any;
use std::marker::PhantomData;
use std::sync::OnceLock;

use crate::context::Context;
use crate::scope::Scope;

/// The key of a call's state in [`Context::function_states`].
pub(crate) struct PerUser<T> {
    instance: Option<u32>,
    state: PhantomData<fn() -> T>,
}

impl<T: Default + Any> PerUser<T> {
    pub(crate) fn new(scope: &Scope<'_>) -> Self {
        Self { instance: scope.instance(), state: PhantomData }
    }

    /// State that all calls with that key have in common. Every call takes a number, so that the
    /// numbers stay the same on every worker; the first call's number is the one that counts.
    pub(crate) fn common(scope: &Scope<'_>, key: &str) -> Self {
        let first = scope.common(key, OnceLock::<u32>::new);
        let instance = scope.instance().map(|number| *first.get_or_init(|| number)).or(first.get().copied());
        Self { instance, state: PhantomData }
    }

    /// Runs over the user's state, which starts as the default. A call that lives for one
    /// evaluation starts from the default.
    pub(crate) fn with<R>(&self, cx: &mut Context, run: impl FnOnce(&mut T) -> R) -> R {
        let Some(index) = self.instance.map(|number| number as usize) else {
            return run(&mut T::default());
        };
        if cx.function_states.len() <= index {
            cx.function_states.resize_with(index + 1, || None);
        }
        let state = cx.function_states[index].get_or_insert_with(|| Box::new(T::default()));
        run(state.downcast_mut().expect("an instance number identifies one call"))
    }
}
