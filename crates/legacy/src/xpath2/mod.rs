//! XPath as Saxon-HE 11 has it (`net.sf.saxon.s9api.XPathCompiler`), without schema types: the expressions of XPath 2.0 and the
//! functions that plans use. What is left out (maps, arrays, functions as values, types beside numbers, texts and booleans,
//! dates) is a fault when an expression is compiled.

mod arithmetic;
mod atomic;
mod comparison;
mod decimal;
mod evaluate;
mod expression;
mod functions;
mod lexer;
mod namespaces;
mod parser;
mod steps;
mod texts;

use swell_budget::Budget;

use atomic::Atomic;
use expression::Expr;
use swell_query::xpath::XPathError;
use swell_query::{Document, NodeId};

/// A compiled expression.
#[derive(Debug)]
pub struct XPath2 {
    expr: Expr,
    namespaces: Vec<String>,
}

/// One member of what an expression gives.
#[derive(Clone, Debug)]
pub struct Item(Inner);

#[derive(Clone, Debug)]
enum Inner {
    Node(NodeId),
    Atomic(Atomic),
}

type Found<T> = Result<T, XPathError>;

impl XPath2 {
    /// Compiles an expression, with prefixes as lines `prefix=namespace`.
    pub fn compile(text: &str, namespaces: &str) -> Found<Self> {
        parser::parse(text, &namespaces::parse(namespaces))
    }

    /// What it gives with the root of a document as context.
    pub fn evaluate(&self, document: &Document, budget: &Budget) -> Found<Vec<Item>> {
        evaluate::evaluate(&self.expr, document, &self.namespaces, budget)
    }
}

impl Item {
    /// How many nodes have to be looked at for its text, about.
    pub fn size(&self, document: &Document) -> usize {
        match &self.0 {
            Inner::Node(node) => document.size(*node),
            Inner::Atomic(_) => 1,
        }
    }

    /// Its text (`XdmItem.getStringValue`).
    pub fn text(&self, document: &Document) -> String {
        match &self.0 {
            Inner::Node(node) => document.string_value(*node),
            Inner::Atomic(value) => value.text(),
        }
    }

    /// Itself as XML (`XdmItem.toString`).
    pub fn fragment(&self, document: &Document) -> String {
        match &self.0 {
            Inner::Node(node) => swell_query::indented(document, *node),
            Inner::Atomic(value) => value.text(),
        }
    }
}

fn fault<T>(message: impl Into<String>) -> Found<T> {
    Err(XPathError::new(message))
}
