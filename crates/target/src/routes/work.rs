//! What to do about a request.

use std::borrow::Cow;
use std::sync::LazyLock;

use swell_http1::server::{Length, Refusal, RequestHead};

use crate::delay::Wait;
use crate::wire::{Body, Response, value};

use super::{EventStream, PageId, RouteState, Upgrade};

/// A request as a route sees it.
pub(crate) struct RouteRequest<'a> {
    pub(crate) head: &'a RequestHead<'a>,
    /// The path after the route's name, without the slash between them.
    pub(crate) rest: &'a str,
    pub(crate) state: &'a RouteState,
}

/// What a route says: what to do, or why not.
pub(crate) type Outcome = Result<Work, Refusal>;

/// What to do: wait, then answer.
pub(crate) struct Work {
    pub(crate) wait: Wait,
    pub(crate) reply: Reply,
}

/// The rest of a route that looks at the request's body.
pub(crate) type FromBody = dyn FnOnce(&Body, &RouteState) -> Outcome;

/// An answer, in the form that is cheapest to send. All variants are small: connections hold one
/// while they wait.
pub(crate) enum Reply {
    /// A page whose bytes are ready.
    Page { page: PageId, gzip: bool },
    /// The page has not changed since the client got it.
    NotModified,
    /// Head and body at once.
    Whole(Box<Response>),
    /// A body in pieces.
    Stream(Box<StreamedBody>),
    /// Events, each at its time.
    Events(Box<EventStream>),
    /// The connection becomes a WebSocket.
    WebSocket(Box<Upgrade>),
    /// Bytes that may be no HTTP.
    Raw(Box<Raw>),
    /// The answer depends on the body of the request.
    FromBody(Box<FromBody>),
}

/// An answer whose body is made while it is sent.
pub(crate) struct StreamedBody {
    pub(crate) response: Response,
    pub(crate) pieces: Pieces,
}

/// How the body of a [`StreamedBody`] answer is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pieces {
    /// As fast as it goes.
    Plain { bytes: u64 },
    /// In that many chunks of nearly the same size.
    Chunks { bytes: u64, parts: u64 },
    /// Bytes at a time, with pauses between.
    Drops { bytes: u64, drop_bytes: u64, interval_ns: i64 },
}

/// Bytes as they are.
#[derive(Debug, Default)]
pub(crate) struct Raw {
    /// Sent after the wait.
    pub(crate) first: Vec<u8>,
    /// Counted as the wait is, from the arrival of the request.
    pub(crate) pause_ns: i64,
    pub(crate) then: Vec<u8>,
    pub(crate) end: End,
}

/// Status of the connection after [`Raw`] bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    KeepAlive,
    #[default]
    Close,
    /// A TCP reset.
    Reset,
    /// Nothing more is sent; the client has to give up.
    Hang,
}

impl Work {
    fn of(reply: Reply) -> Self {
        Self { wait: Wait::None, reply }
    }

    /// An answer at once.
    pub(crate) fn now(response: Response) -> Self {
        Self::of(Reply::Whole(Box::new(response)))
    }

    /// A page that is ready, in the coding that the client takes, or word that it has not changed.
    pub(crate) fn page(page: PageId, head: &RequestHead<'_>) -> Self {
        if page.is_unchanged_for(head) {
            return Self::of(Reply::NotModified);
        }
        Self::of(Reply::Page { page, gzip: head.gzip && page.page().gzip.is_some() })
    }

    /// An answer in pieces.
    pub(crate) fn stream(response: Response, pieces: Pieces) -> Self {
        Self::of(Reply::Stream(Box::new(StreamedBody { response, pieces })))
    }

    /// Bytes that may be no HTTP.
    pub(crate) fn raw(raw: Raw) -> Self {
        Self::of(Reply::Raw(Box::new(raw)))
    }

    /// Reads the body, then continues.
    pub(crate) fn from_body(then: impl FnOnce(&Body, &RouteState) -> Outcome + 'static) -> Self {
        Self::of(Reply::FromBody(Box::new(then)))
    }

    /// The same after a time.
    pub(crate) fn after(self, delay_ns: i64) -> Self {
        Self { wait: Wait::For(delay_ns), ..self }
    }
}

impl RouteRequest<'_> {
    /// A number from the query, or the default.
    pub(crate) fn number(&self, name: &str, default: u64, max: u64) -> Result<u64, Refusal> {
        value(self.head.query, name).map_or(Ok(default), |text| number(name, text, max))
    }
}

/// Reads a number of a path or query.
pub(crate) fn number(name: &str, text: &str, max: u64) -> Result<u64, Refusal> {
    let number = text.parse::<u64>().ok().filter(|number| *number <= max);
    number.ok_or_else(|| Refusal::bad(format!("invalid {name} {text:?}: expected a number from 0 to {max}")))
}

/// Letters in lines of 64, which every made-up body consists of. Made at its first use: as a
/// constant it would be 64 KiB of the program.
static FILLER: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
    let at = 0..64 * 1024_usize;
    at.map(|at| if at % 64 == 63 { b'\n' } else { LETTERS[at % 64 % 26] }).collect()
});

/// Up to that many bytes of a made-up body.
pub(crate) fn filler(bytes: u64) -> &'static [u8] {
    &FILLER[..bytes.min(FILLER.len() as u64) as usize]
}

/// A made-up body: whole where it is short, in pieces where it is long.
pub(crate) fn filled(content_type: &str, bytes: u64) -> Work {
    let piece = filler(bytes);
    let response = Response::new(200, content_type, Cow::Borrowed(piece));
    if piece.len() as u64 == bytes {
        return Work::now(response);
    }
    let response = Response { length: Length::Bytes(bytes), body: Cow::Borrowed(&[]), ..response };
    Work::stream(response, Pieces::Plain { bytes })
}

impl Pieces {
    /// The sizes of the pieces in order, in bytes.
    pub(crate) fn sizes(self) -> impl Iterator<Item = u64> {
        let filler_bytes = FILLER.len() as u64;
        let (bytes, parts, largest) = match self {
            Self::Plain { bytes } => (bytes, bytes.div_ceil(filler_bytes), filler_bytes),
            Self::Drops { bytes, drop_bytes, .. } => (bytes, bytes.div_ceil(drop_bytes), drop_bytes),
            Self::Chunks { bytes, parts } => (bytes, parts.min(bytes), u64::MAX),
        };
        let mut left = bytes;
        (0..parts).map(move |part| {
            let size = if largest == u64::MAX { left.div_ceil(parts - part) } else { left.min(largest) };
            left -= size;
            size
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_and_are_cut_as_asked() {
        let table: [(Pieces, &[u64]); 7] = [
            (Pieces::Plain { bytes: 0 }, &[]),
            (Pieces::Plain { bytes: 65_537 }, &[65_536, 1]),
            (Pieces::Chunks { bytes: 10, parts: 3 }, &[4, 3, 3]),
            (Pieces::Chunks { bytes: 2, parts: 5 }, &[1, 1]),
            (Pieces::Chunks { bytes: 200_000, parts: 1 }, &[200_000]),
            (Pieces::Drops { bytes: 25, drop_bytes: 10, interval_ns: 0 }, &[10, 10, 5]),
            (Pieces::Drops { bytes: 0, drop_bytes: 10, interval_ns: 0 }, &[]),
        ];
        for (pieces, wanted) in table {
            assert_eq!(pieces.sizes().collect::<Vec<_>>(), wanted, "{pieces:?}");
        }
    }

    #[test]
    fn made_up_bodies_are_readable_lines() {
        assert_eq!(filler(3), b"abc");
        assert_eq!(filler(u64::MAX).len(), 65_536);
        assert!(filler(u64::MAX).chunks(64).all(|line| line[63] == b'\n' && line[..63].is_ascii()));
    }
}
