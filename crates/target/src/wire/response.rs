//! Answers and their heads.

use std::borrow::Cow;

use swell_http1::date::DATE_BYTES;
use swell_http1::reason;
use swell_http1::server::{Connection, Length, Refusal, ResponseHeadFields};

/// What every answer says about itself before its date.
const SERVER: &str = "Server: swell-target\r\nDate: ";

/// The offset of the date in the head of a 200.
pub(crate) const DATE_AT: usize = "HTTP/1.1 200 OK\r\n".len() + SERVER.len();

/// A response: everything but its date and the status of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) reason: Cow<'static, str>,
    /// Header lines, each with its CR LF.
    pub(crate) headers: String,
    pub(crate) body: Cow<'static, [u8]>,
    pub(crate) length: Length,
}

impl Response {
    /// An answer with a body of that media type.
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Cow<'static, [u8]>>) -> Self {
        let body = body.into();
        let headers = format!("Content-Type: {content_type}\r\n");
        Self {
            status,
            reason: reason(status).into(),
            headers,
            length: Length::Bytes(body.len() as u64),
            body,
        }
    }

    /// 200 with a line of text.
    pub(crate) fn text(body: impl Into<String>) -> Self {
        Self::new(200, "text/plain; charset=utf-8", body.into().into_bytes())
    }

    /// 200 with a JSON document and a line feed after it.
    pub(crate) fn json(document: &serde_json::Value) -> Self {
        Self::new(200, "application/json", format!("{document:#}\n").into_bytes())
    }

    /// The same with another status.
    pub(crate) fn status(self, status: u16) -> Self {
        Self { status, reason: reason(status).into(), ..self }
    }

    /// The same with one more header line. Name and value must be free of control characters.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        debug_assert!(
            !value.bytes().any(|byte| byte.is_ascii_control()),
            "header values hold no control characters"
        );
        self.headers.extend([name, ": ", value, "\r\n"]);
        self
    }

    /// Appends the head, with its empty line.
    pub(crate) fn write_head(&self, date: &[u8; DATE_BYTES], connection: Connection, out: &mut Vec<u8>) {
        let lines: [&[u8]; 4] = [SERVER.as_bytes(), date, b"\r\n", self.headers.as_bytes()];
        let head = ResponseHeadFields {
            status: self.status,
            reason: &self.reason,
            lines: &lines,
            length: self.length,
            connection,
        };
        head.write(out);
    }
}

/// The answer to a request that gets an error instead of what it asked for.
impl From<&Refusal> for Response {
    fn from(refusal: &Refusal) -> Self {
        Self::text(format!("{}\n", refusal.message)).status(refusal.status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &[u8; DATE_BYTES] = b"Tue, 01 Oct 2013 08:00:00 GMT";

    fn head(response: &Response, connection: Connection) -> String {
        let mut out = Vec::new();
        response.write_head(DATE, connection, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn heads_are_literal_bytes() {
        let seen = head(&Response::text("ok\n").header("X-A", "b"), Connection::KeepAlive);
        assert_eq!(
            seen,
            "HTTP/1.1 200 OK\r\nServer: swell-target\r\nDate: Tue, 01 Oct 2013 08:00:00 GMT\r\n\
             Content-Type: text/plain; charset=utf-8\r\nX-A: b\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\n"
        );
        assert_eq!(&seen.as_bytes()[DATE_AT..DATE_AT + DATE_BYTES], DATE);
        let refused = head(&Response::from(&Refusal::new(503, "full")), Connection::Close);
        assert!(refused.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{refused}");
        assert!(refused.ends_with("Content-Length: 5\r\nConnection: close\r\n\r\n"), "{refused}");
    }
}
