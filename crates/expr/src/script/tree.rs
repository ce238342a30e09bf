//! A script after parsing.

use super::calls::{Method, Static};
use super::objects::Fact;
use super::value::Value;

/// A part of a script.
#[derive(Debug)]
pub(super) enum Node {
    /// A value that was written down.
    Constant(Value),
    /// What a reference will be; only in scripts that are not run.
    Hole,
    /// A variable (`vars.get(name)`).
    Variable(Box<Node>),
    /// A property (`props.getProperty(name, default)`).
    Property(Box<Node>, Option<Box<Node>>),
    /// Something of the user or the machine.
    Fact(Fact),
    /// `System.getenv(name)`.
    Environment(Box<Node>),
    Not(Box<Node>),
    Minus(Box<Node>),
    Plus(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    /// `condition ? a : b`.
    Choice(Box<[Node; 3]>),
    /// `a ?: b`.
    Else(Box<Node>, Box<Node>),
    /// `empty(a)` of JEXL.
    Empty(Box<Node>),
    /// `size(a)` of JEXL.
    Size(Box<Node>),
    /// `a as Type` of Groovy.
    Cast(Box<Node>, Type),
    Method {
        of: Box<Node>,
        method: Method,
        arguments: Vec<Node>,
        /// `a?.method()`: null stays null.
        safe: bool,
    },
    Static(Static, Vec<Node>),
}

/// An operator between two values that are both computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Unequal,
    /// `===` of JavaScript.
    Same,
    Different,
    Less,
    Greater,
    AtMost,
    AtLeast,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A type that Groovy casts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Int,
    Integer,
    Long,
    Double,
    Decimal,
    Text,
}
