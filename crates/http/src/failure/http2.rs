//! Failures of HTTP/2, with the classes of HttpClient 5, which JMeter 5.6.3 does not have.

use swell_connect::{SessionError, SessionExchange};
use swell_http2::client::HTTP_1_ANSWER;

use super::{CLOSED, Failure, ILLEGAL};

const CONNECTION: &str = "org.apache.hc.core5.http2.H2ConnectionException";
const STREAM: &str = "org.apache.hc.core5.http2.H2StreamResetException";
const NOT_EXECUTED: &str = "org.apache.hc.core5.http.RequestNotExecutedException";

impl Failure {
    /// An exchange over HTTP/2 failed.
    pub(crate) fn session(error: &SessionError) -> Self {
        match error {
            SessionError::Io(..) => SessionExchange::io_error(error)
                .map_or_else(Self::interrupted, |error| Self::exchange(&error)),
            SessionError::Ended => {
                Self::new(CLOSED, "The server closed the HTTP/2 connection before the response was complete")
            }
            SessionError::Connection(_, HTTP_1_ANSWER) => Self::new(
                CONNECTION,
                "The server does not speak HTTP/2 on this port: it answered in HTTP/1.1 (swell.http.version=1.1)",
            ),
            SessionError::Connection(code, rule) => {
                Self::new(CONNECTION, format!("The server broke a rule of HTTP/2: {rule} ({code})"))
            }
            SessionError::Stream(code, rule) => {
                Self::new(STREAM, format!("The server broke a rule of HTTP/2: {rule} ({code})"))
            }
            SessionError::Reset(code) => Self::new(STREAM, format!("The server reset the stream: {code}")),
            SessionError::NotProcessed => {
                Self::new(NOT_EXECUTED, "The server did not process the request, twice in a row")
            }
            SessionError::Closing => {
                Self::new(NOT_EXECUTED, "The HTTP/2 connection accepts no more requests")
            }
            SessionError::Busy => {
                Self::new(NOT_EXECUTED, "The server allows no more requests at once on the HTTP/2 connection")
            }
            SessionError::Request(text) => Self::new(ILLEGAL, text.clone()),
        }
    }

    /// A TLS server that does not offer HTTP/2.
    pub(crate) fn no_http2(chosen: Option<&[u8]>) -> Self {
        let chosen = chosen.map_or("no protocol".into(), String::from_utf8_lossy);
        Self::new(
            CONNECTION,
            format!("The server does not speak HTTP/2: by ALPN it chose {chosen} (swell.http.version=auto)"),
        )
    }
}
