//! CSS selectors as jsoup 1.17 and Jodd 5 have them.
//!
//! Selectors are looked up from left to right, each part on all elements at once, so a chain of parts costs no more than
//! its length times the document.

mod jodd;
mod matcher;
mod nth;
mod parser;
mod selector;

use std::fmt;

use swell_budget::Budget;

use crate::html::{TooLarge, jsoup_text, raw_text};
use crate::tree::{Document, NodeId};
use selector::Selector;

/// Whose selectors they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `org.jsoup.select`.
    Jsoup,
    /// `jodd.csselly`.
    Jodd,
}

/// Why nothing is selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CssError {
    /// In the words of the library, where they are known.
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
pub struct CssSelector {
    dialect: Dialect,
    selector: Selector,
}

impl CssSelector {
    /// Compiles a selector.
    pub fn compile(text: &str, dialect: Dialect) -> Result<Self, CssError> {
        Ok(Self { dialect, selector: parser::parse(text, dialect)? })
    }

    /// Reads a page as the library does.
    pub fn read(dialect: Dialect, page: &str) -> Result<Document, TooLarge> {
        match dialect {
            Dialect::Jsoup => crate::html::parse(page),
            Dialect::Jodd => jodd::parse(page),
        }
    }

    /// The elements that it selects, in document order. The document itself counts as an element for jsoup.
    pub fn select(&self, document: &Document, budget: &Budget) -> Result<Vec<NodeId>, CssError> {
        matcher::select(document, &self.selector, self.dialect, budget)
    }

    /// The text of an element, as the library gives it.
    pub fn text(&self, document: &Document, element: NodeId) -> String {
        match self.dialect {
            Dialect::Jsoup => jsoup_text(document, element),
            Dialect::Jodd => raw_text(document, element),
        }
    }

    /// An attribute of an element. jsoup has an empty text for one that is not there.
    pub fn attribute(&self, document: &Document, element: NodeId, name: &str) -> Option<String> {
        let found = attribute(document, element, name);
        match self.dialect {
            Dialect::Jodd => found.map(str::to_owned),
            Dialect::Jsoup => Some(match (found, name.strip_prefix("abs:")) {
                (Some(value), _) => value.to_owned(),
                // The page has no address, so only a whole one is one.
                (None, Some(name)) => {
                    let value = attribute(document, element, name).unwrap_or_default();
                    if value.contains("://") { value.to_owned() } else { String::new() }
                }
                (None, None) => String::new(),
            }),
        }
    }
}

/// An attribute, whatever the case of its name.
fn attribute<'d>(document: &'d Document, element: NodeId, name: &str) -> Option<&'d str> {
    let same = |&node: &NodeId| document.name(node).eq_ignore_ascii_case(name);
    document.attributes(element).find(same).map(|node| document.value(node))
}
