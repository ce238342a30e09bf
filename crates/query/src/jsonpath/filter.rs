//! Filters: their parts, and whether they accept a value.

use std::borrow::Cow;
use std::sync::Arc;

use crate::json::{Decimal, Json};
use swell_regex::Regex;

use super::evaluate::Root;
use super::model::Model;
use super::path::Path;
use super::{PathError, PathErrorKind, evaluate, filter_compare, filter_simple};

/// A condition.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Or(Vec<Self>),
    And(Vec<Self>),
    Not(Box<Self>),
    Relation {
        left: Operand,
        operator: Operator,
        right: Operand,
    },
    /// A path alone: it must be there, or must not (`!@.name`).
    Exists {
        path: Path,
        wanted: bool,
    },
}

/// Operators between two operands, by name in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    TypeSafeEqual,
    TypeSafeNotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Regex,
    In,
    NotIn,
    Contains,
    Size,
    Empty,
    SubsetOf,
    AnyOf,
    NoneOf,
    /// `ALL`, `TYPE`, `MATCHES`: they need operands that a text cannot give, so they let nothing
    /// through.
    Never,
    /// The name of what Jayway makes of a path alone; written out it compares truth values.
    ExistsWord,
}

/// One side of a relation.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Path(Path),
    Null,
    Bool(bool),
    Number(Decimal),
    Text(String),
    /// A JSON text with what it reads as.
    Json {
        text: String,
        value: Result<Json<'static>, String>,
    },
    Regex(Arc<Regex>),
}

/// One side of a relation, with its path evaluated.
#[derive(Debug)]
pub(super) enum Node<'v, 'd> {
    Null,
    Undefined,
    Bool(bool),
    Number(Cow<'v, Decimal>),
    Text(Cow<'v, str>),
    /// An array or object from the document.
    Json(Cow<'v, Json<'d>>),
    /// An array or object in the filter (or a text in the document that looks like one).
    JsonText {
        text: Cow<'v, str>,
        value: Cow<'v, Json<'d>>,
    },
    Regex(&'v Regex),
    /// A text in the document that is a path itself: equal to nothing.
    PathText,
}

/// Lets a value through or not; a wrong path or one that finds nothing lets nothing through
/// (`PredicatePathToken.accept`).
pub(super) fn accepts<'m, 'd: 'm, M: Model<'m, 'd>>(
    expression: &Expression,
    item: M,
    root: Root<'m, M>,
    require: bool,
) -> Result<bool, PathError> {
    match applies(expression, item, root, require) {
        Err(fault) if fault.kind != PathErrorKind::Other => Ok(false),
        other => other,
    }
}

fn applies<'m, 'd: 'm, M: Model<'m, 'd>>(
    expression: &Expression,
    item: M,
    root: Root<'m, M>,
    require: bool,
) -> Result<bool, PathError> {
    match expression {
        Expression::Or(parts) => {
            for part in parts {
                if applies(part, item, root, require)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Expression::And(parts) => {
            for part in parts {
                if !applies(part, item, root, require)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Expression::Not(part) => Ok(!applies(part, item, root, require)?),
        Expression::Exists { path, wanted } => Ok(exists(path, item, root)? == *wanted),
        Expression::Relation { left, operator, right } => {
            root.look()?;
            if let Some(holds) = filter_simple::holds(left, *operator, right, item) {
                return Ok(holds);
            }
            let left = left.node(item, root, require)?;
            let right = right.node(item, root, require)?;
            filter_compare::compare(*operator, &left, &right)
        }
    }
}

/// Whether a path finds something, all its properties required. It always starts at the value
/// itself.
fn exists<'m, 'd: 'm, M: Model<'m, 'd>>(path: &Path, item: M, root: Root<'m, M>) -> Result<bool, PathError> {
    root.look()?;
    if let Some(found) = path.follow_names(item) {
        return Ok(found.is_some());
    }
    match evaluate::value_of(path, item, root, true) {
        Ok(_) => Ok(true),
        Err(fault) if fault.kind == PathErrorKind::NotFound => Ok(false),
        Err(fault) => Err(fault),
    }
}

impl Operand {
    fn node<'v, 'm: 'v, 'd: 'm, M: Model<'m, 'd>>(
        &'v self,
        item: M,
        root: Root<'m, M>,
        require: bool,
    ) -> Result<Node<'v, 'd>, PathError> {
        Ok(match self {
            Self::Null => Node::Null,
            Self::Bool(value) => Node::Bool(*value),
            Self::Number(number) => Node::Number(Cow::Borrowed(number)),
            Self::Text(text) => Node::Text(Cow::Borrowed(text)),
            Self::Regex(regex) => Node::Regex(regex),
            Self::Json { text, value } => match value {
                Ok(value) => Node::JsonText { text: Cow::Borrowed(text), value: Cow::Borrowed(value) },
                Err(message) => return Err(PathError::other(message.clone())),
            },
            Self::Path(path) => {
                let start = if path.root == '$' { root.value } else { item };
                match evaluate::value_of(path, start, root, require) {
                    Ok(found) => found_node(found.json())?,
                    Err(fault) if fault.kind == PathErrorKind::NotFound => Node::Undefined,
                    Err(fault) => return Err(fault),
                }
            }
        })
    }
}

fn found_node<'v, 'd>(found: Cow<'v, Json<'d>>) -> Result<Node<'v, 'd>, PathError> {
    Ok(match &*found {
        Json::Null => Node::Null,
        Json::Bool(value) => Node::Bool(*value),
        Json::Text(_) => match found {
            Cow::Borrowed(Json::Text(text)) => Node::Text(Cow::Borrowed(text)),
            other => Node::Text(Cow::Owned(other.java_text())),
        },
        Json::Array(_) | Json::Object(_) => Node::Json(found),
        Json::Keys(_) => {
            let class = found.class_name();
            let text = found.java_text();
            return Err(PathError::other(format!("Could not convert class {class}:{text} to a ValueNode")));
        }
        number => Node::Number(Cow::Owned(number_node(number)?)),
    })
}

pub(super) fn number_node(number: &Json<'_>) -> Result<Decimal, PathError> {
    // An infinite number is none to BigDecimal.
    Decimal::parse(&number.java_text()).ok_or_else(|| PathError::other("Character I is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark."))
}
