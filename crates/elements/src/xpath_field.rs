//! The XPath of an element: compiled once where it is constant, else once for each text that comes.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use swell_document::Document;
use swell_document::xpath::{Value, XPath, XPathError};
use swell_expr::{Context, Template, xpath_namespaces};
use swell_plan::{Element, Severity};

use crate::Build;

/// Compiled expressions that an element with changing ones keeps.
const MOST: usize = 64;

type Compiled = Rc<Result<XPath, XPathError>>;

pub(crate) struct XPathField {
    template: Template,
    constant: Option<Compiled>,
    known: RefCell<HashMap<String, Compiled>>,
    /// What `xpath.namespace.config` says, read at the first use.
    namespaces: OnceCell<HashMap<String, String>>,
}

impl XPathField {
    /// Reads it from a property. One that cannot be compiled is noted.
    pub(crate) fn of(element: &Element, build: &dyn Build, property: &str, default: &str) -> Self {
        let template = build.template(element, property, default);
        let constant = template.constant().map(|text| Rc::new(XPath::compile(text)));
        if let Some(Err(error)) = constant.as_deref() {
            let message = format!("the XPath cannot be read, so it never finds anything: {error}");
            build.note(Severity::Warning, element, Some(property), message, None);
        }
        Self { template, constant, known: RefCell::default(), namespaces: OnceCell::new() }
    }

    pub(crate) fn text(&self, cx: &mut Context) -> String {
        self.template.eval(cx).into_owned()
    }

    /// What a text that [`Self::text`] gave finds in a document.
    pub(crate) fn evaluate(
        &self,
        cx: &Context,
        text: &str,
        document: &Document,
    ) -> Result<Value, XPathError> {
        let compiled = self.compiled(text);
        let path = compiled.as_ref().as_ref().map_err(Clone::clone)?;
        let namespaces = self.namespaces.get_or_init(|| xpath_namespaces::configured(&cx.props, &*cx.host));
        path.evaluate_in(document, namespaces)
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
        let compiled: Compiled = Rc::new(XPath::compile(text));
        known.insert(text.to_owned(), compiled.clone());
        compiled
    }
}
