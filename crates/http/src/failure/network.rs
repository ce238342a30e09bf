//! Network failures: names, connections, TLS, invalid responses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use swell_connect::ConnectError;
use swell_http1::WireError;

use super::{CLOSED, Failure, SOCKET, TIMEOUT, system_text};
use crate::exchange::ExchangeError;
use crate::request::Request;

const CHUNK: &str = "org.apache.http.MalformedChunkCodingException";
const UNKNOWN_HOST: &str = "java.net.UnknownHostException";
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
    /// Connecting to a host and port failed. `name`: what the addresses go by; `tried`: all of
    /// them.
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
            ExchangeError::Session(error) => Self::session(&error),
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
            (Some(EPIPE), _) => Self::new(SOCKET, "Broken pipe"),
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
                "The response head is larger than 16 MiB, or than the limit of all users together \
                 (response.max_bytes_total)",
            ),
            WireError::InterimTooLarge => Self::protocol(
                "The interim responses (1xx) before a response are larger than 16 MiB together",
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
            WireError::TrailersTooLarge => {
                Self::new(CHUNK, "The trailers of a response are larger than 16 MiB together")
            }
            WireError::LineTooLarge => Self::new(CHUNK, "A chunk header or trailer is larger than 64 KiB"),
        }
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
    use super::super::PROTOCOL;
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
            (Failure::exchange(&io::Error::from_raw_os_error(EPIPE)), SOCKET, "Broken pipe"),
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
}
