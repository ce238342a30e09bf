//! Evaluates an expression on a document.

use swell_budget::Budget;

use super::evaluation::{Evaluation, Focus, truth};
use super::expression::{Expr, Operator};
use super::{Value, XPathError, compare};
use crate::tree::Document;

pub(super) fn evaluate(
    expr: &Expr,
    document: &Document,
    namespaces: &[String],
    budget: &Budget,
) -> Result<Value, XPathError> {
    let evaluation = Evaluation { document, namespaces, budget };
    // Outside of a predicate Xalan knows neither position nor size.
    evaluation.value(expr, Focus { node: 0, position: -1.0, size: 0.0 })
}

impl Evaluation<'_> {
    pub(super) fn value(&self, expr: &Expr, focus: Focus) -> Result<Value, XPathError> {
        Ok(match expr {
            Expr::Or(parts) => Value::Boolean(self.any(parts, focus, true)?),
            Expr::And(parts) => Value::Boolean(!self.any(parts, focus, false)?),
            Expr::Chain(first, rest) => {
                let mut value = self.value(first, focus)?;
                for (operator, right) in rest {
                    let right = self.value(right, focus)?;
                    value = self.apply(*operator, &value, &right)?;
                }
                value
            }
            Expr::Negative(inner) => Value::Number(-self.number(&self.value(inner, focus)?)),
            Expr::Union(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.append(&mut Self::node_set(self.value(part, focus)?)?);
                }
                all.sort_unstable();
                all.dedup();
                Value::Nodes(all)
            }
            Expr::Path(start, steps) => return self.path(start, steps, focus),
            Expr::Literal(text) => Value::Text(text.clone()),
            Expr::Number(value) => Value::Number(*value),
            Expr::Variable(name) => return Err(XPathError::new(format!("Variable not resolvable: {name}"))),
            Expr::Call(function, arguments) => return self.call(*function, arguments, focus),
        })
    }

    /// Whether one of the parts is as wanted.
    fn any(&self, parts: &[Expr], focus: Focus, wanted: bool) -> Result<bool, XPathError> {
        for part in parts {
            if truth(&self.value(part, focus)?) == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn apply(&self, operator: Operator, left: &Value, right: &Value) -> Result<Value, XPathError> {
        if operator.compares() {
            return compare::compare(self, operator, left, right).map(Value::Boolean);
        }
        let left = self.number(left);
        let right = self.number(right);
        Ok(Value::Number(match operator {
            Operator::Plus => left + right,
            Operator::Minus => left - right,
            Operator::Times => left * right,
            Operator::Divide => left / right,
            Operator::Quotient => (left / right).trunc(),
            _ => left % right,
        }))
    }
}
