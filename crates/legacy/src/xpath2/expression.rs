//! A compiled expression.

use super::atomic::Atomic;
use super::functions::Function;
use swell_query::xpath::{Axis, Test};

/// A step of a path; its predicates are filters around it.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
}

#[derive(Debug)]
pub(super) enum Expr {
    Sequence(Vec<Expr>),
    Literal(Atomic),
    /// The place of a variable, from the outermost.
    Variable(usize),
    Context,
    Root,
    Or(Vec<Expr>),
    And(Vec<Expr>),
    /// Operators with their right sides, from left to right.
    Chain(Box<Expr>, Vec<(Operator, Expr)>),
    Negative(Box<Expr>),
    Step(Step),
    /// `a/b`, for each node of `a`.
    Path(Vec<Expr>),
    /// `a!b`, for each member of `a`.
    Map(Vec<Expr>),
    Filter(Box<Expr>, Vec<Expr>),
    If(Box<[Expr; 3]>),
    /// `for $v in a return b`.
    For(Box<[Expr; 2]>),
    /// `let $v := a return b`.
    Let(Box<[Expr; 2]>),
    /// `some $v in a satisfies b`, or `every`.
    Quantified(bool, Box<[Expr; 2]>),
    Cast(Type, Box<Expr>),
    Call(Function, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    General(Comparison),
    Value(Comparison),
    Is,
    Concat,
    Range,
    Plus,
    Minus,
    Times,
    Divide,
    WholeDivide,
    Modulo,
    Union,
    Intersect,
    Except,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Types that a value can be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    String,
    Integer,
    Decimal,
    Double,
    Boolean,
}

impl Type {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "xs:string" => Self::String,
            "xs:integer" | "xs:int" | "xs:long" => Self::Integer,
            "xs:decimal" => Self::Decimal,
            "xs:double" | "xs:float" => Self::Double,
            "xs:boolean" => Self::Boolean,
            _ => return None,
        })
    }
}

impl Operator {
    /// As it is written.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Divide => "div",
            Self::WholeDivide => "idiv",
            Self::Modulo => "mod",
            Self::Concat => "||",
            Self::Range => "to",
            Self::Value(comparison) => match comparison {
                Comparison::Equal => "eq",
                Comparison::NotEqual => "ne",
                Comparison::Less => "lt",
                Comparison::LessOrEqual => "le",
                Comparison::Greater => "gt",
                Comparison::GreaterOrEqual => "ge",
            },
            Self::General(comparison) => comparison.sign(),
            Self::Is => "is",
            Self::Union => "|",
            Self::Intersect => "intersect",
            Self::Except => "except",
        }
    }
}

impl Comparison {
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

impl Expr {
    /// Whether a predicate may look at positions. Only what surely gives nodes or a boolean does not.
    pub(super) fn is_positional(&self) -> bool {
        self.asks_position() || !self.is_truth()
    }

    /// Whether it surely gives nodes, a boolean or a text.
    fn is_truth(&self) -> bool {
        match self {
            Self::Or(_) | Self::And(_) | Self::Quantified(..) | Self::Step(_) => true,
            Self::Chain(_, rest) => rest.last().is_some_and(|(operator, _)| {
                matches!(operator, Operator::General(_) | Operator::Value(_) | Operator::Is | Operator::Union)
            }),
            Self::Path(parts) => parts.last().is_some_and(Self::is_truth),
            Self::Call(function, _) => function.gives_truth(),
            _ => false,
        }
    }

    fn asks_position(&self) -> bool {
        match self {
            Self::Sequence(parts) | Self::Or(parts) | Self::And(parts) => {
                parts.iter().any(Self::asks_position)
            }
            Self::Chain(first, rest) => {
                first.asks_position() || rest.iter().any(|(_, right)| right.asks_position())
            }
            // What follows has a context of its own.
            Self::Path(parts) | Self::Map(parts) => parts.first().is_some_and(Self::asks_position),
            Self::Filter(inner, _) | Self::Negative(inner) | Self::Cast(_, inner) => inner.asks_position(),
            Self::If(parts) => parts.iter().any(Self::asks_position),
            Self::For(parts) | Self::Let(parts) | Self::Quantified(_, parts) => {
                parts.iter().any(Self::asks_position)
            }
            Self::Call(function, arguments) => {
                function.asks_position() || arguments.iter().any(Self::asks_position)
            }
            Self::Literal(_) | Self::Variable(_) | Self::Context | Self::Root | Self::Step(_) => false,
        }
    }
}
