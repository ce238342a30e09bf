//! The properties of the samplers, and what of them is invalid.

use std::rc::Rc;

use swell_api::{CompileContext, SamplerInput};
use swell_expr::{Context, Level, Template};
use swell_plan::{Element, PropertyValue};

use super::client::ReadMode;
use super::upgrade::Destination;
use crate::is_true;

/// The samplers of the plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Open,
    RequestResponse,
    Write,
    Read,
    Ping,
    Close,
}

impl Operation {
    /// Whether it makes a connection; `asked`: whether the plan wants a new one where it can choose.
    fn opens(self, asked: impl FnOnce() -> Option<bool>) -> Option<bool> {
        match self {
            Self::Open => Some(true),
            Self::Ping | Self::Close => Some(false),
            _ => asked(),
        }
    }

    /// How it reads, by the texts of the properties, or what of them is invalid.
    fn read_mode(self, timeout: &str, messages: &str, pings: &str) -> Result<ReadMode, String> {
        let timeout = timeout.trim();
        if self != Self::Write {
            within("Read timeout", timeout, 0, READ_MAX_MS)?;
        }
        Ok(ReadMode {
            timeout_ms: whole(timeout).unwrap_or(READ_MS),
            joins_fragments: is_true(messages),
            answers_pings: is_true(pings),
        })
    }
}

/// How data of a plan become a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PayloadType {
    Text,
    Binary,
    /// Text in which `^@` is the character NUL.
    TextStomp,
}

/// Which frame a read sampler expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadType {
    Text,
    Binary,
    Any,
}

/// The properties of a sampler.
pub(super) struct Settings {
    pub(super) operation: Operation,
    tls: Template,
    server: Template,
    port: Template,
    path: Template,
    connect_timeout: Template,
    read_timeout: Template,
    new_connection: Template,
    request_data: Template,
    from_file: Template,
    data_file: Template,
    payload_type: Option<Template>,
    is_binary: Template,
    read_type: Template,
    optional: Template,
    ping_type: Template,
    status: Template,
    connection: Template,
    messages: Template,
    pings: Template,
    /// How each sample reads, where that is the same and no connection is made.
    fixed: Option<ReadMode>,
}

/// The values of one sample.
pub(super) struct Values {
    /// None: the connection that is there.
    pub(super) destination: Option<Destination>,
    /// For a new connection.
    pub(super) connect_ms: i64,
    pub(super) read: ReadMode,
}

/// The plug-in's times in milliseconds, and the longest wait that it takes.
const CONNECT_MS: i64 = 20_000;
const READ_MS: i64 = 6000;
const READ_MAX_MS: i64 = 9_999_999;

/// Most of `Integer.parseInt`.
fn whole(text: &str) -> Option<i64> {
    text.parse::<i32>().ok().map(i64::from)
}

impl Settings {
    pub(super) fn new(operation: Operation, input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        let element: &Element = &input.sampler.element;
        let text = |name: &str, default: &str| compile.template(element, name, default);
        let flag = |name: &str| text(name, &compile.props.get(name).unwrap_or_default());
        let opens = if operation == Operation::RequestResponse { "true" } else { "false" };
        let has_type = element
            .property("payloadType")
            .is_some_and(|value| !matches!(value, PropertyValue::Text(text) if text.is_empty()));
        let mut settings = Self {
            operation,
            tls: text("TLS", "false"),
            server: text("server", ""),
            port: text("port", "80"),
            path: text("path", ""),
            connect_timeout: text("connectTimeout", "20000"),
            read_timeout: text("readTimeout", "6000"),
            new_connection: text("createNewConnection", opens),
            request_data: text("requestData", ""),
            from_file: text("loadDataFromFile", "false"),
            data_file: text("dataFile", ""),
            payload_type: has_type.then(|| text("payloadType", "")),
            is_binary: text("binaryPayload", "false"),
            read_type: text("dataType", ""),
            optional: text("optional", "false"),
            ping_type: text("type", "PingPong"),
            status: text("statusCode", "1000"),
            connection: text("swell.websocket.connection", ""),
            messages: flag("swell.websocket.messages"),
            pings: flag("swell.websocket.pings"),
            fixed: None,
        };
        settings.fixed = settings.constants();
        settings
    }

    /// How it reads, where that is constant and valid, and no connection is made.
    fn constants(&self) -> Option<ReadMode> {
        // Each sample evaluates it, which a function in it may count.
        self.connect_timeout.constant()?;
        let [timeout, messages, pings] =
            [&self.read_timeout, &self.messages, &self.pings].map(Template::constant);
        let opens = self.operation.opens(|| self.new_connection.constant().map(is_true))?;
        let read = self.operation.read_mode(timeout?, messages?, pings?).ok()?;
        (!opens).then_some(read)
    }

    /// The values now, or what of them is invalid, in the plug-in's words.
    pub(super) fn values(&self, cx: &mut Context) -> Result<Values, String> {
        if let Some(read) = self.fixed {
            return Ok(Values { destination: None, connect_ms: CONNECT_MS, read });
        }
        let opens = self.operation.opens(|| Some(is_true(&self.new_connection.eval(cx)))) == Some(true);
        let connect = self.connect_timeout.eval(cx).trim().to_owned();
        let timeout = self.read_timeout.eval(cx).into_owned();
        let destination = if opens { Some(self.destination(&connect, cx)?) } else { None };
        let messages = self.messages.eval(cx).into_owned();
        let read = self.operation.read_mode(&timeout, &messages, &self.pings.eval(cx))?;
        Ok(Values { destination, connect_ms: whole(&connect).unwrap_or(CONNECT_MS), read })
    }

    fn destination(&self, connect: &str, cx: &mut Context) -> Result<Destination, String> {
        let secure = is_true(&self.tls.eval(cx));
        let text = self.port.eval(cx).trim().to_owned();
        let number = whole(&text).ok_or_else(|| format!("Port number '{text}' is not a number."))?;
        let valid = u16::try_from(number).ok().filter(|port| *port > 0);
        let port = valid.ok_or_else(|| format!("Port number '{text}' is not valid."))?;
        within("Connection timeout", connect, 1, 999_999)?;
        let host = self.server.eval(cx).into_owned();
        let host = if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host };
        let path = self.path.eval(cx);
        // A fragment belongs to no request.
        let path = path.split('#').next().unwrap_or_default();
        let file = if path.starts_with('/') { path.to_owned() } else { format!("/{}", path.trim()) };
        Ok(Destination { secure, host, port, file, is_verified: false })
    }

    /// The name of the connection that is used or opened.
    pub(super) fn connection(&self, cx: &mut Context) -> Rc<str> {
        self.connection.eval_value(cx)
    }

    pub(super) fn payload_type(&self, cx: &mut Context) -> PayloadType {
        let Some(template) = &self.payload_type else {
            let is_binary = is_true(&self.is_binary.eval(cx));
            return if is_binary { PayloadType::Binary } else { PayloadType::Text };
        };
        let text = template.eval(cx).into_owned();
        match &*text {
            "Text" => PayloadType::Text,
            "Binary" => PayloadType::Binary,
            "TextStomp" => PayloadType::TextStomp,
            _ => {
                cx.host.log(Level::Warn, &format!("Wrong value found for payloadType: '{text}'"));
                PayloadType::Text
            }
        }
    }

    /// The type that a read sampler expects, or Java's exception.
    pub(super) fn read_type(&self, cx: &mut Context) -> Result<ReadType, String> {
        let text = self.read_type.eval(cx).into_owned();
        let is_binary = is_true(&self.is_binary.eval(cx));
        Ok(match (&*text, is_binary) {
            ("Text", _) | ("", false) => ReadType::Text,
            ("Binary", _) | ("", true) => ReadType::Binary,
            ("Any", _) => ReadType::Any,
            _ => {
                return Err(format!(
                    "java.lang.IllegalArgumentException: No enum constant \
                     eu.luminis.jmeter.wssampler.SingleReadWebSocketSampler.DataType.{text}"
                ));
            }
        })
    }

    pub(super) fn request_data(&self, cx: &mut Context) -> String {
        self.request_data.eval(cx).into_owned()
    }

    /// The file with the data to send, if they are in one.
    pub(super) fn data_file(&self, cx: &mut Context) -> Option<String> {
        let is_file = is_true(&self.from_file.eval(cx));
        is_file.then(|| self.data_file.eval(cx).into_owned())
    }

    pub(super) fn is_optional(&self, cx: &mut Context) -> bool {
        is_true(&self.optional.eval(cx))
    }

    /// A pong alone, without a ping.
    pub(super) fn is_pong_only(&self, cx: &mut Context) -> bool {
        &*self.ping_type.eval(cx) == "Pong"
    }

    /// The status of a close frame, or Java's exception.
    pub(super) fn status(&self, cx: &mut Context) -> Result<u16, String> {
        let text = self.status.eval(cx).into_owned();
        let number = text
            .parse::<i32>()
            .map_err(|_| format!("java.lang.NumberFormatException: For input string: \"{text}\""))?;
        Ok(number as u16)
    }
}

fn within(what: &str, text: &str, least: i64, most: i64) -> Result<(), String> {
    let number = whole(text).ok_or_else(|| format!("{what} '{text}' is not a number."))?;
    if (least..=most).contains(&number) {
        return Ok(());
    }
    Err(format!("{what} '{number}' is not valid; should between {least} and {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_refused_in_the_plug_ins_words() {
        assert_eq!(within("Read timeout", "0", 0, 10), Ok(()));
        assert_eq!(within("Read timeout", "x", 0, 10), Err("Read timeout 'x' is not a number.".to_owned()));
        let refused = "Read timeout '11' is not valid; should between 0 and 10";
        assert_eq!(within("Read timeout", "11", 0, 10), Err(refused.to_owned()));
    }
}
