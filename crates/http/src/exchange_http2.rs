//! One request and its response over HTTP/2.

use std::cell::Cell;
use std::future::{Future as _, poll_fn};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use swell_connect::{Arrived, Session, SessionError, SessionExchange};
use swell_http1::client::{ResponseFacts, Sink, take_head};
use swell_http1::reason;
use swell_http2::client::Request;
use swell_net::{Sleep, now_ns, sleep_uncut_until};

use crate::exchange::{Exchange, ExchangeError};

thread_local! {
    /// A buffer for the text of a head.
    static HEAD: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A request and its limits.
pub(crate) struct Http2Request<'r> {
    pub(crate) head: Request<'r>,
    /// The parts of the body, if it has one.
    pub(crate) body: &'r [&'r [u8]],
    pub(crate) to_head: bool,
    /// Longest time without a byte of the response.
    pub(crate) timeout_ns: Option<i64>,
    /// The exchange ends then, whatever it does.
    pub(crate) ends_at_ns: Option<i64>,
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
    let opened = poll_fn(|cx| watch.poll(cx, session.poll_open(cx, &request.head, end))).await;
    let mut exchange = opened.map_err(|error| failed_before(error, done))?;
    done.sent = exchange.sent();
    let result = run(&mut exchange, request, &mut watch, (sink, done)).await;
    if result.is_err() {
        if done.end_ns == 0 {
            done.end_ns = now_ns();
            done.arrived_ns = done.end_ns;
        }
        done.read_ns = 0;
        if watch.has_passed {
            exchange.note_timeout();
        }
    }
    result
}

/// Nothing was sent.
fn failed_before(error: ExchangeError, done: &mut Exchange) -> ExchangeError {
    done.end_ns = now_ns();
    done.arrived_ns = done.end_ns;
    error
}

async fn run<S: Sink>(
    exchange: &mut SessionExchange,
    request: &Http2Request<'_>,
    watch: &mut Watch,
    (sink, done): (&mut S, &mut Exchange),
) -> Result<(), ExchangeError> {
    for (number, part) in request.body.iter().enumerate() {
        let end = number + 1 == request.body.len();
        let mut taken = 0;
        poll_fn(|cx| watch.poll(cx, exchange.poll_send(cx, part, end, &mut taken))).await?;
        done.sent = exchange.sent();
        watch.move_on();
    }
    let mut facts = None;
    loop {
        let take = |arrived: &mut Arrived| take_in(arrived, request.to_head, &mut facts, (sink, done));
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

/// Takes in what came; whether that was all.
fn take_in<S: Sink>(
    arrived: &mut Arrived,
    to_head: bool,
    facts: &mut Option<ResponseFacts>,
    (sink, done): (&mut S, &mut Exchange),
) -> Result<bool, ExchangeError> {
    if let Some(last) = arrived.last {
        (done.end_ns, done.arrived_ns, done.read_ns) = (last.at_ns, last.kernel_ns, last.read_ns);
    }
    if facts.is_none() && arrived.status != 0 {
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
        let taken = taken.map_err(ExchangeError::Wire)?;
        done.first_byte_ns = arrived.first.map_or(done.end_ns, |first| first.at_ns);
        (*facts, done.facts) = (Some(taken), Some(taken));
        arrived.head.clear();
    }
    if !arrived.body.is_empty() {
        sink.body(&arrived.body);
        done.body_len += arrived.body.len() as u64;
        arrived.body.clear();
    }
    done.received = facts.map_or(0, |facts| facts.header_size) + done.body_len;
    done.framed = Some(arrived.wire);
    if arrived.ended && sink.is_decoding() {
        sink.end_body();
    }
    Ok(arrived.ended)
}

/// The time limits of an exchange.
struct Watch {
    timeout_ns: Option<i64>,
    ends_at_ns: Option<i64>,
    deadline_ns: i64,
    /// Armed at the deadline or before it.
    sleep: Option<Sleep>,
    has_passed: bool,
}

impl Watch {
    fn new(request: &Http2Request<'_>) -> Self {
        let mut watch = Self {
            timeout_ns: request.timeout_ns,
            ends_at_ns: request.ends_at_ns,
            deadline_ns: i64::MAX,
            sleep: None,
            has_passed: false,
        };
        watch.move_on();
        watch.sleep = Some(watch.deadline_ns).filter(|at_ns| *at_ns != i64::MAX).map(sleep_uncut_until);
        watch
    }

    /// Something came: the next wait begins.
    fn move_on(&mut self) {
        let timeout = self.timeout_ns.map_or(i64::MAX, |limit_ns| now_ns().saturating_add(limit_ns));
        self.deadline_ns = timeout.min(self.ends_at_ns.unwrap_or(i64::MAX));
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
        while let Some(sleep) = &mut self.sleep
            && Pin::new(sleep).poll(cx).is_ready()
        {
            if now_ns() >= self.deadline_ns {
                self.has_passed = true;
                let error = io::Error::from(io::ErrorKind::TimedOut);
                return Poll::Ready(Err(ExchangeError::Io(error)));
            }
            self.sleep = Some(sleep_uncut_until(self.deadline_ns));
        }
        Poll::Pending
    }
}
