//! A response over HTTP/1.1 that is being received.

use std::io;
use std::task::{Context, Poll};

use swell_connect::Stream;
use swell_http1::WireError;
use swell_http1::client::{Response, Sink};
use swell_net::{Arrival, now_ns};

/// The end of a body that is read though nothing looks at it: so it is seen whether more follows.
const READ_END: u64 = 64 << 10;

/// Most bytes that the kernel drops in one go.
const MOST_SKIPPED: u64 = 1 << 20;

/// A response that is being received.
pub(crate) struct IncomingResponse<S> {
    pub(super) response: Response,
    pub(crate) sink: S,
    pub(super) first_byte_ns: i64,
    pub(super) end_ns: i64,
    pub(super) arrived_ns: i64,
    pub(super) sent_ns: i64,
    pub(super) read_ns: i64,
}

impl<S: Sink> IncomingResponse<S> {
    pub(super) fn new(to_head: bool, sink: S) -> Self {
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
    pub(super) fn take(&mut self, bytes: &[u8], arrival: Arrival) -> Result<bool, WireError> {
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
pub(super) fn note_break<S>(
    arriving: &mut Option<IncomingResponse<S>>,
    open: impl FnOnce() -> IncomingResponse<S>,
) {
    let at_ns = now_ns();
    let broken = arriving.get_or_insert_with(open);
    (broken.end_ns, broken.arrived_ns) = (at_ns, at_ns);
}

/// Drops what has come of a body that nothing looks at; none where it has to be read.
#[inline]
pub(super) fn poll_skip<S: Sink>(
    cx: &Context<'_>,
    stream: &mut Stream,
    arriving: &mut Option<IncomingResponse<S>>,
) -> Option<Poll<io::Result<Result<bool, WireError>>>> {
    let arriving = arriving.as_mut()?;
    let polled = stream.poll_skip(cx, arriving.skippable()?)?;
    Some(polled.map_ok(|(count, arrival)| arriving.skip(count, arrival)))
}

/// Receives what is there, each part with its time.
pub(super) fn poll_parts<S: Sink>(
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
