//! Methods and properties of samples and of the results of assertions.

use std::rc::Rc;

use super::frame::Frame;
use super::stage::{Change, Part, PartValue, Which};
use super::value::Value;
use crate::context::StopRequest;

/// How Java gives a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Int,
}

/// What reads a part: the method, the part.
const GETTERS: &[(&str, Part, Form)] = &[
    ("getSampleLabel", Part::Label, Form::Plain),
    ("getResponseCode", Part::Code, Form::Plain),
    ("getResponseMessage", Part::Message, Form::Plain),
    ("getResponseDataAsString", Part::Body, Form::Plain),
    ("getResponseHeaders", Part::ResponseHeaders, Form::Plain),
    ("getRequestHeaders", Part::RequestHeaders, Form::Plain),
    ("getSamplerData", Part::SamplerData, Form::Plain),
    ("getUrlAsString", Part::Url, Form::Plain),
    ("getThreadName", Part::ThreadName, Form::Plain),
    ("getContentType", Part::ContentType, Form::Plain),
    ("isSuccessful", Part::Success, Form::Plain),
    ("getTime", Part::Time, Form::Plain),
    ("getLatency", Part::Latency, Form::Plain),
    ("getConnectTime", Part::Connect, Form::Plain),
    ("getStartTime", Part::Start, Form::Plain),
    ("getEndTime", Part::End, Form::Plain),
    ("getBytesAsLong", Part::Bytes, Form::Plain),
    ("getBytes", Part::Bytes, Form::Int),
    ("getSentBytes", Part::SentBytes, Form::Plain),
    ("getBodySizeAsLong", Part::BodySize, Form::Plain),
    ("getBodySize", Part::BodySize, Form::Int),
    ("getHeadersSize", Part::HeadersSize, Form::Int),
    ("isFailure", Part::Failure, Form::Plain),
    ("getFailureMessage", Part::FailureMessage, Form::Plain),
];

/// Methods that change a sample or a result.
const SETTERS: &[&str] = &[
    "setSuccessful",
    "setResponseCode",
    "setResponseMessage",
    "setSampleLabel",
    "setResponseData",
    "setSamplerData",
    "setDataEncoding",
    "setResponseHeaders",
    "setResponseCodeOK",
    "setResponseMessageOK",
    "setResponseOK",
    "setIgnore",
    "setFailure",
    "setFailureMessage",
    "setStopThread",
    "setStopTest",
    "setStopTestNow",
    "isResponseCodeOK",
    "getURL",
];

/// Whether a method of that name is known.
pub(super) fn is_known(name: &str) -> bool {
    SETTERS.contains(&name) || GETTERS.iter().any(|(known, ..)| *known == name)
}

/// Which part a method or property of that name reads; none if it reads none.
pub(super) fn part_of(name: &str) -> Option<Part> {
    if name == "isResponseCodeOK" {
        return Some(Part::Code);
    }
    if name == "getURL" || name == "URL" {
        return Some(Part::Url);
    }
    let found = GETTERS.iter().find(|(known, ..)| *known == name || property_name(known) == name);
    found.map(|(_, part, _)| *part)
}

/// `getSampleLabel` is `sampleLabel` to Groovy.
fn property_name(getter: &str) -> String {
    let name = getter.strip_prefix("get").or_else(|| getter.strip_prefix("is")).unwrap_or(getter);
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

fn read(which: Which, part: Part, form: Form, frame: &mut Frame<'_>) -> Result<Value, String> {
    let stage = frame.stage.as_deref().ok_or("there is no sample here")?;
    Ok(match stage.part(which, part) {
        PartValue::Null => Value::Null,
        PartValue::Text(text) => Value::java(text),
        PartValue::Flag(flag) => Value::Boolean(flag),
        PartValue::Number(number) if form == Form::Int => Value::Int(number as i32),
        PartValue::Number(number) => Value::Long(number),
    })
}

/// None if there is no such method.
pub(super) fn call(
    which: Which,
    name: &str,
    arguments: &[Value],
    frame: &mut Frame<'_>,
) -> Option<Result<Value, String>> {
    let of_assertion = |part: Part| matches!(part, Part::Failure | Part::FailureMessage);
    if let ([], Some((_, part, form))) = (arguments, GETTERS.iter().find(|(known, ..)| *known == name)) {
        if of_assertion(*part) != (which == Which::Assertion) {
            return None;
        }
        return Some(read(which, *part, *form, frame));
    }
    if name == "getURL" && arguments.is_empty() && which != Which::Assertion {
        let url = read(which, Part::Url, Form::Plain, frame);
        return Some(url.map(|url| match url.as_text() {
            None | Some("") => Value::Null,
            Some(text) => Value::object(super::object::Object::Shown(text.into())),
        }));
    }
    if name == "isResponseCodeOK" && arguments.is_empty() {
        let code = read(which, Part::Code, Form::Plain, frame);
        return Some(code.map(|code| Value::Boolean(code.as_text() == Some("200"))));
    }
    if let ("setStopThread" | "setStopTest" | "setStopTestNow", [Value::Boolean(stops)]) = (name, arguments) {
        let stop = match name {
            "setStopThread" => StopRequest::User,
            "setStopTest" => StopRequest::Test,
            _ => StopRequest::TestNow,
        };
        return Some(frame.cx().map(|cx| {
            cx.stop = if *stops { Some(cx.stop.map_or(stop, |asked| asked.max(stop))) } else { cx.stop };
            Value::Null
        }));
    }
    let changes = changes(name, arguments)?;
    let is_result =
        changes.iter().all(|change| matches!(change, Change::Failure(_) | Change::FailureMessage(_)));
    if is_result != (which == Which::Assertion) {
        return None;
    }
    let Some(stage) = frame.stage.as_deref_mut() else {
        return Some(Err("there is no sample here".to_owned()));
    };
    for change in changes {
        stage.change(which, change);
    }
    Some(Ok(Value::Null))
}

/// What a setter changes; none if there is no such method for these arguments.
fn changes(name: &str, arguments: &[Value]) -> Option<Vec<Change>> {
    let text = |at: usize| match arguments.get(at)? {
        Value::Text(text) => Some(text.text.clone()),
        Value::Object(object) => match &**object {
            super::object::Object::Bytes(bytes) if at == 0 && name == "setResponseData" => {
                std::str::from_utf8(bytes).ok().map(Rc::<str>::from)
            }
            _ => None,
        },
        _ => None,
    };
    let flag = || match arguments {
        [Value::Boolean(flag)] => Some(*flag),
        _ => None,
    };
    let utf_8 = || text(1).is_some_and(|charset| charset.eq_ignore_ascii_case("utf-8"));
    Some(match (name, arguments.len()) {
        ("setSuccessful", 1) => vec![Change::Success(flag()?)],
        ("setResponseCode", 1) => vec![Change::Code(text(0)?)],
        ("setResponseMessage", 1) => vec![Change::Message(text(0)?)],
        ("setSampleLabel", 1) => vec![Change::Label(text(0)?)],
        ("setResponseData", 1) => vec![Change::Body(text(0)?)],
        ("setResponseData", 2) if utf_8() => vec![Change::Body(text(0)?), Change::Encoding(text(1)?)],
        ("setDataEncoding", 1) => vec![Change::Encoding(text(0)?)],
        ("setSamplerData", 1) => vec![Change::SamplerData(text(0)?)],
        ("setResponseHeaders", 1) => vec![Change::ResponseHeaders(text(0)?)],
        ("setResponseCodeOK", 0) => vec![Change::Code("200".into())],
        ("setResponseMessageOK", 0) => vec![Change::Message("OK".into())],
        ("setResponseOK", 0) => {
            vec![Change::Code("200".into()), Change::Message("OK".into()), Change::Success(true)]
        }
        ("setIgnore", 0) => vec![Change::Ignore],
        ("setFailure", 1) => vec![Change::Failure(flag()?)],
        ("setFailureMessage", 1) => vec![Change::FailureMessage(text(0)?)],
        _ => return None,
    })
}

/// `sample.name`. None if there is no such property.
pub(super) fn property(which: Which, name: &str, frame: &mut Frame<'_>) -> Option<Result<Value, String>> {
    if name == "URL" {
        return call(which, "getURL", &[], frame);
    }
    let (getter, ..) = GETTERS.iter().find(|(known, ..)| property_name(known) == name)?;
    call(which, getter, &[], frame)
}

/// `sample.name = value`. None if there is no such property.
pub(super) fn set_property(
    which: Which,
    name: &str,
    value: Value,
    frame: &mut Frame<'_>,
) -> Option<Result<(), String>> {
    let mut letters = name.chars();
    let setter = format!("set{}{}", letters.next()?.to_ascii_uppercase(), letters.as_str());
    Some(call(which, &setter, &[value], frame)?.map(drop))
}
