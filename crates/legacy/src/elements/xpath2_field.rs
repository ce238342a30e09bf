//! The XPath 2 of an element with its namespaces: compiled once where both are constant.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::xpath2::XPath2;
use swell_api::Compile;
use swell_expr::{Context, Template};
use swell_plan::{Element, Severity};
use swell_query::xpath::XPathError;

/// Compiled expressions that an element with changing ones keeps.
const MOST: usize = 64;

/// A compiled path, or why there is none.
pub(crate) type Compiled = Arc<Result<XPath2, XPathError>>;

pub(crate) struct XPath2Field {
    path: Template,
    namespaces: Template,
    constant: Option<Compiled>,
    known: RefCell<HashMap<(String, String), Compiled>>,
}

impl XPath2Field {
    /// Reads both from their properties. An expression that cannot be compiled is noted.
    pub(crate) fn of(
        element: &Element,
        compile: &Compile,
        path: &str,
        default: &str,
        namespaces: &str,
    ) -> Self {
        let property = path;
        let (path, namespaces) =
            (compile.template(element, path, default), compile.template(element, namespaces, ""));
        let constant = match (path.constant(), namespaces.constant()) {
            (Some(""), Some(_)) => None,
            (Some(path), Some(namespaces)) => Some(Arc::new(XPath2::compile(path, namespaces))),
            _ => None,
        };
        if let Some(Err(error)) = constant.as_deref() {
            let message = format!("the XPath cannot be read, so it never finds anything: {error}");
            compile.note(Severity::Warning, element, Some(property), message, None);
        }
        Self { path, namespaces, constant, known: RefCell::default() }
    }

    /// The expression and its namespaces now.
    pub(crate) fn texts(&self, cx: &mut Context) -> (String, String) {
        (self.path.eval(cx).into_owned(), self.namespaces.eval(cx).into_owned())
    }

    /// The compiled expression of what [`Self::texts`] gave.
    pub(crate) fn compiled(&self, texts: &(String, String)) -> Compiled {
        if let Some(constant) = &self.constant {
            return constant.clone();
        }
        let mut known = self.known.borrow_mut();
        if let Some(compiled) = known.get(texts) {
            return compiled.clone();
        }
        if known.len() >= MOST {
            known.clear();
        }
        let compiled: Compiled = Arc::new(XPath2::compile(&texts.0, &texts.1));
        known.insert(texts.clone(), compiled.clone());
        compiled
    }
}

/// The message of Java's exception for an expression that cannot be compiled.
pub(crate) fn not_compiled(error: &XPathError) -> String {
    format!("net.sf.saxon.s9api.SaxonApiException: {error}")
}
