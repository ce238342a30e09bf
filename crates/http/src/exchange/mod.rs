//! One request and its response over a connection. This is the only place where HTTP uses a socket:
//! samplers, proxy tunnels and the quick test of a URL all use it.

mod http1;
mod incoming;

use std::future::poll_fn;
use std::io;
use std::task::{Poll, ready};

use swell_connect::{SessionError, Stream};
use swell_http1::WireError;
use swell_http1::client::{ResponseFacts, Sink};
use swell_net::{Arrival, now_ns};

pub(crate) use http1::Http1Exchange;
pub(crate) use incoming::IncomingResponse;

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
            exchange.skip_sending();
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
            exchange.keep(&mut arriving);
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
