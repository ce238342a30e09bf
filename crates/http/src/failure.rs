//! Java's exceptions for everything that can go wrong with a request: class and message as JMeter 5.6.3 on Java 17
//! shows them. The one place where they are spelled.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use swell_api::Text;
use swell_connect::ConnectError;
use swell_http1::WireError;

use crate::coding::Fault;
use crate::exchange::ExchangeError;
use crate::request::Request;
use crate::url::{Malformed, Syntax, Url};

/// An exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Its class.
    pub(crate) class: &'static str,
    /// Its message; none where Java has `null`.
    pub(crate) message: Option<String>,
    /// What caused it, class and message, where JMeter's stack trace would say.
    pub(crate) cause: Option<String>,
}

const PROTOCOL: &str = "org.apache.http.client.ClientProtocolException";
const CLOSED: &str = "org.apache.http.ConnectionClosedException";
const CHUNK: &str = "org.apache.http.MalformedChunkCodingException";
const SOCKET: &str = "java.net.SocketException";
const TIMEOUT: &str = "java.net.SocketTimeoutException";
const UNKNOWN_HOST: &str = "java.net.UnknownHostException";
const ILLEGAL: &str = "java.lang.IllegalArgumentException";
const HANDSHAKE: &str = "javax.net.ssl.SSLHandshakeException";

// errno values of Linux that Java tells apart.
const EPIPE: i32 = 32;
const ECONNRESET: i32 = 104;
const ETIMEDOUT: i32 = 110;
const ECONNREFUSED: i32 = 111;
const EHOSTUNREACH: i32 = 113;
const EADDRINUSE: i32 = 98;
const EADDRNOTAVAIL: i32 = 99;
const EACCES: i32 = 13;

impl Failure {
    /// An exception with a message.
    pub(crate) fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self { class, message: Some(message.into()), cause: None }
    }

    /// HttpClient's wrapper of its own protocol errors, which has no message.
    fn protocol(cause: &str) -> Self {
        Self {
            class: PROTOCOL,
            message: None,
            cause: Some(format!("org.apache.http.ProtocolException: {cause}")),
        }
    }

    /// Response code of the sample.
    pub(crate) fn code(&self) -> Text {
        format!("Non HTTP response code: {}", self.class).into()
    }

    /// Response message of the sample.
    pub(crate) fn text(&self) -> Text {
        format!("Non HTTP response message: {}", self.message.as_deref().unwrap_or("null")).into()
    }

    /// Response body of the sample: what stands in JMeter's stack trace without the frames.
    pub(crate) fn body(&self) -> String {
        let mut out = self.class.to_owned();
        if let Some(message) = &self.message {
            out.push_str(": ");
            out.push_str(message);
        }
        out.push('\n');
        if let Some(cause) = &self.cause {
            out.push_str("Caused by: ");
            out.push_str(cause);
            out.push('\n');
        }
        out
    }

    /// A URL that is none.
    pub(crate) fn malformed(error: &Malformed) -> Self {
        Self::new("java.net.MalformedURLException", error.0.clone())
    }

    /// A URL that is no URI.
    pub(crate) fn syntax(error: &Syntax) -> Self {
        Self::new("java.net.URISyntaxException", error.message())
    }

    /// A URL without a host to connect to.
    pub(crate) fn no_host(url: &Url) -> Self {
        Self::new(PROTOCOL, format!("URI does not specify a valid host name: {}", url.as_str()))
    }

    /// A URL without a host, seen by the Cookie Manager.
    pub(crate) fn blank_host() -> Self {
        Self::new(ILLEGAL, "Host may not be blank")
    }

    /// A port beyond 65535.
    pub(crate) fn port_range(port: u32) -> Self {
        Self::new(ILLEGAL, format!("port out of range:{port}"))
    }

    /// A method that is no token.
    pub(crate) fn method(method: &str) -> Self {
        Self::new(ILLEGAL, format!("Unexpected method: '{method}'"))
    }

    /// JMeter has not looked at cookies when it finds this.
    pub(crate) fn is_before_cookies(&self) -> bool {
        let method = self.message.as_deref().is_some_and(|text| text.starts_with("Unexpected method"));
        self.class == "java.net.URISyntaxException" || method || *self == Self::blank_host()
    }

    /// JMeter has made the body when it finds this.
    pub(crate) fn is_after_body(&self) -> bool {
        let starts = |text| self.message.as_deref().is_some_and(|message| message.starts_with(text));
        match self.class {
            PROTOCOL => starts("URI does not specify") || *self == Self::transfer_encoding(),
            ILLEGAL => starts("port out of range"),
            _ => false,
        }
    }

    /// Whether HttpClient itself will not go on.
    pub(crate) fn is_protocol(&self) -> bool {
        self.class == PROTOCOL
    }

    /// HttpClient may try again, where it came before an answer: all faults of input and output but timeouts, names,
    /// refused connections and those of TLS.
    pub(crate) fn can_be_retried(&self) -> bool {
        matches!(
            self.class,
            SOCKET
                | CLOSED
                | "java.net.BindException"
                | "java.net.NoRouteToHostException"
                | "org.apache.http.NoHttpResponseException"
                | "java.io.IOException"
        )
    }

    /// A charset that Java does not have.
    pub(crate) fn charset(name: &str) -> Self {
        Self::new("java.nio.charset.UnsupportedCharsetException", name)
    }

    /// A file that cannot be read.
    pub(crate) fn no_file(path: &str, error: &io::Error) -> Self {
        Self::new("java.io.FileNotFoundException", format!("{path} ({})", system_text(error)))
    }

    /// A `%` in a path without two digits behind it.
    pub(crate) fn illegal_escape() -> Self {
        Self { class: ILLEGAL, message: None, cause: None }
    }

    /// What Java's own client makes of a status that tells of an error.
    pub(crate) fn server_says(status: u16, url: &Url) -> Self {
        let text = format!("Server returned HTTP response code: {status} for URL: {}", url.as_str());
        Self::new("java.io.IOException", text)
    }

    /// A content type without a MIME type.
    pub(crate) fn content_type(value: &str) -> Self {
        Self::new("org.apache.http.ParseException", format!("Invalid content type: {value}"))
    }

    /// A part of a form without a name.
    pub(crate) fn blank_name() -> Self {
        Self::new("java.lang.IllegalStateException", "Name is blank")
    }

    /// An argument that HttpClient refuses.
    pub(crate) fn illegal(message: &str) -> Self {
        Self::new(ILLEGAL, message)
    }

    /// A form field that cannot be decoded.
    pub(crate) fn decode(message: String) -> Self {
        Self::new(ILLEGAL, message)
    }

    /// `max-age` that is no number.
    pub(crate) fn number(message: String) -> Self {
        Self::new("java.lang.NumberFormatException", message)
    }

    /// A request with a body and a `Transfer-Encoding` of its own.
    pub(crate) fn transfer_encoding() -> Self {
        Self::protocol("Transfer-encoding header already present")
    }

    /// A redirect without `Location`.
    pub(crate) fn no_location(method: &str, url: &Url) -> Self {
        let text = format!("Missing location header in redirect for {method} {} HTTP/1.1", url.as_str());
        Self::new(ILLEGAL, text)
    }

    /// More redirects than JMeter follows.
    pub(crate) fn too_many_redirects(limit: u32) -> Self {
        Self::new("java.io.IOException", format!("Exceeded maximum number of redirects: {limit}"))
    }

    /// A redirect that HttpClient will not follow by itself.
    pub(crate) fn redirect(cause: &str) -> Self {
        Self::protocol(cause)
    }

    /// A name that no one knows. Java remembers that for ten seconds, and then says less.
    pub(crate) fn unknown_host(host: &str, remembered: bool) -> Self {
        let text = if remembered { host.to_owned() } else { format!("{host}: Name or service not known") };
        Self::new(UNKNOWN_HOST, text)
    }

    /// A name that the servers of the plan do not know.
    pub(crate) fn unresolved(host: &str) -> Self {
        Self::new(UNKNOWN_HOST, format!("Failed to resolve host name: {host}"))
    }

    /// A server of the plan has no address, so no name is looked up.
    pub(crate) fn no_name_servers(host: &str) -> Self {
        let text =
            format!("Could not resolve host:{host}, failed to initialize resolver or no resolver found");
        Self::new(UNKNOWN_HOST, text)
    }

    /// A host that servers cannot be asked for.
    pub(crate) fn no_name() -> Self {
        Self::new(
            "java.lang.NullPointerException",
            "Cannot read the array length because \"addresses\" is null",
        )
    }

    /// A body whose content coding is broken.
    pub(crate) fn coding(fault: &Fault) -> Self {
        let (class, message) = fault.exception();
        Self { class, message, cause: None }
    }

    /// A sample that took longer in all than `http.total_timeout` allows.
    pub(crate) fn total_timeout(limit_ms: i64) -> Self {
        Self::new(TIMEOUT, format!("The sample took longer than {limit_ms} ms in all (http.total_timeout)"))
    }

    /// Connecting to a host and port failed. `name`: what the addresses go by; `tried`: all of them.
    pub(crate) fn connect(
        error: &io::Error,
        (host, port): (&str, u16),
        name: &str,
        tried: &[SocketAddr],
    ) -> Self {
        let text =
            |what: &str| format!("Connect to {host}:{port} [{}] failed: {what}", addresses(name, tried));
        let refused = |what: &str| Self {
            class: "org.apache.http.conn.HttpHostConnectException",
            message: Some(text(what)),
            cause: Some(format!("java.net.ConnectException: {what}")),
        };
        match error.raw_os_error() {
            Some(ECONNREFUSED) => refused("Connection refused"),
            Some(ETIMEDOUT) => refused("Connection timed out"),
            Some(EHOSTUNREACH) => Self::new("java.net.NoRouteToHostException", "No route to host"),
            Some(EADDRINUSE | EADDRNOTAVAIL | EACCES) => {
                Self::new("java.net.BindException", system_text(error))
            }
            None if error.kind() == io::ErrorKind::TimedOut => Self {
                class: "org.apache.http.conn.ConnectTimeoutException",
                message: Some(text("Connect timed out")),
                cause: Some(format!("{TIMEOUT}: Connect timed out")),
            },
            _ => Self::new(SOCKET, system_text(error)),
        }
    }

    /// Connecting to a socket in the file system failed.
    pub(crate) fn connect_unix(error: &io::Error, path: &Path) -> Self {
        let what = match error.kind() {
            io::ErrorKind::TimedOut => "Connect timed out".to_owned(),
            io::ErrorKind::InvalidInput => error.to_string(),
            _ => system_text(error),
        };
        let text = format!("Connect to {} failed: {what}", path.display());
        Self::new("org.apache.http.conn.HttpHostConnectException", text)
    }

    /// A host without any address that can be used.
    pub(crate) fn not_connected() -> Self {
        Self::new(CLOSED, "Connection is closed")
    }

    /// A proxy that makes no tunnel.
    pub(crate) fn no_tunnel(status: u16) -> Self {
        let text = format!("CONNECT refused by proxy: HTTP/1.1 {status}");
        Self::new("org.apache.http.impl.execchain.TunnelRefusedException", text)
    }

    /// The sample was interrupted: JMeter closes its socket (`HTTPHC4Impl.interrupt`).
    pub(crate) fn interrupted() -> Self {
        Self::new(SOCKET, "Socket closed")
    }

    /// The TLS handshake failed.
    pub(crate) fn handshake(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self {
                class: HANDSHAKE,
                message: Some("Remote host terminated the handshake".into()),
                cause: Some("java.io.EOFException: SSL peer shut down incorrectly".into()),
            },
            _ => Self::exchange(error),
        }
    }

    /// An exchange failed.
    pub(crate) fn broken(error: ExchangeError, request: &Request) -> Self {
        match error {
            ExchangeError::Io(error) => Self::exchange(&error),
            ExchangeError::Wire(error) => {
                Self::wire(&error, &format!("{}:{}", request.url.host(), request.target.port))
            }
        }
    }

    /// Sending or receiving failed.
    pub(crate) fn exchange(error: &io::Error) -> Self {
        if let Some(tls) = error.get_ref().and_then(|e| e.downcast_ref::<rustls::Error>()) {
            return Self::tls(tls);
        }
        match (error.raw_os_error(), error.kind()) {
            (Some(EPIPE), _) => Self::new(SOCKET, "ExchangeError pipe"),
            (Some(ECONNRESET), _) | (None, io::ErrorKind::ConnectionReset) => {
                Self::new(SOCKET, "Connection reset")
            }
            (None, io::ErrorKind::TimedOut) => Self::new(TIMEOUT, "Read timed out"),
            (Some(_), _) => Self::new(SOCKET, system_text(error)),
            (None, io::ErrorKind::InvalidInput) => Self::new("javax.net.ssl.SSLException", error.to_string()),
            (None, _) => Self::new("java.io.IOException", error.to_string()),
        }
    }

    fn tls(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::AlertReceived(alert) => {
                let name = snake_case(&format!("{alert:?}"));
                Self::new(HANDSHAKE, format!("Received fatal alert: {name}"))
            }
            rustls::Error::InvalidMessage(_) => {
                Self::new("javax.net.ssl.SSLException", "Unsupported or unrecognized SSL message")
            }
            other => Self::new(HANDSHAKE, other.to_string()),
        }
    }

    /// The response is none. `host`: `host:port` of the request.
    pub(crate) fn wire(error: &WireError, host: &str) -> Self {
        match error {
            WireError::NoResponse => {
                Self::new("org.apache.http.NoHttpResponseException", format!("{host} failed to respond"))
            }
            WireError::NoStatusLine => {
                Self::protocol("The server failed to respond with a valid HTTP response")
            }
            WireError::Head(text) => Self::protocol(text),
            WireError::HeadTooLarge => Self::protocol(
                "The head of the response is larger than 16 MiB, or than all users may keep together (response.max_bytes_total)",
            ),
            WireError::ShortBody { expected, received } => Self::new(
                CLOSED,
                format!(
                    "Premature end of Content-Length delimited message body (expected: {}; received: {})",
                    grouped(*expected),
                    grouped(*received)
                ),
            ),
            WireError::TruncatedChunk { expected, actual } => Self::new(
                "org.apache.http.TruncatedChunkException",
                format!(
                    "Truncated chunk (expected size: {}; actual size: {})",
                    grouped(*expected),
                    grouped(*actual)
                ),
            ),
            WireError::NoLastChunk => {
                Self::new(CLOSED, "Premature end of chunk coded message body: closing chunk expected")
            }
            WireError::ChunkHeader(text) => Self::new(CHUNK, format!("Bad chunk header: {text}")),
            WireError::NegativeChunk => Self::new(CHUNK, "Negative chunk size"),
            WireError::ChunkEnd => Self::new(CHUNK, "Unexpected content at the end of chunk"),
            WireError::NoChunkEnd => Self::new(CHUNK, "CRLF expected at end of chunk"),
            WireError::Trailer(text) => Self::new(CHUNK, text.clone()),
            WireError::LineTooLarge => Self::new(CHUNK, "A chunk header or trailer is larger than 64 KiB"),
        }
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::UnknownHost { host, remembered } => Self::unknown_host(&host, remembered),
            ConnectError::Unresolved(host) => Self::unresolved(&host),
            ConnectError::NoNameServers(host) => Self::no_name_servers(&host),
            ConnectError::InvalidName => Self::no_name(),
            ConnectError::NoAddress => Self::not_connected(),
            ConnectError::Connect { error, host, port, name, tried } => {
                Self::connect(&error, (&host, port), &name, &tried)
            }
            ConnectError::ConnectUnix(error, path) => Self::connect_unix(&error, &path),
            ConnectError::ProxyLost(error) => Self::exchange(&error),
            ConnectError::ProxyAnswer(error, target) => Self::wire(&error, &target),
            ConnectError::TunnelRefused(status) => Self::no_tunnel(status),
            ConnectError::Handshake(error) => Self::handshake(&error),
        }
    }
}

/// `%,d` of Java in English.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `localhost/127.0.0.1`, or `/127.0.0.1` where the host is an address.
fn addresses(host: &str, tried: &[SocketAddr]) -> String {
    let literal = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let name = if literal { "" } else { host };
    let all: Vec<String> = tried.iter().map(|a| format!("{name}/{}", java_address(a.ip()))).collect();
    all.join(", ")
}

/// `InetAddress.getHostAddress`: IPv6 in full.
fn java_address(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => ip.segments().map(|s| format!("{s:x}")).join(":"),
    }
}

/// The system's words for an error, without Rust's `(os error n)`.
fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(failure: &Failure) -> (&str, &str) {
        (failure.class, failure.message.as_deref().unwrap_or("null"))
    }

    #[test]
    fn connect_errors() {
        let at = |text: &str| vec![text.parse::<SocketAddr>().unwrap()];
        let os = io::Error::from_raw_os_error;
        let table = [
            (
                Failure::connect(&os(ECONNREFUSED), ("127.0.0.1", 1), "127.0.0.1", &at("127.0.0.1:1")),
                "org.apache.http.conn.HttpHostConnectException",
                "Connect to 127.0.0.1:1 [/127.0.0.1] failed: Connection refused",
            ),
            (
                Failure::connect(&os(ECONNREFUSED), ("[::1]", 39115), "[::1]", &at("[::1]:39115")),
                "org.apache.http.conn.HttpHostConnectException",
                "Connect to [::1]:39115 [/0:0:0:0:0:0:0:1] failed: Connection refused",
            ),
            (
                Failure::connect(
                    &io::ErrorKind::TimedOut.into(),
                    ("localhost", 1),
                    "localhost",
                    &at("127.0.0.1:1"),
                ),
                "org.apache.http.conn.ConnectTimeoutException",
                "Connect to localhost:1 [localhost/127.0.0.1] failed: Connect timed out",
            ),
            (Failure::connect(&os(24), ("h", 1), "h", &[]), SOCKET, "Too many open files"),
            (
                Failure::connect(&os(EADDRNOTAVAIL), ("h", 1), "h", &[]),
                "java.net.BindException",
                "Cannot assign requested address",
            ),
        ];
        for (failure, class, message) in &table {
            assert_eq!(shown(failure), (*class, *message));
        }
    }

    #[test]
    fn exchange_errors() {
        let table = [
            (Failure::exchange(&io::Error::from_raw_os_error(ECONNRESET)), SOCKET, "Connection reset"),
            (Failure::exchange(&io::ErrorKind::TimedOut.into()), TIMEOUT, "Read timed out"),
            (
                Failure::wire(&WireError::NoResponse, "h:80"),
                "org.apache.http.NoHttpResponseException",
                "h:80 failed to respond",
            ),
            (Failure::wire(&WireError::NoStatusLine, "h:80"), PROTOCOL, "null"),
            (
                Failure::wire(&WireError::ShortBody { expected: 1_234_567, received: 3 }, "h:80"),
                CLOSED,
                "Premature end of Content-Length delimited message body (expected: 1,234,567; received: 3)",
            ),
        ];
        for (failure, class, message) in &table {
            assert_eq!(shown(failure), (*class, *message));
        }
    }

    #[test]
    fn the_body_names_the_cause() {
        let failure = Failure::wire(&WireError::Head("Invalid header: x".into()), "h:80");
        assert_eq!(
            failure.body(),
            "org.apache.http.client.ClientProtocolException\n\
             Caused by: org.apache.http.ProtocolException: Invalid header: x\n"
        );
        assert_eq!(&*failure.text(), "Non HTTP response message: null");
        assert_eq!(
            &*failure.code(),
            "Non HTTP response code: org.apache.http.client.ClientProtocolException"
        );
    }
}
