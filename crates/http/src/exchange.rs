//! One request and its response over a connection. This is the only place where HTTP uses a socket:
//! samplers, proxy tunnels and the quick test of a URL all use it.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, ready};

use swell_connect::{SessionError, Stream};
use swell_http1::WireError;
use swell_http1::client::{Response, ResponseFacts, Sink};
use swell_net::{Arrival, now_ns};

/// The progress of an exchange. Times are on the clock of [`swell_net::now_ns`]; 0 means that it
/// did not happen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exchange {
    /// What is known of the response's head; none if it did not come.
    pub(crate) facts: Option<ResponseFacts>,
    /// Bytes sent.
    pub(crate) sent: u64,
    /// Bytes received, head and body and whatever came with them.
    pub(crate) received: u64,
    /// Bytes of the body, transfer coding taken off.
    pub(crate) body_len: u64,
    /// Arrival of the first byte at the kernel.
    pub(crate) first_byte_ns: i64,
    /// Arrival of the last byte: at the kernel, or as the run's [`swell_net::TimestampSource`] has
    /// it.
    pub(crate) end_ns: i64,
    /// Arrival of the last byte at the kernel.
    pub(crate) arrived_ns: i64,
    /// The kernel sent the last byte of the request; 0 where it was not asked, which is the usual
    /// case.
    pub(crate) sent_ns: i64,
    /// After the last read of a response; 0 if none was complete: the end of a connection is not a
    /// response, however late it came.
    pub(crate) read_ns: i64,
    /// The connection can be used for another request, as far as the response is concerned.
    pub(crate) reusable: bool,
    /// Bytes of the frames of the response over HTTP/2.
    pub(crate) framed: Option<u64>,
}

impl Exchange {
    /// It failed: it ended with the last byte that came, or now. No response is complete.
    pub(crate) fn cut_off(&mut self) {
        self.read_ns = 0;
        if self.end_ns == 0 {
            self.end_ns = now_ns();
            self.arrived_ns = self.end_ns;
        }
    }
}

/// Why an exchange failed.
#[derive(Debug)]
pub(crate) enum ExchangeError {
    /// The connection.
    Io(io::Error),
    /// The bytes are not a response.
    Wire(WireError),
    /// HTTP/2.
    Session(SessionError),
}

impl ExchangeError {
    /// Whether the server did nothing with the request, so that it can be sent again.
    pub(crate) fn is_unprocessed(&self) -> bool {
        matches!(self, Self::Session(SessionError::NotProcessed | SessionError::Closing | SessionError::Busy))
    }

    /// Whether the server got the request and refused it.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self, Self::Session(SessionError::NotProcessed))
    }
}

/// A body larger than this may take longer to send than the response may take to come.
const LARGE_REQUEST: usize = 64 << 10;

/// Sends a request and receives its response. `to_head`: the request is a HEAD. `timeout_ns`:
/// longest time without a byte of the response. The exchange is filled in as far as it came, also
/// where it fails.
///
/// # Errors
/// The connection breaks or ends too early, the time limit passes, or the response is invalid.
pub(crate) async fn exchange<S: Sink>(
    stream: &mut Stream,
    request: &[u8],
    to_head: bool,
    timeout_ns: Option<i64>,
    sink: &mut S,
    done: &mut Exchange,
) -> Result<(), ExchangeError> {
    let wanted = RequestRef { bytes: request, to_head, timeout_ns, begun_ns: 0 };
    exchange_from(stream, wanted, None, sink, done).await
}

/// Bytes of a response that arrived before the whole request was sent.
pub(crate) struct EarlyResponse {
    pub(crate) bytes: Vec<u8>,
    pub(crate) arrival: Arrival,
}

/// How a started exchange continues.
pub(crate) struct ExchangeStart {
    /// None: nothing has come.
    pub(crate) early: Option<EarlyResponse>,
    /// Nothing more is sent.
    pub(crate) is_sent: bool,
}

/// As [`exchange`], of a request whose first part is sent: `wanted` has the rest.
///
/// # Errors
/// As [`exchange`].
pub(crate) async fn exchange_from<S: Sink>(
    stream: &mut Stream,
    wanted: RequestRef<'_>,
    begun: Option<ExchangeStart>,
    sink: &mut S,
    done: &mut Exchange,
) -> Result<(), ExchangeError> {
    let mut exchange = Http1Exchange::new();
    let mut sink = Some(sink);
    let mut sink = || sink.take().expect("one response is received");
    let mut early = None;
    if let Some(begun) = begun {
        early = begun.early;
        if begun.is_sent {
            stream.set_deadline(wanted.timeout_ns.map(|limit_ns| now_ns() + limit_ns));
            exchange.stage = Stage::Receiving;
        }
    }
    let (result, sum) = poll_fn(|cx| {
        let mut arriving = None;
        if early.is_some() && !exchange.is_sent() {
            let sent = ready!(exchange.poll_send(cx, stream, &wanted)).map_err(ExchangeError::Io);
            if sent.is_err() {
                return Poll::Ready((sent, exchange.sum(None, false)));
            }
        }
        if let Some(EarlyResponse { bytes, arrival }) = early.take() {
            let response = arriving.insert(IncomingResponse::new(wanted.to_head, sink()));
            let taken = response.take(&bytes, arrival).map_err(ExchangeError::Wire);
            if !matches!(taken, Ok(false)) {
                let result = taken.map(drop);
                let sum = exchange.sum(arriving.as_ref(), result.is_ok());
                return Poll::Ready((result, sum));
            }
            exchange.arriving = arriving.take().map(Box::new);
        }
        let result = ready!(exchange.poll(cx, stream, &wanted, &mut sink, &mut arriving));
        let sum = exchange.sum(arriving.as_ref(), result.is_ok());
        Poll::Ready((result, sum))
    })
    .await;
    *done = sum;
    result
}

/// The request of an exchange.
#[derive(Clone, Copy)]
pub(crate) struct RequestRef<'r> {
    /// The request; not looked at once it is sent.
    pub(crate) bytes: &'r [u8],
    /// It is a HEAD.
    pub(crate) to_head: bool,
    /// Longest time without a byte of the response.
    pub(crate) timeout_ns: Option<i64>,
    /// When the sending begins, if that is known: a look at the clock less. 0: it is not.
    pub(crate) begun_ns: i64,
}

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

/// Bytes of one response that are read before others get their turn: a server may send faster than
/// is read, without end. 64 KiB take 0.1 ms, and some eight times that while the kernel works on
/// what arrives meanwhile.
const READ_IN_A_TURN: u64 = 128 << 10;

/// The end of a body that is read though nothing looks at it: so it is seen whether more follows.
const READ_END: u64 = 64 << 10;

/// Most bytes that the kernel drops in one go.
const MOST_SKIPPED: u64 = 1 << 20;

/// A response that is being received.
pub(crate) struct IncomingResponse<S> {
    response: Response,
    pub(crate) sink: S,
    first_byte_ns: i64,
    end_ns: i64,
    arrived_ns: i64,
    sent_ns: i64,
    read_ns: i64,
}

impl<S: Sink> IncomingResponse<S> {
    fn new(to_head: bool, sink: S) -> Self {
        let response = Response::new(to_head);
        Self { response, sink, first_byte_ns: 0, end_ns: 0, arrived_ns: 0, sent_ns: 0, read_ns: 0 }
    }

    /// Bytes to come that need not be read, where they are many.
    #[inline]
    fn skippable(&self) -> Option<usize> {
        if !self.sink.is_skipping() {
            return None;
        }
        let most = self.response.left()?.checked_sub(READ_END)?;
        (most >= READ_END).then_some(most.min(MOST_SKIPPED) as usize)
    }

    /// Bytes came that were not read; none if the peer has ended.
    fn skip(&mut self, count: usize, arrival: Arrival) -> Result<bool, WireError> {
        if count == 0 {
            return self.take(&[], arrival);
        }
        (self.end_ns, self.arrived_ns, self.read_ns) = (arrival.at_ns, arrival.kernel_ns, arrival.read_ns);
        self.response.skip(count as u64);
        Ok(false)
    }

    /// Takes what a read gave; whether that was all.
    fn take(&mut self, bytes: &[u8], arrival: Arrival) -> Result<bool, WireError> {
        (self.end_ns, self.arrived_ns, self.read_ns) = (arrival.at_ns, arrival.kernel_ns, arrival.read_ns);
        let is_complete = if bytes.is_empty() {
            self.response.end(&mut self.sink).map(|()| true)?
        } else {
            if self.first_byte_ns == 0 {
                self.first_byte_ns = arrival.at_ns;
            }
            self.sink.arrives(arrival.at_ns);
            self.response.feed(bytes, &mut self.sink)?
        };
        if is_complete && self.sink.is_decoding() {
            self.sink.end_body();
        }
        Ok(is_complete)
    }
}

/// The connection broke, and when.
#[cold]
fn note_break<S>(arriving: &mut Option<IncomingResponse<S>>, open: impl FnOnce() -> IncomingResponse<S>) {
    let at_ns = now_ns();
    let broken = arriving.get_or_insert_with(open);
    (broken.end_ns, broken.arrived_ns) = (at_ns, at_ns);
}

/// Drops what has come of a body that nothing looks at; none where it has to be read.
#[inline]
fn poll_skip<S: Sink>(
    cx: &Context<'_>,
    stream: &mut Stream,
    arriving: &mut Option<IncomingResponse<S>>,
) -> Option<Poll<io::Result<Result<bool, WireError>>>> {
    let arriving = arriving.as_mut()?;
    let polled = stream.poll_skip(cx, arriving.skippable()?)?;
    Some(polled.map_ok(|(count, arrival)| arriving.skip(count, arrival)))
}

/// Receives what is there, each part with its time.
fn poll_parts<S: Sink>(
    cx: &Context<'_>,
    stream: &mut Stream,
    arriving: &mut Option<IncomingResponse<S>>,
    open: &mut impl FnMut() -> IncomingResponse<S>,
) -> Poll<io::Result<Result<bool, WireError>>> {
    let mut taken = Ok(false);
    let polled = stream.poll_recv_parts(cx, |bytes, arrival| {
        let arriving = arriving.get_or_insert_with(&mut *open);
        match taken {
            Ok(false) => taken = arriving.take(bytes, arrival),
            // What follows a response keeps its connection from being used again.
            Ok(true) => taken = arriving.response.feed(bytes, &mut arriving.sink),
            Err(_) => {}
        }
    });
    polled.map_ok(|_| taken)
}

impl<S: Sink> Http1Exchange<S> {
    /// Nothing is sent yet.
    pub(crate) fn new() -> Self {
        Self { stage: Stage::New, sampled: false, sent: 0, arriving: None }
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
    /// As [`exchange`].
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
                    self.arriving = arriving.take().map(Box::new);
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
        self.arriving = arriving.take().map(Box::new);
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    #[inline]
    fn poll_send(
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
