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
mod queue;
mod streams;
#[cfg(test)]
mod wake_counts;

use std::cell::{Cell, RefCell, RefMut};
use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use swell_http2::client::{self, OpenError, PreparedHead, Request};
use swell_http2::{ErrorCode, PeerSettings, Scratch, Settings, StreamId};
use swell_net::{Deadline, now_ns};

use crate::Stream;

use arrivals::Arrivals;
pub use exchange::{Arrived, Interim, SessionExchange};
use flusher::Flush;
pub use kept::{Claim, Connecting, KeptSessions, ReadySession};
use queue::StreamQueue;
use streams::{Reader, Streams};

thread_local! {
    /// Buffers of all sessions of a worker.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
    /// A buffer for frames to send: a session that has sent everything holds none.
    static OUT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// More that waits to be sent holds a peer that sends without reading.
const MOST_UNSENT: usize = 256 << 10;

/// A larger buffer is not kept.
const KEPT_OUT: usize = 2 * MOST_UNSENT;

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
    /// As many streams are open as the server allows. Nothing was sent.
    Busy,
    /// The request has a part that HTTP/2 cannot carry.
    Request(String),
}

impl SessionError {
    fn of(error: &io::Error) -> Self {
        Self::Io(error.kind(), error.raw_os_error(), error.to_string())
    }
}

/// The head of a request, prepared or not.
pub trait Head {
    /// Writes it, see [`client::Session::request`].
    ///
    /// # Errors
    /// As there.
    fn write(
        &self,
        protocol: &mut client::Session,
        end: bool,
        out: &mut Vec<u8>,
    ) -> Result<StreamId, OpenError>;
}

impl Head for Request<'_> {
    fn write(
        &self,
        protocol: &mut client::Session,
        end: bool,
        out: &mut Vec<u8>,
    ) -> Result<StreamId, OpenError> {
        protocol.request(self, end, out)
    }
}

/// A prepared head with the lines of one request.
pub struct HeadAgain<'a> {
    /// What is the same each time.
    pub prepared: &'a PreparedHead,
    /// As in [`client::Session::request_prepared`].
    pub own: &'a [u8],
}

impl Head for HeadAgain<'_> {
    fn write(
        &self,
        protocol: &mut client::Session,
        end: bool,
        out: &mut Vec<u8>,
    ) -> Result<StreamId, OpenError> {
        protocol.request_prepared(self.prepared, self.own, end, out)
    }
}

/// A connection that carries several exchanges at once. Clones are the same connection.
#[derive(Clone)]
pub struct Session(Rc<Shared>);

struct Shared {
    inner: RefCell<Inner>,
    flush: Cell<Flush>,
    /// The task that sends what did not go at once, if there was such.
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
    waiting: StreamQueue,
    /// Tasks that wait until what was written has been sent.
    blocked: Vec<Waker>,
    broken: Option<SessionError>,
    /// A request has timed out, and the server has not answered since.
    is_suspect: bool,
    created_ns: i64,
}

impl Session {
    /// Begins to speak HTTP/2 over a connection. The preface goes out with the first request.
    pub fn new(stream: Stream, settings: &Settings) -> Self {
        let mut protocol = client::Session::new(settings);
        let mut out = OUT.take();
        protocol.start(&mut out);
        let inner = Inner {
            stream,
            protocol,
            out,
            sent: 0,
            streams: Streams::default(),
            arrivals: Arrivals::default(),
            waiting: StreamQueue::default(),
            blocked: Vec::new(),
            broken: None,
            is_suspect: false,
            created_ns: now_ns(),
        };
        let inner = RefCell::new(inner);
        Self(Rc::new(Shared { inner, flush: Cell::default(), flusher: RefCell::default() }))
    }

    /// Whether new requests may use it, after taking in what came since it was used last.
    pub fn is_usable(&self, cx: &Context<'_>) -> bool {
        let mut inner = self.0.inner.borrow_mut();
        if inner.streams.is_empty() && inner.waiting.is_empty() {
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
    /// body. Who gives up before it is ready calls [`Self::stop_waiting`].
    ///
    /// # Errors
    /// [`SessionError::Closing`]: nothing was sent. Others as for exchanges.
    pub fn poll_open(
        &self,
        cx: &Context<'_>,
        request: &impl Head,
        end: bool,
    ) -> Poll<Result<SessionExchange, SessionError>> {
        loop {
            let mut inner = self.0.inner.borrow_mut();
            let is_next = inner.waiting.take_grant(cx) || inner.waiting.is_empty();
            drop(inner);
            let opened = if is_next { self.try_open(request, end) } else { Err(SessionError::Busy) };
            match opened {
                Ok(exchange) => {
                    self.0.inner.borrow_mut().streams.take_over_reading(exchange.place());
                    return Poll::Ready(Ok(exchange));
                }
                Err(SessionError::Busy) => {}
                Err(error) => {
                    self.stop_waiting();
                    return Poll::Ready(Err(error));
                }
            }
            let mut inner = self.0.inner.borrow_mut();
            // Those that are open may have ended by now.
            if inner.broken.is_none() && inner.poll_read(cx, Some(Reader::Waiting)).is_pending() {
                inner.waiting.join(cx);
                self.flush_answers(inner);
                return Poll::Pending;
            }
        }
    }

    /// As [`Self::poll_open`], until a deadline passes: none.
    ///
    /// # Errors
    /// As [`Self::poll_open`].
    pub async fn open_until(
        &self,
        request: &impl Head,
        end: bool,
        deadline: &mut Deadline,
    ) -> Option<Result<SessionExchange, SessionError>> {
        let mut waiting = Waiting(Some(self));
        let opened = poll_fn(|cx| match self.poll_open(cx, request, end) {
            Poll::Pending if deadline.has_passed(cx) => Poll::Ready(None),
            polled => polled.map(Some),
        });
        let opened = opened.await?;
        waiting.0 = None;
        Some(opened)
    }

    /// Sends the head of a request, if that is possible at once and none waits for a stream. `end`:
    /// it has no body.
    ///
    /// # Errors
    /// [`SessionError::Closing`], [`SessionError::Busy`]: nothing was sent. Others as for
    /// exchanges.
    pub fn open(&self, head: &impl Head, end: bool) -> Result<SessionExchange, SessionError> {
        if self.0.inner.borrow().waiting.is_empty() {
            self.try_open(head, end)
        } else {
            Err(SessionError::Busy)
        }
    }

    fn try_open(&self, head: &impl Head, end: bool) -> Result<SessionExchange, SessionError> {
        let mut inner = self.0.inner.borrow_mut();
        if let Some(error) = &inner.broken {
            return Err(error.clone());
        }
        let Inner { protocol, out, .. } = &mut *inner;
        if out.capacity() == 0 {
            *out = OUT.take();
        }
        let before = out.len();
        let id = head.write(protocol, end, out).map_err(|error| match error {
            OpenError::Closing => SessionError::Closing,
            OpenError::StreamsMax => SessionError::Busy,
            OpenError::Field(error) => SessionError::Request(error.to_string()),
        })?;
        let written = out.len() - before;
        let at = inner.streams.add(id);
        if end {
            let is_alone = inner.streams.len() == 1;
            inner.streams.at(at).is_sampled = is_alone && inner.stream.sample_send();
            drop(inner);
            self.flush(is_alone);
        }
        Ok(SessionExchange::new(self.clone(), id, at, written as u64))
    }

    /// A task that waited for a stream has given up: those that still wait look again.
    pub fn stop_waiting(&self) {
        let mut inner = self.0.inner.borrow_mut();
        inner.waiting.wake_all();
        inner.streams.stop_waiting();
    }

    /// Sends what answers to the server were written while its frames were read.
    fn flush_answers(&self, inner: RefMut<'_, Inner>) {
        let has_answers = inner.sent < inner.out.len();
        let is_alone = inner.streams.len() <= 1;
        drop(inner);
        if has_answers {
            self.flush(is_alone);
        }
    }
}

/// Waits for a stream. Dropped before it has one, it lets others have it.
struct Waiting<'s>(Option<&'s Session>);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(session) = self.0 {
            session.stop_waiting();
        }
    }
}

impl Inner {
    /// Reads what is there, for all. Ready: something came, or the connection has ended.
    fn poll_read(&mut self, cx: &Context<'_>, reader: Option<Reader>) -> Poll<()> {
        // Whether something has come or not: if it ends now, another one has to read.
        if let Some(reader) = reader {
            self.streams.set_reader(reader);
        }
        if self.out.len() - self.sent > MOST_UNSENT {
            self.blocked.push(cx.waker().clone());
            return Poll::Pending;
        }
        let Self { stream, protocol, out, streams, arrivals, .. } = self;
        let open_before = protocol.open_streams();
        let most_before = protocol.peer().streams_max;
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
        let Poll::Ready(read) = polled else { return Poll::Pending };
        self.is_suspect = false;
        let broken = match (read, failed) {
            (_, Some(error)) => Some(SessionError::Connection(error.code, error.rule)),
            (Ok(0), None) => Some(SessionError::Ended),
            (Ok(_), None) => None,
            (Err(error), None) => Some(SessionError::of(&error)),
        };
        if let Some(error) = broken {
            self.break_off(&error);
        } else if self.protocol.open_streams() < open_before
            || self.protocol.peer().streams_max > most_before
            || self.protocol.is_closing()
        {
            self.grant_streams();
        }
        Poll::Ready(())
    }

    /// Sends what is to be sent, and lets those continue that waited for that.
    fn poll_flush(&mut self, cx: &Context<'_>) -> Poll<Result<(), SessionError>> {
        let mut result = Ok(());
        if self.sent < self.out.len() {
            let Self { stream, out, sent, .. } = self;
            match stream.poll_send_all(cx, out, sent) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(sent) => result = sent.map_err(|error| SessionError::of(&error)),
            }
        }
        self.out.clear();
        self.sent = 0;
        if self.out.capacity() <= KEPT_OUT {
            OUT.set(std::mem::take(&mut self.out));
        } else {
            self.out = Vec::new();
        }
        self.blocked.drain(..).for_each(Waker::wake);
        Poll::Ready(result)
    }

    fn break_off(&mut self, error: &SessionError) {
        self.broken.get_or_insert_with(|| error.clone());
        self.streams.fail_all(error);
        self.waiting.wake_all();
    }

    /// Lets those open streams that wait for one.
    fn grant_streams(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        if self.protocol.is_closing() {
            self.waiting.wake_all();
        } else {
            let most = self.protocol.peer().streams_max as usize;
            self.waiting.grant(most.saturating_sub(self.protocol.open_streams()));
        }
    }
}
