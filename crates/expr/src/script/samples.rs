//! Samples and assertion results, as scripts of elements read and change them.

use std::rc::Rc;

use super::bindings::ElementKind::{Assertion, PostProcessor, Sampler};
use super::frame::Frame;
use super::java_text::text;
use super::kind::Kind;
use super::language::Language::{self, BeanShell, Groovy};
use super::row::Run::Gives;
use super::row::{Form, OperandPlace, Row};
use super::sample_bindings::{Change, FieldValue, SampleField};
use super::value::Value;

const GROOVY: &[Language] = &[Groovy];
const BEANSHELL: &[Language] = &[BeanShell];
const BOTH: &[Language] = &[Groovy, BeanShell];

const SAMPLE: &[Kind] = &[Kind::SAMPLE];
const TEXT: &[Kind] = &[Kind::SAMPLE, Kind::TEXT];
const FLAG: &[Kind] = &[Kind::SAMPLE, Kind::BOOLEAN];

pub(super) const ROWS: &[Row] = &[
    // Elsewhere `prev` is another sample, or null.
    object(GROOVY, OperandPlace::Of(&[PostProcessor, Assertion]), "prev", Kind::SAMPLE),
    object(BEANSHELL, OperandPlace::Of(&[PostProcessor]), "prev", Kind::SAMPLE),
    object(BOTH, OperandPlace::Of(&[Sampler, Assertion]), "SampleResult", Kind::SAMPLE),
    object(GROOVY, OperandPlace::Of(&[Assertion]), "AssertionResult", Kind::RESULT),
    reads("getResponseCode", Kind::TEXT, |f, _| read(f, SampleField::Code)),
    reads("getResponseMessage", Kind::TEXT, |f, _| read(f, SampleField::Message)),
    reads("getResponseDataAsString", Kind::TEXT, |f, _| read(f, SampleField::Body)),
    reads("getResponseHeaders", Kind::TEXT, |f, _| read(f, SampleField::ResponseHeaders)),
    reads("getSampleLabel", Kind::TEXT, |f, _| read(f, SampleField::Label)),
    reads("getThreadName", Kind::TEXT, |f, _| read(f, SampleField::ThreadName)),
    reads("getUrlAsString", Kind::TEXT, |f, _| read(f, SampleField::Url)),
    reads("isSuccessful", Kind::BOOLEAN, |f, _| read(f, SampleField::Success)),
    reads("getTime", Kind::LONG, |f, _| read(f, SampleField::Time)),
    reads("getLatency", Kind::LONG, |f, _| read(f, SampleField::Latency)),
    changes("setResponseCode", TEXT, |f, v| change(f, Change::Code(letters(v)))),
    changes("setResponseMessage", TEXT, |f, v| change(f, Change::Message(letters(v)))),
    changes("setSampleLabel", TEXT, |f, v| change(f, Change::Label(letters(v)))),
    changes("setSuccessful", FLAG, |f, v| change(f, Change::Success(is_set(v)))),
    changes("setIgnore", SAMPLE, |f, _| change(f, Change::Ignore)),
    changes("setFailure", &[Kind::RESULT, Kind::BOOLEAN], |f, v| change(f, Change::Failure(is_set(v)))),
    changes("setFailureMessage", &[Kind::RESULT, Kind::TEXT], |f, v| {
        change(f, Change::FailureMessage(letters(v)))
    }),
];

const fn object(languages: &'static [Language], place: OperandPlace, name: &'static str, kind: Kind) -> Row {
    // What its methods read and change is with the frame.
    Row::call(languages, place, name, &[], kind, Gives(|_, _| Value::Null)).written(Form::Field)
}

const fn reads(name: &'static str, gives: Kind, run: fn(&mut Frame<'_>, &[Value]) -> Value) -> Row {
    Row::method(BOTH, name, SAMPLE, gives, Gives(run))
}

const fn changes(
    name: &'static str,
    takes: &'static [Kind],
    run: fn(&mut Frame<'_>, &[Value]) -> Value,
) -> Row {
    Row::method(BOTH, name, takes, Kind::VOID, Gives(run))
}

/// The part of a sample that a method reads.
pub(super) fn part_of(method: &str) -> Option<SampleField> {
    Some(match method {
        "getResponseCode" => SampleField::Code,
        "getResponseMessage" => SampleField::Message,
        "getResponseDataAsString" => SampleField::Body,
        "getResponseHeaders" => SampleField::ResponseHeaders,
        "getSampleLabel" => SampleField::Label,
        "getThreadName" => SampleField::ThreadName,
        "getUrlAsString" => SampleField::Url,
        "isSuccessful" => SampleField::Success,
        "getTime" => SampleField::Time,
        "getLatency" => SampleField::Latency,
        _ => return None,
    })
}

fn read(frame: &mut Frame<'_>, field: SampleField) -> Value {
    value(frame.stage().part(field))
}

/// What an element gives a script.
pub(super) fn value(field: FieldValue) -> Value {
    match field {
        FieldValue::Text(text) => Value::Text(text),
        FieldValue::Flag(flag) => Value::Boolean(flag),
        FieldValue::Number(number) => Value::Long(number),
    }
}

fn change(frame: &mut Frame<'_>, change: Change) -> Value {
    frame.stage().change(change);
    Value::Null
}

fn letters(values: &[Value]) -> Rc<str> {
    text(&values[1]).clone()
}

fn is_set(values: &[Value]) -> bool {
    values[1] == Value::Boolean(true)
}
