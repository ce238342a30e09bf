//! What an expression finds.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::functions::{self, Argument};
use super::{Comparator, Node};
use swell_query::json::Json;

pub(super) type Value<'a> = Cow<'a, Json<'a>>;
pub(super) type Outcome<'a> = Result<Value<'a>, String>;

fn null<'a>() -> Value<'a> {
    Cow::Owned(Json::Null)
}

pub(super) fn search<'a>(node: &'a Node, input: Value<'a>) -> Outcome<'a> {
    match node {
        Node::Current => Ok(input),
        Node::Property(name) => Ok(member(input, name)),
        Node::Index(index) => Ok(element(input, *index)),
        Node::Chain(first, then) => search(then, search(first, input)?),
        Node::Projection(list, each) => project(each, search(list, input)?),
        Node::Literal(value) => Ok(Cow::Borrowed(value)),
        Node::Values | Node::Flatten | Node::Slice(..) | Node::Select(_) => list(node, input),
        Node::Compare(..) | Node::And(..) | Node::Or(..) | Node::Not(_) => logic(node, input),
        Node::List(_) | Node::Hash(_) => made(node, &input),
        Node::Call(function, arguments) => {
            let mut given = Vec::with_capacity(arguments.len());
            for argument in arguments {
                given.push(match argument {
                    Node::Reference(expression) => Argument::Expression(expression),
                    other => Argument::Value(search(other, input.clone())?),
                });
            }
            functions::call(*function, given)
        }
        Node::Reference(_) => Err("an expression reference outside of arguments".to_owned()),
    }
}

fn member<'a>(input: Value<'a>, name: &str) -> Value<'a> {
    match input {
        Cow::Borrowed(value) => value.get(name).map_or_else(null, Cow::Borrowed),
        Cow::Owned(Json::Object(members)) => {
            let found = members.into_iter().find(|(key, _)| key == name);
            found.map_or_else(null, |(_, value)| Cow::Owned(value))
        }
        Cow::Owned(_) => null(),
    }
}

fn element(input: Value<'_>, index: i64) -> Value<'_> {
    let place = |length: usize| {
        let at = if index < 0 { length as i64 + index } else { index };
        usize::try_from(at).ok().filter(|at| *at < length)
    };
    match input {
        Cow::Borrowed(Json::Array(members)) => {
            place(members.len()).map_or_else(null, |at| Cow::Borrowed(&members[at]))
        }
        Cow::Owned(Json::Array(mut members)) => {
            place(members.len()).map_or_else(null, |at| Cow::Owned(members.swap_remove(at)))
        }
        _ => null(),
    }
}

/// Elements of an array, each borrowed where the array is; none of what is no array.
fn elements(input: Value<'_>) -> Option<Vec<Value<'_>>> {
    match input {
        Cow::Borrowed(Json::Array(members)) => Some(members.iter().map(Cow::Borrowed).collect()),
        Cow::Owned(Json::Array(members)) => Some(members.into_iter().map(Cow::Owned).collect()),
        _ => None,
    }
}

fn array<'a>(members: impl IntoIterator<Item = Value<'a>>) -> Value<'a> {
    Cow::Owned(Json::Array(members.into_iter().map(Cow::into_owned).collect()))
}

fn project<'a>(each: &'a Node, list: Value<'a>) -> Outcome<'a> {
    let Some(members) = elements(list) else { return Ok(null()) };
    let mut results = Vec::with_capacity(members.len());
    for member in members {
        let result = search(each, member)?;
        if *result != Json::Null {
            results.push(result);
        }
    }
    Ok(array(results))
}

fn list<'a>(node: &'a Node, input: Value<'a>) -> Outcome<'a> {
    Ok(match node {
        Node::Values => match input.into_owned() {
            Json::Object(members) => Cow::Owned(Json::Array(members.into_iter().map(|(_, v)| v).collect())),
            _ => null(),
        },
        Node::Flatten => match elements(input) {
            None => null(),
            Some(members) => array(members.into_iter().flat_map(|member| {
                if member.is_array() { elements(member).unwrap_or_default() } else { vec![member] }
            })),
        },
        Node::Slice(start, stop, step) => {
            let is_array = input.is_array();
            array(slice(&list_of(input), is_array, *start, *stop, *step)?)
        }
        Node::Select(test) => {
            let Some(members) = elements(input) else { return Ok(null()) };
            let mut chosen = Vec::new();
            for member in members {
                if truth(&*search(test, member.clone())?) {
                    chosen.push(member);
                }
            }
            array(chosen)
        }
        _ => unreachable!("only what makes lists is given"),
    })
}

/// `Adapter.toList`: elements, or the values of an object, or nothing.
pub(super) fn list_of(input: Value<'_>) -> Vec<Value<'_>> {
    match input {
        Cow::Borrowed(Json::Object(members)) => members.iter().map(|(_, v)| Cow::Borrowed(v)).collect(),
        Cow::Owned(Json::Object(members)) => members.into_iter().map(|(_, v)| Cow::Owned(v)).collect(),
        other => elements(other).unwrap_or_default(),
    }
}

/// As the library: backwards from the first of what is empty gives null for an array, and is an exception else.
fn slice<'a>(
    members: &[Value<'a>],
    is_array: bool,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> Result<Vec<Value<'a>>, String> {
    let length = members.len() as i64;
    let (limit, rounding) = if step < 0 { (-1, step + 1) } else { (0, step - 1) };
    let start = start.unwrap_or(limit);
    let begin = if start < 0 { (length + start).max(0) } else { start.min(length + limit) };
    let end = match stop {
        Some(stop) if stop < 0 => (length + stop).max(limit),
        Some(stop) => stop.min(length),
        None if step < 0 => limit,
        None => length,
    };
    let steps = ((end - begin + rounding) / step).max(0);
    let places = (0..steps).map(|nth| begin + nth * step);
    let member = |at: i64| {
        let member = usize::try_from(at).ok().and_then(|at| members.get(at)).cloned();
        member
            .or_else(|| is_array.then(null))
            .ok_or_else(|| format!("Index {at} out of bounds for length {length}"))
    };
    places.map(member).collect()
}

fn logic<'a>(node: &'a Node, input: Value<'a>) -> Outcome<'a> {
    Ok(match node {
        Node::Not(inner) => boolean(!truth(&*search(inner, input)?)),
        Node::And(left, right) | Node::Or(left, right) => {
            let first = search(left, input.clone())?;
            if truth(&first) == matches!(node, Node::Or(..)) { first } else { search(right, input)? }
        }
        Node::Compare(comparator, left, right) => {
            let (left, right) = (search(left, input.clone())?, search(right, input)?);
            compare(*comparator, &left, &right).map_or_else(null, boolean)
        }
        _ => unreachable!("only logic is given"),
    })
}

pub(super) fn boolean<'a>(value: bool) -> Value<'a> {
    Cow::Owned(Json::Bool(value))
}

/// Only numbers have an order.
fn compare(comparator: Comparator, left: &Json<'_>, right: &Json<'_>) -> Option<bool> {
    match comparator {
        Comparator::Equal => return Some(order(left, right) == Ordering::Equal),
        Comparator::Unequal => return Some(order(left, right) != Ordering::Equal),
        _ => {}
    }
    let order = left.as_f64()?.total_cmp(&right.as_f64()?);
    Some(match comparator {
        Comparator::Less => order == Ordering::Less,
        Comparator::AtMost => order != Ordering::Greater,
        Comparator::Greater => order == Ordering::Greater,
        _ => order != Ordering::Less,
    })
}

/// `BaseRuntime.compare`: of two kinds the first is less.
pub(super) fn order(left: &Json<'_>, right: &Json<'_>) -> Ordering {
    let same = |same: bool| if same { Ordering::Equal } else { Ordering::Less };
    match (left, right) {
        (Json::Null, Json::Null) => Ordering::Equal,
        (Json::Bool(a), Json::Bool(b)) => same(a == b),
        (Json::Text(a), Json::Text(b)) => a.encode_utf16().cmp(b.encode_utf16()),
        (Json::Array(a), Json::Array(b)) => {
            same(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| order(a, b) == Ordering::Equal))
        }
        (Json::Object(a), Json::Object(b)) => same(
            a.len() == b.len()
                && a.iter().all(|(key, value)| {
                    right.get(key).is_some_and(|other| order(value, other) == Ordering::Equal)
                }),
        ),
        _ => match (left.as_f64(), right.as_f64()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => Ordering::Less,
        },
    }
}

pub(super) fn truth(value: &Json<'_>) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(value) => *value,
        Json::Text(text) => !text.is_empty(),
        Json::Array(members) => !members.is_empty(),
        Json::Object(members) => !members.is_empty(),
        _ => true,
    }
}

fn made<'a>(node: &'a Node, input: &Value<'a>) -> Outcome<'a> {
    if **input == Json::Null {
        return Ok(null());
    }
    match node {
        Node::List(members) => {
            let values = members.iter().map(|member| search(member, input.clone()));
            Ok(array(values.collect::<Result<Vec<_>, _>>()?))
        }
        Node::Hash(members) => {
            let mut object = Vec::with_capacity(members.len());
            for (key, value) in members {
                let value = search(value, input.clone())?.into_owned();
                Json::set(&mut object, Cow::Borrowed(key), value);
            }
            Ok(Cow::Owned(Json::Object(object)))
        }
        _ => unreachable!("only what makes values is given"),
    }
}
