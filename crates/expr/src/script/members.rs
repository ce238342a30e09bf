//! Methods and properties of objects.

use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::Rng as _;

use super::Language;
use super::dates;
use super::frame::Frame;
use super::object::{self, Object};
use super::program::{self, Flow};
use super::stage_members;
use super::texts;
use super::tree::Closure;
use super::value::Value;

/// Methods that objects have, and texts beyond those that every language knows.
const KNOWN: &[&str] = &[
    "add",
    "addAll",
    "all",
    "any",
    "append",
    "askThreadsToStop",
    "capitalize",
    "charAt",
    "clear",
    "close",
    "collect",
    "contains",
    "containsKey",
    "decode",
    "doubleValue",
    "drop",
    "each",
    "eachWithIndex",
    "encode",
    "encodeBase64",
    "encodeToString",
    "equals",
    "every",
    "find",
    "findAll",
    "first",
    "flush",
    "format",
    "get",
    "getAt",
    "getBytes",
    "getMessage",
    "getTime",
    "hashCode",
    "insert",
    "intValue",
    "isEmpty",
    "isNumber",
    "join",
    "keySet",
    "last",
    "length",
    "longValue",
    "matches",
    "minusDays",
    "minusHours",
    "minusMinutes",
    "minusMonths",
    "minusSeconds",
    "minusWeeks",
    "minusYears",
    "newLine",
    "nextBoolean",
    "nextDouble",
    "nextGaussian",
    "nextInt",
    "nextLong",
    "padLeft",
    "padRight",
    "parseText",
    "plusDays",
    "plusHours",
    "plusMinutes",
    "plusMonths",
    "plusSeconds",
    "plusWeeks",
    "plusYears",
    "print",
    "println",
    "put",
    "readLines",
    "remove",
    "replaceAll",
    "replaceFirst",
    "reverse",
    "round",
    "setTimeZone",
    "size",
    "split",
    "stopTest",
    "sum",
    "take",
    "times",
    "toBigDecimal",
    "toList",
    "toString",
    "tokenize",
    "values",
    "write",
];

/// Whether a method of that name is known of some object.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || stage_members::is_known(name)
}

/// A whole number of 32 bits.
pub(super) fn int_of(value: &Value) -> Result<i32, String> {
    match value {
        Value::Int(number) => Ok(*number),
        Value::Long(number) => i32::try_from(*number).map_err(|_| format!("{number} is too large")),
        other => Err(format!("`{}` is no whole number", other.to_text(Language::Groovy))),
    }
}

/// The bytes of a text, or bytes themselves.
pub(super) fn bytes_of(value: &Value, language: Language) -> Result<Rc<[u8]>, String> {
    match value {
        Value::Text(text) => Ok(text.text.as_bytes().into()),
        Value::Object(object) => match &**object {
            Object::Bytes(bytes) => Ok(bytes.clone()),
            _ => Err("bytes are wanted".to_owned()),
        },
        other => Err(format!("`{}` has no bytes", other.to_text(language))),
    }
}

/// Calls a method that only objects have. The error is the exception.
pub(super) fn call(
    of: &Value,
    name: &str,
    arguments: &[Value],
    frame: &mut Frame<'_>,
) -> Result<Value, String> {
    let language = frame.language;
    let unknown = || Err(format!("`.{name}` of `{}` needs a script engine", kind_of(of)));
    match of {
        Value::Text(text) => match texts::call(text, name, arguments, language) {
            Some(result) => result,
            None if language == Language::Groovy => {
                let letters = text.text.chars().map(|c| Value::java(c.to_string())).collect();
                of_list(&Object::List(std::cell::RefCell::new(letters), false), name, arguments, frame)
                    .unwrap_or_else(unknown)
            }
            None => unknown(),
        },
        Value::Object(object) => of_object(object, name, arguments, frame).unwrap_or_else(unknown),
        Value::Null => Err(format!("Cannot invoke method {name}() on null object")),
        number if number.is_number() => of_number(number, name, arguments, frame).unwrap_or_else(unknown),
        _ => unknown(),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Undefined | Value::Null => "null",
        Value::Boolean(_) => "a boolean",
        Value::Int(_) | Value::Long(_) | Value::Decimal(_) | Value::Double(_) => "a number",
        Value::Char(_) => "a character",
        Value::Text(_) => "a text",
        Value::Object(_) => "an object",
    }
}

fn of_number(
    number: &Value,
    name: &str,
    arguments: &[Value],
    frame: &mut Frame<'_>,
) -> Option<Result<Value, String>> {
    use super::tree::Type;
    Some(match (name, arguments) {
        ("intValue", []) => super::groovy::number_to(number, Type::Int),
        ("longValue", []) => super::groovy::number_to(number, Type::Long),
        ("doubleValue", []) => super::groovy::number_to(number, Type::Double),
        ("round", []) if frame.language == Language::Groovy => match number {
            Value::Double(number) => Ok(Value::Long((number + 0.5).floor() as i64)),
            _ => return None,
        },
        ("times", [Value::Object(closure)]) if frame.language == Language::Groovy => {
            let (Object::Closure(closure), Some(count)) = (&**closure, number.as_long()) else { return None };
            let turns =
                (0..count).try_for_each(|at| apply(closure, &[Value::Int(at as i32)], frame).map(drop));
            turns.map(|()| Value::Null)
        }
        _ => return None,
    })
}

/// None if there is no such method.
fn of_object(
    object: &Rc<Object>,
    name: &str,
    arguments: &[Value],
    frame: &mut Frame<'_>,
) -> Option<Result<Value, String>> {
    let language = frame.language;
    let found = match &**object {
        Object::List(..) => of_list(object, name, arguments, frame),
        Object::Map(_) => of_map(object, name, arguments, frame),
        Object::Builder(_) => of_builder(object, name, arguments, language),
        Object::Random => of_random(name, arguments, frame),
        Object::Date(_) | Object::Format(..) | Object::Local(..) => of_time(object, name, arguments, frame),
        Object::Slurper => match (name, arguments) {
            ("parseText", [Value::Text(text)]) => Some(super::json::parse(&text.text)),
            ("parseText", [Value::Null]) => Some(Err("Text must not be null or empty".to_owned())),
            _ => None,
        },
        Object::Encoder => match (name, arguments) {
            ("encodeToString", [bytes @ Value::Object(_)]) => {
                Some(bytes_of(bytes, language).map(|bytes| Value::java(STANDARD.encode(bytes))))
            }
            _ => None,
        },
        Object::Decoder => match (name, arguments) {
            ("decode", [text]) => Some(bytes_of(text, language).and_then(|text| {
                let bytes = STANDARD.decode(text).map_err(|reason| reason.to_string())?;
                Ok(Value::object(Object::Bytes(bytes.into())))
            })),
            _ => None,
        },
        Object::Bytes(bytes) => match (name, arguments) {
            // Groovy's own.
            ("encodeBase64", []) if language == Language::Groovy => {
                Some(Ok(Value::object(Object::Shown(STANDARD.encode(bytes).into()))))
            }
            _ => None,
        },
        Object::Shown(text) => match (name, arguments) {
            ("getMessage", []) => Some(Ok(Value::java(text.clone()))),
            _ => None,
        },
        Object::File(_) | Object::Writer(..) => super::files::call(object, name, arguments, frame),
        Object::Stage(which) => stage_members::call(*which, name, arguments, frame),
        Object::Closure(_) => None,
    };
    match (name, arguments) {
        ("toString", []) if found.is_none() && object.is_shown(language) => {
            Some(Ok(Value::java(object.to_text(language))))
        }
        ("equals", [other]) if found.is_none() => Some(match other {
            Value::Object(other) => object::equal(object, other).map(Value::Boolean),
            _ => Ok(Value::Boolean(false)),
        }),
        _ => found,
    }
}

/// Dates and their formats. None if there is no such method.
fn of_time(
    object: &Object,
    name: &str,
    arguments: &[Value],
    frame: &mut Frame<'_>,
) -> Option<Result<Value, String>> {
    let language = frame.language;
    match object {
        Object::Date(time) => match (name, arguments) {
            ("getTime", []) => Some(Ok(Value::Long(time.get()))),
            ("format", [Value::Text(pattern)]) if language == Language::Groovy => {
                Some(dates::format_moment(&pattern.text, false, time.get(), frame))
            }
            _ => None,
        },
        Object::Format(pattern, utc) => match (name, arguments) {
            ("setTimeZone", [Value::Object(zone)]) if matches!(**zone, Object::Shown(_)) => {
                utc.set(true);
                Some(Ok(Value::Null))
            }
            ("format", [Value::Object(date)]) => match &**date {
                Object::Date(time) => Some(dates::format_moment(pattern, utc.get(), time.get(), frame)),
                Object::Local(local, with_time) => Some(dates::format_local(pattern, *local, *with_time)),
                _ => None,
            },
            _ => None,
        },
        Object::Local(local, with_time) => match (name, arguments) {
            ("format", [Value::Object(format)]) => match &**format {
                Object::Format(pattern, _) => Some(dates::format_local(pattern, *local, *with_time)),
                _ => None,
            },
            (_, [by]) => by.as_long().and_then(|by| dates::moved(*local, *with_time, name, by)),
            _ => None,
        },
        _ => None,
    }
}

fn of_list(
    object: &Object,
    name: &str,
    arguments: &[Value],
    frame: &mut Frame<'_>,
) -> Option<Result<Value, String>> {
    let Object::List(values, is_array) = object else { return None };
    let language = frame.language;
    let outside = |at: i32| Err(format!("Index {at} out of bounds for length {}", values.borrow().len()));
    Some(match (name, arguments) {
        ("size", []) if !is_array || language == Language::Groovy => {
            Ok(Value::Int(values.borrow().len() as i32))
        }
        ("isEmpty", []) if !is_array => Ok(Value::Boolean(values.borrow().is_empty())),
        ("add", [value]) if !is_array => {
            values.borrow_mut().push(value.clone());
            Ok(Value::Boolean(true))
        }
        ("get", [at]) if !is_array => int_of(at).and_then(|at| {
            let found = usize::try_from(at).ok().and_then(|at| values.borrow().get(at).cloned());
            found.map_or_else(|| outside(at), Ok)
        }),
        ("contains", [wanted]) => {
            let same = |value: &Value| super::groovy::equal(value, wanted).unwrap_or(false);
            Ok(Value::Boolean(values.borrow().iter().any(same)))
        }
        ("clear", []) => {
            values.borrow_mut().clear();
            Ok(Value::Null)
        }
        ("first" | "last", []) if language == Language::Groovy => {
            let values = values.borrow();
            let found = if name == "first" { values.first() } else { values.last() };
            found.cloned().ok_or_else(|| format!("Cannot access {name}() element from an empty List"))
        }
        ("join", [] | [_]) if language == Language::Groovy => {
            let sign = arguments.first().map_or("", |sign| sign.as_text().unwrap_or_default());
            let values = values.borrow();
            if !values.iter().all(|value| object::is_shown(value, language)) {
                return None;
            }
            let texts: Vec<_> = values.iter().map(|value| value.to_text(language)).collect();
            Ok(Value::java(texts.join(sign)))
        }
        ("sum", []) if language == Language::Groovy => {
            let values = values.borrow();
            let Some((first, rest)) = values.split_first() else { return Some(Ok(Value::Null)) };
            rest.iter().try_fold(first.clone(), |sum, value| {
                super::groovy::computed(super::tree::Operator::Add, &sum, value)
            })
        }
        ("take" | "drop", [count]) if language == Language::Groovy => int_of(count).map(|count| {
            let (count, values) = (usize::try_from(count).unwrap_or(0), values.borrow());
            let at = count.min(values.len());
            Value::list(if name == "take" { values[..at].to_vec() } else { values[at..].to_vec() })
        }),
        ("toList", []) if language == Language::Groovy => Ok(Value::list(values.borrow().clone())),
        ("reverse", []) if language == Language::Groovy => {
            Ok(Value::list(values.borrow().iter().rev().cloned().collect()))
        }
        (_, [Value::Object(closure)]) if language == Language::Groovy => {
            let Object::Closure(closure) = &**closure else { return None };
            let values = values.borrow().clone();
            return over(&values, name, closure, frame);
        }
        _ => return None,
    })
}

/// Methods that take a closure. None if there is no such method.
fn over(
    values: &[Value],
    name: &str,
    closure: &Closure,
    frame: &mut Frame<'_>,
) -> Option<Result<Value, String>> {
    if !matches!(name, "each" | "collect" | "find" | "findAll" | "any" | "every" | "eachWithIndex") {
        return None;
    }
    let mut kept = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let both = [value.clone(), Value::Int(at as i32)];
        let given = if name == "eachWithIndex" { &both[..] } else { &both[..1] };
        let result = match apply(closure, given, frame) {
            Ok(result) => result,
            Err(reason) => return Some(Err(reason)),
        };
        let truth = super::groovy::truth(&result);
        match name {
            "collect" => kept.push(result),
            "findAll" if truth => kept.push(value.clone()),
            "find" if truth => return Some(Ok(value.clone())),
            "any" if truth => return Some(Ok(Value::Boolean(true))),
            "every" if !truth => return Some(Ok(Value::Boolean(false))),
            _ => {}
        }
    }
    Some(Ok(match name {
        "collect" | "findAll" => Value::list(kept),
        "find" => Value::Null,
        "any" => Value::Boolean(false),
        "every" => Value::Boolean(true),
        _ => Value::list(values.to_vec()),
    }))
}

/// The value of a closure.
fn apply(closure: &Closure, arguments: &[Value], frame: &mut Frame<'_>) -> Result<Value, String> {
    if closure.parameters.len() != arguments.len() {
        return Err("the parameters of this closure need a script engine".to_owned());
    }
    for (place, value) in closure.parameters.iter().zip(arguments) {
        frame.locals[*place as usize] = value.clone();
    }
    match program::block(&closure.body, frame)? {
        Flow::Next(value) | Flow::Return(value) => Ok(value),
        Flow::Break | Flow::Continue => Err("it leaves a loop where there is none".to_owned()),
    }
}

fn of_map(
    object: &Object,
    name: &str,
    arguments: &[Value],
    frame: &mut Frame<'_>,
) -> Option<Result<Value, String>> {
    let Object::Map(entries) = object else { return None };
    let same = |a: &Value, b: &Value| super::groovy::equal(a, b).unwrap_or(false);
    Some(match (name, arguments) {
        ("get", [key]) => Ok(map_value(&entries.borrow(), key)),
        ("put", [key, value]) => {
            put_entry(&mut entries.borrow_mut(), key, value.clone());
            Ok(Value::Null)
        }
        ("containsKey", [key]) => {
            Ok(Value::Boolean(entries.borrow().iter().any(|(known, _)| same(known, key))))
        }
        ("size", []) => Ok(Value::Int(entries.borrow().len() as i32)),
        ("isEmpty", []) => Ok(Value::Boolean(entries.borrow().is_empty())),
        ("keySet", []) => Ok(Value::list(entries.borrow().iter().map(|(key, _)| key.clone()).collect())),
        ("values", []) => Ok(Value::list(entries.borrow().iter().map(|(_, value)| value.clone()).collect())),
        ("each", [Value::Object(closure)]) if frame.language == Language::Groovy => {
            let Object::Closure(closure) = &**closure else { return None };
            if closure.parameters.len() != 2 {
                return None;
            }
            let entries = entries.borrow().clone();
            let turns = entries
                .into_iter()
                .try_for_each(|(key, value)| apply(closure, &[key, value], frame).map(drop));
            turns.map(|()| Value::Null)
        }
        _ => return None,
    })
}

fn map_value(entries: &[(Value, Value)], key: &Value) -> Value {
    let found = entries.iter().find(|(known, _)| super::groovy::equal(known, key).unwrap_or(false));
    found.map_or(Value::Null, |(_, value)| value.clone())
}

fn put_entry(entries: &mut Vec<(Value, Value)>, key: &Value, value: Value) {
    match entries.iter_mut().find(|(known, _)| super::groovy::equal(known, key).unwrap_or(false)) {
        Some((_, old)) => *old = value,
        None => entries.push((key.clone(), value)),
    }
}

fn of_builder(
    object: &Rc<Object>,
    name: &str,
    arguments: &[Value],
    language: Language,
) -> Option<Result<Value, String>> {
    let Object::Builder(text) = &**object else { return None };
    Some(match (name, arguments) {
        ("append", [value]) if object::is_shown(value, language) => {
            text.borrow_mut().push_str(&value.to_text(language));
            Ok(Value::Object(object.clone()))
        }
        ("length", []) => Ok(Value::Int(text.borrow().encode_utf16().count() as i32)),
        ("toString", []) => Ok(Value::java(text.borrow().as_str())),
        _ => return None,
    })
}

fn of_random(name: &str, arguments: &[Value], frame: &mut Frame<'_>) -> Option<Result<Value, String>> {
    let random = match frame.cx() {
        Ok(cx) => &mut cx.random,
        Err(reason) => return Some(Err(reason)),
    };
    Some(match (name, arguments) {
        ("nextInt", []) => Ok(Value::Int(random.random())),
        ("nextLong", []) => Ok(Value::Long(random.random())),
        ("nextDouble", []) => Ok(Value::Double(random.random())),
        ("nextBoolean", []) => Ok(Value::Boolean(random.random())),
        ("nextInt", [bound]) => int_of(bound).and_then(|bound| {
            if bound > 0 {
                Ok(Value::Int(random.random_range(0..bound)))
            } else {
                Err("bound must be positive".to_owned())
            }
        }),
        ("nextInt", [from, to]) => int_of(from).and_then(|from| {
            let to = int_of(to)?;
            if from < to {
                Ok(Value::Int(random.random_range(from..to)))
            } else {
                Err("bound must be greater than origin".to_owned())
            }
        }),
        _ => return None,
    })
}

/// `of[key]`.
pub(super) fn at(of: &Value, key: &Value, language: Language) -> Result<Value, String> {
    let unknown = || Err(format!("`[…]` of {} needs a script engine", kind_of(of)));
    let groovy = language == Language::Groovy;
    match of {
        Value::Object(object) => match &**object {
            Object::List(values, is_array) => {
                let values = values.borrow();
                let wanted = int_of(key)?;
                let place = if wanted < 0 && groovy { wanted + values.len() as i32 } else { wanted };
                let found = usize::try_from(place).ok().and_then(|place| values.get(place).cloned());
                match found {
                    Some(value) => Ok(value),
                    // A list of Groovy; an array throws.
                    None if groovy && place >= 0 && !is_array => {
                        Err("what lies beyond a list needs a script engine".to_owned())
                    }
                    None => Err(format!("Index {wanted} out of bounds for length {}", values.len())),
                }
            }
            Object::Map(entries) if groovy => Ok(map_value(&entries.borrow(), key)),
            _ => unknown(),
        },
        Value::Text(text) if groovy => {
            let units: Vec<u16> = text.text.encode_utf16().collect();
            let wanted = int_of(key)?;
            let place = if wanted < 0 { wanted + units.len() as i32 } else { wanted };
            let unit = usize::try_from(place).ok().and_then(|place| units.get(place));
            let unit = unit.ok_or_else(|| format!("index {wanted}, length {}", units.len()))?;
            Ok(Value::java(String::from_utf16_lossy(&[*unit])))
        }
        Value::Null => Err("Cannot invoke method getAt() on null object".to_owned()),
        _ => unknown(),
    }
}

/// `of[key] = value`.
pub(super) fn put(of: &Value, key: &Value, value: Value) -> Result<(), String> {
    let Value::Object(object) = of else { return Err("this assignment needs a script engine".to_owned()) };
    match &**object {
        Object::List(values, _) => {
            let at = usize::try_from(int_of(key)?).map_err(|_| "a place before a list".to_owned())?;
            let mut values = values.borrow_mut();
            let place = values.get_mut(at).ok_or("a place beyond a list needs a script engine")?;
            *place = value;
            Ok(())
        }
        Object::Map(entries) => {
            put_entry(&mut entries.borrow_mut(), key, value);
            Ok(())
        }
        _ => Err("this assignment needs a script engine".to_owned()),
    }
}

/// `of.name` without parentheses.
pub(super) fn property(of: &Value, name: &str, frame: &mut Frame<'_>) -> Result<Value, String> {
    let unknown = || Err(format!("`.{name}` of {} needs a script engine", kind_of(of)));
    match of {
        Value::Object(object) => match &**object {
            Object::Map(entries) => Ok(map_value(&entries.borrow(), &Value::java(name))),
            Object::List(values, true) if name == "length" => Ok(Value::Int(values.borrow().len() as i32)),
            Object::Date(time) if name == "time" => Ok(Value::Long(time.get())),
            Object::Stage(which) => stage_members::property(*which, name, frame).unwrap_or_else(unknown),
            Object::Shown(text) if name == "message" => Ok(Value::java(text.clone())),
            _ => unknown(),
        },
        Value::Text(text) if name == "bytes" => Ok(Value::object(Object::Bytes(text.text.as_bytes().into()))),
        Value::Null => Err(format!("Cannot get property '{name}' on null object")),
        _ => unknown(),
    }
}

/// `of.name = value`.
pub(super) fn set_property(
    of: &Value,
    name: &str,
    value: Value,
    frame: &mut Frame<'_>,
) -> Result<(), String> {
    let unknown = || Err(format!("`.{name} =` needs a script engine"));
    let Value::Object(object) = of else { return unknown() };
    match &**object {
        Object::Map(entries) => {
            put_entry(&mut entries.borrow_mut(), &Value::java(name), value);
            Ok(())
        }
        Object::Stage(which) => match stage_members::set_property(*which, name, value, frame) {
            Some(result) => result,
            None => unknown(),
        },
        _ => unknown(),
    }
}

/// The values that a loop goes over.
pub(super) fn each(of: &Value, language: Language) -> Result<Vec<Value>, String> {
    match of {
        Value::Object(object) => match &**object {
            Object::List(values, _) => Ok(values.borrow().clone()),
            _ => Err("a loop over this needs a script engine".to_owned()),
        },
        Value::Null if language == Language::Groovy => Ok(Vec::new()),
        _ => Err("a loop over this needs a script engine".to_owned()),
    }
}

/// `from..to` of Groovy.
pub(super) fn range(from: &Value, to: &Value) -> Result<Value, String> {
    const MOST: i64 = 1_000_000;
    if let (Some(a), Some(b)) = (one_letter(from), one_letter(to)) {
        let letters: Vec<Value> = (a.min(b)..=a.max(b)).map(|c| Value::java(c.to_string())).collect();
        return Ok(Value::list(if a <= b { letters } else { letters.into_iter().rev().collect() }));
    }
    let (Some(a), Some(b)) = (from.as_long(), to.as_long()) else {
        return Err("a range of these needs a script engine".to_owned());
    };
    if (b - a).abs() > MOST {
        return Err(format!("a range of more than {MOST} numbers needs a script engine"));
    }
    let numbers: Vec<Value> = (a.min(b)..=a.max(b)).map(|n| Value::Int(n as i32)).collect();
    Ok(Value::list(if a <= b { numbers } else { numbers.into_iter().rev().collect() }))
}

fn one_letter(value: &Value) -> Option<char> {
    let mut letters = value.as_text()?.chars();
    letters.next().filter(|_| letters.next().is_none())
}
