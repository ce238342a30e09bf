//! The operators of filters (Jayway's `EvaluatorFactory` and the `equals` of its `ValueNodes`).

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::json::{self, Decimal, Json};
use swell_regex::Regex;

use super::cursor::unescape;
use super::filter::{Node, Operator, number_node};
use super::{PathError, path_parser};

pub(super) fn compare<'v, 'd>(
    operator: Operator,
    left: &Node<'v, 'd>,
    right: &Node<'v, 'd>,
) -> Result<bool, PathError> {
    match operator {
        Operator::Equal => Ok(equal(left, right)),
        Operator::NotEqual => Ok(!equal(left, right)),
        Operator::TypeSafeEqual => Ok(same_class(left, right) && equal(left, right)),
        Operator::TypeSafeNotEqual => Ok(!(same_class(left, right) && equal(left, right))),
        Operator::Less => Ok(ordering(left, right).is_some_and(Ordering::is_lt)),
        Operator::LessEqual => Ok(ordering(left, right).is_some_and(Ordering::is_le)),
        Operator::Greater => Ok(ordering(left, right).is_some_and(Ordering::is_gt)),
        Operator::GreaterEqual => Ok(ordering(left, right).is_some_and(Ordering::is_ge)),
        Operator::Regex => matches(left, right),
        Operator::In => is_in(left, right),
        Operator::NotIn => Ok(!is_in(left, right)?),
        Operator::Contains => contains(left, right),
        Operator::Size => Ok(has_size(left, right)),
        Operator::Empty => is_empty(left, right),
        Operator::SubsetOf => sets(left, right, |left, right| left.iter().all(|node| includes(right, node))),
        Operator::AnyOf => {
            sets(left, right, |left, right| left.iter().any(|node| includes_by_left(right, node)))
        }
        Operator::NoneOf => {
            sets(left, right, |left, right| !left.iter().any(|node| includes_by_left(right, node)))
        }
        Operator::Never => Err(PathError::invalid("Expected value list node")),
        Operator::ExistsWord => truth_equal(left, right),
    }
}

fn truth_equal(left: &Node<'_, '_>, right: &Node<'_, '_>) -> Result<bool, PathError> {
    match (left, right) {
        (Node::Bool(left), Node::Bool(right)) => Ok(left == right),
        (Node::Bool(_), _) | (_, Node::Bool(_)) => Err(PathError::invalid("Expected boolean node")),
        _ => Err(PathError::other("Failed to evaluate exists expression")),
    }
}

/// `==`. Two arrays or objects compare by their values; one in the filter on the left equals
/// nothing.
fn equal(left: &Node<'_, '_>, right: &Node<'_, '_>) -> bool {
    match (left, right) {
        (Node::Json(left), Node::Json(value) | Node::JsonText { value, .. }) => left.equals(value),
        (Node::JsonText { .. }, Node::Json(_) | Node::JsonText { .. }) => false,
        _ => equal_nodes(left, right),
    }
}

/// `ValueNode.equals`.
fn equal_nodes(left: &Node<'_, '_>, right: &Node<'_, '_>) -> bool {
    match (left, right) {
        (Node::Null, Node::Null) => true,
        (Node::Bool(left), Node::Bool(right)) => left == right,
        (Node::Number(left), Node::Number(right)) => left.compare(right).is_eq(),
        (Node::Number(left), Node::Text(right)) => {
            Decimal::parse(right).is_some_and(|right| left.compare(&right).is_eq())
        }
        (Node::Text(left), Node::Text(right))
        | (Node::JsonText { text: left, .. }, Node::JsonText { text: right, .. }) => left == right,
        (Node::Text(left), Node::Number(right)) => **left == right.to_string(),
        (Node::Json(left), Node::Json(right)) => left.equals(right),
        _ => false,
    }
}

fn same_class(left: &Node<'_, '_>, right: &Node<'_, '_>) -> bool {
    matches!(
        (left, right),
        (Node::Null, Node::Null)
            | (Node::Undefined, Node::Undefined)
            | (Node::Bool(_), Node::Bool(_))
            | (Node::Number(_), Node::Number(_))
            | (Node::Text(_), Node::Text(_))
            | (Node::Regex(_), Node::Regex(_))
    ) || (is_json(left) && is_json(right))
}

fn ordering(left: &Node<'_, '_>, right: &Node<'_, '_>) -> Option<Ordering> {
    match (left, right) {
        (Node::Number(left), Node::Number(right)) => Some(left.compare(right)),
        (Node::Text(left), Node::Text(right)) => Some(left.encode_utf16().cmp(right.encode_utf16())),
        _ => None,
    }
}

/// `=~`: one side is an expression; of an array one element must match.
fn matches<'v, 'd>(left: &Node<'v, 'd>, right: &Node<'v, 'd>) -> Result<bool, PathError> {
    let (regex, input) = match (left, right) {
        (Node::Regex(_), Node::Regex(_)) => return Ok(false),
        (Node::Regex(regex), input) | (input, Node::Regex(regex)) => (regex, input),
        _ => return Ok(false),
    };
    match array(input) {
        Some(members) => Ok(list(members)?.iter().any(|node| is_match(regex, node))),
        None => Ok(is_match(regex, input)),
    }
}

fn is_match(regex: &Regex, node: &Node<'_, '_>) -> bool {
    let text: Cow<'_, str> = match node {
        Node::Text(text) => Cow::Borrowed(text),
        Node::Number(number) => Cow::Owned(number.to_string()),
        Node::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        _ => Cow::Borrowed(""),
    };
    // A match that costs too much counts as none.
    regex.is_match(&text).unwrap_or(false)
}

/// The members of an array.
fn array<'n, 'd>(node: &'n Node<'_, 'd>) -> Option<&'n [Json<'d>]> {
    match node {
        Node::Json(value) | Node::JsonText { value, .. } => match &**value {
            Json::Array(members) => Some(members),
            _ => None,
        },
        _ => None,
    }
}

fn is_json(node: &Node<'_, '_>) -> bool {
    matches!(node, Node::Json(_) | Node::JsonText { .. })
}

/// The members of an array as nodes (`ValueListNode`). Texts that look like paths or JSON are taken
/// as such; arrays and objects cannot be members.
fn list<'n, 'd>(members: &'n [Json<'d>]) -> Result<Vec<Node<'n, 'd>>, PathError> {
    members.iter().map(member).collect()
}

fn member<'n, 'd>(value: &'n Json<'d>) -> Result<Node<'n, 'd>, PathError> {
    Ok(match value {
        Json::Null => Node::Null,
        Json::Bool(value) => Node::Bool(*value),
        Json::Text(text) => text_member(text)?,
        Json::Array(_) | Json::Object(_) | Json::Keys(_) => {
            return Err(PathError::other("Could not determine value type"));
        }
        number => Node::Number(Cow::Owned(number_node(number)?)),
    })
}

fn text_member<'d>(text: &str) -> Result<Node<'_, 'd>, PathError> {
    let trimmed = text.trim_matches(|c| c <= ' ');
    if trimmed.starts_with(['@', '$']) && path_parser::compile(trimmed, 0).is_ok() {
        return Ok(Node::PathText);
    }
    let brackets = (trimmed.starts_with('[') && trimmed.ends_with(']'))
        || (trimmed.starts_with('{') && trimmed.ends_with('}'));
    if trimmed.len() > 1
        && brackets
        && let Ok(value) = json::parse(trimmed)
    {
        let value = Cow::Owned(value.into_static());
        return Ok(Node::JsonText { text: Cow::Borrowed(text), value });
    }
    string_node(text).map(|text| Node::Text(Cow::Owned(text)))
}

/// A text without the quotes that may be around it, its escapes resolved (`StringNode`).
pub(super) fn string_node(text: &str) -> Result<String, PathError> {
    let mut chars = text.chars();
    if chars.next().is_none() || chars.next().is_none() {
        return Ok(text.to_owned());
    }
    let inner = ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    unescape(inner.unwrap_or(text))
}

/// `ArrayList.contains`: the wanted node is asked whether it equals each member.
fn includes(list: &[Node<'_, '_>], wanted: &Node<'_, '_>) -> bool {
    list.iter().any(|node| equal_nodes(wanted, node))
}

fn includes_by_left(right: &[Node<'_, '_>], left: &Node<'_, '_>) -> bool {
    right.iter().any(|node| equal_nodes(left, node))
}

fn is_in(left: &Node<'_, '_>, right: &Node<'_, '_>) -> Result<bool, PathError> {
    match array(right) {
        Some(members) => Ok(includes(&list(members)?, left)),
        None if is_json(right) => Ok(false),
        None => Err(PathError::invalid("Expected value list node")),
    }
}

fn contains(left: &Node<'_, '_>, right: &Node<'_, '_>) -> Result<bool, PathError> {
    match (left, right) {
        (Node::Text(left), Node::Text(right)) => Ok(left.contains(&**right)),
        _ => match array(left) {
            Some(members) => Ok(includes(&list(members)?, right)),
            None => Ok(false),
        },
    }
}

fn has_size(left: &Node<'_, '_>, right: &Node<'_, '_>) -> bool {
    let Node::Number(wanted) = right else { return false };
    let Some(wanted) = wanted.to_i32() else { return false };
    let size = match left {
        Node::Text(text) => text.encode_utf16().count() as i64,
        other => match array(other) {
            Some(members) => members.len() as i64,
            None if is_json(other) => -1,
            None => return false,
        },
    };
    size == i64::from(wanted)
}

fn is_empty(left: &Node<'_, '_>, right: &Node<'_, '_>) -> Result<bool, PathError> {
    let empty = match left {
        Node::Text(text) => text.is_empty(),
        other => match array(other) {
            Some(members) => members.is_empty(),
            None if is_json(other) => {
                return Err(PathError::other(
                    "class java.util.LinkedHashMap cannot be cast to class java.util.Collection (java.util.LinkedHashMap and java.util.Collection are in module java.base of loader 'bootstrap')",
                ));
            }
            None => return Ok(false),
        },
    };
    match right {
        Node::Bool(wanted) => Ok(empty == *wanted),
        _ => Err(PathError::invalid("Expected boolean node")),
    }
}

/// An operator on two arrays.
fn sets<'v, 'd>(
    left: &Node<'v, 'd>,
    right: &Node<'v, 'd>,
    test: impl Fn(&[Node<'_, '_>], &[Node<'_, '_>]) -> bool,
) -> Result<bool, PathError> {
    for node in [right, left] {
        match array(node) {
            Some(members) => {
                list(members)?;
            }
            None if is_json(node) => return Ok(false),
            None => return Err(PathError::invalid("Expected value list node")),
        }
    }
    match (array(left), array(right)) {
        (Some(left), Some(right)) => Ok(test(&list(left)?, &list(right)?)),
        _ => Ok(false),
    }
}
