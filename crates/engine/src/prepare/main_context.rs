//! The main thread's context: evaluates what JMeter evaluates before threads start.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use swell_api::CompileContext;
use swell_expr::{Compiler, Context, Heavy, RemoteMode, Shared, UserIdentity, Vars};
use swell_plan::{Element, Severity};

use super::prepared::Settings;

/// Compiles and evaluates on the main thread. It shares nothing with the workers.
pub(crate) struct MainContext {
    pub(crate) compile: CompileContext,
    cx: RefCell<Context>,
}

impl MainContext {
    pub(crate) fn new(settings: &Settings, file: Option<Arc<PathBuf>>) -> Self {
        let compile = CompileContext {
            expr: Compiler::new(Arc::new(Shared::with_functions(settings.functions.clone()))),
            props: settings.props.clone(),
            host: settings.host.clone(),
            file,
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
            traced: false,
        };
        let vars = Vars::new(compile.expr.names.clone());
        let cx = context(settings, vars, SmallRng::from_os_rng(), Rc::default());
        let cx = RefCell::new(Context { remote: RemoteMode::Waits, ..cx });
        Self { compile, cx }
    }

    /// Its context alone.
    pub(crate) fn into_context(self) -> Context {
        self.cx.into_inner()
    }

    /// The text of a property now; a missing one is the default.
    pub(crate) fn property(&self, element: &Element, property: &str, default: &str) -> String {
        self.eval(element, property, element.text(property).unwrap_or(default))
    }

    /// A text of an element now.
    pub(crate) fn eval(&self, element: &Element, property: &str, text: &str) -> String {
        let template = self.compile.text(element, property, text);
        let mut cx = self.cx.borrow_mut();
        let value = template.eval(&mut cx).into_owned();
        if let Some(thrown) = cx.thrown.take() {
            let message = format!("a function throws here, so nothing can run: {thrown}");
            self.compile.note(Severity::Error, element, Some(property), message, None);
        }
        value
    }

    /// Sets a variable.
    pub(crate) fn put(&self, name: &str, value: &str) {
        self.cx.borrow_mut().vars.put(name, value);
    }

    /// All variables in order of their names.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let all = self.cx.borrow().vars.entries();
        all.into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }
}

/// A context that belongs to no user yet.
pub(crate) fn context(settings: &Settings, vars: Vars, random: SmallRng, heavy: Rc<Heavy>) -> Context {
    let nobody: Rc<str> = "".into();
    Context {
        vars,
        props: settings.props.clone(),
        host: settings.host.clone(),
        run: settings.run.clone(),
        user: UserIdentity {
            thread_name: nobody.clone(),
            group_name: nobody.clone(),
            thread_index: 0,
            group_number: 0,
            group_users: 0,
        },
        sampler_name: nobody,
        users: None,
        iteration: 0,
        stop: None,
        random,
        thrown: None,
        function_states: Vec::new(),
        previous: None,
        heavy,
        unheard: Box::default(),
        backlog: std::cell::OnceCell::new(),
        files_read: swell_expr::FilesRead::default(),
        remote: RemoteMode::default(),
        trace: None,
        recent: None,
    }
}
