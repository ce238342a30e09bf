//! JMESPath as jmespath-java 0.6.0 on Jackson understands it, which JMeter uses.
//!
//! An evaluator of our own, because the crates follow the specification, and JMeter's library does not everywhere: a slice
//! of what is no array is an empty array, sums and rounded numbers are doubles (`6.0`), `contains` tells 1 from 1.0, a
//! wrong argument is an exception, and `!a.b` is `!(a.b)`.

mod evaluate;
mod functions;
mod parser;
#[cfg(test)]
mod tests;
mod token;

use std::borrow::Cow;

use functions::Function;
use swell_query::json::Json;

/// A compiled expression.
#[derive(Debug)]
pub struct JmesPath {
    root: Node,
}

#[derive(Debug)]
enum Node {
    Current,
    Property(String),
    Index(i64),
    /// One after the other.
    Chain(Box<Node>, Box<Node>),
    /// For each element; null is left out.
    Projection(Box<Node>, Box<Node>),
    /// Values of an object.
    Values,
    Flatten,
    Slice(Option<i64>, Option<i64>, i64),
    Select(Box<Node>),
    Compare(Comparator, Box<Node>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Not(Box<Node>),
    List(Vec<Node>),
    Hash(Vec<(String, Node)>),
    Literal(Json<'static>),
    Call(Function, Vec<Node>),
    /// `&expression`, only as an argument.
    Reference(Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparator {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl JmesPath {
    /// Compiles an expression. The error is a line that says what is wrong; JMeter's words are those of its parser generator.
    pub fn compile(text: &str) -> Result<Self, String> {
        let root = parser::parse(text)
            .map_err(|reason| format!("Unable to compile expression \"{text}\": syntax error {reason}"))?;
        Ok(Self { root })
    }

    /// What it finds. The error is the exception's message.
    pub fn search<'a>(&'a self, document: &'a Json<'a>) -> Result<Cow<'a, Json<'a>>, String> {
        evaluate::search(&self.root, Cow::Borrowed(document))
    }
}
