//! What the tests of elements share: a plan element from a few properties, a user, and findings.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use swell_api::Compile;
use swell_expr::testing::{TestHost, context_of};
use swell_expr::{Compiler, Context, Shared};
use swell_plan::{Element, Property, PropertyValue};

/// A world of its own for a test.
pub(crate) struct Bench {
    compile: Compile,
    pub(crate) host: Arc<TestHost>,
}

impl Deref for Bench {
    type Target = Compile;
    fn deref(&self) -> &Compile {
        &self.compile
    }
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::sharing(Arc::default())
    }

    /// A worker that shares state with others.
    pub(crate) fn sharing(shared: Arc<Shared>) -> Self {
        let host: Arc<TestHost> = Arc::default();
        let compile = Compile {
            expr: Compiler::new(shared),
            props: Arc::default(),
            host: host.clone(),
            file: None,
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
        };
        Self { compile, host }
    }

    /// A user of this worker.
    pub(crate) fn user(&self) -> Context {
        self.user_number(0)
    }

    pub(crate) fn user_number(&self, thread_index: u32) -> Context {
        let mut cx = context_of(self.expr.names.clone(), self.host.clone());
        cx.props = self.props.clone();
        cx.user.thread_index = thread_index;
        cx
    }

    /// Sets a variable whose name stands in the plan: names get their slots before users start.
    pub(crate) fn put(&self, cx: &mut Context, name: &str, value: &str) {
        cx.vars.put_slot(self.expr.names.slot(name), value);
    }

    /// The messages of findings so far.
    pub(crate) fn messages(&self) -> Vec<String> {
        self.diagnostics.borrow().iter().map(|finding| finding.message.clone()).collect()
    }
}

/// An element with simple properties.
pub(crate) fn element(class: &str, properties: &[(&str, &str)]) -> Element {
    Element {
        class: class.to_owned(),
        gui_class: String::new(),
        tag: class.to_owned(),
        attributes: vec![("testname".to_owned(), "the element".to_owned())],
        properties: properties.iter().map(|(name, value)| text(name, value)).collect(),
        line: 1,
        path: "the element".to_owned(),
    }
}

/// A text property.
pub(crate) fn text(name: &str, value: &str) -> Property {
    property(name, PropertyValue::Text(value.to_owned()))
}

/// Texts as a collection.
pub(crate) fn collection(name: &str, texts: &[&str]) -> Property {
    property(name, PropertyValue::Collection(texts.iter().map(|member| text("", member)).collect()))
}

/// Any property.
pub(crate) fn property(name: &str, value: PropertyValue) -> Property {
    Property { name: name.to_owned(), value, written: None }
}

/// What a future gives that waits for no helper.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    loop {
        let mut task = std::task::Context::from_waker(std::task::Waker::noop());
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut task) {
            return value;
        }
    }
}
