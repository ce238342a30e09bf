//! Evaluates a tree.

use super::frame::Frame;
use super::language::Language;
use super::row::{Outcome, Row, Run};
use super::tree::{Node, Statement};
use super::value::Value;
use super::{groovy, javascript, jexl};
use crate::script_failure::{ScriptFailure, exception};

impl Frame<'_> {
    /// The value of the last statement.
    pub(super) fn run(&mut self, statements: &[Statement]) -> Outcome {
        let mut last = Value::Null;
        for statement in statements {
            last = match statement {
                Statement::Value(node) => self.value(node)?,
                Statement::Set { slot, value } => {
                    let value = self.value(value)?;
                    self.locals[*slot] = value;
                    Value::Null
                }
                Statement::If { condition, yes, no } => {
                    let taken = if self.is_true(condition)? { yes } else { no };
                    self.run(taken)?;
                    Value::Null
                }
            };
        }
        Ok(last)
    }

    /// The value of a node. Chains of operators are trees that lean to the left, so this frame is
    /// kept small.
    fn value(&mut self, node: &Node) -> Outcome {
        match node {
            Node::Constant(value) => Ok(value.clone()),
            Node::Local(slot) => Ok(self.locals[*slot].clone()),
            Node::Call(row, arguments) => self.call(row, arguments),
            Node::NotNull(of) => match self.value(of)? {
                Value::Null => {
                    Err(exception("java.lang.NullPointerException: Cannot invoke a method on null object"))
                }
                value => Ok(value),
            },
            Node::And(left, right) => self.either(left, right, false),
            Node::Or(left, right) => self.either(left, right, true),
            Node::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                if self.is_true(condition)? { self.value(yes) } else { self.value(no) }
            }
            Node::Elvis(left, right) => {
                let left = self.value(left)?;
                if self.truth(&left) { Ok(left) } else { self.value(right) }
            }
            Node::Missing(word) => Err(exception(format!("No such property: {word}"))),
            Node::Later => Err(exception("a reference that was not replaced")),
        }
    }

    fn call(&mut self, row: &Row, arguments: &[Node]) -> Outcome {
        let values: Vec<Value> =
            arguments.iter().map(|argument| self.value(argument)).collect::<Result<_, _>>()?;
        self.is_constant = arguments.iter().all(|argument| matches!(argument, Node::Constant(_)));
        match row.run {
            Run::Gives(run) => Ok(run(self, &values)),
            Run::MayThrow(run) => run(self, &values),
        }
    }

    /// `&&` and `||`: JavaScript gives the side that decides.
    fn either(&mut self, left: &Node, right: &Node, ends: bool) -> Outcome {
        let left = self.value(left)?;
        let value = if self.truth(&left) == ends { left } else { self.value(right)? };
        Ok(if self.language == Language::JavaScript { value } else { Value::Boolean(self.truth(&value)) })
    }

    fn is_true(&mut self, node: &Node) -> Result<bool, ScriptFailure> {
        let value = self.value(node)?;
        Ok(self.truth(&value))
    }

    fn truth(&self, value: &Value) -> bool {
        match self.language {
            Language::JavaScript => javascript::truth(value),
            Language::Groovy => groovy::truth(value),
            Language::Jexl2 | Language::Jexl3 => jexl::truth(value),
            Language::BeanShell => *value == Value::Boolean(true),
        }
    }
}
