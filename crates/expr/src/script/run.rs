//! A tree to a value.

use std::rc::Rc;

use super::failure::{ScriptFailure, exception};
use super::frame::Frame;
use super::object::Object;
use super::tree::{Node, Operator};
use super::value::{Origin, Text, Value};
use super::{Language, arithmetic};

type Outcome = Result<Value, ScriptFailure>;

/// The value of a node. Chains of operators are trees that lean to the left, so this frame is kept small.
pub(super) fn value(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    match node {
        Node::Constant(value) => Ok(value.clone()),
        Node::Local(slot) => Ok(frame.locals[*slot as usize].clone()),
        Node::Binary(operator, left, right) => {
            let left = value(left, frame)?;
            let right = value(right, frame)?;
            binary(*operator, &left, &right, frame.language)
        }
        Node::And(..) | Node::Or(..) | Node::Conditional(..) | Node::Elvis(..) => branch(node, frame),
        Node::Method { .. } | Node::OfObject { .. } => method(node, frame),
        Node::StaticCall(..) | Node::Function(..) | Node::New(..) => call(node, frame),
        Node::Not(inner)
        | Node::Minus(inner)
        | Node::Plus(inner)
        | Node::Empty(inner)
        | Node::Size(inner)
        | Node::Cast(inner, _)
        | Node::CastPrefix(inner, _) => {
            let inner = value(inner, frame)?;
            changed(node, inner, frame.language)
        }
        Node::SideEffect(effect, arguments) => effect.run(arguments, frame),
        Node::Assign(_) => assign(node, frame),
        Node::Interpolated(parts) => joined_text(parts, frame),
        Node::Index(..) | Node::Binding(_) => reached(node, frame),
        Node::Missing(word) => Err(exception(format!("No such property: {word}"))),
        _ => seen(node, frame),
    }
}

fn values(nodes: &[Node], frame: &mut Frame<'_>) -> Result<Vec<Value>, ScriptFailure> {
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
        Node::Conditional(parts) => {
            let [condition, yes, no] = &**parts;
            let condition = value(condition, frame)?;
            value(if arithmetic::choice(&condition, language)? { yes } else { no }, frame)
        }
        Node::Elvis(left, right) => {
            let left = value(left, frame)?;
            if arithmetic::choice(&left, language)? { Ok(left) } else { value(right, frame) }
        }
        _ => unreachable!("only what branches is given"),
    }
}

fn method(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    match node {
        Node::Method { of, method, arguments, safe } => {
            let of = value(of, frame)?;
            if *safe && of == Value::Null {
                return Ok(Value::Null);
            }
            let arguments = values(arguments, frame)?;
            method.call(&of, &arguments, frame.language)
        }
        Node::OfObject { of, method, arguments, safe } => {
            let of = value(of, frame)?;
            if *safe && of == Value::Null {
                return Ok(Value::Null);
            }
            let arguments = values(arguments, frame)?;
            method.call(&of, &arguments, frame)
        }
        _ => unreachable!("only methods are given"),
    }
}

fn call(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    match node {
        Node::StaticCall(function, arguments) => {
            let arguments = values(arguments, frame)?;
            function.call(&arguments, frame.language)
        }
        Node::Function(function, arguments) => {
            let arguments = values(arguments, frame)?;
            function.call(&arguments, frame)
        }
        Node::New(made, arguments) => {
            let arguments = values(arguments, frame)?;
            made.make(&arguments)
        }
        _ => unreachable!("only calls are given"),
    }
}

fn assign(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    let Node::Assign(assignment) = node else { unreachable!("only assignments are given") };
    let slot = assignment.slot as usize;
    // What stands on the left is read first.
    let old = frame.locals[slot].clone();
    let mut new = value(&assignment.value, frame)?;
    if let Some(operator) = assignment.operator {
        new = binary(operator, &old, &new, frame.language)?;
    }
    let new = assignment.declared.hold(new, frame.language)?;
    frame.locals[slot] = new.clone();
    Ok(if assignment.gives_old { old } else { new })
}

fn joined_text(parts: &[Node], frame: &mut Frame<'_>) -> Outcome {
    let mut text = String::new();
    for part in parts {
        text.push_str(&value(part, frame)?.to_text(frame.language));
    }
    Ok(Value::Text(Text { text: text.into(), origin: Origin::GString }))
}

/// Parts of arrays, and the objects of the element.
fn reached(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    match node {
        Node::Index(of, at) => {
            let of = value(of, frame)?;
            let at = value(at, frame)?;
            part(&of, &at, frame.language)
        }
        Node::Binding(binding) => {
            let there = frame.stage.as_deref().is_some_and(|stage| stage.has(*binding));
            Ok(if there { Value::object(Object::Binding(*binding)) } else { Value::Null })
        }
        _ => unreachable!("only what reaches something is given"),
    }
}

/// `of[at]` of an array. Groovy counts from the end, too.
fn part(of: &Value, at: &Value, language: Language) -> Outcome {
    let (Value::Object(object), Value::Int(at)) = (of, at) else {
        return Err(exception("Cannot get a part of null"));
    };
    let Object::Array(values) = &**object else { return Err(exception("it is no array")) };
    let from_end = *at < 0 && language == Language::Groovy;
    let slot = if from_end { i64::from(*at) + values.len() as i64 } else { i64::from(*at) };
    let found = usize::try_from(slot).ok().and_then(|slot| values.get(slot).cloned());
    found.ok_or_else(|| exception(format!("Index {at} out of bounds for length {}", values.len())))
}

/// What makes one value of another.
fn changed(node: &Node, value: Value, language: Language) -> Outcome {
    match node {
        Node::Not(_) => Ok(Value::Boolean(!arithmetic::truth(&value, language)?)),
        Node::Minus(_) => arithmetic::negated(&value, language),
        Node::Plus(_) => arithmetic::positive(value, language),
        Node::Empty(_) => Ok(Value::Boolean(super::jexl::is_empty(&value))),
        Node::Size(_) => super::jexl::size(&value, language),
        Node::Cast(_, to) => super::groovy::cast(&value, *to),
        Node::CastPrefix(_, to) => narrowed(value, *to, language),
        _ => unreachable!("only what has one part is given"),
    }
}

/// `(Type) value`.
fn narrowed(value: Value, to: super::tree::Type, language: Language) -> Outcome {
    use super::tree::Type;
    match (&value, to) {
        (Value::Text(_) | Value::Null, Type::Text) => Ok(value),
        (other, Type::Text) if language == Language::Groovy => Ok(Value::host(other.to_text(language))),
        (number, to) if number.is_number() && to != Type::Text => super::groovy::number_to(number, to),
        _ => Err(exception(format!("Cannot cast `{}`", value.to_text(language)))),
    }
}

/// What the user and the machine have.
fn seen(node: &Node, frame: &mut Frame<'_>) -> Outcome {
    let language = frame.language;
    if frame.cx.is_none() {
        return Err(exception("there are no objects here"));
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
                (Some(found), _) => Ok(Value::host(found)),
                (None, Some(default)) => value(default, frame),
                (None, None) => Ok(Value::Null),
            }
        }
        Node::Fact(fact) => Ok(fact.value(language, frame.cx()?)),
        _ => Err(exception("a reference that was not replaced")),
    }
}

fn named(name: &Node, frame: &mut Frame<'_>) -> Result<Rc<str>, ScriptFailure> {
    match value(name, frame)? {
        Value::Text(text) => Ok(text.text),
        other => Err(exception(format!("`{}` is no name", other.to_text(frame.language)))),
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
        Operator::Same => super::javascript::same(left, right).map(Value::Boolean),
        Operator::Different => super::javascript::same(left, right).map(|same| Value::Boolean(!same)),
        Operator::Matches => super::patterns::matched(left, right).map(Value::Boolean),
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
        _ => arithmetic::computed(operator, left, right, language),
    }
}
