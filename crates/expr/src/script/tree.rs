//! A script after parsing.

use std::rc::Rc;

use super::act::Act;
use super::calls::{Method, Static};
use super::classes::{Function, Made};
use super::objects::Fact;
use super::program::Block;
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
    /// `(Type) a`.
    Narrow(Box<Node>, Type),
    Method {
        of: Box<Node>,
        /// What it is of a text or number; none if only objects have it.
        method: Option<Method>,
        name: Rc<str>,
        arguments: Vec<Node>,
        /// `a?.method()`: null stays null.
        safe: bool,
    },
    Static(Static, Vec<Node>),
    /// A variable of the script.
    Local(u32),
    /// A text of Groovy with values in it.
    Joined(Vec<Node>),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// `a..b` of Groovy.
    Range(Box<Node>, Box<Node>),
    /// `a[b]`.
    Index(Box<Node>, Box<Node>),
    /// `a.name` of Groovy, `a.length` of an array.
    Member {
        of: Box<Node>,
        name: Rc<str>,
        safe: bool,
    },
    New(Made, Vec<Node>),
    /// A function of a class that needs the user or the machine.
    Function(Function, Vec<Node>),
    /// Something that is done with variables, properties or the log.
    Act(Act, Vec<Node>),
    /// A binding of the element: a sample, the result of an assertion.
    Stage(super::stage::Which),
    Assign(Box<Assignment>),
    /// `{ a -> … }` of Groovy.
    Closure(Rc<Closure>),
}

/// `target = value`, `target += value`, `target++`.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) target: Target,
    /// How the value is joined with what is there.
    pub(super) operator: Option<Operator>,
    pub(super) value: Node,
    /// The expression's value is what was there before (`a++`).
    pub(super) gives_old: bool,
}

/// What is assigned to.
#[derive(Debug)]
pub(super) enum Target {
    /// A variable of the script, with its declared type.
    Local(u32, Declared),
    Index(Node, Node),
    Member(Node, Rc<str>),
}

/// What the declaration of a variable says of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    /// `def`, `var`, `Object`, or a class that is taken at its word.
    Anything,
    Boolean,
    Int,
    Long,
    Double,
    Text,
}

/// A closure of Groovy.
#[derive(Debug)]
pub(super) struct Closure {
    pub(super) parameters: Vec<u32>,
    pub(super) body: Block,
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
    /// `==~` of Groovy.
    Matches,
    /// `=~` of JEXL: matches a pattern, or is in a list.
    Within,
    NotWithin,
    /// `=^` of JEXL 3.
    Starts,
    NotStarts,
    /// `=$` of JEXL 3.
    Ends,
    NotEnds,
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

impl Type {
    /// The type of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "int" => Self::Int,
            "Integer" => Self::Integer,
            "long" | "Long" => Self::Long,
            "double" | "Double" => Self::Double,
            "BigDecimal" => Self::Decimal,
            "String" => Self::Text,
            _ => return None,
        })
    }
}
