//! One request and its response over HTTP/2.

use std::cell::Cell;
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use swell_connect::{Arrived, Interim, Session, SessionError, SessionExchange};
use swell_http1::client::{ResponseFacts, Sink, take_head};
use swell_http1::{WireError, reason};
use swell_net::{Deadline, now_ns};

use crate::exchange::{Exchange, ExchangeError};
use crate::expect::WAIT_NS;
use crate::request::Http2Head;

thread_local! {
    /// A buffer for the text of a head.
    static HEAD: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A request and its limits.
pub(crate) struct Http2Request<'r> {
    pub(crate) head: Http2Head<'r>,
    /// The parts of the body, if it has one.
    pub(crate) body: &'r [&'r [u8]],
    /// The body waits for `100 Continue`, or for a while.
    pub(crate) expects_continue: bool,
    pub(crate) to_head: bool,
    /// Longest time without a byte of the response.
    pub(crate) timeout_ns: Option<i64>,
    /// The exchange ends then, whatever it does.
    pub(crate) ends_at_ns: Option<i64>,
    /// The sink wants to know when each piece of the body arrived.
    pub(crate) notes_pieces: bool,
}

/// Sends a request on a session and receives its response. The exchange is filled in as far as it
/// came, also where it fails.
///
/// # Errors
/// The connection or the stream breaks, or a time limit passes.
pub(crate) async fn exchange_http2<S: Sink>(
    session: &Session,
    request: &Http2Request<'_>,
    sink: &mut S,
    done: &mut Exchange,
) -> Result<(), ExchangeError> {
    let mut watch = Watch::new(request);
    let end = request.body.is_empty();
    let opened = session.open_until(&request.head, end, &mut watch.deadline).await;
    let opened = opened.map_or_else(|| Err(watch.passed()), |opened| opened.map_err(ExchangeError::Session));
    let mut exchange = opened.inspect_err(|_| done.cut_off())?;
    if request.notes_pieces {
        exchange.note_pieces();
    }
    done.sent = exchange.sent();
    let result = run(&mut exchange, request, &mut watch, (sink, done)).await;
    if result.is_err() {
        done.cut_off();
        if watch.has_passed {
            exchange.note_timeout();
        }
    }
    result
}

/// An error, where a server that ends a connection without a response does what it does over
/// HTTP/1.1 with a kept connection. `received`: bytes that came of the response.
pub(crate) fn as_closed(error: ExchangeError, received: u64) -> ExchangeError {
    match error {
        ExchangeError::Session(SessionError::Ended) if received == 0 => {
            ExchangeError::Wire(WireError::NoResponse)
        }
        error => error,
    }
}

async fn run<S: Sink>(
    exchange: &mut SessionExchange,
    request: &Http2Request<'_>,
    watch: &mut Watch,
    (sink, done): (&mut S, &mut Exchange),
) -> Result<(), ExchangeError> {
    let waits = request.expects_continue && !request.body.is_empty();
    let sends_body = !waits || may_continue(exchange, request.ends_at_ns).await?;
    for (number, part) in request.body.iter().enumerate().filter(|_| sends_body) {
        let end = number + 1 == request.body.len();
        let mut taken = 0;
        poll_fn(|cx| {
            let before = taken;
            let polled = exchange.poll_send(cx, part, end, &mut taken);
            if taken > before {
                watch.move_on();
            }
            watch.poll(cx, polled)
        })
        .await?;
        done.sent = exchange.sent();
    }
    watch.move_on();
    loop {
        let take = |arrived: &mut Arrived| take_in(arrived, request.to_head, (sink, done));
        let mut take = Some(take);
        let ended = poll_fn(|cx| {
            let polled = exchange
                .poll_receive(cx, |arrived| (take.take().expect("something is taken in once"))(arrived));
            watch.poll(cx, polled)
        })
        .await?;
        // Bodies are decoded in pieces, between which others get their turn.
        while sink.is_busy() {
            swell_net::yield_now().await;
            sink.work();
        }
        if ended? {
            done.sent_ns = exchange.sent_ns().unwrap_or(0);
            return Ok(());
        }
        watch.move_on();
    }
}

/// Waits until the server wants the body, or has not said so for a while; false: it has answered
/// without it.
async fn may_continue(
    exchange: &mut SessionExchange,
    ends_at_ns: Option<i64>,
) -> Result<bool, ExchangeError> {
    let until_ns = now_ns() + WAIT_NS;
    let mut deadline = Deadline::default();
    deadline.set(Some(ends_at_ns.map_or(until_ns, |end_ns| end_ns.min(until_ns))));
    loop {
        let interim = poll_fn(|cx| match exchange.poll_interim(cx) {
            Poll::Pending if deadline.has_passed(cx) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
            Poll::Ready(interim) => Poll::Ready(Some(interim)),
        });
        match interim.await.transpose().map_err(ExchangeError::Session)? {
            None | Some(Interim::Informational(100)) => return Ok(true),
            // Such as 103 Early Hints.
            Some(Interim::Informational(_)) => {}
            Some(Interim::Final) => return Ok(false),
        }
    }
}

/// Takes in what came; whether that was all.
///
/// # Errors
/// The head is not one of HTTP.
pub(crate) fn take_in<S: Sink>(
    arrived: &mut Arrived,
    to_head: bool,
    (sink, done): (&mut S, &mut Exchange),
) -> Result<bool, ExchangeError> {
    if let Some(last) = arrived.last {
        (done.end_ns, done.arrived_ns, done.read_ns) = (last.at_ns, last.kernel_ns, last.read_ns);
    }
    if done.facts.is_none() && arrived.status != 0 {
        let taken = take_lines(arrived, to_head, sink).map_err(ExchangeError::Wire)?;
        done.first_byte_ns = arrived.first.map_or(done.end_ns, |first| first.at_ns);
        done.facts = Some(taken);
    }
    if !arrived.body.is_empty() {
        take_body(arrived, sink);
        done.body_len += arrived.body.len() as u64;
        arrived.body.clear();
    }
    done.received = done.facts.map_or(0, |facts| facts.header_size) + done.body_len;
    done.framed = Some(arrived.wire);
    if arrived.ended && sink.is_decoding() {
        sink.end_body();
    }
    Ok(arrived.ended)
}

/// Takes in a head as the text that it would be over HTTP/1.
fn take_lines<S: Sink>(
    arrived: &mut Arrived,
    to_head: bool,
    sink: &mut S,
) -> Result<ResponseFacts, WireError> {
    let mut text = HEAD.take();
    text.clear();
    text.extend_from_slice(b"HTTP/2.0 ");
    text.extend_from_slice(itoa::Buffer::new().format(arrived.status).as_bytes());
    text.push(b' ');
    text.extend_from_slice(reason(arrived.status).as_bytes());
    text.extend_from_slice(b"\r\n");
    text.extend_from_slice(&arrived.head);
    text.extend_from_slice(b"\r\n");
    let taken = take_head(&text, to_head, sink);
    HEAD.set(text);
    arrived.head.clear();
    taken
}

/// Takes in what came of a body, in pieces with their times where those are noted.
fn take_body<S: Sink>(arrived: &mut Arrived, sink: &mut S) {
    let mut from = 0;
    for (end, arrival) in arrived.pieces.drain(..) {
        sink.arrives(arrival.at_ns);
        sink.body(&arrived.body[from..end]);
        from = end;
    }
    if from < arrived.body.len() {
        sink.body(&arrived.body[from..]);
    }
}

/// The time limits of an exchange.
struct Watch {
    timeout_ns: Option<i64>,
    ends_at_ns: Option<i64>,
    deadline: Deadline,
    has_passed: bool,
}

impl Watch {
    fn new(request: &Http2Request<'_>) -> Self {
        let mut watch = Self {
            timeout_ns: request.timeout_ns,
            ends_at_ns: request.ends_at_ns,
            deadline: Deadline::default(),
            has_passed: false,
        };
        watch.move_on();
        watch
    }

    /// Something came: the next wait begins.
    fn move_on(&mut self) {
        let timeout = self.timeout_ns.map(|limit_ns| now_ns().saturating_add(limit_ns));
        self.deadline.set([timeout, self.ends_at_ns].into_iter().flatten().min());
    }

    /// A step of an exchange, which fails when its time has passed.
    fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        step: Poll<Result<T, SessionError>>,
    ) -> Poll<Result<T, ExchangeError>> {
        if let Poll::Ready(result) = step {
            return Poll::Ready(result.map_err(ExchangeError::Session));
        }
        if self.deadline.has_passed(cx) { Poll::Ready(Err(self.passed())) } else { Poll::Pending }
    }

    fn passed(&mut self) -> ExchangeError {
        self.has_passed = true;
        ExchangeError::Io(io::ErrorKind::TimedOut.into())
    }
}
