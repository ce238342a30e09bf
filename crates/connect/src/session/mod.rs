//! Connections that carry several exchanges at once (HTTP/2).
//!
//! A [`Session`] is one connection; each [`SessionExchange`] is a stream on it. No task reads: the
//! exchange that is polled first reads for all and wakes the others, so one exchange at a time costs
//! what it costs over HTTP/1.1. With several, the frames that are written while the ready tasks of a
//! worker run go out in one `send`.

mod arrivals;
mod exchange;
mod flusher;
mod kept;
mod streams;

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};

use swell_http2::client::{self, OpenError, Request};
use swell_http2::{ErrorCode, PeerSettings, Scratch, Settings};
use swell_net::now_ns;

use crate::Stream;

use arrivals::Arrivals;
pub use exchange::{Arrived, SessionExchange};
pub use kept::{Claim, Connecting, KeptSessions};
use streams::{Reader, Streams};

thread_local! {
    /// Buffers of all sessions of a worker.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// More that waits to be sent holds a peer that sends without reading.
const MOST_UNSENT: usize = 256 << 10;

/// Why an exchange failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionError {
    /// The connection broke.
    Io(io::ErrorKind, Option<i32>, String),
    /// The server ended the connection before the response was complete.
    Ended,
    /// The server broke a rule of HTTP/2, so the connection was closed.
    Connection(ErrorCode, &'static str),
    /// The server broke a rule of HTTP/2 on this stream.
    Stream(ErrorCode, &'static str),
    /// The server reset the stream.
    Reset(ErrorCode),
    /// The server says that it did nothing with the request: it may be sent again.
    NotProcessed,
    /// The connection takes no more requests: another one is needed.
    Closing,
    /// The request has a part that HTTP/2 cannot carry.
    Request(String),
}

impl SessionError {
    fn of(error: &io::Error) -> Self {
        Self::Io(error.kind(), error.raw_os_error(), error.to_string())
    }
}

/// A connection that carries several exchanges at once. Clones are the same connection.
#[derive(Clone)]
pub struct Session(Rc<Shared>);

struct Shared {
    inner: RefCell<Inner>,
    /// Frames wait for the turn of the flusher.
    flush_due: Cell<bool>,
    flusher: RefCell<Option<Waker>>,
}

struct Inner {
    stream: Stream,
    protocol: client::Session,
    /// Frames, and how much of them has gone.
    out: Vec<u8>,
    sent: usize,
    streams: Streams,
    arrivals: Arrivals,
    /// Tasks that wait until the server allows another stream.
    waiting: Vec<Waker>,
    broken: Option<SessionError>,
    /// A request has timed out, and the server has not answered since.
    is_suspect: bool,
    created_ns: i64,
}

impl Session {
    /// Begins to speak HTTP/2 over a connection. The preface goes out with the first request.
    pub fn new(stream: Stream, settings: &Settings) -> Self {
        let mut protocol = client::Session::new(settings);
        let mut out = Vec::new();
        protocol.start(&mut out);
        let inner = Inner {
            stream,
            protocol,
            out,
            sent: 0,
            streams: Streams::default(),
            arrivals: Arrivals::default(),
            waiting: Vec::new(),
            broken: None,
            is_suspect: false,
            created_ns: now_ns(),
        };
        let flush_due = Cell::new(false);
        Self(Rc::new(Shared { inner: RefCell::new(inner), flush_due, flusher: RefCell::new(None) }))
    }

    /// Whether new requests may use it, after taking in what came since it was used last.
    pub fn is_usable(&self, cx: &Context<'_>) -> bool {
        let mut inner = self.0.inner.borrow_mut();
        if inner.streams.is_empty() {
            while inner.broken.is_none() && inner.poll_read(cx, None).is_ready() {}
        }
        inner.broken.is_none() && !inner.is_suspect && !inner.protocol.is_closing()
    }

    /// When it was made.
    pub fn created_ns(&self) -> i64 {
        self.0.inner.borrow().created_ns
    }

    /// What the server has announced; none before it has.
    pub fn peer(&self) -> Option<PeerSettings> {
        let inner = self.0.inner.borrow();
        inner.protocol.has_settings().then(|| *inner.protocol.peer())
    }

    /// Runs a closure with the connection.
    pub fn with_stream<R>(&self, f: impl FnOnce(&mut Stream) -> R) -> R {
        f(&mut self.0.inner.borrow_mut().stream)
    }

    /// Sends the head of a request as soon as the server allows another stream. `end`: it has no
    /// body.
    ///
    /// # Errors
    /// [`SessionError::Closing`]: nothing was sent. Others as for exchanges.
    pub fn poll_open(
        &self,
        cx: &Context<'_>,
        request: &Request<'_>,
        end: bool,
    ) -> Poll<Result<SessionExchange, SessionError>> {
        let mut inner = self.0.inner.borrow_mut();
        let before = inner.out.len();
        loop {
            if let Some(error) = &inner.broken {
                return Poll::Ready(Err(error.clone()));
            }
            let Inner { protocol, out, .. } = &mut *inner;
            match protocol.request(request, end, out) {
                Ok(id) => {
                    let written = inner.out.len() - before;
                    let at = inner.streams.add(id);
                    let exchange = SessionExchange::new(self.clone(), id, at, written as u64);
                    if end {
                        let is_alone = inner.streams.len() == 1;
                        let sampled = is_alone && inner.stream.sample_send();
                        inner.streams.at(at).is_sampled = sampled;
                        drop(inner);
                        self.flush(cx, is_alone);
                    }
                    return Poll::Ready(Ok(exchange));
                }
                Err(OpenError::Closing) => return Poll::Ready(Err(SessionError::Closing)),
                Err(OpenError::Field(error)) => {
                    return Poll::Ready(Err(SessionError::Request(error.to_string())));
                }
                Err(OpenError::StreamsMax) => {
                    // Those that are open may have ended by now.
                    if let Poll::Ready(read) = inner.poll_read(cx, Some(Reader::Waiting)) {
                        read?;
                        continue;
                    }
                    inner.waiting.push(cx.waker().clone());
                    return Poll::Pending;
                }
            }
        }
    }
}

impl Inner {
    /// Reads what is there, for all. `Ok`: something came, or the connection has ended.
    fn poll_read(&mut self, cx: &Context<'_>, reader: Option<Reader>) -> Poll<Result<(), SessionError>> {
        if self.out.len() - self.sent > MOST_UNSENT {
            ready!(self.poll_flush(cx))?;
        }
        let Self { stream, protocol, out, streams, arrivals, .. } = self;
        let open_before = protocol.open_streams();
        let mut failed = None;
        let polled = stream.poll_recv_parts(cx, |bytes, arrival| {
            if bytes.is_empty() || failed.is_some() {
                return;
            }
            arrivals.add(protocol.fed() + bytes.len() as u64, arrival);
            let mut events = streams.events(arrivals);
            let fed = SCRATCH.with_borrow_mut(|scratch| protocol.feed(bytes, scratch, out, &mut events));
            failed = fed.err();
        });
        let Poll::Ready(read) = polled else {
            if let Some(reader) = reader {
                self.streams.set_reader(reader);
            }
            return Poll::Pending;
        };
        self.is_suspect = false;
        let broken = match (read, failed) {
            (_, Some(error)) => Some(SessionError::Connection(error.code, error.rule)),
            (Ok(0), None) => Some(SessionError::Ended),
            (Ok(_), None) => None,
            (Err(error), None) => Some(SessionError::of(&error)),
        };
        if let Some(error) = broken {
            self.break_off(&error);
        } else if self.protocol.open_streams() < open_before || self.protocol.is_closing() {
            self.wake_waiting();
        }
        Poll::Ready(Ok(()))
    }

    /// Sends what is to be sent.
    fn poll_flush(&mut self, cx: &Context<'_>) -> Poll<Result<(), SessionError>> {
        if self.sent < self.out.len() {
            let Self { stream, out, sent, .. } = self;
            if let Err(error) = ready!(stream.poll_send_all(cx, out, sent)) {
                // A response may have come before the connection broke: reading tells.
                self.out.clear();
                self.sent = 0;
                return Poll::Ready(Err(SessionError::of(&error)));
            }
        }
        self.out.clear();
        self.sent = 0;
        Poll::Ready(Ok(()))
    }

    fn break_off(&mut self, error: &SessionError) {
        self.broken.get_or_insert_with(|| error.clone());
        self.streams.fail_all(error);
        self.wake_waiting();
    }

    fn wake_waiting(&mut self) {
        self.waiting.drain(..).for_each(Waker::wake);
    }
}
