//! Values that are made: nodes without a place.

use crate::tree::{Node, Value};

pub(super) fn node(value: Value) -> Node {
    Node { line: 0, column: 0, value }
}

pub(super) fn text(text: impl Into<String>) -> Node {
    node(Value::Text(text.into()))
}

/// A number without an exponent.
pub(super) fn number(number: f64) -> Node {
    node(Value::Number(format!("{number}")))
}
