//! The server's side of a connection.

use crate::connection::{Connection, Content, Scratch, write_pseudo};
use crate::error::{ConnectionError, ErrorCode, InvalidField};
use crate::events::Events;
use crate::fields::Fields;
use crate::frame::StreamId;
use crate::hpack::{Class, Encoder};
use crate::lines;
use crate::settings::{PeerSettings, Settings};

/// A connection of a server.
#[derive(Debug)]
pub struct Session(Connection);

impl Session {
    /// A connection on which nothing was sent.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self(Connection::new(true, settings))
    }

    /// Writes SETTINGS and WINDOW_UPDATE: once, before all else.
    pub fn start(&mut self, out: &mut Vec<u8>) {
        self.0.start(out);
    }

    /// Whether new requests are refused: one of the sides sent GOAWAY, or a rule was broken.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.0.is_closing()
    }

    /// Whether the client has begun a frame or a head and not ended it.
    #[must_use]
    pub fn awaits_rest(&self) -> bool {
        self.0.awaits_rest()
    }

    /// Requests that are not finished on both sides.
    #[must_use]
    pub fn open_streams(&self) -> usize {
        self.0.open_streams()
    }

    /// What the client has announced.
    #[must_use]
    pub fn peer(&self) -> &PeerSettings {
        self.0.peer()
    }

    /// Bytes fed: positions in events count from the first of them.
    #[must_use]
    pub fn fed(&self) -> u64 {
        self.0.fed()
    }

    /// Writes the head of a response. `constant`: fields that are the same in many responses.
    /// `own`: lines of this response only, as in [`Fields::from_lines`]. `end`: it has no body.
    /// Nothing is written where the stream is gone or has ended.
    ///
    /// # Errors
    /// A line of `own` cannot be sent; nothing was written.
    pub fn respond(
        &mut self,
        stream: StreamId,
        status: u16,
        constant: &Fields,
        own: &[u8],
        end: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), InvalidField> {
        lines::for_each(own, |_, _| {})?;
        if self.0.can_send(stream) {
            let content = Content { constant, own, end };
            self.0.write_head(stream.0, content, out, |encoder, out| write_status(status, encoder, out));
        }
        Ok(())
    }

    /// Writes a head with a status of 100 to 199; the final one has to follow.
    ///
    /// # Errors
    /// As [`Session::respond`].
    pub fn inform(
        &mut self,
        stream: StreamId,
        status: u16,
        own: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), InvalidField> {
        self.respond(stream, status, &Fields::default(), own, false, out)
    }

    /// As the client's [`send_data`](crate::client::Session::send_data).
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

    /// Ends a stream from here. There is no event, and what still comes for it is dropped.
    pub fn reset(&mut self, stream: StreamId, code: ErrorCode, out: &mut Vec<u8>) {
        self.0.reset(stream, code, out);
    }

    /// Writes a PING; [`Events::pong`] reports its answer.
    pub fn ping(&mut self, payload: u64, out: &mut Vec<u8>) {
        Connection::ping(payload, out);
    }

    /// Announces that requests after the last one seen are not processed.
    pub fn go_away(&mut self, code: ErrorCode, out: &mut Vec<u8>) {
        self.0.go_away(code, out);
    }

    /// As the client's [`feed`](crate::client::Session::feed).
    ///
    /// # Errors
    /// The client broke a rule of the connection; each later call returns the same.
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

fn write_status(status: u16, encoder: &mut Encoder, out: &mut Vec<u8>) {
    let known = match status {
        200 => 8,
        204 => 9,
        206 => 10,
        304 => 11,
        400 => 12,
        404 => 13,
        500 => 14,
        _ => {
            let mut number = itoa::Buffer::new();
            let value = number.format(status).as_bytes();
            return write_pseudo(encoder, b":status", 8, value, Class::Insert, out);
        }
    };
    out.push(0x80 | known);
}
