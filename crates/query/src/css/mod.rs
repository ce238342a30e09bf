//! CSS selectors, as in jsoup 1.17.
//!
//! A selector is evaluated from left to right, each part on all elements at once. So the cost of a
//! chain of parts is at most its length times the size of the document.

mod matcher;
mod nth;
mod parser;
mod selector;

use std::fmt;

use swell_budget::Budget;

use crate::html::jsoup_text;
use crate::tree::{Document, NodeId};
use selector::Selector;

/// Why a selection failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CssError {
    /// The library's message, where it is known.
    pub message: String,
}

impl CssError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for CssError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A compiled selector.
#[derive(Debug)]
pub struct CssSelector(Selector);

impl CssSelector {
    /// Compiles a selector.
    ///
    /// # Errors
    /// jsoup refuses it.
    pub fn compile(text: &str) -> Result<Self, CssError> {
        parser::parse(text).map(Self)
    }

    /// The elements that it selects of a page ([`crate::html::parse`]), in document order. The
    /// document itself counts as an element.
    ///
    /// # Errors
    /// It looks at more than the budget allows.
    pub fn select(&self, document: &Document, budget: &Budget) -> Result<Vec<NodeId>, CssError> {
        matcher::select(document, &self.0, budget)
    }
}

/// The text of an element (`Element.text`).
pub fn text(document: &Document, element: NodeId) -> String {
    jsoup_text(document, element)
}

/// An attribute of an element, empty if it is not there (`Element.attr`).
pub fn attribute_text(document: &Document, element: NodeId, name: &str) -> String {
    let value = |name: &str| attribute(document, element, name).unwrap_or_default();
    match (attribute(document, element, name), name.strip_prefix("abs:")) {
        (Some(value), _) => value.to_owned(),
        // The page has no address, so only a whole one is one.
        (None, Some(name)) if value(name).contains("://") => value(name).to_owned(),
        (None, _) => String::new(),
    }
}

/// An attribute, whatever the case of its name.
fn attribute<'d>(document: &'d Document, element: NodeId, name: &str) -> Option<&'d str> {
    let same = |&node: &NodeId| document.name(node).eq_ignore_ascii_case(name);
    document.attributes(element).find(same).map(|node| document.value(node))
}
