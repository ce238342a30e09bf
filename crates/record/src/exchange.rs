//! A request and its response, as they were on the wire.

use std::net::SocketAddr;

use jiff::Timestamp;

/// A request and its response.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// When the request began.
    pub started: Timestamp,
    /// The whole URL.
    pub url: String,
    /// The method.
    pub method: String,
    /// The request as it was sent to the server.
    pub request: Message,
    /// The response; none if there was none.
    pub response: Option<RecordedResponse>,
    /// The address of the server.
    pub server: Option<SocketAddr>,
    /// A number for the connection to the server.
    pub connection: u64,
    /// Where the time went.
    pub timings: Timings,
    /// Why there is no response, or no whole one.
    pub failure: Option<String>,
    /// Its page.
    pub page: Option<usize>,
}

/// Headers and body.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// Names and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body, transfer coding taken off.
    pub body: Content,
}

/// A response.
#[derive(Clone, Debug, Default)]
pub struct RecordedResponse {
    /// Its status.
    pub status: u16,
    /// Its reason phrase.
    pub reason: String,
    /// Headers and body.
    pub message: Message,
}

/// A body, up to a limit.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// Its first bytes.
    pub bytes: Vec<u8>,
    /// Its length.
    pub length: u64,
}

/// Times in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Until the connection was open, TLS included; none if it was open.
    pub connect: Option<f64>,
    /// The TLS handshake, which is a part of `connect`.
    pub tls: Option<f64>,
    /// Until the request was sent.
    pub send: f64,
    /// Until the first byte of the response.
    pub wait: f64,
    /// Until its last byte.
    pub receive: f64,
}

impl Content {
    /// Adds bytes; those beyond the limit are counted only.
    pub fn push(&mut self, bytes: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
        self.length += bytes.len() as u64;
    }

    /// Whether bytes are missing.
    pub fn is_cut(&self) -> bool {
        (self.bytes.len() as u64) < self.length
    }
}

impl Message {
    /// The first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }
}

impl Timings {
    /// The whole time.
    pub fn total(&self) -> f64 {
        self.connect.unwrap_or(0.0) + self.send + self.wait + self.receive
    }
}
