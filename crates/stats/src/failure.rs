//! Kinds of failures, and the classification of failed samples.

/// Why a sample failed. The order is that of a request's life.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum FailureKind {
    /// The plan asks for a request that cannot be made: a bad URL, a file that is not there.
    Request,
    /// This machine has no descriptors, ports or memory left.
    ResourceExhaustion,
    /// No name server knows the host.
    NameNotFound,
    /// The server's machine refused the connection: nothing listens there.
    Refused,
    /// No way leads to the server.
    Unreachable,
    /// No connection in time.
    ConnectTimeout,
    /// The TLS handshake failed.
    Tls,
    /// The connection was reset.
    Reset,
    /// The connection was closed before the response was whole.
    ClosedEarly,
    /// No response in time.
    ResponseTimeout,
    /// The sample took longer in all than `http.total_timeout` allows.
    TotalTimeout,
    /// What was received is not HTTP.
    NotHttp,
    /// The body cannot be decoded.
    Undecodable,
    /// The response has an error status.
    Status,
    /// A resource of the page failed.
    Resource,
    /// An assertion failed.
    Assertion,
    /// A script or a function failed.
    Script,
    /// The sample was interrupted by the plan or by the end of the test.
    Interrupted,
    /// Anything else, such as a script that calls a sample failed.
    #[default]
    Other,
}

impl FailureKind {
    /// Number of kinds.
    pub(crate) const COUNT: usize = Self::Other as usize + 1;

    /// All kinds in their order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Request,
        Self::ResourceExhaustion,
        Self::NameNotFound,
        Self::Refused,
        Self::Unreachable,
        Self::ConnectTimeout,
        Self::Tls,
        Self::Reset,
        Self::ClosedEarly,
        Self::ResponseTimeout,
        Self::TotalTimeout,
        Self::NotHttp,
        Self::Undecodable,
        Self::Status,
        Self::Resource,
        Self::Assertion,
        Self::Script,
        Self::Interrupted,
        Self::Other,
    ];

    /// Its name in files, such as `connection_refused`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "bad_request",
            Self::ResourceExhaustion => "resource_shortage",
            Self::NameNotFound => "name_not_found",
            Self::Refused => "connection_refused",
            Self::Unreachable => "unreachable",
            Self::ConnectTimeout => "connect_timeout",
            Self::Tls => "tls",
            Self::Reset => "connection_reset",
            Self::ClosedEarly => "closed_early",
            Self::ResponseTimeout => "response_timeout",
            Self::TotalTimeout => "total_timeout",
            Self::NotHttp => "not_http",
            Self::Undecodable => "undecodable_body",
            Self::Status => "status",
            Self::Resource => "embedded_resource",
            Self::Assertion => "assertion",
            Self::Script => "script",
            Self::Interrupted => "interrupted",
            Self::Other => "other",
        }
    }

    /// The sample never reached a server: there was no request, no name, no connection or no TLS.
    pub fn is_unreached(self) -> bool {
        matches!(
            self,
            Self::Request
                | Self::NameNotFound
                | Self::Refused
                | Self::Unreachable
                | Self::ConnectTimeout
                | Self::Tls
        )
    }

    /// The sample failed after its request went out.
    pub fn is_after_request(self) -> bool {
        matches!(
            self,
            Self::Reset
                | Self::ClosedEarly
                | Self::ResponseTimeout
                | Self::NotHttp
                | Self::Undecodable
                | Self::Status
        )
    }

    /// The exchange itself failed: if no response began, no server answered.
    pub(crate) fn is_of_exchange(self) -> bool {
        self.is_unreached()
            || matches!(
                self,
                Self::Reset | Self::ClosedEarly | Self::ResponseTimeout | Self::TotalTimeout | Self::NotHttp
            )
    }

    /// The kind of a failed sample, by JMeter's messages for it, which JTL files have, too.
    /// `asserted`: an assertion failed; `answered`: a response was received, so that a class at the
    /// start of the message is the server's text.
    pub fn of(code: &str, message: &str, asserted: bool, answered: bool) -> Self {
        if let Some(class) = code.strip_prefix(NO_HTTP_CODE) {
            let message = message.strip_prefix(NO_HTTP_MESSAGE).unwrap_or(message);
            return of_exception(class, message);
        }
        if code == WEBSOCKET_CODE {
            return of_websocket(message.strip_prefix(WEBSOCKET_MESSAGE).unwrap_or(message));
        }
        if let Some(kind) = crate::grpc_failure::kind(code, message) {
            return kind;
        }
        if asserted {
            return Self::Assertion;
        }
        if let Some((_, why)) = message.split_once(NOT_OPENED) {
            let kind = of_websocket(why.trim_end());
            return if kind == Self::Other { Self::Status } else { kind };
        }
        if !answered && let Some((class, rest)) = exception(message) {
            return of_exception(class, rest);
        }
        match code.parse() {
            Ok(400..=599_u16) => Self::Status,
            _ if message.starts_with("Embedded resource download error") => Self::Resource,
            _ => Self::Other,
        }
    }
}

/// What JMeter writes before the class of an exception in a response code.
pub const NO_HTTP_CODE: &str = "Non HTTP response code: ";

/// What JMeter writes before the message of an exception.
pub const NO_HTTP_MESSAGE: &str = "Non HTTP response message: ";

/// The response code of WebSocket samplers whose connection failed (`eu.luminis.jmeter.wssampler`).
const WEBSOCKET_CODE: &str = "Websocket I/O error";

/// What they write before the message of the exception, whose class they do not name.
pub const WEBSOCKET_MESSAGE: &str = "WebSocket I/O error: ";

/// What the older WebSocket Sampler writes into its log before the reason
/// (`JMeter.plugins.functional.samplers.websocket`).
const NOT_OPENED: &str = "[Problems]\n - Connection couldn't be opened: ";

/// The end of the message where a sample took longer than this property allows: JMeter has no such
/// limit, and no class for it.
const TOTAL_TIMEOUT: &str = "(http.total_timeout)";

/// Class and message of Java's `class: message`, as the TCP Sampler shows it.
fn exception(text: &str) -> Option<(&str, &str)> {
    let (class, message) = text.split_once(": ").unwrap_or((text, ""));
    let name = class.rsplit('.').next().unwrap_or_default();
    let is_class = class.contains('.') && !class.contains(' ');
    (is_class && (name.ends_with("Exception") || name.ends_with("Error"))).then_some((class, message))
}

fn of_exception(class: &str, message: &str) -> FailureKind {
    use FailureKind as Kind;
    match class.rsplit('.').next().unwrap_or_default() {
        "HttpHostConnectException" | "ConnectException" if message.ends_with("timed out") => {
            Kind::ConnectTimeout
        }
        "HttpHostConnectException" | "ConnectException" => Kind::Refused,
        "ConnectTimeoutException" => Kind::ConnectTimeout,
        "NoRouteToHostException" => Kind::Unreachable,
        "UnknownHostException" => Kind::NameNotFound,
        "BindException" | "OutOfMemoryError" => Kind::ResourceExhaustion,
        "SocketTimeoutException" if message.starts_with("Connect") || message.starts_with("connect") => {
            Kind::ConnectTimeout
        }
        "SocketTimeoutException" if message.ends_with(TOTAL_TIMEOUT) => Kind::TotalTimeout,
        "SocketTimeoutException" => Kind::ResponseTimeout,
        "SocketException" | "IOException" => of_socket(message),
        "ConnectionClosedException" if message == "Connection is closed" => Kind::Unreachable,
        "NoHttpResponseException" | "ConnectionClosedException" | "TruncatedChunkException" => {
            Kind::ClosedEarly
        }
        "ClientProtocolException" if message.starts_with("URI does not") => Kind::Request,
        "ClientProtocolException"
        | "MalformedChunkCodingException"
        | "ProtocolException"
        | "ParseException" => Kind::NotHttp,
        "ZipException" | "EOFException" => Kind::Undecodable,
        "MalformedURLException"
        | "URISyntaxException"
        | "IllegalArgumentException"
        | "IllegalStateException"
        | "UnsupportedCharsetException"
        | "FileNotFoundException"
        | "NumberFormatException" => Kind::Request,
        "ScriptException" | "EvalError" | "JMeterException" => Kind::Script,
        _ if class.starts_with("javax.net.ssl.") => Kind::Tls,
        _ if class.starts_with("javax.script.") || class.starts_with("groovy.") => Kind::Script,
        _ => Kind::Other,
    }
}

/// `SocketException` has the system's message.
fn of_socket(message: &str) -> FailureKind {
    const SHORTAGES: [&str; 3] = ["Too many open files", "Cannot allocate memory", "No buffer space"];
    match message {
        "Connection reset" | "Broken pipe" | "Connection reset by peer" => FailureKind::Reset,
        "Socket closed" => FailureKind::Interrupted,
        "Network is unreachable" | "No route to host" => FailureKind::Unreachable,
        "Brotli stream decoding failed" => FailureKind::Undecodable,
        _ if SHORTAGES.iter().any(|words| message.starts_with(words)) => FailureKind::ResourceExhaustion,
        _ => FailureKind::Other,
    }
}

/// A failure of a WebSocket, by the message of Java's exception alone.
fn of_websocket(message: &str) -> FailureKind {
    use FailureKind as Kind;
    match message {
        "Connection refused" | "Connection refused (Connection refused)" => Kind::Refused,
        "Connect timed out" | "connect timed out" | "Connection timed out" => Kind::ConnectTimeout,
        "Read timed out" => Kind::ResponseTimeout,
        "end of stream" | "Empty response; connection closed." => Kind::ClosedEarly,
        "Invalid status line" => Kind::NotHttp,
        "Cannot assign requested address" => Kind::ResourceExhaustion,
        "Remote host terminated the handshake" => Kind::Tls,
        _ if TLS_STARTS.iter().any(|start| message.starts_with(start)) => Kind::Tls,
        // The message of an `UnknownHostException` is the host.
        _ if is_host(message) || message.ends_with(": Name or service not known") => Kind::NameNotFound,
        _ => of_socket(message),
    }
}

/// Starts of the messages of rustls and of Java about a TLS handshake.
const TLS_STARTS: [&str; 5] = [
    "invalid peer certificate",
    "received corrupt message",
    "received fatal alert",
    "Received fatal alert",
    "PKIX path building failed",
];

fn is_host(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    !text.is_empty() && text != "null" && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use FailureKind as Kind;

    #[test]
    fn exceptions_of_http_samples_have_their_kinds() {
        let table = [
            (
                "org.apache.http.conn.HttpHostConnectException",
                "Connect to h:1 [/h] failed: Connection refused",
                Kind::Refused,
            ),
            (
                "org.apache.http.conn.HttpHostConnectException",
                "Connect to h:1 failed: Connection timed out",
                Kind::ConnectTimeout,
            ),
            (
                "org.apache.http.conn.ConnectTimeoutException",
                "Connect to h:1 failed: Connect timed out",
                Kind::ConnectTimeout,
            ),
            ("java.net.SocketTimeoutException", "Read timed out", Kind::ResponseTimeout),
            (
                "java.net.SocketTimeoutException",
                "The sample took longer than 80 ms in all (http.total_timeout)",
                Kind::TotalTimeout,
            ),
            ("java.net.SocketException", "Connection reset", Kind::Reset),
            ("java.net.SocketException", "Too many open files", Kind::ResourceExhaustion),
            ("java.net.BindException", "Cannot assign requested address", Kind::ResourceExhaustion),
            ("java.net.SocketException", "Socket closed", Kind::Interrupted),
            ("java.net.UnknownHostException", "h: Name or service not known", Kind::NameNotFound),
            ("java.net.NoRouteToHostException", "No route to host", Kind::Unreachable),
            ("org.apache.http.NoHttpResponseException", "h:1 failed to respond", Kind::ClosedEarly),
            (
                "org.apache.http.ConnectionClosedException",
                "Premature end of Content-Length",
                Kind::ClosedEarly,
            ),
            ("org.apache.http.TruncatedChunkException", "Truncated chunk", Kind::ClosedEarly),
            ("org.apache.http.MalformedChunkCodingException", "Bad chunk header: zz", Kind::NotHttp),
            ("org.apache.http.client.ClientProtocolException", "null", Kind::NotHttp),
            ("java.util.zip.ZipException", "Not in GZIP format", Kind::Undecodable),
            ("javax.net.ssl.SSLHandshakeException", "Received fatal alert: x", Kind::Tls),
            ("java.net.URISyntaxException", "Illegal character", Kind::Request),
            ("javax.script.ScriptException", "no", Kind::Script),
            ("com.example.Strange", "no", Kind::Other),
        ];
        for (class, message, kind) in table {
            let code = format!("{NO_HTTP_CODE}{class}");
            let text = format!("{NO_HTTP_MESSAGE}{message}");
            assert_eq!(Kind::of(&code, &text, false, false), kind, "{class}: {message}");
            assert_eq!(Kind::of(&code, &text, true, false), kind, "the check of an error text is no cause");
            if code.contains("java.net") {
                let tcp = format!("{class}: {message}");
                assert_eq!(Kind::of("500", &tcp, false, false), kind, "{tcp}");
                assert_eq!(Kind::of("500", &tcp, false, true), Kind::Status, "a server may write anything");
            }
        }
    }

    #[test]
    fn failures_of_websockets_have_the_kinds_of_their_messages() {
        for (message, kind) in [
            ("Connection refused", Kind::Refused),
            ("Connect timed out", Kind::ConnectTimeout),
            ("Read timed out", Kind::ResponseTimeout),
            ("end of stream", Kind::ClosedEarly),
            ("Connection reset", Kind::Reset),
            ("Network is unreachable", Kind::Unreachable),
            ("Too many open files", Kind::ResourceExhaustion),
            ("no-such-host.invalid", Kind::NameNotFound),
            ("Remote host terminated the handshake", Kind::Tls),
            ("invalid peer certificate: UnknownIssuer", Kind::Tls),
            ("Invalid status line", Kind::NotHttp),
            ("protocol error: the server masked a frame", Kind::Other),
            ("null", Kind::Other),
        ] {
            let text = format!("{WEBSOCKET_MESSAGE}{message}");
            assert_eq!(Kind::of(WEBSOCKET_CODE, &text, false, false), kind, "{message}");
            let log = format!("\n\n[Execution Flow]\n\n\n{NOT_OPENED}{message}\n");
            let kind = if kind == Kind::Other { Kind::Status } else { kind };
            assert_eq!(Kind::of("500", &log, false, false), kind, "{message}");
        }
    }

    #[test]
    fn answers_fail_by_status_assertion_or_script() {
        assert_eq!(Kind::of("503", "Service Unavailable", false, true), Kind::Status);
        assert_eq!(Kind::of("503", "Test failed: code expected to equal /200/", true, true), Kind::Assertion);
        assert_eq!(Kind::of("200", "Embedded resource download error:404", false, true), Kind::Resource);
        assert_eq!(Kind::of("200", "I say so", false, true), Kind::Other);
    }

    #[test]
    fn kinds_have_names_of_their_own() {
        let mut names = Kind::ALL.map(Kind::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Kind::COUNT);
        assert!(Kind::ALL.iter().enumerate().all(|(place, kind)| *kind as usize == place));
    }
}
