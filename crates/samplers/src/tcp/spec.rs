//! The settings of a TCP sampler.

use std::rc::Rc;

use swell_api::{CompileContext, Merged, SamplerInput, Text};
use swell_expr::{Charset, Context, Level, Template};
use swell_plan::Severity;

use super::client::Client;
use crate::{is_true, whole};

/// GUI classes of config elements that fill its gaps (`TCPSampler.applies`).
const APPLIABLE: [&str; 3] = ["LoginConfigGui", "TCPConfigGui", "SimpleConfigGui"];

/// JMeter's own clients may be named without this.
const PACKAGE: &str = "org.apache.jmeter.protocol.tcp.sampler.";

/// The clients that there are here.
pub(super) const CLIENTS: [&str; 3] =
    ["TCPClientImpl", "BinaryTCPClientImpl", "LengthPrefixedBinaryTCPClientImpl"];

/// The name of a client of JMeter's without its package.
pub(super) fn short(class: &str) -> &str {
    class.strip_prefix(PACKAGE).unwrap_or(class)
}

/// The settings of a sampler, merged with its config elements.
pub(super) struct Spec {
    server: Template,
    port: Template,
    user: Template,
    password: Template,
    class: Template,
    request: Template,
    reuse: Template,
    close: Template,
    nodelay: Template,
    linger: Template,
    eol: Template,
    timeout_ms: Template,
    connect_timeout_ms: Template,
    defaults: Rc<Defaults>,
}

/// What properties say.
struct Defaults {
    handler: String,
    eol: i32,
    binary_eol: i32,
    prefix_length: i32,
    charset: (String, Option<Charset>),
    default_encoding: String,
}

/// One sample's settings.
pub(super) struct Call {
    /// Under which a connection is kept.
    pub(super) key: String,
    pub(super) server: String,
    pub(super) port: i32,
    pub(super) request: String,
    pub(super) reuse: bool,
    pub(super) close: bool,
    pub(super) nodelay: bool,
    /// As written; empty leaves the system's way.
    pub(super) linger: String,
    eol: i32,
    pub(super) timeout_ms: i32,
    pub(super) connect_timeout_ms: i32,
    /// A running sample ends then (`User::interrupt_at_ns`).
    pub(super) interrupt_at_ns: i64,
    /// None if the class is not known.
    pub(super) client: Option<Client>,
    defaults: Rc<Defaults>,
}

impl Spec {
    pub(super) fn new(input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        let merged = Merged::new(input, &APPLIABLE);
        let text =
            |name: &str, default: &str| merged.template(&format!("TCPSampler.{name}"), default, compile);
        let spec = Self {
            server: text("server", ""),
            port: text("port", ""),
            user: merged.template("ConfigTestElement.username", "", compile),
            password: merged.template("ConfigTestElement.password", "", compile),
            class: text("classname", ""),
            request: text("request", ""),
            reuse: text("reUseConnection", "true"),
            close: text("closeConnection", "false"),
            nodelay: text("nodelay", "false"),
            linger: text("soLinger", ""),
            eol: text("EolByte", ""),
            timeout_ms: text("timeout", ""),
            connect_timeout_ms: text("ctimeout", ""),
            defaults: Rc::new(Defaults::new(compile)),
        };
        spec.note_class(input, compile);
        spec
    }

    fn note_class(&self, input: &SamplerInput<'_>, compile: &CompileContext) {
        let Some(class) = self.class.constant() else { return };
        if self.defaults.client(class, "").is_none() {
            let class = if class.is_empty() { &self.defaults.handler } else { class };
            let message = format!("the client `{class}` is a custom class: it needs the JVM");
            let hint = "one of TCPClientImpl, BinaryTCPClientImpl, LengthPrefixedBinaryTCPClientImpl";
            let property = Some("TCPSampler.classname");
            compile.note(Severity::Error, &input.sampler.element, property, message, Some(hint));
        }
    }

    /// The settings now.
    pub(super) fn call(&self, cx: &mut Context, interrupt_at_ns: i64) -> Call {
        let server = self.server.eval(cx).into_owned();
        let port = whole(&self.port.eval(cx));
        let user = self.user.eval(cx);
        let password = self.password.eval(cx);
        let key = format!("TCP#{server}#{port}#{user}#{password}");
        let class = self.class.eval(cx);
        let eol = self.eol.eval(cx);
        let client = self.defaults.client(&class, &eol);
        if client.is_none() {
            cx.host.log(Level::Error, &format!("Could not find protocol class '{class}'"));
        }
        Call {
            key,
            server,
            port,
            request: self.request.eval(cx).into_owned(),
            reuse: is_true(&self.reuse.eval(cx)),
            close: is_true(&self.close.eval(cx)),
            nodelay: is_true(&self.nodelay.eval(cx)),
            linger: self.linger.eval(cx).into_owned(),
            eol: whole(&eol),
            timeout_ms: whole(&self.timeout_ms.eval(cx)),
            connect_timeout_ms: whole(&self.connect_timeout_ms.eval(cx)),
            interrupt_at_ns,
            client,
            defaults: self.defaults.clone(),
        }
    }
}

impl Defaults {
    fn new(compile: &CompileContext) -> Self {
        let get = |name: &str, default: &str| compile.props.get(name).unwrap_or_else(|| default.to_owned());
        let charset = get("tcp.charset", "UTF-8");
        Self {
            handler: get("tcp.handler", "TCPClientImpl"),
            eol: get("tcp.eolByte", "1000").trim().parse().unwrap_or(1000),
            binary_eol: get("tcp.BinaryTCPClient.eomByte", "1000").trim().parse().unwrap_or(1000),
            prefix_length: get("tcp.binarylength.prefix.length", "2").trim().parse().unwrap_or(2),
            charset: (charset.clone(), Charset::of(&charset)),
            default_encoding: get("sampleresult.default.encoding", "UTF-8"),
        }
    }

    /// The client of a class; none if it is not one of JMeter's. `eol` overrides the properties
    /// where it says something.
    fn client(&self, class: &str, eol: &str) -> Option<Client> {
        let class = if class.is_empty() { &self.handler } else { class };
        // A byte of Java; others switch the search off.
        let byte = |default: i32| {
            let wanted = if eol.is_empty() { default } else { whole(eol) };
            i8::try_from(wanted).ok().map(|byte| byte as u8)
        };
        Some(match short(class) {
            "TCPClientImpl" => {
                Client::Text { name: self.charset.0.clone(), charset: self.charset.1, eol: byte(self.eol) }
            }
            "BinaryTCPClientImpl" => Client::Binary { eol: byte(self.binary_eol) },
            "LengthPrefixedBinaryTCPClientImpl" => Client::Prefixed { length: self.prefix_length },
            _ => return None,
        })
    }
}

impl Call {
    /// What a sample says that was not sent.
    pub(super) fn about(&self) -> String {
        format!(
            "Host: {} Port: {}\nReuse: {} Close: {}\n[SOLINGER: {} EOL: {} noDelay: {}]",
            self.server,
            self.port,
            self.reuse,
            self.close,
            whole(&self.linger),
            self.eol,
            self.nodelay
        )
    }

    /// The body that the sample has for a text, with its charset: the client's, or JMeter's
    /// default.
    pub(super) fn encode(&self, text: String) -> (Vec<u8>, Text) {
        let (name, charset) = match &self.client {
            Some(Client::Text { name, charset, .. }) => (name, *charset),
            _ => (&self.defaults.default_encoding, Charset::of(&self.defaults.default_encoding)),
        };
        let body = match charset {
            Some(charset) => charset.encode(&text),
            None => text.into_bytes(),
        };
        (body, Text::from(name.clone()))
    }
}
