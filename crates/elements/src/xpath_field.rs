//! The XPath of an element: compiled once if it is constant, otherwise once per distinct text.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use swell_api::CompileContext;
use swell_expr::{Context, Template, xpath_namespaces};
use swell_plan::{Element, Severity};
use swell_query::xpath::{XPath, XPathError};

/// Compiled expressions that an element with changing ones keeps.
const MOST: usize = 64;

/// A compiled path, or the error of compiling it.
pub(crate) type Compiled = Arc<Result<XPath, XPathError>>;

/// Prefixes with their namespaces.
pub(crate) type Namespaces = Arc<HashMap<String, String>>;

pub(crate) struct XPathField {
    template: Template,
    constant: Option<Compiled>,
    known: RefCell<HashMap<String, Compiled>>,
    /// What `xpath.namespace.config` says, read at the first use.
    namespaces: OnceCell<Arc<HashMap<String, String>>>,
}

impl XPathField {
    /// Reads it from a property. One that cannot be compiled is noted.
    pub(crate) fn of(element: &Element, compile: &CompileContext, property: &str, default: &str) -> Self {
        let template = compile.template(element, property, default);
        let constant = template.constant().map(|text| Arc::new(XPath::compile(text)));
        if let Some(Err(error)) = constant.as_deref() {
            let message = format!("invalid XPath, so it never finds anything: {error}");
            compile.note(Severity::Warning, element, Some(property), message, None);
        }
        Self { template, constant, known: RefCell::default(), namespaces: OnceCell::new() }
    }

    pub(crate) fn text(&self, cx: &mut Context) -> String {
        self.template.eval(cx).into_owned()
    }

    /// The path of a text that the field had, with prefixes that have namespaces in every document.
    pub(crate) fn get(&self, cx: &Context, text: &str) -> (Compiled, Namespaces) {
        let namespaces =
            self.namespaces.get_or_init(|| Arc::new(xpath_namespaces::configured(&cx.props, &*cx.host)));
        (self.compiled(text), namespaces.clone())
    }

    fn compiled(&self, text: &str) -> Compiled {
        if let Some(constant) = &self.constant {
            return constant.clone();
        }
        let mut known = self.known.borrow_mut();
        if let Some(compiled) = known.get(text) {
            return compiled.clone();
        }
        if known.len() >= MOST {
            known.clear();
        }
        let compiled: Compiled = Arc::new(XPath::compile(text));
        known.insert(text.to_owned(), compiled.clone());
        compiled
    }
}
