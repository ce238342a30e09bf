//! A compiled expression. Chains of operators are lists, so only brackets nest, and their depth is
//! bounded.

use super::function::Function;

#[derive(Debug)]
pub(crate) enum Expr {
    Or(Vec<Expr>),
    And(Vec<Expr>),
    /// Operators with their right sides, from left to right.
    Chain(Box<Expr>, Vec<(Operator, Expr)>),
    Negative(Box<Expr>),
    Union(Vec<Expr>),
    Path(Start, Vec<Step>),
    Literal(String),
    Number(f64),
    Variable(String),
    Call(Function, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Quotient,
}

/// The start of a path.
#[derive(Debug)]
pub(crate) enum Start {
    Root,
    Context,
    /// What an expression gives, filtered.
    Filter(Box<Expr>, Vec<Expr>),
}

#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) axis: Axis,
    pub(crate) test: Test,
    pub(crate) predicates: Vec<Expr>,
    /// Whether a prefix is a part of the name where the document was read without namespaces. Xalan
    /// does so only where the step is the whole path.
    pub(crate) whole_names: bool,
}

impl Step {
    /// Whether it is what `//` stands for.
    pub(super) fn is_below(&self) -> bool {
        self.axis == Axis::DescendantOrSelf && self.test == Test::Node && self.predicates.is_empty()
    }
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// `ancestor`.
    Ancestor,
    /// `ancestor-or-self`.
    AncestorOrSelf,
    /// `attribute`.
    Attribute,
    /// `child`.
    Child,
    /// `descendant`.
    Descendant,
    /// `descendant-or-self`.
    DescendantOrSelf,
    /// `following`.
    Following,
    /// `following-sibling`.
    FollowingSibling,
    /// `namespace`.
    Namespace,
    /// `parent`.
    Parent,
    /// `preceding`.
    Preceding,
    /// `preceding-sibling`.
    PrecedingSibling,
    /// `self`.
    SelfNode,
}

impl Axis {
    /// The axis of a name.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "ancestor" => Self::Ancestor,
            "ancestor-or-self" => Self::AncestorOrSelf,
            "attribute" => Self::Attribute,
            "child" => Self::Child,
            "descendant" => Self::Descendant,
            "descendant-or-self" => Self::DescendantOrSelf,
            "following" => Self::Following,
            "following-sibling" => Self::FollowingSibling,
            "namespace" => Self::Namespace,
            "parent" => Self::Parent,
            "preceding" => Self::Preceding,
            "preceding-sibling" => Self::PrecedingSibling,
            "self" => Self::SelfNode,
            _ => return None,
        })
    }
}

/// A node test.
#[derive(Debug, PartialEq, Eq)]
pub enum Test {
    /// `node()`.
    Node,
    /// `text()`.
    Text,
    /// `comment()`.
    Comment,
    /// `processing-instruction()`, with its target.
    Instruction(Option<String>),
    /// Any node of the axis's kind.
    Any,
    /// Any name in the namespace of that prefix.
    AnyIn(usize),
    /// A name in any namespace.
    AnyNamespace(String),
    /// A name in the namespace of that prefix, in none without prefix.
    Name(Option<usize>, String),
}

impl Expr {
    /// Whether a predicate looks at positions: it may be a number, or asks for one.
    pub(super) fn is_positional(&self) -> bool {
        match self {
            Self::Or(parts) | Self::And(parts) => parts.iter().any(Self::asks_position),
            Self::Chain(first, rest) => {
                let compares = rest.last().is_some_and(|(operator, _)| operator.compares());
                !compares || first.asks_position() || rest.iter().any(|(_, right)| right.asks_position())
            }
            Self::Union(_) | Self::Path(..) | Self::Literal(_) => self.asks_position(),
            Self::Call(function, arguments) => {
                function.gives_number() || arguments.iter().any(Self::asks_position)
            }
            Self::Negative(_) | Self::Number(_) | Self::Variable(_) => true,
        }
    }

    fn asks_position(&self) -> bool {
        match self {
            Self::Or(parts) | Self::And(parts) | Self::Union(parts) => parts.iter().any(Self::asks_position),
            Self::Chain(first, rest) => {
                first.asks_position() || rest.iter().any(|(_, right)| right.asks_position())
            }
            // Positions inside of the path's own predicates are others.
            Self::Path(Start::Filter(inner, _), _) | Self::Negative(inner) => inner.asks_position(),
            Self::Path(..) | Self::Literal(_) | Self::Number(_) => false,
            Self::Variable(_) => true,
            Self::Call(function, arguments) => {
                function.asks_position() || arguments.iter().any(Self::asks_position)
            }
        }
    }
}

impl Operator {
    pub(super) fn compares(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Less
                | Self::LessOrEqual
                | Self::Greater
                | Self::GreaterOrEqual
        )
    }
}
