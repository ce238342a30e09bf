//! A script as a tree.

use super::row::Row;
use super::value::Value;

/// A part of a script whose kinds match.
#[derive(Debug)]
pub(super) enum Node {
    /// A value that was written down.
    Constant(Value),
    /// What a reference will be; only in scripts that are not run.
    Later,
    /// A name unknown to the engine: it throws when it reaches it.
    Missing(String),
    /// A variable of the script.
    Local(usize),
    Call(&'static Row, Vec<Node>),
    /// A value whose methods are called: null has none.
    NotNull(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    /// `condition ? a : b`.
    Conditional(Box<[Node; 3]>),
    /// `a ?: b`.
    Elvis(Box<Node>, Box<Node>),
}

/// A statement.
#[derive(Debug)]
pub(super) enum Statement {
    Value(Node),
    /// A declaration or an assignment.
    Set {
        slot: usize,
        value: Node,
    },
    If {
        condition: Node,
        yes: Vec<Self>,
        no: Vec<Self>,
    },
}
