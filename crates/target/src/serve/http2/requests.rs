//! Requests as they arrive on the streams of a connection.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use swell_http1::Framing;
use swell_http1::server::Refusal;
use swell_http2::{Data, Events, RequestHead, StreamId, StreamReset, Trailers};
use swell_net::now_ns;

use crate::serve::job::Job;
use crate::serve::worker::Worker;
use crate::wire::BodyReader;

use super::grpc::{Calls, is_call};

/// What the streams of a connection have brought.
pub(super) struct Requests {
    worker: Rc<Worker>,
    /// When the bytes arrived that are being fed.
    pub(super) arrival_ns: i64,
    /// Requests that are complete.
    pub(super) complete: Vec<(StreamId, Job)>,
    /// Streams that the client has given up.
    pub(super) gone: Vec<StreamId>,
    /// Streams whose client waits for an interim answer before it sends the body.
    pub(super) await_continue: Vec<StreamId>,
    /// Streams whose answer does not wait for the body's end.
    pub(super) cut: BTreeSet<StreamId>,
    /// Requests up to now.
    pub(super) count: u64,
    incoming: BTreeMap<StreamId, Incoming>,
    /// Calls of gRPC.
    pub(super) calls: Calls,
    /// The head of a request in the form of HTTP/1.1.
    text: Vec<u8>,
}

/// A request whose body is on its way.
struct Incoming {
    job: Job,
    reader: BodyReader,
    begun_ns: i64,
}

impl Requests {
    pub(super) fn new(worker: Rc<Worker>) -> Self {
        Self {
            worker,
            arrival_ns: 0,
            complete: Vec::new(),
            gone: Vec::new(),
            await_continue: Vec::new(),
            cut: BTreeSet::new(),
            count: 0,
            incoming: BTreeMap::new(),
            calls: Calls::default(),
            text: Vec::new(),
        }
    }

    /// When what began then has taken too long.
    pub(super) fn limit(&self, begun_ns: i64) -> i64 {
        let limit = self.worker.state.options.read_timeout.as_nanos();
        begun_ns.saturating_add(i64::try_from(limit).unwrap_or(i64::MAX))
    }

    /// When the first of the bodies on their way has taken too long.
    pub(super) fn next_overdue_ns(&self) -> Option<i64> {
        self.incoming.values().map(|incoming| incoming.begun_ns).min().map(|begun_ns| self.limit(begun_ns))
    }

    /// Forgets the requests whose bodies have taken too long and returns their streams.
    pub(super) fn overdue(&mut self, now_ns: i64) -> Vec<StreamId> {
        if self.next_overdue_ns().is_none_or(|at_ns| at_ns > now_ns) {
            return Vec::new();
        }
        let late: Vec<StreamId> = self
            .incoming
            .iter()
            .filter(|(_, incoming)| self.limit(incoming.begun_ns) <= now_ns)
            .map(|(stream, _)| *stream)
            .collect();
        self.incoming.retain(|stream, _| !late.contains(stream));
        late
    }

    fn job(&mut self, head: &RequestHead<'_>) -> Job {
        let text = &mut self.text;
        text.clear();
        write_http1(head, text);
        match Job::read(text, self.arrival_ns, &self.worker.state) {
            Some((_, job)) => job,
            None => Job::refused(&Refusal::new(400, "not an HTTP request")),
        }
    }

    fn end(&mut self, stream: StreamId) {
        let Some(Incoming { mut job, reader, .. }) = self.incoming.remove(&stream) else { return };
        job.facts.arrival_ns = self.arrival_ns;
        self.complete.push((stream, job.with_body(&reader.finish(), &self.worker.state)));
    }
}

/// Appends the head in the form of HTTP/1.1, in which the routes read it.
fn write_http1(head: &RequestHead<'_>, text: &mut Vec<u8>) {
    // CONNECT has no path.
    let target = if head.path.is_empty() { head.authority } else { head.path };
    for part in [head.method, b" ", target, b" HTTP/1.1\r\n"] {
        text.extend_from_slice(part);
    }
    if !head.authority.is_empty() {
        for part in [b"Host: ", head.authority, b"\r\n"] {
            text.extend_from_slice(part);
        }
    }
    text.extend_from_slice(head.fields);
    if !head.end && head.content_length.is_none() {
        // A body of unknown length, which in HTTP/1.1 has chunks.
        text.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
    }
    text.extend_from_slice(b"\r\n");
}

impl Events for Requests {
    fn request(&mut self, stream: StreamId, head: RequestHead<'_>) {
        self.count += 1;
        if is_call(&head) {
            return self.calls.begin(stream, &head, self.arrival_ns);
        }
        let job = self.job(&head);
        if head.end || job.facts.route.is_none() {
            if !head.end {
                self.cut.insert(stream);
            }
            self.complete.push((stream, job));
            return;
        }
        if job.expects_continue {
            self.await_continue.push(stream);
        }
        // The end of the stream is the end of the body.
        let reader = BodyReader::new(Framing::UntilClose, job.looks_at_body());
        self.incoming.insert(stream, Incoming { job, reader, begun_ns: now_ns() });
    }

    fn data(&mut self, stream: StreamId, data: Data<'_>) {
        if self.calls.data(stream, data.bytes, self.arrival_ns) {
            if data.end {
                self.calls.end(stream, self.arrival_ns);
            }
            return;
        }
        let Some(incoming) = self.incoming.get_mut(&stream) else { return };
        if let Err(refusal) = incoming.reader.feed(data.bytes) {
            self.incoming.remove(&stream);
            if !data.end {
                self.cut.insert(stream);
            }
            self.complete.push((stream, Job::refused(&refusal)));
        } else if data.end {
            self.end(stream);
        }
    }

    fn trailers(&mut self, stream: StreamId, _: Trailers<'_>) {
        if !self.calls.end(stream, self.arrival_ns) {
            self.end(stream);
        }
    }

    fn window(&mut self, _: StreamId) {
        self.calls.unblock();
    }

    fn reset(&mut self, stream: StreamId, reason: StreamReset, _: u64) {
        self.incoming.remove(&stream);
        self.calls.forget(stream);
        self.complete.retain(|(complete, _)| *complete != stream);
        self.cut.remove(&stream);
        self.gone.push(stream);
        if matches!(reason, StreamReset::Rule { .. }) {
            self.worker.count_bad_request();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_take_the_form_of_http_1() {
        let head = RequestHead {
            method: b"POST",
            scheme: b"https",
            authority: b"x:8443",
            path: b"/a?b",
            fields: b"accept: */*\r\n",
            end: false,
            content_length: None,
            first: 0,
            at: 0,
            wire: 0,
        };
        let written = |head: &RequestHead<'_>| {
            let mut text = Vec::new();
            write_http1(head, &mut text);
            String::from_utf8(text).unwrap()
        };
        assert_eq!(
            written(&head),
            "POST /a?b HTTP/1.1\r\nHost: x:8443\r\naccept: */*\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        let head = RequestHead { end: true, authority: b"", method: b"GET", ..head };
        assert_eq!(written(&head), "GET /a?b HTTP/1.1\r\naccept: */*\r\n\r\n");
        let head = RequestHead { method: b"CONNECT", path: b"", authority: b"x:1", fields: b"", ..head };
        assert_eq!(written(&head), "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n");
    }
}
