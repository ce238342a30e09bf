//! A response whose events are looked at while it arrives. It is a separate sink, so that other
//! responses pay nothing for it.

use swell_http1::client::{ResponseHead, Sink};

use crate::events::EventReader;

/// Hands a response on, and its events to a reader.
pub(super) struct EventSink<'a, S> {
    pub(super) inner: &'a mut S,
    pub(super) events: &'a mut EventReader,
}

impl<S: Sink> Sink for EventSink<'_, S> {
    const IN_PARTS: bool = true;

    fn head(&mut self, head: &ResponseHead<'_>) {
        let is_stream = head.content_type().is_some_and(|value| {
            value.get(..17).is_some_and(|start| start.eq_ignore_ascii_case(b"text/event-stream"))
        });
        self.events.restart(is_stream && !head.facts.has_encoding);
        self.inner.head(head);
    }

    fn body(&mut self, bytes: &[u8]) {
        self.events.feed(bytes);
        self.inner.body(bytes);
    }

    fn arrives(&mut self, at_ns: i64) {
        self.events.arrives(at_ns);
    }

    fn is_skipping(&self) -> bool {
        self.inner.is_skipping() && !self.events.is_active()
    }

    fn is_decoding(&self) -> bool {
        self.inner.is_decoding()
    }

    fn end_body(&mut self) {
        self.inner.end_body();
    }

    fn is_busy(&self) -> bool {
        self.inner.is_busy()
    }

    fn work(&mut self) {
        self.inner.work();
    }

    fn has_room(&mut self, head: usize) -> bool {
        self.inner.has_room(head)
    }
}
