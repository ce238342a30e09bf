//! One request on a session, and its response.

use std::cell::RefMut;
use std::io;
use std::task::{Context, Poll};

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
    /// The status of the last informational response (100 to 199) that was not looked at; 0: none.
    pub interim: u16,
    /// The status of the final response; 0 before that.
    pub status: u16,
    /// The fields of its head, as lines of HTTP/1.
    pub head: Vec<u8>,
    /// What came of the body.
    pub body: Vec<u8>,
    /// Where pieces of the body end, and when they arrived, if [`SessionExchange::note_pieces`]
    /// asked for that.
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

/// What a server says before the body of a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interim {
    /// An informational response with that status, 100 to 199.
    Informational(u16),
    /// The final response has begun, or the exchange has failed: [`SessionExchange::poll_receive`]
    /// gives it.
    Final,
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

    /// Has the arrival of each piece of the body noted.
    pub fn note_pieces(&self) {
        self.session.0.inner.borrow_mut().streams.at(self.at).notes_pieces = true;
    }

    /// Its place among the streams of the session.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// Sets when [`Self::has_timed_out`] says so; `None`: never. To move it later costs next to
    /// nothing.
    pub fn set_deadline(&self, at_ns: Option<i64>) {
        self.session.0.inner.borrow_mut().streams.at(self.at).deadline.set(at_ns);
    }

    /// Whether the deadline has passed; if not, the task is woken when it has.
    pub fn has_timed_out(&self, cx: &Context<'_>) -> bool {
        self.session.0.inner.borrow_mut().streams.at(self.at).deadline.has_passed(cx)
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
                inner.blocked.push(cx.waker().clone());
                self.session.flush_answers(inner);
                return Poll::Pending;
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
                if inner.protocol.open_streams() < open_before {
                    inner.grant_streams();
                }
                let is_alone = inner.streams.len() == 1;
                drop(inner);
                self.session.flush(is_alone && end);
                return Poll::Ready(Ok(()));
            }
            if written == 0 && self.poll_read(cx, inner)?.is_pending() {
                // The window is closed: what opens it has not come.
                return Poll::Pending;
            }
        }
    }

    /// Reads for all. Pending: the task is woken when something comes for this exchange, or when it
    /// is to read.
    fn poll_read(
        &self,
        cx: &Context<'_>,
        mut inner: RefMut<'_, super::Inner>,
    ) -> Result<Poll<()>, SessionError> {
        inner.streams.at(self.at).drop_waker();
        if let Some(error) = &inner.broken {
            return Err(error.clone());
        }
        if inner.poll_read(cx, Some(Reader::At(self.at))).is_ready() {
            return Ok(Poll::Ready(()));
        }
        inner.streams.at(self.at).keep_waker(cx);
        self.session.flush_answers(inner);
        Ok(Poll::Pending)
    }

    /// Waits for an informational response or for the final one.
    ///
    /// # Errors
    /// The connection failed.
    pub fn poll_interim(&mut self, cx: &Context<'_>) -> Poll<Result<Interim, SessionError>> {
        loop {
            let mut inner = self.session.0.inner.borrow_mut();
            let state = inner.streams.at(self.at);
            let interim = std::mem::take(&mut state.arrived.interim);
            if interim != 0 {
                self.session.flush_answers(inner);
                return Poll::Ready(Ok(Interim::Informational(interim)));
            }
            if state.has_news {
                return Poll::Ready(Ok(Interim::Final));
            }
            if self.poll_read(cx, inner)?.is_pending() {
                return Poll::Pending;
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
        let mut reads = 0;
        loop {
            let mut inner = self.session.0.inner.borrow_mut();
            let state = inner.streams.at(self.at);
            if std::mem::take(&mut state.has_news) {
                if let Some(error) = &state.failed {
                    return Poll::Ready(Err(error.clone()));
                }
                let taken = take(&mut state.arrived);
                self.session.flush_answers(inner);
                return Poll::Ready(Ok(taken));
            }
            if reads == READS {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            reads += 1;
            if self.poll_read(cx, inner)?.is_pending() {
                return Poll::Pending;
            }
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
                inner.grant_streams();
                drop(inner);
                self.session.flush(false);
            }
        }
    }
}
