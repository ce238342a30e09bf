//! One request on a session, and its response.

use std::io;
use std::task::{Context, Poll, ready};

use swell_http2::{ErrorCode, StreamId};
use swell_net::Arrival;

use super::streams::Reader;
use super::{MOST_UNSENT, Session, SessionError};

/// Bytes of a body that are offered at once.
const PIECE: usize = 64 << 10;

/// Reads of one poll before others get their turn.
const READS: u32 = 2;

/// What has come of a response. Who takes it in empties head, body and pieces.
#[derive(Debug, Default)]
pub struct Arrived {
    /// The status of the final response; 0 before that.
    pub status: u16,
    /// The fields of its head, as lines of HTTP/1.
    pub head: Vec<u8>,
    /// What came of the body.
    pub body: Vec<u8>,
    /// The ends of the pieces in `body`, and when each arrived; only after
    /// [`SessionExchange::keep_arrivals`].
    pub pieces: Vec<(usize, Arrival)>,
    /// The fields after the body, as lines of HTTP/1.
    pub trailers: Vec<u8>,
    /// Nothing more comes.
    pub ended: bool,
    /// Bytes of the frames of this stream.
    pub wire: u64,
    /// When the first byte of the head arrived.
    pub first: Option<Arrival>,
    /// When the last byte of what came arrived.
    pub last: Option<Arrival>,
}

/// A request on its way. Dropping it before its response is complete cancels it.
pub struct SessionExchange {
    session: Session,
    id: StreamId,
    at: usize,
    sent: u64,
}

impl SessionExchange {
    pub(super) fn new(session: Session, id: StreamId, at: usize, sent: u64) -> Self {
        Self { session, id, at, sent }
    }

    /// Bytes of the frames of the request.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// From now on, each piece of the body has its arrival ([`Arrived::pieces`]).
    pub fn keep_arrivals(&self) {
        self.session.0.inner.borrow_mut().streams.at(self.at).keeps_arrivals = true;
    }

    /// Sends a part of the body; `taken`, 0 at first, counts what has been written. `end`: the body
    /// ends with it. Ready before all is written where the response is complete already.
    ///
    /// # Errors
    /// As [`Self::poll_receive`].
    pub fn poll_send(
        &mut self,
        cx: &Context<'_>,
        bytes: &[u8],
        end: bool,
        taken: &mut usize,
    ) -> Poll<Result<(), SessionError>> {
        loop {
            let mut inner = self.session.0.inner.borrow_mut();
            let state = inner.streams.at(self.at);
            if let Some(error) = &state.failed {
                return Poll::Ready(Err(error.clone()));
            }
            if state.arrived.ended {
                return Poll::Ready(Ok(()));
            }
            if inner.out.len() > MOST_UNSENT {
                ready!(inner.poll_flush(cx))?;
            }
            let rest = &bytes[*taken..];
            let piece = &rest[..rest.len().min(PIECE)];
            let is_last = end && piece.len() == rest.len();
            let before = inner.out.len();
            let open_before = inner.protocol.open_streams();
            let super::Inner { protocol, out, .. } = &mut *inner;
            let count = protocol.send_data(self.id, piece, is_last, out);
            let written = out.len() - before;
            self.sent += written as u64;
            *taken += count;
            if *taken == bytes.len() && (written > 0 || !is_last) {
                if protocol.open_streams() < open_before {
                    inner.wake_waiting();
                }
                let is_alone = inner.streams.len() == 1;
                drop(inner);
                self.session.flush(cx, is_alone && end);
                return Poll::Ready(Ok(()));
            }
            if written == 0 {
                // The window is closed: what opens it has to be read.
                ready!(inner.poll_flush(cx))?;
                let state = inner.streams.at(self.at);
                state.keep_waker(cx);
                ready!(inner.poll_read(cx, Some(Reader::At(self.at))))?;
            }
        }
    }

    /// Waits until something of the response has come, and gives it to `take`.
    ///
    /// # Errors
    /// The connection or the stream failed before the response was complete.
    pub fn poll_receive<R>(
        &mut self,
        cx: &Context<'_>,
        take: impl FnOnce(&mut Arrived) -> R,
    ) -> Poll<Result<R, SessionError>> {
        let mut inner = self.session.0.inner.borrow_mut();
        let mut reads = 0;
        loop {
            let state = inner.streams.at(self.at);
            if std::mem::take(&mut state.has_news) {
                if let Some(error) = &state.failed {
                    return Poll::Ready(Err(error.clone()));
                }
                let taken = take(&mut state.arrived);
                let has_answers = inner.sent < inner.out.len();
                let is_alone = inner.streams.len() == 1;
                drop(inner);
                if has_answers {
                    self.session.flush(cx, is_alone);
                }
                return Poll::Ready(Ok(taken));
            }
            if let Some(error) = &inner.broken {
                return Poll::Ready(Err(error.clone()));
            }
            if reads == READS {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            reads += 1;
            let Poll::Ready(read) = inner.poll_read(cx, Some(Reader::At(self.at))) else {
                inner.streams.at(self.at).keep_waker(cx);
                let has_answers = inner.sent < inner.out.len();
                let is_alone = inner.streams.len() == 1;
                drop(inner);
                if has_answers {
                    self.session.flush(cx, is_alone);
                }
                return Poll::Pending;
            };
            read?;
        }
    }

    /// When the kernel sent the last byte of the request, where it was asked.
    pub fn sent_ns(&self) -> Option<i64> {
        let mut inner = self.session.0.inner.borrow_mut();
        let is_sampled = std::mem::take(&mut inner.streams.at(self.at).is_sampled);
        if is_sampled { inner.stream.sent_ns() } else { None }
    }

    /// The request has timed out: new ones go elsewhere until the server shows that it lives.
    pub fn note_timeout(&self) {
        let mut inner = self.session.0.inner.borrow_mut();
        inner.is_suspect = true;
        let super::Inner { protocol, out, .. } = &mut *inner;
        protocol.ping(1, out);
    }

    /// The error of a connection that ends here.
    pub fn io_error(error: &SessionError) -> Option<io::Error> {
        match error {
            SessionError::Io(_, Some(code), _) => Some(io::Error::from_raw_os_error(*code)),
            SessionError::Io(kind, None, text) => Some(io::Error::new(*kind, text.clone())),
            _ => None,
        }
    }
}

impl Drop for SessionExchange {
    fn drop(&mut self) {
        let mut inner = self.session.0.inner.borrow_mut();
        let state = inner.streams.at(self.at);
        let is_open = state.failed.is_none() && !state.arrived.ended;
        let is_sampled = state.is_sampled;
        inner.streams.remove(self.at);
        if is_sampled {
            // No later exchange takes the stamp for its own.
            let _ = inner.stream.sent_ns();
        }
        // Where the response is complete before the body is sent, the stream is open, too; a reset
        // of a stream that is closed writes nothing.
        if inner.broken.is_none() {
            let before = inner.out.len();
            let super::Inner { protocol, out, .. } = &mut *inner;
            protocol.reset(self.id, ErrorCode::CANCEL, out);
            let has_written = out.len() > before;
            if has_written || is_open {
                inner.wake_waiting();
                drop(inner);
                self.session.flush_later();
            }
        }
    }
}
