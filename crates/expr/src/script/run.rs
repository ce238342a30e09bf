//! A tree to a value.

use std::rc::Rc;

use super::tree::{Node, Operator};
use super::value::Value;
use super::{Language, arithmetic};
use crate::context::Context;

type Outcome = Result<Value, String>;

/// The value of a node. Chains of operators are trees that lean to the left, so this frame is kept small.
pub(super) fn value(node: &Node, language: Language, cx: Option<&Context>) -> Outcome {
    match node {
        Node::Constant(value) => Ok(value.clone()),
        Node::Binary(operator, left, right) => {
            let left = value(left, language, cx)?;
            binary(*operator, &left, &value(right, language, cx)?, language)
        }
        Node::And(..) | Node::Or(..) | Node::Choice(..) | Node::Else(..) => branch(node, language, cx),
        Node::Method { .. } | Node::Static(..) => call(node, language, cx),
        Node::Not(inner)
        | Node::Minus(inner)
        | Node::Plus(inner)
        | Node::Empty(inner)
        | Node::Size(inner)
        | Node::Cast(inner, _) => changed(node, value(inner, language, cx)?, language),
        _ => seen(node, language, cx),
    }
}

/// What computes one side only.
fn branch(node: &Node, language: Language, cx: Option<&Context>) -> Outcome {
    match node {
        Node::And(left, right) | Node::Or(left, right) => {
            let left = value(left, language, cx)?;
            let truth = arithmetic::truth(&left, language)?;
            if truth == matches!(node, Node::Or(..)) {
                return Ok(decided(left, truth, language));
            }
            joined(value(right, language, cx)?, language)
        }
        Node::Choice(parts) => {
            let [condition, yes, no] = &**parts;
            let condition = value(condition, language, cx)?;
            value(if arithmetic::choice(&condition, language)? { yes } else { no }, language, cx)
        }
        Node::Else(left, right) => {
            let left = value(left, language, cx)?;
            if arithmetic::choice(&left, language)? { Ok(left) } else { value(right, language, cx) }
        }
        _ => unreachable!("only what branches is given"),
    }
}

fn call(node: &Node, language: Language, cx: Option<&Context>) -> Outcome {
    let values = |nodes: &[Node]| -> Result<Vec<Value>, String> {
        nodes.iter().map(|node| value(node, language, cx)).collect()
    };
    match node {
        Node::Method { of, method, arguments, safe } => {
            let of = value(of, language, cx)?;
            if *safe && of == Value::Null {
                return Ok(Value::Null);
            }
            method.call(&of, &values(arguments)?, language)
        }
        Node::Static(function, arguments) => function.call(&values(arguments)?, language),
        _ => unreachable!("only calls are given"),
    }
}

/// What makes one value of another.
fn changed(node: &Node, value: Value, language: Language) -> Outcome {
    match node {
        Node::Not(_) => Ok(Value::Boolean(!arithmetic::truth(&value, language)?)),
        Node::Minus(_) => arithmetic::negated(&value, language),
        Node::Plus(_) => arithmetic::positive(value, language),
        Node::Empty(_) => Ok(Value::Boolean(super::jexl::is_empty(&value))),
        Node::Size(_) => super::jexl::size(&value),
        Node::Cast(_, to) => super::groovy::cast(&value, *to),
        _ => unreachable!("only what has one part is given"),
    }
}

/// What the user and the machine have.
fn seen(node: &Node, language: Language, cx: Option<&Context>) -> Outcome {
    let Some(cx) = cx else { return Err("there are no objects here".to_owned()) };
    let named = |name: &Node| -> Result<Rc<str>, String> {
        match value(name, language, Some(cx))? {
            Value::Text(text) => Ok(text.text),
            other => Err(format!("`{}` is no name", other.to_text(language))),
        }
    };
    match node {
        Node::Variable(name) => Ok(Value::optional(cx.vars.get(&named(name)?).map(Rc::clone))),
        Node::Environment(name) => Ok(Value::optional(cx.host.env(&named(name)?))),
        Node::Property(name, default) => match (cx.props.get(&named(name)?), default) {
            (Some(found), _) => Ok(Value::java(found)),
            (None, Some(default)) => value(default, language, Some(cx)),
            (None, None) => Ok(Value::Null),
        },
        Node::Fact(fact) => Ok(fact.value(language, cx)),
        _ => Err("a reference that was not replaced".to_owned()),
    }
}

/// An `&&` or `||` that its left side decided: JavaScript gives that side.
fn decided(left: Value, result: bool, language: Language) -> Value {
    if language == Language::JavaScript { left } else { Value::Boolean(result) }
}

/// An `&&` or `||` that its right side decides.
fn joined(right: Value, language: Language) -> Outcome {
    if language == Language::JavaScript {
        return Ok(right);
    }
    arithmetic::truth(&right, language).map(Value::Boolean)
}

fn binary(operator: Operator, left: &Value, right: &Value, language: Language) -> Outcome {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let ordered = |wanted: &[std::cmp::Ordering]| {
        let order = arithmetic::order(left, right, language)?;
        Ok(Value::Boolean(order.is_some_and(|order| wanted.contains(&order))))
    };
    match operator {
        Operator::Equal => arithmetic::equal(left, right, language).map(Value::Boolean),
        Operator::Unequal => arithmetic::equal(left, right, language).map(|equal| Value::Boolean(!equal)),
        Operator::Same => Ok(Value::Boolean(super::javascript::same(left, right))),
        Operator::Different => Ok(Value::Boolean(!super::javascript::same(left, right))),
        Operator::Less => ordered(&[Less]),
        Operator::Greater => ordered(&[Greater]),
        Operator::AtMost => ordered(&[Less, Equal]),
        Operator::AtLeast => ordered(&[Greater, Equal]),
        _ => arithmetic::computed(operator, left, right, language),
    }
}
