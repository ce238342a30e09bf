//! HTTP responses of the page.

use serde::Serialize;
use serde_json::json;
use swell_http1::reason;
use swell_http1::server::{Connection, Length, Refusal, ResponseHeadFields};

/// Headers of every response: it is not cached, its type is not guessed, and no other page can
/// access it.
const ALWAYS: &str = "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\n\
     Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\n";

/// A response with its body.
#[derive(Debug)]
pub struct Answer {
    pub(crate) status: u16,
    content_type: &'static str,
    /// Further header lines, each with its line end.
    more: String,
    body: Vec<u8>,
}

impl Answer {
    /// A response with this content type.
    pub fn text(content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, content_type, more: String::new(), body: body.into() }
    }

    /// A page; the security policy says what it may load.
    pub fn page(html: String, security: &str) -> Self {
        let more = format!("Content-Security-Policy: {security}\r\n");
        Self { more, ..Self::text("text/html; charset=utf-8", html) }
    }

    /// A JSON value.
    pub fn json(status: u16, value: &impl Serialize) -> Self {
        let text = serde_json::to_string(value).expect("numbers and texts are valid JSON");
        Self { status, ..Self::text("application/json", text) }
    }

    /// A script of a page.
    pub fn script(text: &'static str) -> Self {
        Self::text("text/javascript; charset=utf-8", text)
    }

    /// A style sheet of a page.
    pub fn style(text: impl Into<Vec<u8>>) -> Self {
        Self::text("text/css; charset=utf-8", text)
    }

    /// Why a request is refused.
    pub fn refused(refusal: &Refusal) -> Self {
        Self::json(refusal.status, &json!({"error": refusal.message}))
    }

    /// Its bytes, without the body for `HEAD`.
    pub(crate) fn bytes(&self, connection: Connection, with_body: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.body.len() + 600);
        let lines: [&[u8]; 5] = [
            b"Content-Type: ",
            self.content_type.as_bytes(),
            b"\r\n",
            ALWAYS.as_bytes(),
            self.more.as_bytes(),
        ];
        let length = Length::Bytes(self.body.len() as u64);
        ResponseHeadFields {
            status: self.status,
            reason: reason(self.status),
            lines: &lines,
            length,
            connection,
        }
        .write(&mut out);
        if with_body {
            out.extend_from_slice(&self.body);
        }
        out
    }
}

/// The head of an event stream, which ends with the connection.
pub fn stream_head() -> Vec<u8> {
    let mut out = Vec::new();
    let lines: [&[u8]; 2] =
        [b"Content-Type: text/event-stream\r\nX-Accel-Buffering: no\r\n", ALWAYS.as_bytes()];
    let length = Length::UntilClose;
    let connection = Connection::Close;
    ResponseHeadFields { status: 200, reason: reason(200), lines: &lines, length, connection }
        .write(&mut out);
    out
}
