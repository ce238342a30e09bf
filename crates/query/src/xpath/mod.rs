//! XPath 1.0 as in Xalan (`org.apache.xpath.XPathAPI`), including its error messages.
//!
//! Expressions are compiled once. Prefixes are resolved when an expression is evaluated, because
//! the document element declares them.

mod axes;
mod compare;
mod evaluate;
mod evaluation;
mod expression;
mod function;
mod functions;
mod lexer;
mod number;
mod parser;
mod step;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use std::fmt;

use swell_budget::Budget;

use crate::tree::{Document, NodeId};
use expression::Expr;

pub(crate) use axes::namespaces_in_scope;
pub use axes::{passes, walk};
pub(crate) use evaluation::MOST_WORK;
pub use expression::{Axis, Test};
pub use number::shown as shown_number;

/// The corresponding exception of Java.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XPathError {
    /// Its message.
    pub message: String,
}

impl XPathError {
    /// An error with that message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for XPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nodes in document order.
    Nodes(Vec<NodeId>),
    /// True or false.
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// A compiled expression.
#[derive(Debug)]
pub struct XPath {
    expr: Expr,
    prefixes: Vec<String>,
}

impl XPath {
    /// Compiles an expression.
    pub fn compile(text: &str) -> Result<Self, XPathError> {
        parser::parse(text)
    }

    /// What it gives with the root of a document as context. Prefixes are those that the document
    /// element declares.
    pub fn evaluate(&self, document: &Document) -> Result<Value, XPathError> {
        let budget = Budget::of_units(MOST_WORK);
        self.evaluate_with(document, &budget, |prefix| declared_namespace(document, prefix))
    }

    /// What it gives where some prefixes have namespaces whatever the document declares.
    pub fn evaluate_in(
        &self,
        document: &Document,
        namespaces: &HashMap<String, String>,
        budget: &Budget,
    ) -> Result<Value, XPathError> {
        self.evaluate_with(document, budget, |prefix| {
            namespaces.get(prefix).cloned().or_else(|| declared_namespace(document, prefix))
        })
    }

    /// What it gives where prefixes are resolved otherwise.
    pub fn evaluate_with(
        &self,
        document: &Document,
        budget: &Budget,
        resolve: impl Fn(&str) -> Option<String>,
    ) -> Result<Value, XPathError> {
        let resolved = |prefix: &String| {
            resolve(prefix)
                .ok_or_else(|| XPathError::new(format!("Prefix must resolve to a namespace: {prefix}")))
        };
        let namespaces = self.prefixes.iter().map(resolved).collect::<Result<Vec<_>, _>>()?;
        evaluate::evaluate(&self.expr, document, &namespaces, budget)
    }
}

/// The namespace that the document element gives to a prefix (`PrefixResolverDefault`).
fn declared_namespace(document: &Document, prefix: &str) -> Option<String> {
    if prefix == "xml" {
        return Some("http://www.w3.org/XML/1998/namespace".to_owned());
    }
    let element = document.document_element()?;
    if document.prefix(element) == prefix && !prefix.is_empty() {
        return document.has_namespaces().then(|| document.namespace(element).to_owned());
    }
    document
        .declarations(element)
        .find(|&node| document.name(node) == prefix)
        .map(|node| document.value(node).to_owned())
}
