//! Comparisons (XPath 1.0, 3.4).

use super::evaluation::{Evaluation, truth};
use super::expression::Operator;
use super::{Value, XPathError, number};
use crate::tree::NodeId;

pub(super) fn compare(
    evaluation: &Evaluation<'_>,
    operator: Operator,
    left: &Value,
    right: &Value,
) -> Result<bool, XPathError> {
    match (left, right) {
        (Value::Boolean(_), _) | (_, Value::Boolean(_)) => Ok(if is_equality(operator) {
            (truth(left) == truth(right)) == (operator == Operator::Equal)
        } else {
            let as_number = |value| f64::from(u8::from(truth(value)));
            holds(operator, as_number(left), as_number(right))
        }),
        (Value::Nodes(left), Value::Nodes(right)) => both(evaluation, operator, left, right),
        (Value::Nodes(nodes), other) => one(evaluation, operator, nodes, other),
        (other, Value::Nodes(nodes)) => one(evaluation, mirrored(operator), nodes, other),
        (Value::Text(left), Value::Text(right)) if is_equality(operator) => {
            Ok((left == right) == (operator == Operator::Equal))
        }
        _ => Ok(holds(operator, evaluation.number(left), evaluation.number(right))),
    }
}

fn is_equality(operator: Operator) -> bool {
    matches!(operator, Operator::Equal | Operator::NotEqual)
}

#[expect(clippy::float_cmp, reason = "equality of numbers in XPath is that of IEEE 754")]
fn holds(operator: Operator, left: f64, right: f64) -> bool {
    match operator {
        Operator::Equal => left == right,
        Operator::NotEqual => left != right,
        Operator::Less => left < right,
        Operator::LessOrEqual => left <= right,
        Operator::Greater => left > right,
        _ => left >= right,
    }
}

fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessOrEqual => Operator::GreaterOrEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterOrEqual => Operator::LessOrEqual,
        same => same,
    }
}

/// Whether it holds for one of the nodes.
fn one(
    evaluation: &Evaluation<'_>,
    operator: Operator,
    nodes: &[NodeId],
    other: &Value,
) -> Result<bool, XPathError> {
    let number = evaluation.number(other);
    for &node in nodes {
        let text = evaluation.string_value(node)?;
        let found = match other {
            Value::Text(wanted) if is_equality(operator) => {
                (text == *wanted) == (operator == Operator::Equal)
            }
            _ => holds(operator, number::of_text(&text), number),
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether it holds for a pair of nodes.
fn both(
    evaluation: &Evaluation<'_>,
    operator: Operator,
    left: &[NodeId],
    right: &[NodeId],
) -> Result<bool, XPathError> {
    evaluation.work(left.len().saturating_mul(right.len()))?;
    let texts = |nodes: &[NodeId]| -> Result<Vec<String>, XPathError> {
        nodes.iter().map(|&node| evaluation.held_value(node)).collect()
    };
    let left = texts(left)?;
    let right = texts(right)?;
    if is_equality(operator) {
        let wanted = operator == Operator::Equal;
        return Ok(left.iter().any(|left| right.iter().any(|right| (left == right) == wanted)));
    }
    let numbers = |texts: &[String]| -> Vec<f64> { texts.iter().map(|text| number::of_text(text)).collect() };
    let left = numbers(&left);
    let right = numbers(&right);
    Ok(left.iter().any(|&left| right.iter().any(|&right| holds(operator, left, right))))
}
