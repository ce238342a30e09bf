//! What the tests of elements share: a plan element from a few properties, a user, and findings.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use rand::SeedableRng;
use swell_expr::{Compiler, Context, Host, Level, Properties, Shared, Template, UserIdentity, Vars};
use swell_plan::{Element, Property, PropertyValue, Severity};

use crate::Build;

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
        let group: Rc<str> = "group".into();
        Context {
            vars: Vars::new(self.compiler.names.clone()),
            props: self.props.clone(),
            host: self.host.clone(),
            run: Arc::default(),
            user: UserIdentity { thread_name: group.clone(), group_name: group.clone(), thread_index },
            sampler_name: group,
            iteration: 1,
            stop: None,
            random: rand::rngs::SmallRng::seed_from_u64(1),
            function_states: Vec::new(),
            previous: None,
        }
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

/// A host whose log can be read.
#[derive(Default)]
pub(crate) struct TestHost {
    pub(crate) log: Mutex<Vec<String>>,
}

impl Host for TestHost {
    fn now_ns(&self) -> i64 {
        0
    }

    fn read_file(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn open(&self, _: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn write_file(&self, _: &Path, _: &[u8], _: bool) -> io::Result<()> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn env(&self, _: &str) -> Option<String> {
        None
    }

    fn machine_name(&self) -> String {
        "machine".into()
    }

    fn machine_ip(&self) -> String {
        "127.0.0.1".into()
    }

    fn log(&self, _: Level, message: &str) {
        self.log.lock().expect("no test panics while it logs").push(message.to_owned());
    }

    fn print(&self, _: &str, _: bool) {}

    fn time_zone(&self) -> String {
        "UTC".into()
    }
}
