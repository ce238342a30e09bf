//! The state of an evaluation, and conversions of values to text and numbers.

use swell_budget::Budget;

use super::{Value, XPathError, number};
use crate::tree::{Document, NodeId};

/// What a look at a node costs, in units of work.
const NODE: u64 = 10;

/// The default cost limit of one evaluation: a fraction of a second.
pub(crate) const MOST_WORK: u64 = 20_000_000 * NODE;

/// The context of an expression.
#[derive(Clone, Copy)]
pub(super) struct Focus {
    pub(super) node: NodeId,
    pub(super) position: f64,
    pub(super) size: f64,
}

pub(super) struct Evaluation<'d> {
    pub(super) document: &'d Document,
    pub(super) namespaces: &'d [String],
    pub(super) budget: &'d Budget,
}

impl Evaluation<'_> {
    /// Counts nodes that are looked at, and ends an evaluation that takes too much.
    pub(super) fn work(&self, nodes: usize) -> Result<(), XPathError> {
        let work = self.budget.work(NODE.saturating_mul(nodes as u64));
        work.map_err(|_| XPathError::new("The expression visits too many nodes of this document"))
    }

    /// The text of a node, which costs a look at all below it.
    pub(super) fn string_value(&self, node: NodeId) -> Result<String, XPathError> {
        self.work(self.document.size(node))?;
        Ok(self.document.string_value(node))
    }

    /// The text of a node, held in addition to others.
    pub(super) fn held_value(&self, node: NodeId) -> Result<String, XPathError> {
        let text = self.string_value(node)?;
        let held = self.budget.hold(text.len());
        held.map_err(|_| XPathError::new("The text of these nodes takes too much memory"))?;
        Ok(text)
    }

    pub(super) fn number(&self, value: &Value) -> f64 {
        match value {
            Value::Number(value) => *value,
            Value::Boolean(value) => f64::from(u8::from(*value)),
            other => number::of_text(&self.text(other)),
        }
    }

    pub(super) fn text(&self, value: &Value) -> String {
        match value {
            Value::Text(text) => text.clone(),
            Value::Number(value) => number::shown(*value),
            Value::Boolean(value) => value.to_string(),
            Value::Nodes(nodes) => nodes.first().map_or_else(String::new, |&node| {
                self.budget.charge(NODE.saturating_mul(self.document.size(node) as u64));
                self.document.string_value(node)
            }),
        }
    }

    pub(super) fn node_set(value: Value) -> Result<Vec<NodeId>, XPathError> {
        let what = match value {
            Value::Nodes(nodes) => return Ok(nodes),
            Value::Number(_) => "#NUMBER",
            Value::Boolean(_) => "#BOOLEAN",
            Value::Text(_) => "#STRING",
        };
        Err(XPathError::new(format!("Can not convert {what} to a NodeList!")))
    }
}

pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Boolean(value) => *value,
        Value::Number(value) => *value != 0.0 && !value.is_nan(),
        Value::Text(text) => !text.is_empty(),
        Value::Nodes(nodes) => !nodes.is_empty(),
    }
}
