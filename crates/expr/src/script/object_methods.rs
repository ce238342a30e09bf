//! Methods and properties of samples, of the results of assertions, of random numbers and arrays.

use std::rc::Rc;

use rand::Rng as _;

use super::Language;
use super::failure::{ScriptFailure, Unsupported, exception, unsupported};
use super::frame::Frame;
use super::kind::Kind;
use super::object::Object;
use super::parse::Parser;
use super::stage::{Change, Part, PartValue, Which};
use super::tree::Node;
use super::value::Value;
use crate::context::StopRequest;

/// A method of an object, whose arguments fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectMethod {
    /// What reads a part of a sample, and whether Java gives it as `int`.
    Read(Part, Kind),
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
const GETTERS: &[(&str, Part, Kind)] = &[
    ("getSampleLabel", Part::Label, Kind::Text),
    ("getResponseCode", Part::Code, Kind::Text),
    ("getResponseMessage", Part::Message, Kind::Text),
    ("getResponseDataAsString", Part::Body, Kind::Text),
    ("getResponseHeaders", Part::ResponseHeaders, Kind::Text),
    ("getRequestHeaders", Part::RequestHeaders, Kind::Text),
    ("getSamplerData", Part::SamplerData, Kind::Text),
    ("getUrlAsString", Part::Url, Kind::Text),
    ("getThreadName", Part::ThreadName, Kind::Text),
    ("getContentType", Part::ContentType, Kind::Text),
    ("isSuccessful", Part::Success, Kind::Boolean),
    ("getTime", Part::Time, Kind::Long),
    ("getLatency", Part::Latency, Kind::Long),
    ("getConnectTime", Part::Connect, Kind::Long),
    ("getStartTime", Part::Start, Kind::Long),
    ("getEndTime", Part::End, Kind::Long),
    ("getBytesAsLong", Part::Bytes, Kind::Long),
    ("getBytes", Part::Bytes, Kind::Int),
    ("getSentBytes", Part::SentBytes, Kind::Long),
    ("getBodySizeAsLong", Part::BodySize, Kind::Long),
    ("getBodySize", Part::BodySize, Kind::Int),
    ("getHeadersSize", Part::HeadersSize, Kind::Int),
    ("isFailure", Part::Failure, Kind::Boolean),
    ("getFailureMessage", Part::FailureMessage, Kind::Text),
];

/// What changes a sample: the method, what it takes.
const SETTERS: &[(&str, &[Kind], Setter)] = &[
    ("setSuccessful", &[Kind::Boolean], Setter::Success),
    ("setResponseCode", &[Kind::Text], Setter::Code),
    ("setResponseMessage", &[Kind::Text], Setter::Message),
    ("setSampleLabel", &[Kind::Text], Setter::Label),
    ("setResponseData", &[Kind::Text], Setter::Body),
    ("setResponseData", &[Kind::Text, Kind::Text], Setter::BodyEncoded),
    ("setSamplerData", &[Kind::Text], Setter::SamplerData),
    ("setDataEncoding", &[Kind::Text], Setter::Encoding),
    ("setResponseHeaders", &[Kind::Text], Setter::ResponseHeaders),
    ("setResponseCodeOK", &[], Setter::CodeOk),
    ("setResponseMessageOK", &[], Setter::MessageOk),
    ("setResponseOK", &[], Setter::AllOk),
    ("setIgnore", &[], Setter::Ignore),
    ("setFailure", &[Kind::Boolean], Setter::Failure),
    ("setFailureMessage", &[Kind::Text], Setter::FailureMessage),
];

/// Random numbers: the method, what it takes.
const DRAWN: &[(&str, &[Kind], Drawn)] = &[
    ("nextInt", &[], Drawn::Int),
    ("nextInt", &[Kind::Int], Drawn::Below),
    ("nextLong", &[], Drawn::Long),
    ("nextDouble", &[], Drawn::Double),
    ("nextBoolean", &[], Drawn::Boolean),
];

/// Which part a method or property of that name reads; none if it reads none.
pub(super) fn part_of(name: &str) -> Option<Part> {
    if name == "isResponseCodeOK" {
        return Some(Part::Code);
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

fn of_assertion(part: Part) -> bool {
    matches!(part, Part::Failure | Part::FailureMessage)
}

/// The method of a sample or of an assertion's result.
fn of_stage(of: Kind, name: &str, kinds: &[Kind]) -> Option<ObjectMethod> {
    let assertion = of == Kind::Assertion;
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
        (Some(stop), [Kind::Boolean]) if !assertion => return Some(ObjectMethod::Stop(stop)),
        (None, []) if name == "isResponseCodeOK" && !assertion => return Some(ObjectMethod::IsOk),
        _ => {}
    }
    // A text with values in it could be bytes to `setResponseData`.
    let fits = |wanted: &Kind, kind: &Kind| {
        wanted == kind || *wanted == Kind::Text && *kind == Kind::Joined && name != "setResponseData"
    };
    let takes = |wanted: &[Kind]| {
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
        kinds: &[Kind],
        safe: bool,
    ) -> Result<Node, ScriptFailure> {
        let method = match self.kind(&of) {
            kind @ (Kind::Sample | Kind::Assertion) => of_stage(kind, name, kinds),
            Kind::Random => {
                let found = DRAWN.iter().find(|(known, wanted, _)| *known == name && *wanted == kinds);
                found.map(|(.., drawn)| ObjectMethod::Draw(*drawn))
            }
            Kind::Uuid if name == "toString" && kinds.is_empty() => Some(ObjectMethod::UuidText),
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
            (Kind::Array, _) if name == "length" && self.language.has_statements() => {
                Some(ObjectMethod::Length)
            }
            (Kind::Sample | Kind::Assertion, Some((known, ..))) if groovy => of_stage(of, known, &[]),
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
            Part::Success => "setSuccessful",
            Part::Code => "setResponseCode",
            Part::Message => "setResponseMessage",
            Part::Label => "setSampleLabel",
            Part::SamplerData => "setSamplerData",
            Part::ResponseHeaders => "setResponseHeaders",
            Part::Failure => "setFailure",
            Part::FailureMessage => "setFailureMessage",
            _ => return Err(Unsupported::word("=").into()),
        };
        let kinds = [self.kind(&value)];
        self.method_of_object(of, setter, vec![value], &kinds, false)
    }
}

impl ObjectMethod {
    /// The kind of what it gives.
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Read(_, kind) => kind,
            Self::IsOk | Self::Draw(Drawn::Boolean) => Kind::Boolean,
            Self::Change(_) | Self::Stop(_) => Kind::Null,
            Self::Draw(Drawn::Int | Drawn::Below) | Self::Length => Kind::Int,
            Self::Draw(Drawn::Long) => Kind::Long,
            Self::Draw(Drawn::Double) => Kind::Double,
            Self::UuidText => Kind::Text,
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
            (Self::Read(part, kind), Object::Stage(which)) => read(*which, part, kind, frame),
            (Self::IsOk, Object::Stage(which)) => {
                let code = read(*which, Part::Code, Kind::Text, frame)?;
                Ok(Value::Boolean(code.as_text() == Some("200")))
            }
            (Self::Change(setter), Object::Stage(which)) => change(*which, setter, arguments, frame),
            (Self::Stop(stop), Object::Stage(_)) => {
                let asked = &mut frame.cx()?.stop;
                if arguments[0] == Value::Boolean(true) {
                    *asked = Some(asked.map_or(stop, |asked| asked.max(stop)));
                }
                Ok(Value::Null)
            }
            (Self::Draw(drawn), Object::Random) => draw(drawn, arguments, frame),
            (Self::UuidText, Object::Uuid(text)) => Ok(Value::java(text.clone())),
            (Self::Length, Object::Array(values)) => Ok(Value::Int(values.len() as i32)),
            _ => Err(exception("it has no such method")),
        }
    }
}

fn read(which: Which, part: Part, kind: Kind, frame: &mut Frame<'_>) -> Result<Value, ScriptFailure> {
    let stage = frame.stage.as_deref().ok_or_else(|| exception("there is no sample here"))?;
    Ok(match stage.part(which, part) {
        PartValue::Null => Value::Null,
        PartValue::Text(text) => Value::java(text),
        PartValue::Flag(flag) => Value::Boolean(flag),
        PartValue::Number(number) if kind == Kind::Int => Value::Int(number as i32),
        PartValue::Number(number) => Value::Long(number),
    })
}

fn change(
    which: Which,
    setter: Setter,
    arguments: &[Value],
    frame: &mut Frame<'_>,
) -> Result<Value, ScriptFailure> {
    let changes = changes(setter, arguments)?;
    let stage = frame.stage.as_deref_mut().ok_or_else(|| exception("there is no sample here"))?;
    for change in changes {
        stage.change(which, change);
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
