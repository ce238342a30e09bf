//! Java's exceptions for every failure of a request, with class and message as JMeter 5.6.3 shows
//! them on Java 17. They are spelled only here.

mod http2;
mod network;

use std::io;

use swell_api::Text;

use crate::coding::Fault;
use crate::url::{MalformedUrl, Syntax, Url};

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
const SOCKET: &str = "java.net.SocketException";
const TIMEOUT: &str = "java.net.SocketTimeoutException";
const ILLEGAL: &str = "java.lang.IllegalArgumentException";

impl Failure {
    /// An exception with a message.
    pub(crate) fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self { class, message: Some(message.into()), cause: None }
    }

    /// HttpClient's wrapper of its protocol errors, which has no message.
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

    /// Response body of the sample: JMeter's stack trace without the frames.
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
    pub(crate) fn malformed(error: &MalformedUrl) -> Self {
        Self::new("java.net.MalformedURLException", error.0.clone())
    }

    /// A URL that is not a URI.
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

    /// A method that is not a token.
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

    /// An interim response that is not understood (`HttpRequestExecutor.doSendRequest`).
    pub(crate) fn unexpected_response(line: &str) -> Self {
        Self::protocol(&format!("Unexpected response: {line}"))
    }

    /// Whether HttpClient itself stops.
    pub(crate) fn is_protocol(&self) -> bool {
        self.class == PROTOCOL
    }

    /// The other end has closed or reset the connection.
    pub(crate) fn is_closed_connection(&self) -> bool {
        matches!(self.class, SOCKET | CLOSED | "org.apache.http.NoHttpResponseException")
    }

    /// HttpClient may try again, where it came before an answer: all I/O errors except timeouts,
    /// names, refused connections and those of TLS.
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

    /// A `%` in a path without two digits after it.
    pub(crate) fn illegal_escape() -> Self {
        Self { class: ILLEGAL, message: None, cause: None }
    }

    /// What Java's own client makes of an error status.
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

    /// An invalid `max-age`.
    pub(crate) fn number(message: String) -> Self {
        Self::new("java.lang.NumberFormatException", message)
    }

    /// A request with a body and its own `Transfer-Encoding`.
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

    /// A body whose content coding is broken.
    pub(crate) fn coding(fault: &Fault) -> Self {
        let (class, message) = fault.exception();
        Self { class, message, cause: None }
    }

    /// A sample that took longer in all than `http.total_timeout` allows.
    pub(crate) fn total_timeout(limit_ms: i64) -> Self {
        Self::new(TIMEOUT, format!("The sample took longer than {limit_ms} ms in total (http.total_timeout)"))
    }

    /// The sample was interrupted: JMeter closes its socket (`HTTPHC4Impl.interrupt`).
    pub(crate) fn interrupted() -> Self {
        Self::new(SOCKET, "Socket closed")
    }
}

/// The system's message for an error, without Rust's `(os error n)`.
fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_names_the_cause() {
        let failure = Failure::wire(&swell_http1::WireError::Head("Invalid header: x".into()), "h:80");
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
