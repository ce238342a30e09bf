//! The functions of JMESPath (`io.burt.jmespath.function`).

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Node;
use super::evaluate::{Outcome, Value, boolean, list_of, order, search};
use swell_java::format::parse_double;
use swell_query::json::Json;

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Function(&'static Signature);

#[derive(Debug, PartialEq, Eq)]
struct Signature {
    name: &'static str,
    least: usize,
    most: usize,
}

const ANY: usize = usize::MAX;

/// Names, and how many arguments they take.
static TABLE: [Signature; 26] = [
    entry("abs", 1, 1),
    entry("avg", 1, 1),
    entry("ceil", 1, 1),
    entry("contains", 2, 2),
    entry("ends_with", 2, 2),
    entry("floor", 1, 1),
    entry("join", 2, 2),
    entry("keys", 1, 1),
    entry("length", 1, 1),
    entry("map", 2, 2),
    entry("max", 1, 1),
    entry("max_by", 2, 2),
    entry("merge", 1, ANY),
    entry("min", 1, 1),
    entry("min_by", 2, 2),
    entry("not_null", 1, ANY),
    entry("reverse", 1, 1),
    entry("sort", 1, 1),
    entry("sort_by", 2, 2),
    entry("starts_with", 2, 2),
    entry("sum", 1, 1),
    entry("to_array", 1, 1),
    entry("to_number", 1, 1),
    entry("to_string", 1, 1),
    entry("type", 1, 1),
    entry("values", 1, 1),
];

const fn entry(name: &'static str, least: usize, most: usize) -> Signature {
    Signature { name, least, most }
}

/// An argument of a call.
pub(super) enum Argument<'a> {
    Value(Value<'a>),
    Expression(&'a Node),
}

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|entry| entry.name == name).map(Self)
    }

    pub(super) fn check_count(self, count: usize) -> Result<(), String> {
        let Signature { name, least, most } = self.0;
        if (*least..=*most).contains(&count) {
            return Ok(());
        }
        let expected = if least == most { format!("{least}") } else { format!("at least {least}") };
        Err(format!("invalid arity calling \"{name}\" (expected {expected} but was {count})"))
    }

    fn wrong<T>(self, expected: &str, actual: &str) -> Result<T, String> {
        Err(format!(
            "Invalid argument type calling \"{}\": expected {expected} but was {actual}",
            self.0.name
        ))
    }
}

/// The kind of a value in messages and of `type`.
fn kind(value: &Json<'_>) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Text(_) => "string",
        Json::Array(_) | Json::Keys(_) => "array",
        Json::Object(_) => "object",
        _ => "number",
    }
}

/// Arguments in turn, with their checks.
struct Given<'a> {
    function: Function,
    left: std::vec::IntoIter<Argument<'a>>,
}

impl<'a> Given<'a> {
    fn any(&mut self) -> Result<Value<'a>, String> {
        self.one_of(&[], "any value")
    }

    /// A value of one of these kinds; any, if there are none.
    fn one_of(&mut self, kinds: &[&str], expected: &str) -> Result<Value<'a>, String> {
        match self.left.next() {
            Some(Argument::Value(value)) if kinds.is_empty() || kinds.contains(&kind(&value)) => Ok(value),
            Some(Argument::Value(value)) => self.function.wrong(expected, kind(&value)),
            Some(Argument::Expression(_)) => self.function.wrong(expected, "expression"),
            None => Err("the number of arguments was checked".to_owned()),
        }
    }

    fn text(&mut self) -> Result<String, String> {
        Ok(text_of(&*self.one_of(&["string"], "string")?))
    }

    fn number(&mut self) -> Result<f64, String> {
        let value = self.one_of(&["number"], "number")?;
        Ok(value.as_f64().unwrap_or_default())
    }

    /// An array whose elements are all of one kind, and that kind is one of these.
    fn array_of(&mut self, kinds: &[&str], expected: &str) -> Result<Vec<Value<'a>>, String> {
        let expected = format!("array of {expected}");
        let members = list_of(self.one_of(&["array"], &expected)?);
        let mut found: Vec<&str> = Vec::new();
        for member in &members {
            if !found.contains(&kind(member)) {
                found.push(kind(member));
            }
        }
        match found.as_slice() {
            [] => Ok(members),
            [one] if kinds.is_empty() || kinds.contains(one) => Ok(members),
            [one] => self.function.wrong(&expected, &format!("array containing {one}")),
            [all @ .., last] => {
                self.function.wrong(&expected, &format!("array containing {} and {last}", all.join(", ")))
            }
        }
    }

    fn expression(&mut self) -> Result<&'a Node, String> {
        match self.left.next() {
            Some(Argument::Expression(node)) => Ok(node),
            Some(Argument::Value(value)) => self.function.wrong("expression", kind(&value)),
            None => Err("the number of arguments was checked".to_owned()),
        }
    }
}

fn text_of(value: &Json<'_>) -> String {
    match value {
        Json::Text(text) => text.to_string(),
        other => other.jackson_text(),
    }
}

fn text<'a>(value: String) -> Value<'a> {
    Cow::Owned(Json::Text(value.into()))
}

fn double<'a>(value: f64) -> Value<'a> {
    Cow::Owned(Json::Double(value))
}

fn array<'a>(members: impl IntoIterator<Item = Value<'a>>) -> Value<'a> {
    Cow::Owned(Json::Array(members.into_iter().map(Cow::into_owned).collect()))
}

pub(super) fn call(function: Function, arguments: Vec<Argument<'_>>) -> Outcome<'_> {
    let mut given = Given { function, left: arguments.into_iter() };
    match function.0.name {
        "abs" => given.number().map(|n| double(n.abs())),
        "ceil" => given.number().map(|n| double(n.ceil())),
        "floor" => given.number().map(|n| double(n.floor())),
        "avg" | "sum" => numbers(&mut given),
        "max" | "min" => extreme(&mut given),
        "max_by" | "min_by" | "sort_by" => by(&mut given),
        "contains" | "starts_with" | "ends_with" | "join" | "length" | "reverse" => texts(&mut given),
        "to_array" | "to_number" | "to_string" | "type" => converted(&mut given),
        _ => lists(&mut given),
    }
}

fn numbers<'a>(given: &mut Given<'a>) -> Outcome<'a> {
    let members = given.array_of(&["number"], "number")?;
    let sum: f64 = members.iter().filter_map(|member| member.as_f64()).fold(0.0, |sum, n| sum + n);
    Ok(match given.function.0.name {
        "sum" => double(sum),
        _ if members.is_empty() => Cow::Owned(Json::Null),
        _ => double(sum / members.len() as f64),
    })
}

/// What sorts before the rest.
fn wanted(function: Function) -> Ordering {
    if function.0.name.starts_with("max") { Ordering::Greater } else { Ordering::Less }
}

fn extreme<'a>(given: &mut Given<'a>) -> Outcome<'a> {
    let wanted = wanted(given.function);
    let members = given.array_of(&["number", "string"], "number or string")?;
    let best =
        members.into_iter().reduce(|best, next| if order(&next, &best) == wanted { next } else { best });
    Ok(best.unwrap_or(Cow::Owned(Json::Null)))
}

fn by<'a>(given: &mut Given<'a>) -> Outcome<'a> {
    let members = given.array_of(&["object"], "object")?;
    let (function, expression) = (given.function, given.expression()?);
    let mut pairs: Vec<(Json<'a>, Value<'a>)> = Vec::with_capacity(members.len());
    for member in members {
        let value = search(expression, member.clone())?.into_owned();
        let expected = pairs.first().map(|(first, _)| kind(first));
        match (kind(&value), expected) {
            ("number" | "string", None) => {}
            (actual, None) => return function.wrong("number or string", actual),
            (actual, Some(expected)) if actual == expected => {}
            (actual, Some(expected)) => return function.wrong(expected, actual),
        }
        pairs.push((value, member));
    }
    if function.0.name == "sort_by" {
        pairs.sort_by(|(a, _), (b, _)| order(a, b));
        return Ok(array(pairs.into_iter().map(|(_, member)| member)));
    }
    let wanted = wanted(function);
    let best =
        pairs.into_iter().reduce(|best, next| if order(&next.0, &best.0) == wanted { next } else { best });
    Ok(best.map_or(Cow::Owned(Json::Null), |(_, member)| member))
}

fn texts<'a>(given: &mut Given<'a>) -> Outcome<'a> {
    match given.function.0.name {
        "contains" => {
            let (subject, sought) = (given.one_of(&["array", "string"], "array or string")?, given.any()?);
            Ok(boolean(match &*subject {
                Json::Array(members) => members.iter().any(|member| member.equals(&sought)),
                subject => text_of(subject).contains(&text_of(&sought)),
            }))
        }
        "starts_with" => Ok(boolean(given.text()?.starts_with(&given.text()?))),
        "ends_with" => Ok(boolean(given.text()?.ends_with(&given.text()?))),
        "join" => {
            let glue = given.text()?;
            let members = given.array_of(&["string"], "string")?;
            Ok(text(members.iter().map(|member| text_of(member)).collect::<Vec<_>>().join(&glue)))
        }
        "length" => {
            let subject = given.one_of(&["string", "array", "object"], "string, array or object")?;
            let length = match &*subject {
                Json::Text(text) => text.encode_utf16().count(),
                Json::Array(members) => members.len(),
                Json::Object(members) => members.len(),
                _ => 0,
            };
            Ok(Cow::Owned(Json::Int(length as i64)))
        }
        _ => {
            let subject = given.one_of(&["array", "string"], "array or string")?;
            Ok(match &*subject {
                Json::Text(subject) => text(subject.chars().rev().collect()),
                _ => array(list_of(subject).into_iter().rev()),
            })
        }
    }
}

fn converted<'a>(given: &mut Given<'a>) -> Outcome<'a> {
    let value = given.any()?;
    Ok(match given.function.0.name {
        "type" => text(kind(&value).to_owned()),
        "to_string" => match &*value {
            Json::Text(_) => value,
            other => text(other.jackson_text()),
        },
        "to_array" => match &*value {
            Json::Array(_) => value,
            _ => array([value]),
        },
        _ => match &*value {
            Json::Text(digits) => match parse_double(digits) {
                None => Cow::Owned(Json::Null),
                Some(number) if number.fract() == 0.0 || number.is_infinite() => {
                    Cow::Owned(Json::Int(number as i64))
                }
                Some(number) => double(number),
            },
            other if kind(other) == "number" => value,
            _ => Cow::Owned(Json::Null),
        },
    })
}

fn lists<'a>(given: &mut Given<'a>) -> Outcome<'a> {
    match given.function.0.name {
        "keys" => {
            let keys = match given.one_of(&["object"], "object")?.into_owned() {
                Json::Object(members) => members.into_iter().map(|(key, _)| Json::Text(key)).collect(),
                _ => Vec::new(),
            };
            Ok(Cow::Owned(Json::Array(keys)))
        }
        "values" => Ok(array(list_of(given.one_of(&["object"], "object")?))),
        "map" => {
            let expression = given.expression()?;
            let members = given.array_of(&[], "any value")?;
            let results = members.into_iter().map(|member| search(expression, member));
            Ok(array(results.collect::<Result<Vec<_>, _>>()?))
        }
        "merge" => {
            let mut merged = Vec::new();
            while given.left.len() > 0 {
                if let Json::Object(members) = given.one_of(&["object"], "object")?.into_owned() {
                    for (key, value) in members {
                        Json::set(&mut merged, key, value);
                    }
                }
            }
            Ok(Cow::Owned(Json::Object(merged)))
        }
        "not_null" => {
            let mut found = Cow::Owned(Json::Null);
            while given.left.len() > 0 && *found == Json::Null {
                found = given.any()?;
            }
            Ok(found)
        }
        _ => {
            let mut members = given.array_of(&["number", "string"], "number or string")?;
            members.sort_by(|a, b| order(a, b));
            Ok(array(members))
        }
    }
}
