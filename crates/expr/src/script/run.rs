//! A tree to a value.

use std::rc::Rc;

use super::frame::Frame;
use super::object::{self, Object};
use super::tree::{Node, Operator, Target};
use super::value::{Text, Value};
use super::{Language, arithmetic, members, program};

type Outcome = Result<Value, String>;

/// The value of a node. Chains of operators are trees that lean to the left, so this frame is kept small.
pub(super) fn value(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    match node {
        Node::Constant(value) => Ok(value.clone()),
        Node::Local(place) => Ok(frame.locals[*place as usize].clone()),
        Node::Binary(operator, left, right) => {
            let left = value(left, frame)?;
            let right = value(right, frame)?;
            binary(*operator, &left, &right, frame.language)
        }
        Node::And(..) | Node::Or(..) | Node::Choice(..) | Node::Else(..) => branch(node, frame),
        Node::Method { .. } | Node::Static(..) | Node::Function(..) | Node::New(..) => call(node, frame),
        Node::Not(inner)
        | Node::Minus(inner)
        | Node::Plus(inner)
        | Node::Empty(inner)
        | Node::Size(inner)
        | Node::Cast(inner, _)
        | Node::Narrow(inner, _) => {
            let inner = value(inner, frame)?;
            changed(node, inner, frame.language)
        }
        Node::Act(act, arguments) => act.run(arguments, frame),
        Node::Assign(_) => assign(node, frame),
        Node::Joined(_) | Node::List(_) | Node::Map(_) | Node::Range(..) | Node::Closure(_) => {
            made(node, frame)
        }
        Node::Index(..) | Node::Member { .. } | Node::Stage(_) => reached(node, frame),
        _ => seen(node, frame),
    }
}

fn values(nodes: &[Node], frame: &mut Frame<'_>) -> Result<Vec<Value>, String> {
    nodes.iter().map(|node| value(node, frame)).collect()
}

/// What computes one side only.
fn branch(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    let language = frame.language;
    match node {
        Node::And(left, right) | Node::Or(left, right) => {
            let left = value(left, frame)?;
            let truth = arithmetic::truth(&left, language)?;
            if truth == matches!(node, Node::Or(..)) {
                return Ok(decided(left, truth, language));
            }
            joined(value(right, frame)?, language)
        }
        Node::Choice(parts) => {
            let [condition, yes, no] = &**parts;
            let condition = value(condition, frame)?;
            value(if arithmetic::choice(&condition, language)? { yes } else { no }, frame)
        }
        Node::Else(left, right) => {
            let left = value(left, frame)?;
            if arithmetic::choice(&left, language)? { Ok(left) } else { value(right, frame) }
        }
        _ => unreachable!("only what branches is given"),
    }
}

fn call(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    match node {
        Node::Method { of, method, name, arguments, safe } => {
            let of = value(of, frame)?;
            if *safe && of == Value::Null {
                return Ok(Value::Null);
            }
            let arguments = values(arguments, frame)?;
            match (method, &of) {
                (Some(method), of) if !matches!(of, Value::Object(_)) => {
                    method.call(of, &arguments, frame.language)
                }
                _ => members::call(&of, name, &arguments, frame),
            }
        }
        Node::Static(function, arguments) => {
            let arguments = values(arguments, frame)?;
            function.call(&arguments, frame.language)
        }
        Node::Function(function, arguments) => {
            let arguments = values(arguments, frame)?;
            function.call(&arguments, frame)
        }
        Node::New(made, arguments) => {
            let arguments = values(arguments, frame)?;
            made.make(&arguments, frame)
        }
        _ => unreachable!("only calls are given"),
    }
}

fn assign(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    let Node::Assign(assignment) = node else { unreachable!("only assignments are given") };
    let (mut old, mut new) = (Value::Null, value(&assignment.value, frame)?);
    if let Some(operator) = assignment.operator {
        old = match &assignment.target {
            Target::Local(place, _) => frame.locals[*place as usize].clone(),
            Target::Index(of, key) => {
                let (of, key) = (value(of, frame)?, value(key, frame)?);
                members::at(&of, &key, frame.language)?
            }
            Target::Member(of, name) => {
                let of = value(of, frame)?;
                members::property(&of, name, frame)?
            }
        };
        new = binary(operator, &old, &new, frame.language)?;
    }
    let new = program::assign(&assignment.target, new, frame)?;
    Ok(if assignment.gives_old { old } else { new })
}

/// Texts, lists and maps made of values.
fn made(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    match node {
        Node::Joined(parts) => {
            let mut text = String::new();
            for part in parts {
                let part = value(part, frame)?;
                if !object::is_shown(&part, frame.language) {
                    return Err("the text of this object needs a script engine".to_owned());
                }
                text.push_str(&part.to_text(frame.language));
            }
            Ok(Value::Text(Text { text: text.into(), own: false, joined: true }))
        }
        Node::List(nodes) => Ok(Value::list(values(nodes, frame)?)),
        Node::Map(entries) => {
            let mut map = Vec::with_capacity(entries.len());
            for (key, node) in entries {
                let key = value(key, frame)?;
                map.push((key, value(node, frame)?));
            }
            Ok(Value::object(Object::Map(std::cell::RefCell::new(map))))
        }
        Node::Range(from, to) => {
            let from = value(from, frame)?;
            let to = value(to, frame)?;
            members::range(&from, &to)
        }
        Node::Closure(closure) => Ok(Value::object(Object::Closure(closure.clone()))),
        _ => unreachable!("only what makes something is given"),
    }
}

/// Parts of objects, and the objects of the element.
fn reached(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    match node {
        Node::Index(of, key) => {
            let of = value(of, frame)?;
            let key = value(key, frame)?;
            members::at(&of, &key, frame.language)
        }
        Node::Member { of, name, safe } => {
            let of = value(of, frame)?;
            if *safe && of == Value::Null {
                return Ok(Value::Null);
            }
            members::property(&of, name, frame)
        }
        Node::Stage(which) => {
            let there = frame.stage.as_deref().is_some_and(|stage| stage.has(*which));
            Ok(if there { Value::object(Object::Stage(*which)) } else { Value::Null })
        }
        _ => unreachable!("only what reaches something is given"),
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
        Node::Narrow(_, to) => narrowed(value, *to, language),
        _ => unreachable!("only what has one part is given"),
    }
}

/// `(Type) value`.
fn narrowed(value: Value, to: super::tree::Type, language: Language) -> Outcome {
    use super::tree::Type;
    match (&value, to) {
        (Value::Text(_) | Value::Null, Type::Text) => Ok(value),
        (other, Type::Text) if language == Language::Groovy && object::is_shown(other, language) => {
            Ok(Value::java(other.to_text(language)))
        }
        (number, to) if number.is_number() && to != Type::Text => super::groovy::number_to(number, to),
        _ => Err(format!("Cannot cast `{}`", value.to_text(language))),
    }
}

/// What the user and the machine have.
fn seen(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    let language = frame.language;
    if frame.cx.is_none() {
        return Err("there are no objects here".to_owned());
    }
    match node {
        Node::Variable(name) => {
            let name = named(name, frame)?;
            Ok(Value::optional(frame.cx()?.vars.get(&name).map(Rc::clone)))
        }
        Node::Environment(name) => {
            let name = named(name, frame)?;
            Ok(Value::optional(frame.cx()?.host.env(&name)))
        }
        Node::Property(name, default) => {
            let name = named(name, frame)?;
            match (frame.cx()?.props.get(&name), default) {
                (Some(found), _) => Ok(Value::java(found)),
                (None, Some(default)) => value(default, frame),
                (None, None) => Ok(Value::Null),
            }
        }
        Node::Fact(fact) => Ok(fact.value(language, frame.cx()?)),
        _ => Err("a reference that was not replaced".to_owned()),
    }
}

fn named(name: &Node, frame: &mut Frame<'_>) -> Result<Rc<str>, String> {
    match value(name, frame)? {
        Value::Text(text) => Ok(text.text),
        other => Err(format!("`{}` is no name", other.to_text(frame.language))),
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
    let shown = object::is_shown(left, language) && object::is_shown(right, language);
    match operator {
        Operator::Equal => arithmetic::equal(left, right, language).map(Value::Boolean),
        Operator::Unequal => arithmetic::equal(left, right, language).map(|equal| Value::Boolean(!equal)),
        Operator::Same => Ok(Value::Boolean(super::javascript::same(left, right))),
        Operator::Different => Ok(Value::Boolean(!super::javascript::same(left, right))),
        Operator::Matches => super::texts::matched(left, right),
        Operator::Within => super::jexl::within(left, right, language).map(Value::Boolean),
        Operator::NotWithin => super::jexl::within(left, right, language).map(|found| Value::Boolean(!found)),
        Operator::Starts => {
            super::jexl::edge(left, right, |text, start| text.starts_with(start)).map(Value::Boolean)
        }
        Operator::NotStarts => super::jexl::edge(left, right, |text, start| text.starts_with(start))
            .map(|found| Value::Boolean(!found)),
        Operator::Ends => super::jexl::edge(left, right, |text, end| text.ends_with(end)).map(Value::Boolean),
        Operator::NotEnds => super::jexl::edge(left, right, |text, end| text.ends_with(end))
            .map(|found| Value::Boolean(!found)),
        Operator::Less => ordered(&[Less]),
        Operator::Greater => ordered(&[Greater]),
        Operator::AtMost => ordered(&[Less, Equal]),
        Operator::AtLeast => ordered(&[Greater, Equal]),
        Operator::Add if !shown && !matches!(left, Value::Object(_)) => {
            Err("the text of this object needs a script engine".to_owned())
        }
        _ => arithmetic::computed(operator, left, right, language),
    }
}
