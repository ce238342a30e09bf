//! The client's side of a connection.

use std::error::Error;
use std::fmt;

use crate::connection::{Connection, Content, Scratch, write_pseudo};
use crate::error::{ConnectionError, ErrorCode, InvalidField};
use crate::events::Events;
use crate::fields::Fields;
use crate::frame::StreamId;
use crate::hpack::{Class, Encoder};
use crate::lines;
use crate::settings::{PeerSettings, Settings};

/// The rule of a connection whose server answered the preface in HTTP/1.0 or HTTP/1.1.
pub const HTTP_1_ANSWER: &str = crate::connection::HTTP_1_ANSWER;

/// `:scheme`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Without TLS.
    Http,
    /// With TLS.
    Https,
}

/// A request to send.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// `:method`.
    pub method: &'a [u8],
    /// `:scheme`.
    pub scheme: Scheme,
    /// `:authority`.
    pub authority: &'a [u8],
    /// `:path`, with the query.
    pub path: &'a [u8],
    /// The same path will be requested again on this connection: it becomes an index.
    pub path_repeats: bool,
    /// Fields that are the same in many requests.
    pub constant: &'a Fields,
    /// Lines of this request only, as in [`Fields::from_lines`]; they follow the others.
    pub own: &'a [u8],
}

/// The head of a request that is sent many times, checked once. Any number of connections can use
/// it: each inserts its fields into the table, and then sends a few bytes that it remembers.
#[derive(Clone, Debug)]
pub struct PreparedHead {
    fields: Fields,
    is_head_request: bool,
}

impl PreparedHead {
    /// Prepares all of a request but its `constant` fields, which must be empty.
    ///
    /// # Errors
    /// The request has a part that cannot be sent.
    pub fn new(request: &Request<'_>) -> Result<Self, InvalidField> {
        debug_assert!(request.constant.is_empty(), "they are among the own lines");
        check(request)?;
        let scheme: &[u8] = match request.scheme {
            Scheme::Http => b"http",
            Scheme::Https => b"https",
        };
        let all: [(&[u8], &[u8]); 4] = [
            (b":method", request.method),
            (b":scheme", scheme),
            (b":authority", request.authority),
            (b":path", request.path),
        ];
        let sent = if request.authority.is_empty() { [&all[..2], &all[3..]].concat() } else { all.to_vec() };
        let fields = Fields::with_pseudo(&sent, request.own)?;
        Ok(Self { fields, is_head_request: request.method == b"HEAD" })
    }
}

/// Why a request was not sent. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// The connection takes no more streams: another one is needed.
    Closing,
    /// As many streams are open as the server allows: one has to end first.
    StreamsMax,
    /// The request has a part that cannot be sent.
    Field(InvalidField),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closing => f.write_str("the HTTP/2 connection accepts no more requests"),
            Self::StreamsMax => f.write_str("the server's limit of concurrent streams is reached"),
            Self::Field(error) => error.fmt(f),
        }
    }
}

impl Error for OpenError {}

/// A connection of a client.
#[derive(Debug)]
pub struct Session(Connection);

impl Session {
    /// A connection on which nothing was sent.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self(Connection::new(false, settings))
    }

    /// Writes preface, SETTINGS and WINDOW_UPDATE: once, before all else. Requests may follow at
    /// once.
    pub fn start(&mut self, out: &mut Vec<u8>) {
        self.0.start(out);
    }

    /// Whether a request can be sent now.
    #[must_use]
    pub fn can_open(&self) -> bool {
        self.0.can_open()
    }

    /// Whether no more requests can be sent on this connection: GOAWAY came, stream numbers are
    /// used up, or a rule was broken.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.0.is_closing()
    }

    /// Requests that are not finished on both sides.
    #[must_use]
    pub fn open_streams(&self) -> usize {
        self.0.open_streams()
    }

    /// Whether the server's first SETTINGS has come.
    #[must_use]
    pub fn has_settings(&self) -> bool {
        self.0.has_settings()
    }

    /// What the server has announced.
    #[must_use]
    pub fn peer(&self) -> &PeerSettings {
        self.0.peer()
    }

    /// Bytes fed: positions in events count from the first of them.
    #[must_use]
    pub fn fed(&self) -> u64 {
        self.0.fed()
    }

    /// Writes the head of a request. `end`: it has no body.
    ///
    /// # Errors
    /// No stream can be opened, or the request has a part that cannot be sent.
    pub fn request(
        &mut self,
        request: &Request<'_>,
        end: bool,
        out: &mut Vec<u8>,
    ) -> Result<StreamId, OpenError> {
        if !self.0.can_open() {
            return Err(if self.0.is_closing() { OpenError::Closing } else { OpenError::StreamsMax });
        }
        check(request).map_err(OpenError::Field)?;
        let id = self.0.open(request.method == b"HEAD");
        let content = Content { constant: request.constant, own: request.own, end };
        self.0.write_head(id, content, out, |encoder, out| pseudo(request, encoder, out));
        Ok(StreamId(id))
    }

    /// As [`Self::request`], with a head that was prepared. `own`: lines of this request only, as
    /// in [`Request::own`].
    ///
    /// # Errors
    /// As [`Self::request`].
    pub fn request_prepared(
        &mut self,
        head: &PreparedHead,
        own: &[u8],
        end: bool,
        out: &mut Vec<u8>,
    ) -> Result<StreamId, OpenError> {
        if !self.0.can_open() {
            return Err(if self.0.is_closing() { OpenError::Closing } else { OpenError::StreamsMax });
        }
        lines::for_each(own, |_, _| {}).map_err(OpenError::Field)?;
        let id = self.0.open(head.is_head_request);
        self.0.write_head(id, Content { constant: &head.fields, own, end }, out, |_, _| {});
        Ok(StreamId(id))
    }

    /// Writes as much of a body as the windows allow and returns how many bytes that are; after
    /// [`Events::window`] the rest can be offered again. `end`: these are the last bytes; without
    /// bytes, an empty frame says so. Offer at most 64 KiB at a time.
    pub fn send_data(&mut self, stream: StreamId, bytes: &[u8], end: bool, out: &mut Vec<u8>) -> usize {
        self.0.send_data(stream, bytes, end, out)
    }

    /// Writes fields after a body.
    ///
    /// # Errors
    /// A line cannot be sent.
    pub fn send_trailers(
        &mut self,
        stream: StreamId,
        lines: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), InvalidField> {
        self.0.send_trailers(stream, lines, out)
    }

    /// Gives a request up. There is no event, and what still comes for it is dropped.
    pub fn reset(&mut self, stream: StreamId, code: ErrorCode, out: &mut Vec<u8>) {
        self.0.reset(stream, code, out);
    }

    /// Writes a PING; [`Events::pong`] reports its answer.
    pub fn ping(&mut self, payload: u64, out: &mut Vec<u8>) {
        Connection::ping(payload, out);
    }

    /// Writes the GOAWAY of a normal end.
    pub fn close(&mut self, out: &mut Vec<u8>) {
        self.0.go_away(ErrorCode::NO_ERROR, out);
    }

    /// Takes bytes that arrived. Answers are appended to `out`. Do not feed while more than 256 KiB
    /// wait to be sent: then TCP holds a peer that does not read its answers.
    ///
    /// # Errors
    /// The server broke a rule of the connection; each later call returns the same.
    pub fn feed(
        &mut self,
        bytes: &[u8],
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
        events: &mut impl Events,
    ) -> Result<(), ConnectionError> {
        self.0.feed(bytes, scratch, out, events)
    }
}

/// Before the first byte is written: what was inserted in the table cannot be taken back.
fn check(request: &Request<'_>) -> Result<(), InvalidField> {
    if !lines::is_token(request.method) {
        return Err(InvalidField::new(b":method", "a method is a token"));
    }
    for (name, value) in [(&b":authority"[..], request.authority), (b":path", request.path)] {
        if !lines::is_target(value) {
            return Err(InvalidField::new(name, "spaces and control characters are not allowed"));
        }
    }
    lines::for_each(request.own, |_, _| {})
}

fn pseudo(request: &Request<'_>, encoder: &mut Encoder, out: &mut Vec<u8>) {
    match request.method {
        b"GET" => out.push(0x80 | 2),
        b"POST" => out.push(0x80 | 3),
        method => write_pseudo(encoder, b":method", 2, method, Class::Insert, out),
    }
    out.push(match request.scheme {
        Scheme::Http => 0x80 | 6,
        Scheme::Https => 0x80 | 7,
    });
    if !request.authority.is_empty() {
        write_pseudo(encoder, b":authority", 1, request.authority, Class::Insert, out);
    }
    if request.path == b"/" {
        out.push(0x80 | 4);
    } else {
        let class = if request.path_repeats { Class::Insert } else { Class::Literal };
        write_pseudo(encoder, b":path", 4, request.path, class, out);
    }
}
