//! One request and its response over HTTP/1.1, polled by hand.

use std::io;
use std::task::{Context, Poll, ready};

use swell_connect::Stream;
use swell_http1::client::Sink;
use swell_net::now_ns;

use super::incoming::{IncomingResponse, note_break, poll_parts, poll_skip};
use super::{Exchange, ExchangeError, RequestRef};

/// A body larger than this may take longer to send than the response may take to come.
const LARGE_REQUEST: usize = 64 << 10;

/// Bytes of one response that are read before others get their turn: a server may send faster than
/// is read, without end. 64 KiB take 0.1 ms, and some eight times that while the kernel works on
/// what arrives meanwhile.
const READ_IN_A_TURN: u64 = 128 << 10;

/// An exchange in progress, polled by hand. Every waiting user has one, and its memory is cold by
/// the time the response arrives. So it allocates space for a response only when there is one, and
/// keeps that space only if the response arrives in pieces.
pub(crate) struct Http1Exchange<S> {
    stage: Stage,
    /// The kernel is asked when it sent the request.
    sampled: bool,
    sent: usize,
    arriving: Option<Box<IncomingResponse<S>>>,
}

/// In their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Stage {
    New,
    Sending,
    Receiving,
    /// What came is worked on before more is received.
    Working,
    /// The response is complete, and worked on.
    Complete,
}

impl<S: Sink> Http1Exchange<S> {
    /// Nothing is sent yet.
    pub(crate) fn new() -> Self {
        Self { stage: Stage::New, sampled: false, sent: 0, arriving: None }
    }

    /// Nothing of the request is left to be sent.
    pub(super) fn skip_sending(&mut self) {
        self.stage = Stage::Receiving;
    }

    /// Keeps what has come until the next poll.
    pub(super) fn keep(&mut self, arriving: &mut Option<IncomingResponse<S>>) {
        self.arriving = arriving.take().map(Box::new);
    }

    /// Nothing of the request is sent.
    pub(crate) fn is_new(&self) -> bool {
        self.stage == Stage::New
    }

    /// The request is sent.
    pub(crate) fn is_sent(&self) -> bool {
        self.stage >= Stage::Receiving
    }

    /// Goes as far as it can. At the end `arriving` has what came, if anything; it is empty before.
    ///
    /// # Errors
    /// As [`super::exchange`].
    #[inline]
    pub(crate) fn poll(
        &mut self,
        cx: &Context<'_>,
        stream: &mut Stream,
        request: &RequestRef<'_>,
        sink: &mut impl FnMut() -> S,
        arriving: &mut Option<IncomingResponse<S>>,
    ) -> Poll<Result<(), ExchangeError>> {
        if !self.is_sent() {
            ready!(self.poll_send(cx, stream, request)).map_err(ExchangeError::Io)?;
            // The response is seldom there at once.
            if stream.awaits_data(cx) {
                return Poll::Pending;
            }
        }
        self.poll_response(cx, stream, request, sink, arriving)
    }

    #[inline(never)]
    fn poll_response(
        &mut self,
        cx: &Context<'_>,
        stream: &mut Stream,
        request: &RequestRef<'_>,
        sink: &mut impl FnMut() -> S,
        arriving: &mut Option<IncomingResponse<S>>,
    ) -> Poll<Result<(), ExchangeError>> {
        // Not `map`, which would copy also what is not there.
        if let Some(before) = self.arriving.take() {
            *arriving = Some(*before);
            if self.stage > Stage::Receiving
                && let Some(polled) = self.poll_work(cx, stream, arriving)
            {
                return polled;
            }
        }
        let before = arriving.as_ref().map_or(0, |arriving| arriving.response.received());
        loop {
            let mut open = || IncomingResponse::new(request.to_head, sink());
            let step = poll_skip(cx, stream, arriving).unwrap_or_else(|| {
                if S::IN_PARTS && stream.tap().is_none() {
                    return poll_parts(cx, stream, arriving, &mut open);
                }
                stream.poll_recv(cx, |bytes, arrival| {
                    arriving.get_or_insert_with(&mut open).take(bytes, arrival)
                })
            });
            match step {
                Poll::Ready(Ok(Ok(true))) => {
                    if let (true, Some(arriving)) = (self.sampled, &mut *arriving) {
                        arriving.sent_ns = stream.sent_ns().unwrap_or(0);
                    }
                    if arriving.as_ref().is_some_and(|arriving| arriving.sink.is_decoding()) {
                        return self.complete(cx, arriving);
                    }
                    return Poll::Ready(Ok(()));
                }
                Poll::Ready(Ok(Ok(false))) => {
                    if let Some(polled) = self.poll_part(cx, stream, request, (arriving, before)) {
                        return polled;
                    }
                }
                Poll::Ready(Ok(Err(error))) => return Poll::Ready(Err(ExchangeError::Wire(error))),
                Poll::Ready(Err(error)) => {
                    note_break(arriving, open);
                    return Poll::Ready(Err(ExchangeError::Io(error)));
                }
                Poll::Pending => {
                    self.keep(arriving);
                    return Poll::Pending;
                }
            }
        }
    }

    /// Continues with the bytes in the sink; `None` if the rest of the response is still to be
    /// received.
    #[cold]
    fn poll_work(
        &mut self,
        cx: &Context<'_>,
        stream: &Stream,
        arriving: &mut Option<IncomingResponse<S>>,
    ) -> Option<Poll<Result<(), ExchangeError>>> {
        let worked = arriving.as_mut()?;
        worked.sink.work();
        if worked.sink.is_busy() {
            let at_ns = now_ns();
            if stream.is_over(at_ns) {
                (worked.end_ns, worked.arrived_ns, worked.read_ns) = (at_ns, at_ns, at_ns);
                return Some(Poll::Ready(Err(ExchangeError::Io(io::ErrorKind::TimedOut.into()))));
            }
            return Some(self.pause(cx, arriving));
        }
        if self.stage == Stage::Complete {
            return Some(self.complete(cx, arriving));
        }
        self.stage = Stage::Receiving;
        None
    }

    /// A response that is decoded has come.
    #[cold]
    fn complete(
        &mut self,
        cx: &Context<'_>,
        arriving: &mut Option<IncomingResponse<S>>,
    ) -> Poll<Result<(), ExchangeError>> {
        let Some(whole) = arriving else { return Poll::Ready(Ok(())) };
        if whole.sink.is_busy() {
            self.stage = Stage::Complete;
            return self.pause(cx, arriving);
        }
        Poll::Ready(Ok(()))
    }

    /// After a read that was not the last; none where the next may follow at once. `before`: what
    /// had been received before this poll.
    #[inline(never)]
    fn poll_part(
        &mut self,
        cx: &Context<'_>,
        stream: &mut Stream,
        request: &RequestRef<'_>,
        (arriving, before): (&mut Option<IncomingResponse<S>>, u64),
    ) -> Option<Poll<Result<(), ExchangeError>>> {
        let so_far = arriving.as_mut()?;
        if stream.is_over(so_far.read_ns) {
            (so_far.end_ns, so_far.arrived_ns) = (so_far.read_ns, so_far.read_ns);
            return Some(Poll::Ready(Err(ExchangeError::Io(io::ErrorKind::TimedOut.into()))));
        }
        if let Some(limit_ns) = request.timeout_ns {
            stream.set_deadline(Some(so_far.read_ns + limit_ns));
        }
        let busy = so_far.sink.is_busy();
        if busy {
            self.stage = Stage::Working;
        }
        let is_turn_over = so_far.response.received() - before >= READ_IN_A_TURN;
        (busy || is_turn_over).then(|| self.pause(cx, arriving))
    }

    /// Lets the other tasks of the worker run, and continues after them.
    #[cold]
    fn pause(
        &mut self,
        cx: &Context<'_>,
        arriving: &mut Option<IncomingResponse<S>>,
    ) -> Poll<Result<(), ExchangeError>> {
        self.keep(arriving);
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    #[inline]
    pub(super) fn poll_send(
        &mut self,
        cx: &Context<'_>,
        stream: &mut Stream,
        request: &RequestRef<'_>,
    ) -> Poll<io::Result<()>> {
        let early = request.bytes.len() < LARGE_REQUEST;
        if self.stage == Stage::New {
            // A deadline of the last exchange may have passed, so it is set again, or removed,
            // before anything is sent.
            let from_ns = || if request.begun_ns == 0 { now_ns() } else { request.begun_ns };
            stream.set_deadline(request.timeout_ns.filter(|_| early).map(|limit_ns| from_ns() + limit_ns));
            self.sampled = stream.sample_send();
            self.stage = Stage::Sending;
        }
        ready!(stream.poll_send_all(cx, request.bytes, &mut self.sent))?;
        if !early && let Some(limit_ns) = request.timeout_ns {
            stream.set_deadline(Some(now_ns() + limit_ns));
        }
        self.stage = Stage::Receiving;
        Poll::Ready(Ok(()))
    }

    /// What came of it. `well`: it did not fail.
    #[inline]
    pub(crate) fn sum(&self, arriving: Option<&IncomingResponse<S>>, well: bool) -> Exchange {
        let sent = if self.is_sent() { self.sent as u64 } else { 0 };
        let Some(arriving) = arriving else { return Exchange { sent, ..Exchange::default() } };
        let response = &arriving.response;
        Exchange {
            facts: response.facts().copied(),
            sent,
            received: response.received(),
            body_len: response.body_len(),
            first_byte_ns: arriving.first_byte_ns,
            end_ns: arriving.end_ns,
            arrived_ns: arriving.arrived_ns,
            sent_ns: arriving.sent_ns,
            read_ns: if well { arriving.read_ns } else { 0 },
            reusable: well && response.reusable(),
            framed: None,
        }
    }
}
