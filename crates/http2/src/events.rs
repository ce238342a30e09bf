//! What a session reports while it is fed.

use crate::error::{ErrorCode, StreamReset};
use crate::frame::StreamId;
use crate::settings::PeerSettings;

/// What happens on a connection. Each method does nothing unless it is written.
///
/// A position (`first`, `at`) is a number of bytes: those fed to the session up to and including
/// the byte that is meant. `wire` is the size of the frames that belong to an event, with their
/// heads and padding; each frame counts once. Empty DATA frames in the middle of a body count for
/// no event.
pub trait Events {
    /// Client: the final head of a response.
    fn response(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        let _ = (stream, head);
    }

    /// Client: a head with a status of 100 to 199. The final head comes later.
    fn informational(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        let _ = (stream, head);
    }

    /// Server: the head of a request.
    fn request(&mut self, stream: StreamId, head: RequestHead<'_>) {
        let _ = (stream, head);
    }

    /// A piece of a body as it arrived: a frame may come in several pieces. A piece without bytes
    /// comes only at the end.
    fn data(&mut self, stream: StreamId, data: Data<'_>) {
        let _ = (stream, data);
    }

    /// Fields after a body; the end of what the peer sends on this stream.
    fn trailers(&mut self, stream: StreamId, trailers: Trailers<'_>) {
        let _ = (stream, trailers);
    }

    /// The stream is gone. It may have ended on the peer's side before; a server also gets this for
    /// a request that was refused before its event.
    fn reset(&mut self, stream: StreamId, reason: StreamReset, at: u64) {
        let _ = (stream, reason, at);
    }

    /// `send_data` took less than was offered: offer the rest again.
    fn window(&mut self, stream: StreamId) {
        let _ = stream;
    }

    /// The peer opens and accepts no more streams. Those above `last` were given to
    /// [`Events::reset`] just before.
    fn go_away(&mut self, last: StreamId, code: ErrorCode, debug: &[u8]) {
        let _ = (last, code, debug);
    }

    /// The peer announced settings, the first ones or new ones.
    fn settings(&mut self, peer: &PeerSettings) {
        let _ = peer;
    }

    /// The answer to a PING.
    fn pong(&mut self, payload: u64, at: u64) {
        let _ = (payload, at);
    }
}

/// The head of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseHead<'a> {
    /// 100 to 999.
    pub status: u16,
    /// `name: value` lines, each with CR LF; names in lower case.
    pub fields: &'a [u8],
    /// Nothing follows.
    pub end: bool,
    /// The value of `content-length`.
    pub content_length: Option<u64>,
    /// Position of the first byte of its HEADERS frame.
    pub first: u64,
    /// Position of the last byte of its last frame.
    pub at: u64,
    /// Bytes of its frames.
    pub wire: u64,
}

/// The head of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestHead<'a> {
    /// `:method`, a token.
    pub method: &'a [u8],
    /// `:scheme`; empty for CONNECT.
    pub scheme: &'a [u8],
    /// `:authority`; empty where the client sent none.
    pub authority: &'a [u8],
    /// `:path`: begins with a slash, or is `*`; empty for CONNECT.
    pub path: &'a [u8],
    /// As in [`ResponseHead`].
    pub fields: &'a [u8],
    /// As in [`ResponseHead`].
    pub end: bool,
    /// As in [`ResponseHead`].
    pub content_length: Option<u64>,
    /// As in [`ResponseHead`].
    pub first: u64,
    /// As in [`ResponseHead`].
    pub at: u64,
    /// As in [`ResponseHead`].
    pub wire: u64,
}

/// A piece of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data<'a> {
    /// The content.
    pub bytes: &'a [u8],
    /// Nothing follows.
    pub end: bool,
    /// Position of the last byte of the piece; at the end, of the frame with its padding.
    pub at: u64,
    /// Bytes of the frame that came with this piece.
    pub wire: u64,
}

/// Fields after a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailers<'a> {
    /// As in [`ResponseHead`].
    pub fields: &'a [u8],
    /// As in [`ResponseHead`].
    pub at: u64,
    /// As in [`ResponseHead`].
    pub wire: u64,
}
