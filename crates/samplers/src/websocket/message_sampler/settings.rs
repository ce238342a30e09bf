//! The properties of a sampler.

use swell_api::{CompileContext, SamplerInput};
use swell_expr::{Charset, Context, Level, Template};
use swell_plan::{Element, Property, PropertyValue};

use super::uri::Address;
use crate::is_true;
use crate::websocket::upgrade::Destination;

/// The time where the property is not a number, in milliseconds.
const DEFAULT_MS: i64 = 20_000;

/// How many messages a response shows where the property is not a number.
const DEFAULT_BACKLOG: usize = 3;

/// The properties of a sampler.
pub(super) struct Settings {
    protocol: Template,
    host: Template,
    port: Template,
    path: Template,
    query: Vec<QueryArgument>,
    encoding: Template,
    payload: Template,
    connect_timeout: Template,
    response_timeout: Template,
    streaming: Template,
    connection: Template,
    ignores_tls_errors: Template,
    response_pattern: Template,
    close_pattern: Template,
    backlog: Template,
}

struct QueryArgument {
    name: Template,
    value: Template,
    separator: Template,
    is_encoded: Template,
}

/// The values of one sample.
pub(super) struct Values {
    /// Where a new connection goes, or Java's message about an invalid address.
    pub(super) to: Result<Destination, String>,
    pub(super) encoding: String,
    pub(super) payload: String,
    pub(super) connect_ms: i64,
    pub(super) response_ms: i64,
    /// The connection stays open, and is known by this name.
    pub(super) kept_as: Option<String>,
    pub(super) response_pattern: String,
    pub(super) close_pattern: String,
    /// At least 1.
    pub(super) backlog: usize,
}

impl Settings {
    pub(super) fn new(input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        let element: &Element = &input.sampler.element;
        let text = |name: &str, default: &str| compile.template(element, name, default);
        let arguments = element.element("queryStringParameters");
        let arguments = arguments.map_or(&[][..], |list| list.collection("Arguments.arguments"));
        Self {
            protocol: text("protocol", ""),
            host: text("serverAddress", ""),
            port: text("serverPort", "0"),
            path: text("contextPath", ""),
            query: arguments.iter().filter_map(|argument| query_argument(argument, compile)).collect(),
            encoding: text("contentEncoding", "UTF-8"),
            payload: text("requestPayload", ""),
            connect_timeout: text("connectionTimeout", "5000"),
            response_timeout: text("responseTimeout", "20000"),
            streaming: text("streamingConnection", "false"),
            connection: text("connectionId", ""),
            ignores_tls_errors: text("ignoreSslErrors", "false"),
            response_pattern: text("responsePattern", ""),
            close_pattern: text("closeConncectionPattern", ""),
            backlog: text("messageBacklog", "3"),
        }
    }

    pub(super) fn values(&self, cx: &mut Context) -> Values {
        let encoding = self.encoding.eval(cx).into_owned();
        let connect_ms = milliseconds(&self.connect_timeout, "Connection", "connection", cx);
        let response_ms = milliseconds(&self.response_timeout, "Request", "request", cx);
        let backlog = self.backlog.eval(cx).parse::<usize>().unwrap_or(DEFAULT_BACKLOG);
        let is_streaming = is_true(&self.streaming.eval(cx));
        let connection = self.connection.eval(cx).into_owned();
        Values {
            to: self.destination(&encoding, cx),
            encoding,
            payload: self.payload.eval(cx).into_owned(),
            connect_ms,
            response_ms,
            kept_as: is_streaming.then_some(connection),
            response_pattern: self.response_pattern.eval(cx).into_owned(),
            close_pattern: self.close_pattern.eval(cx).into_owned(),
            backlog: backlog.max(1),
        }
    }

    fn destination(&self, encoding: &str, cx: &mut Context) -> Result<Destination, String> {
        let query = self.query(Charset::of(encoding.trim()).unwrap_or_default(), cx);
        Address {
            protocol: &self.protocol.eval(cx),
            host: &self.host.eval(cx),
            port: &self.port.eval(cx),
            path: &self.path.eval(cx),
            query: &query,
            is_verified: !is_true(&self.ignores_tls_errors.eval(cx)),
        }
        .destination()
    }

    fn query(&self, charset: Charset, cx: &mut Context) -> String {
        let mut query = String::new();
        for argument in &self.query {
            let is_encoded = is_true(&argument.is_encoded.eval(cx));
            let add = |text: &str, query: &mut String| {
                if is_encoded {
                    swell_http::form_encode_into(text, charset, query);
                } else {
                    query.push_str(text);
                }
            };
            let name = argument.name.eval(cx).into_owned();
            if name.is_empty() {
                continue;
            }
            if !query.is_empty() {
                query.push('&');
            }
            add(&name, &mut query);
            query.push_str(&argument.separator.eval(cx));
            add(&argument.value.eval(cx), &mut query);
        }
        query
    }
}

fn query_argument(property: &Property, compile: &CompileContext) -> Option<QueryArgument> {
    let PropertyValue::Element(element) = &property.value else { return None };
    // A plain argument becomes one of HTTP, which is always encoded.
    let encoded = if element.class.ends_with("HTTPArgument") { "false" } else { "true" };
    Some(QueryArgument {
        name: compile.template(element, "Argument.name", ""),
        value: compile.template(element, "Argument.value", ""),
        separator: compile.template(element, "Argument.metadata", "="),
        is_encoded: compile.template(element, "HTTPArgument.always_encode", encoded),
    })
}

fn milliseconds(template: &Template, name: &str, what: &str, cx: &mut Context) -> i64 {
    let text = template.eval(cx).into_owned();
    if let Ok(ms) = text.parse::<i32>() {
        return i64::from(ms);
    }
    let line = format!("{name} timeout is not a number; using the default {what} timeout of {DEFAULT_MS}ms");
    cx.host.log(Level::Warn, &line);
    DEFAULT_MS
}
