//! A script after parsing.

use std::rc::Rc;

use super::classes::{Constructor, Function};
use super::methods::Method;
use super::object_methods::ObjectMethod;
use super::objects::Fact;
use super::side_effect::SideEffect;
use super::static_methods::StaticMethod;
use super::value::Value;
use super::value_type::ValueType;

/// A part of a script.
#[derive(Debug)]
pub(super) enum Node {
    /// A value that was written down.
    Constant(Value),
    /// What a reference will be; only in scripts that are not run.
    Placeholder,
    /// A word that means nothing to the engine: it throws when it gets there.
    Missing(Rc<str>),
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
    Conditional(Box<[Node; 3]>),
    /// `a ?: b`.
    Elvis(Box<Node>, Box<Node>),
    /// `empty(a)` of JEXL.
    Empty(Box<Node>),
    /// `size(a)` of JEXL.
    Size(Box<Node>),
    /// `a as Type` of Groovy.
    Cast(Box<Node>, Type),
    /// `(Type) a`.
    CastPrefix(Box<Node>, Type),
    /// A method of a text or a number.
    Method {
        of: Box<Node>,
        method: Method,
        arguments: Vec<Node>,
        /// `a?.method()`: null stays null.
        safe: bool,
    },
    /// A method or property of an object.
    OfObject {
        of: Box<Node>,
        method: ObjectMethod,
        arguments: Vec<Node>,
        safe: bool,
    },
    StaticCall(StaticMethod, Vec<Node>),
    /// A variable of the script.
    Local(u32),
    /// A text of Groovy with values in it.
    Interpolated(Vec<Node>),
    /// `a[b]` of an array.
    Index(Box<Node>, Box<Node>),
    New(Constructor, Vec<Node>),
    /// A function of a class that needs the user or the machine.
    Function(Function, Vec<Node>),
    /// Something that is done with variables, properties or the log.
    SideEffect(SideEffect, Vec<Node>),
    /// A binding of the element: a sample, the result of an assertion.
    Binding(super::sample_bindings::Binding),
    Assign(Box<Assignment>),
}

/// `a = value`, `a += value`, `a++`.
#[derive(Debug)]
pub(super) struct Assignment {
    /// The variable.
    pub(super) slot: u32,
    pub(super) declared: Declared,
    /// How the value is joined with what is there.
    pub(super) operator: Option<Operator>,
    pub(super) value: Node,
    /// The expression's value is what was there before (`a++`).
    pub(super) gives_old: bool,
}

/// What the declaration of a variable says of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    /// `def`, `var`, `Object`: whatever kind its first value has.
    Anything,
    /// A class whose objects are known.
    Object(ValueType),
    Boolean,
    Int,
    Long,
    Double,
    Text,
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
    /// `=~` of JEXL: matches a pattern.
    Within,
    NotWithin,
    /// `=^` of JEXL 3.
    Starts,
    NotStarts,
    /// `=$` of JEXL 3.
    Ends,
    NotEnds,
}

impl Operator {
    /// Whether it computes rather than compares.
    pub(super) fn computes(self) -> bool {
        matches!(self, Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::Remainder)
    }
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

    /// The kind of what is made.
    pub(super) fn kind(self) -> ValueType {
        match self {
            Self::Int | Self::Integer => ValueType::Int,
            Self::Long => ValueType::Long,
            Self::Double => ValueType::Double,
            Self::Decimal => ValueType::Decimal,
            Self::Text => ValueType::Text,
        }
    }
}
