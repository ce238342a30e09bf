//! Reads a response from a connection, one read at a time.

use std::cell::RefCell;

use super::head::{Finder, KnownHeads, ResponseFacts, ResponseHead};
use crate::body::BodyDecoder;
use crate::chunked::ChunkRules;
use crate::error::WireError;

thread_local! {
    /// The last heads of final responses on this worker: to HEAD requests, and to all others.
    static CACHED: RefCell<[KnownHeads; 2]> = const { RefCell::new([KnownHeads::none(), KnownHeads::none()]) };
}

/// A head larger than this is refused. HttpClient has no limit; memory has.
pub(crate) const MAX_HEAD: usize = 16 << 20;

/// Interim responses larger than this in total are refused: they could continue forever.
const MAX_INTERIM: usize = 16 << 20;

/// A head larger than this is assumed to continue to the limit.
const LARGE_HEAD: usize = 1 << 20;

/// From this size on a head asks for its room, in bytes.
const ASKS_FOR_ROOM: usize = 64 << 10;

/// Receives the parts of a response. Parts that it does not keep cost nothing.
pub trait Sink {
    /// Each part of a read is given with its own time, as far as the caller knows that.
    const IN_PARTS: bool = false;

    /// The head of the final response.
    fn head(&mut self, head: &ResponseHead<'_>);
    /// A piece of the body, transfer coding taken off.
    fn body(&mut self, bytes: &[u8]);

    /// What it gets next arrived then, on the clock of the caller.
    #[inline]
    fn arrives(&mut self, _at_ns: i64) {}

    /// The body is not looked at.
    fn is_skipping(&self) -> bool {
        false
    }

    /// The body is decoded, so it may be busy or broken.
    fn is_decoding(&self) -> bool {
        false
    }

    /// All of the body was given to a sink that decodes it.
    fn end_body(&mut self) {}

    /// Some of what it got waits for [`Sink::work`]: nothing more should be given to it before.
    fn is_busy(&self) -> bool {
        false
    }

    /// Works for a bounded time on what waits.
    fn work(&mut self) {}

    /// Whether there is room for a head of `head` bytes.
    fn has_room(&mut self, _head: usize) -> bool {
        true
    }
}

impl<S: Sink> Sink for &mut S {
    const IN_PARTS: bool = S::IN_PARTS;

    fn head(&mut self, head: &ResponseHead<'_>) {
        S::head(self, head);
    }

    fn body(&mut self, bytes: &[u8]) {
        S::body(self, bytes);
    }

    #[inline]
    fn arrives(&mut self, at_ns: i64) {
        S::arrives(self, at_ns);
    }

    fn is_skipping(&self) -> bool {
        S::is_skipping(self)
    }

    fn is_decoding(&self) -> bool {
        S::is_decoding(self)
    }

    fn end_body(&mut self) {
        S::end_body(self);
    }

    fn is_busy(&self) -> bool {
        S::is_busy(self)
    }

    fn work(&mut self) {
        S::work(self);
    }

    fn has_room(&mut self, head: usize) -> bool {
        S::has_room(self, head)
    }
}

/// A sink that keeps nothing.
pub struct DiscardSink;

impl Sink for DiscardSink {
    fn head(&mut self, _: &ResponseHead<'_>) {}
    fn body(&mut self, _: &[u8]) {}
}

/// Reads one response and skips interim (1xx) responses.
pub struct Response {
    to_head: bool,
    state: State,
    finder: Finder,
    /// Bytes of interim responses.
    interim: usize,
    /// The start of a head that is not complete yet.
    pending: Vec<u8>,
    facts: Option<ResponseFacts>,
    /// Bytes of this response and after it, as received.
    received: u64,
    /// Bytes of the body, transfer coding taken off.
    body_len: u64,
    /// There were bytes after the response, or its body was not what its head says.
    extra: bool,
}

enum State {
    Head,
    Body(BodyDecoder),
}

/// Bodies are read as HttpClient reads them.
const RULES: ChunkRules = ChunkRules::HttpClient;

/// The state of bytes that may contain a head.
enum HeadProgress {
    /// The head is complete; whether the body is.
    Body(bool),
    /// The head from that offset on is not complete.
    Incomplete(usize),
}

impl Response {
    /// Expects a response; `to_head`: to a HEAD request.
    pub fn new(to_head: bool) -> Self {
        Self {
            to_head,
            state: State::Head,
            finder: Finder::default(),
            interim: 0,
            pending: Vec::new(),
            facts: None,
            received: 0,
            body_len: 0,
            extra: false,
        }
    }

    /// What is known of the head, once it is complete.
    pub fn facts(&self) -> Option<&ResponseFacts> {
        self.facts.as_ref()
    }

    /// Bytes received.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Bytes of body so far, transfer coding taken off.
    pub fn body_len(&self) -> u64 {
        self.body_len
    }

    /// The connection can be used for another request, as far as the response is concerned.
    pub fn reusable(&self) -> bool {
        !self.extra && self.is_complete() && self.facts.is_some_and(|f| f.reusable)
    }

    fn is_complete(&self) -> bool {
        matches!(&self.state, State::Body(body) if body.is_done())
    }

    /// Takes what was received. True: the response is complete.
    ///
    /// # Errors
    /// The bytes are not a response.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<bool, WireError> {
        self.received += bytes.len() as u64;
        if !matches!(self.state, State::Head) {
            return self.feed_body(bytes, sink);
        }
        if self.pending.is_empty() {
            return match self.feed_head(bytes, sink)? {
                HeadProgress::Body(done) => Ok(done),
                HeadProgress::Incomplete(from) => {
                    self.pending.extend_from_slice(&bytes[from..]);
                    Ok(false)
                }
            };
        }
        let mut whole = std::mem::take(&mut self.pending);
        if whole.len() > ASKS_FOR_ROOM && !sink.has_room(whole.capacity().max(whole.len() + bytes.len())) {
            return Err(WireError::HeadTooLarge);
        }
        if whole.len() > LARGE_HEAD && whole.capacity() < MAX_HEAD {
            // Step by step it would leave a trail of ever larger pieces with the allocator. What is
            // not written to takes no memory.
            whole.reserve_exact(MAX_HEAD + bytes.len() - whole.len());
        }
        whole.extend_from_slice(bytes);
        match self.feed_head(&whole, sink)? {
            HeadProgress::Body(done) => Ok(done),
            HeadProgress::Incomplete(from) => {
                whole.drain(..from);
                self.pending = whole;
                Ok(false)
            }
        }
    }

    /// Bytes of the body that are still to come, where its length is known.
    pub fn left(&self) -> Option<u64> {
        match &self.state {
            State::Body(body) => body.left(),
            State::Head => None,
        }
    }

    /// Bytes of the body came that were not read, fewer than [`Self::left`].
    pub fn skip(&mut self, bytes: u64) {
        if let State::Body(body) = &mut self.state {
            body.skip(bytes);
            self.received += bytes;
            self.body_len += bytes;
        }
    }

    /// The connection has ended.
    ///
    /// # Errors
    /// The response is not complete.
    pub fn end(&mut self, sink: &mut impl Sink) -> Result<(), WireError> {
        match &mut self.state {
            State::Body(body) => body.end(RULES),
            State::Head => self.end_in_head(sink),
        }
    }

    /// A head without its empty line is a head to HttpClient.
    fn end_in_head(&mut self, sink: &mut impl Sink) -> Result<(), WireError> {
        let whole = std::mem::take(&mut self.pending);
        let Some(start) = self.finder.at_end(&whole) else {
            return Err(if self.received == 0 { WireError::NoResponse } else { WireError::NoStatusLine });
        };
        let interim = self.take_head(&whole[start..], sink)?;
        if interim { Err(WireError::NoResponse) } else { self.end(sink) }
    }

    fn feed_head(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<HeadProgress, WireError> {
        if let Some(size) = self.take_repeated(bytes, sink) {
            return self.feed_body(&bytes[size..], sink).map(HeadProgress::Body);
        }
        let mut from = 0;
        loop {
            let Some((start, end)) = self.finder.find(&bytes[from..]) else {
                // What was scanned stays scanned: the finder counts from the byte at `from`.
                let too_large = bytes.len() - from > MAX_HEAD;
                return if too_large {
                    Err(WireError::HeadTooLarge)
                } else {
                    Ok(HeadProgress::Incomplete(from))
                };
            };
            self.finder = Finder::default();
            let interim = self.take_head(&bytes[from + start..from + end], sink)?;
            from += end;
            if !interim {
                return self.feed_body(&bytes[from..], sink).map(HeadProgress::Body);
            }
        }
    }

    /// Takes a head that is the same as one of the last; its size.
    fn take_repeated(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Option<usize> {
        CACHED.with_borrow(|known| {
            let (head, size) = known[usize::from(self.to_head)].find(bytes)?;
            self.finder = Finder::default();
            self.begin_body(&head, sink);
            Some(size)
        })
    }

    /// True: an interim response, the final one comes after it.
    fn take_head(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<bool, WireError> {
        let head = ResponseHead::parse(bytes, self.to_head)?;
        if head.facts.status < 200 {
            self.interim += bytes.len();
            let is_too_large = self.interim > MAX_INTERIM;
            return if is_too_large { Err(WireError::InterimTooLarge) } else { Ok(true) };
        }
        // Only a head that ends with its empty line can be distinguished from the start of another.
        if bytes.ends_with(b"\n\r\n") || bytes.ends_with(b"\n\n") {
            CACHED.with_borrow_mut(|known| known[usize::from(self.to_head)].keep(bytes, &head));
        }
        self.begin_body(&head, sink);
        Ok(false)
    }

    fn begin_body(&mut self, head: &ResponseHead<'_>, sink: &mut impl Sink) {
        self.facts = Some(head.facts);
        self.state = State::Body(BodyDecoder::new(head.facts.framing));
        sink.head(head);
    }

    fn feed_body(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<bool, WireError> {
        let State::Body(body) = &mut self.state else { return Ok(false) };
        let mut body_len = 0;
        let fed = body.feed(bytes, RULES, |data| {
            body_len += data.len() as u64;
            sink.body(data);
        });
        self.body_len += body_len;
        let (used, done) = fed?;
        self.extra |= done && used < bytes.len();
        Ok(done)
    }
}

/// Gives a complete head to a sink, as that of a response whose body is framed otherwise (HTTP/2).
///
/// # Errors
/// [`WireError::Head`].
pub fn take_head(bytes: &[u8], to_head: bool, sink: &mut impl Sink) -> Result<ResponseFacts, WireError> {
    CACHED.with_borrow_mut(|known| {
        let known = &mut known[usize::from(to_head)];
        if let Some((head, size)) = known.find(bytes)
            && size == bytes.len()
        {
            sink.head(&head);
            return Ok(head.facts);
        }
        let head = ResponseHead::parse(bytes, to_head)?;
        known.keep(bytes, &head);
        sink.head(&head);
        Ok(head.facts)
    })
}

#[cfg(test)]
mod tests;
