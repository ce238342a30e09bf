//! What the tests of elements share: a plan element from a few properties, a user, and findings.

use std::cell::RefCell;
use std::sync::Arc;

use swell_api::Build;
use swell_expr::testing::{TestHost, context_of};
use swell_expr::{Compiler, Context, Properties, Shared, Template};
use swell_plan::{Element, Property, PropertyValue, Severity};

/// A world of its own for a test.
pub(crate) struct Bench {
    pub(crate) compiler: Compiler,
    pub(crate) props: Arc<Properties>,
    pub(crate) notes: RefCell<Vec<(Severity, String)>>,
    pub(crate) host: Arc<TestHost>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::sharing(Arc::default())
    }

    /// A worker that shares state with others.
    pub(crate) fn sharing(shared: Arc<Shared>) -> Self {
        Self {
            compiler: Compiler::new(shared),
            props: Arc::default(),
            notes: RefCell::default(),
            host: Arc::default(),
        }
    }

    /// A user of this worker.
    pub(crate) fn user(&self) -> Context {
        self.user_number(0)
    }

    pub(crate) fn user_number(&self, thread_index: u32) -> Context {
        let mut cx = context_of(self.compiler.names.clone(), self.host.clone());
        cx.props = self.props.clone();
        cx.user.thread_index = thread_index;
        cx
    }

    /// Sets a variable whose name stands in the plan: names get their slots before users start.
    pub(crate) fn put(&self, cx: &mut Context, name: &str, value: &str) {
        cx.vars.put_slot(self.compiler.names.slot(name), value);
    }

    /// The messages of findings so far.
    pub(crate) fn messages(&self) -> Vec<String> {
        self.notes.borrow().iter().map(|(_, message)| message.clone()).collect()
    }
}

impl Build for Bench {
    fn text(&self, _: &Element, _: &str, text: &str) -> Template {
        self.compiler.template(text)
    }

    fn note(&self, severity: Severity, _: &Element, _: Option<&str>, message: String, _: Option<&str>) {
        self.notes.borrow_mut().push((severity, message));
    }

    fn expr(&self) -> &Compiler {
        &self.compiler
    }

    fn props(&self) -> &Properties {
        &self.props
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
