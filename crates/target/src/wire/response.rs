//! Answers and their heads.

use std::borrow::Cow;

use super::date::DATE_BYTES;

/// What every answer says about itself before its date.
const SERVER: &str = "\r\nServer: swell-target\r\nDate: ";

/// Where the date stands in the head of a 200.
pub(crate) const DATE_AT: usize = "HTTP/1.1 200 OK".len() + SERVER.len();

/// How the end of an answer's body is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Bytes(u64),
    Chunked,
    /// Not at all: the connection closes.
    UntilClose,
    /// There is no body and no word about it (304, 204).
    None,
}

/// What becomes of the connection after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    KeepAlive,
    Close,
}

/// An answer: everything but its date and what becomes of the connection.
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
        out.extend_from_slice(b"HTTP/1.1 ");
        out.extend_from_slice(itoa::Buffer::new().format(self.status).as_bytes());
        out.push(b' ');
        out.extend_from_slice(self.reason.as_bytes());
        out.extend_from_slice(SERVER.as_bytes());
        out.extend_from_slice(date);
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(self.headers.as_bytes());
        match self.length {
            Length::Bytes(bytes) => {
                out.extend_from_slice(b"Content-Length: ");
                out.extend_from_slice(itoa::Buffer::new().format(bytes).as_bytes());
                out.extend_from_slice(b"\r\n");
            }
            Length::Chunked => out.extend_from_slice(b"Transfer-Encoding: chunked\r\n"),
            Length::UntilClose | Length::None => {}
        }
        let connection: &[u8] = match connection {
            Connection::KeepAlive => b"Connection: keep-alive\r\n\r\n",
            Connection::Close => b"Connection: close\r\n\r\n",
        };
        out.extend_from_slice(connection);
    }
}

/// A request that gets an error instead of what it asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    /// One line for the person at the other end: what is wrong, and what would be right.
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// 400: a part of the path or query is not understood.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    /// The answer that says so.
    pub(crate) fn response(&self) -> Response {
        Response::text(format!("{}\n", self.message)).status(self.status)
    }
}

/// The reason phrase of a status (RFC 9110 §15); `Unknown` for one that has none.
pub(crate) fn reason(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        418 => "I'm a teapot",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "Unknown",
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
        let refused = head(&Refusal::new(503, "full").response(), Connection::Close);
        assert!(refused.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{refused}");
        assert!(refused.ends_with("Content-Length: 5\r\nConnection: close\r\n\r\n"), "{refused}");
    }

    #[test]
    fn lengths_are_written_as_they_are_meant() {
        for (length, wanted) in [
            (Length::Bytes(7), Some("Content-Length: 7\r\n")),
            (Length::Chunked, Some("Transfer-Encoding: chunked\r\n")),
            (Length::UntilClose, None),
            (Length::None, None),
        ] {
            let seen = head(&Response { length, ..Response::text("") }, Connection::Close);
            match wanted {
                Some(line) => assert!(seen.contains(line), "{seen}"),
                None => assert!(!seen.contains("Length") && !seen.contains("Encoding"), "{seen}"),
            }
        }
    }
}
