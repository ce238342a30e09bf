//! Methods and properties of samples, of the results of assertions, of random numbers and arrays.

use std::rc::Rc;

use rand::Rng as _;

use super::Language;
use super::failure::{ScriptFailure, Unsupported, exception, unsupported};
use super::frame::Frame;
use super::object::Object;
use super::parse::Parser;
use super::sample_bindings::{Binding, Change, FieldValue, SampleField};
use super::tree::Node;
use super::value::Value;
use super::value_type::ValueType;
use crate::context::StopRequest;

/// A method of an object, whose arguments fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectMethod {
    /// What reads a part of a sample, and whether Java gives it as `int`.
    Read(SampleField, ValueType),
    IsOk,
    Change(Setter),
    Stop(StopRequest),
    /// `Random.nextInt` and its relatives.
    Draw(Drawn),
    /// `UUID.toString()`.
    UuidText,
    /// `args.length`.
    Length,
}

/// What changes a sample or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setter {
    Success,
    Code,
    Message,
    Label,
    Body,
    BodyEncoded,
    Encoding,
    SamplerData,
    ResponseHeaders,
    CodeOk,
    MessageOk,
    AllOk,
    Ignore,
    Failure,
    FailureMessage,
}

/// Random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    Int,
    Below,
    Long,
    Double,
    Boolean,
}

/// What reads a part: the method, the part, the kind of its value.
const GETTERS: &[(&str, SampleField, ValueType)] = &[
    ("getSampleLabel", SampleField::Label, ValueType::Text),
    ("getResponseCode", SampleField::Code, ValueType::Text),
    ("getResponseMessage", SampleField::Message, ValueType::Text),
    ("getResponseDataAsString", SampleField::Body, ValueType::Text),
    ("getResponseHeaders", SampleField::ResponseHeaders, ValueType::Text),
    ("getRequestHeaders", SampleField::RequestHeaders, ValueType::Text),
    ("getSamplerData", SampleField::SamplerData, ValueType::Text),
    ("getUrlAsString", SampleField::Url, ValueType::Text),
    ("getThreadName", SampleField::ThreadName, ValueType::Text),
    ("getContentType", SampleField::ContentType, ValueType::Text),
    ("isSuccessful", SampleField::Success, ValueType::Boolean),
    ("getTime", SampleField::Time, ValueType::Long),
    ("getLatency", SampleField::Latency, ValueType::Long),
    ("getConnectTime", SampleField::Connect, ValueType::Long),
    ("getStartTime", SampleField::Start, ValueType::Long),
    ("getEndTime", SampleField::End, ValueType::Long),
    ("getBytesAsLong", SampleField::Bytes, ValueType::Long),
    ("getBytes", SampleField::Bytes, ValueType::Int),
    ("getSentBytes", SampleField::SentBytes, ValueType::Long),
    ("getBodySizeAsLong", SampleField::BodySize, ValueType::Long),
    ("getBodySize", SampleField::BodySize, ValueType::Int),
    ("getHeadersSize", SampleField::HeadersSize, ValueType::Int),
    ("isFailure", SampleField::Failure, ValueType::Boolean),
    ("getFailureMessage", SampleField::FailureMessage, ValueType::Text),
];

/// What changes a sample: the method, what it takes.
const SETTERS: &[(&str, &[ValueType], Setter)] = &[
    ("setSuccessful", &[ValueType::Boolean], Setter::Success),
    ("setResponseCode", &[ValueType::Text], Setter::Code),
    ("setResponseMessage", &[ValueType::Text], Setter::Message),
    ("setSampleLabel", &[ValueType::Text], Setter::Label),
    ("setResponseData", &[ValueType::Text], Setter::Body),
    ("setResponseData", &[ValueType::Text, ValueType::Text], Setter::BodyEncoded),
    ("setSamplerData", &[ValueType::Text], Setter::SamplerData),
    ("setDataEncoding", &[ValueType::Text], Setter::Encoding),
    ("setResponseHeaders", &[ValueType::Text], Setter::ResponseHeaders),
    ("setResponseCodeOK", &[], Setter::CodeOk),
    ("setResponseMessageOK", &[], Setter::MessageOk),
    ("setResponseOK", &[], Setter::AllOk),
    ("setIgnore", &[], Setter::Ignore),
    ("setFailure", &[ValueType::Boolean], Setter::Failure),
    ("setFailureMessage", &[ValueType::Text], Setter::FailureMessage),
];

/// Random numbers: the method, what it takes.
const DRAWN: &[(&str, &[ValueType], Drawn)] = &[
    ("nextInt", &[], Drawn::Int),
    ("nextInt", &[ValueType::Int], Drawn::Below),
    ("nextLong", &[], Drawn::Long),
    ("nextDouble", &[], Drawn::Double),
    ("nextBoolean", &[], Drawn::Boolean),
];

/// Which part a method or property of that name reads; none if it reads none.
pub(super) fn part_of(name: &str) -> Option<SampleField> {
    if name == "isResponseCodeOK" {
        return Some(SampleField::Code);
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

fn of_assertion(part: SampleField) -> bool {
    matches!(part, SampleField::Failure | SampleField::FailureMessage)
}

/// The method of a sample or of an assertion's result.
fn of_stage(of: ValueType, name: &str, kinds: &[ValueType]) -> Option<ObjectMethod> {
    let assertion = of == ValueType::Assertion;
    if let ([], Some((_, part, kind))) = (kinds, GETTERS.iter().find(|(known, ..)| *known == name)) {
        return (of_assertion(*part) == assertion).then_some(ObjectMethod::Read(*part, *kind));
    }
    let stop = match name {
        "setStopThread" => Some(StopRequest::User),
        "setStopTest" => Some(StopRequest::Test),
        "setStopTestNow" => Some(StopRequest::TestNow),
        _ => None,
    };
    match (stop, kinds) {
        (Some(stop), [ValueType::Boolean]) if !assertion => return Some(ObjectMethod::Stop(stop)),
        (None, []) if name == "isResponseCodeOK" && !assertion => return Some(ObjectMethod::IsOk),
        _ => {}
    }
    // A text with values in it could be bytes to `setResponseData`.
    let fits = |wanted: &ValueType, kind: &ValueType| {
        wanted == kind
            || *wanted == ValueType::Text && *kind == ValueType::GString && name != "setResponseData"
    };
    let takes = |wanted: &[ValueType]| {
        wanted.len() == kinds.len() && wanted.iter().zip(kinds).all(|(wanted, kind)| fits(wanted, kind))
    };
    let (.., setter) = SETTERS.iter().find(|(known, wanted, _)| *known == name && takes(wanted))?;
    let is_result = matches!(setter, Setter::Failure | Setter::FailureMessage);
    (is_result == assertion).then_some(ObjectMethod::Change(*setter))
}

impl Parser<'_> {
    /// A method of an object, whose arguments are read.
    pub(super) fn method_of_object(
        &self,
        of: Node,
        name: &str,
        arguments: Vec<Node>,
        kinds: &[ValueType],
        safe: bool,
    ) -> Result<Node, ScriptFailure> {
        let method = match self.kind(&of) {
            kind @ (ValueType::Sample | ValueType::Assertion) => of_stage(kind, name, kinds),
            ValueType::Random => {
                let found = DRAWN.iter().find(|(known, wanted, _)| *known == name && *wanted == kinds);
                found.map(|(.., drawn)| ObjectMethod::Draw(*drawn))
            }
            ValueType::Uuid if name == "toString" && kinds.is_empty() => Some(ObjectMethod::UuidText),
            _ => None,
        };
        let utf_8 = |node: &Node| matches!(node, Node::Constant(Value::Text(charset)) if charset.text.eq_ignore_ascii_case("utf-8"));
        match method {
            Some(ObjectMethod::Change(Setter::BodyEncoded)) if !utf_8(&arguments[1]) => {
                Err(unsupported("this charset needs a script engine"))
            }
            Some(method) => Ok(Node::OfObject { of: Box::new(of), method, arguments, safe }),
            None => Err(Unsupported::word(format!(".{name}")).into()),
        }
    }

    /// `a.name` without parentheses.
    pub(super) fn property_of(&self, node: Node, name: &str, safe: bool) -> Result<Node, ScriptFailure> {
        let of = self.kind(&node);
        let groovy = self.language == Language::Groovy;
        let getter = GETTERS.iter().find(|(known, ..)| property_name(known) == name);
        let method = match (of, getter) {
            (ValueType::Array, _) if name == "length" && self.language.has_statements() => {
                Some(ObjectMethod::Length)
            }
            (ValueType::Sample | ValueType::Assertion, Some((known, ..))) if groovy => {
                of_stage(of, known, &[])
            }
            _ => None,
        };
        let method = method.ok_or_else(|| Unsupported::word(format!(".{name}")))?;
        Ok(Node::OfObject { of: Box::new(node), method, arguments: Vec::new(), safe })
    }

    /// `sample.name = value` of Groovy, whose left side was read as [`ObjectMethod::Read`].
    pub(super) fn set_property(
        &self,
        of: Node,
        read: ObjectMethod,
        value: Node,
    ) -> Result<Node, ScriptFailure> {
        let ObjectMethod::Read(part, _) = read else { return Err(Unsupported::word("=").into()) };
        let setter = match part {
            SampleField::Success => "setSuccessful",
            SampleField::Code => "setResponseCode",
            SampleField::Message => "setResponseMessage",
            SampleField::Label => "setSampleLabel",
            SampleField::SamplerData => "setSamplerData",
            SampleField::ResponseHeaders => "setResponseHeaders",
            SampleField::Failure => "setFailure",
            SampleField::FailureMessage => "setFailureMessage",
            _ => return Err(Unsupported::word("=").into()),
        };
        let kinds = [self.kind(&value)];
        self.method_of_object(of, setter, vec![value], &kinds, false)
    }
}

impl ObjectMethod {
    /// The kind of what it gives.
    pub(super) fn kind(self) -> ValueType {
        match self {
            Self::Read(_, kind) => kind,
            Self::IsOk | Self::Draw(Drawn::Boolean) => ValueType::Boolean,
            Self::Change(_) | Self::Stop(_) => ValueType::Null,
            Self::Draw(Drawn::Int | Drawn::Below) | Self::Length => ValueType::Int,
            Self::Draw(Drawn::Long) => ValueType::Long,
            Self::Draw(Drawn::Double) => ValueType::Double,
            Self::UuidText => ValueType::Text,
        }
    }

    /// Calls it.
    pub(super) fn call(
        self,
        of: &Value,
        arguments: &[Value],
        frame: &mut Frame<'_>,
    ) -> Result<Value, ScriptFailure> {
        let Value::Object(object) = of else {
            return Err(exception("Cannot invoke a method on null object"));
        };
        match (self, &**object) {
            (Self::Read(part, kind), Object::Binding(binding)) => read(*binding, part, kind, frame),
            (Self::IsOk, Object::Binding(binding)) => {
                let code = read(*binding, SampleField::Code, ValueType::Text, frame)?;
                Ok(Value::Boolean(code.as_text() == Some("200")))
            }
            (Self::Change(setter), Object::Binding(binding)) => change(*binding, setter, arguments, frame),
            (Self::Stop(stop), Object::Binding(_)) => {
                let asked = &mut frame.cx()?.stop;
                if arguments[0] == Value::Boolean(true) {
                    *asked = Some(asked.map_or(stop, |asked| asked.max(stop)));
                }
                Ok(Value::Null)
            }
            (Self::Draw(drawn), Object::Random) => draw(drawn, arguments, frame),
            (Self::UuidText, Object::Uuid(text)) => Ok(Value::host(text.clone())),
            (Self::Length, Object::Array(values)) => Ok(Value::Int(values.len() as i32)),
            _ => Err(exception("it has no such method")),
        }
    }
}

fn read(
    binding: Binding,
    part: SampleField,
    kind: ValueType,
    frame: &mut Frame<'_>,
) -> Result<Value, ScriptFailure> {
    let stage = frame.stage.as_deref().ok_or_else(|| exception("there is no sample here"))?;
    Ok(match stage.part(binding, part) {
        FieldValue::Null => Value::Null,
        FieldValue::Text(text) => Value::host(text),
        FieldValue::Flag(flag) => Value::Boolean(flag),
        FieldValue::Number(number) if kind == ValueType::Int => Value::Int(number as i32),
        FieldValue::Number(number) => Value::Long(number),
    })
}

fn change(
    binding: Binding,
    setter: Setter,
    arguments: &[Value],
    frame: &mut Frame<'_>,
) -> Result<Value, ScriptFailure> {
    let changes = changes(setter, arguments)?;
    let stage = frame.stage.as_deref_mut().ok_or_else(|| exception("there is no sample here"))?;
    for change in changes {
        stage.change(binding, change);
    }
    Ok(Value::Null)
}

/// What a setter changes.
fn changes(setter: Setter, arguments: &[Value]) -> Result<Vec<Change>, ScriptFailure> {
    let text = |at: usize| -> Result<Rc<str>, ScriptFailure> {
        match arguments.get(at) {
            Some(Value::Text(text)) => Ok(text.text.clone()),
            _ => Err(unsupported("null in a sample needs a script engine")),
        }
    };
    let flag = || arguments.first() == Some(&Value::Boolean(true));
    Ok(match setter {
        Setter::Success => vec![Change::Success(flag())],
        Setter::Code => vec![Change::Code(text(0)?)],
        Setter::Message => vec![Change::Message(text(0)?)],
        Setter::Label => vec![Change::Label(text(0)?)],
        Setter::Body => vec![Change::Body(text(0)?)],
        Setter::BodyEncoded => vec![Change::Body(text(0)?), Change::Encoding(text(1)?)],
        Setter::Encoding => vec![Change::Encoding(text(0)?)],
        Setter::SamplerData => vec![Change::SamplerData(text(0)?)],
        Setter::ResponseHeaders => vec![Change::ResponseHeaders(text(0)?)],
        Setter::CodeOk => vec![Change::Code("200".into())],
        Setter::MessageOk => vec![Change::Message("OK".into())],
        Setter::AllOk => {
            vec![Change::Code("200".into()), Change::Message("OK".into()), Change::Success(true)]
        }
        Setter::Ignore => vec![Change::Ignore],
        Setter::Failure => vec![Change::Failure(flag())],
        Setter::FailureMessage => vec![Change::FailureMessage(text(0)?)],
    })
}

fn draw(drawn: Drawn, arguments: &[Value], frame: &mut Frame<'_>) -> Result<Value, ScriptFailure> {
    let random = &mut frame.cx()?.random;
    Ok(match (drawn, arguments) {
        (Drawn::Below, [Value::Int(bound)]) if *bound > 0 => Value::Int(random.random_range(0..*bound)),
        (Drawn::Below, _) => return Err(exception("bound must be positive")),
        (Drawn::Int, _) => Value::Int(random.random()),
        (Drawn::Long, _) => Value::Long(random.random()),
        (Drawn::Double, _) => Value::Double(random.random()),
        (Drawn::Boolean, _) => Value::Boolean(random.random()),
    })
}
