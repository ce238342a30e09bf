//! What goes over the wire, for traces: bytes as they are handed to the socket.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use swell_connect::{Stream, Target, WireBytes};
use swell_http1::client::{ResponseHead, Sink};
use swell_trace::{
    CacheNote, Connection, Content, Cookie, CookieNotes, Exchange as Traced, RefusedCookie, Request as Sent,
    Response, UserTrace,
};

use crate::compile::Spec;
use crate::cookies::SetCookie;
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::request::Request;

/// The requests of a sample as they go over the wire. They are in the trace of their user as soon
/// as this is dropped, also where the sample is cut.
pub(crate) struct WireTrace {
    /// The requests of the step.
    reported: Rc<RefCell<Vec<Traced>>>,
    /// The current one, with the bytes of its connection.
    current: Option<Traced>,
    bytes: Option<Rc<RefCell<WireBytes>>>,
    connections: Rc<Cell<u32>>,
    start_ns: i64,
    most: usize,
    managed: bool,
    caches: bool,
    not_sent: Vec<RefusedCookie>,
}

/// Whether a request asks if a stored response is still valid.
fn asks_whether_valid(request: &Request) -> bool {
    let asks = |name: &str| {
        name.eq_ignore_ascii_case("If-None-Match") || name.eq_ignore_ascii_case("If-Modified-Since")
    };
    request.headers.iter().any(|(name, _)| asks(name))
}

impl WireTrace {
    /// The requests of a sample that starts at that time.
    pub(crate) fn new(trace: &UserTrace, spec: &Spec, start_ns: i64) -> Self {
        Self {
            reported: trace.exchanges(),
            current: None,
            bytes: None,
            connections: trace.connections(),
            start_ns,
            most: trace.body_bytes(),
            managed: spec.cookies.is_some(),
            caches: spec.cache.is_some(),
            not_sent: Vec::new(),
        }
    }

    /// Cookies that are not sent, with the reason.
    pub(crate) fn not_sent(&mut self, cookies: Vec<(String, String)>) {
        self.not_sent = cookies.into_iter().map(|(name, reason)| RefusedCookie { name, reason }).collect();
    }

    /// The cookies of a `Set-Cookie` header; `why_not`: why one is not stored.
    pub(crate) fn set_cookies(
        &mut self,
        header: &str,
        parsed: &[SetCookie],
        why_not: impl Fn(&SetCookie) -> Option<String>,
    ) {
        let Some(notes) = self.current.as_mut().map(|traced| &mut traced.cookies) else { return };
        if parsed.is_empty() {
            let name = header.split(['=', ';']).next().unwrap_or_default().trim().to_owned();
            let reason = "the cookie policy does not accept its form".to_owned();
            notes.refused.push(RefusedCookie { name, reason });
        }
        for cookie in parsed {
            let name = cookie.name.clone();
            match why_not(cookie) {
                Some(reason) => notes.refused.push(RefusedCookie { name, reason }),
                None => notes.stored.push(Cookie {
                    name,
                    value: cookie.value.clone(),
                    domain: cookie.domain.clone(),
                    path: cookie.path.clone(),
                }),
            }
        }
    }

    /// A request is about to be sent. `cookie`: what the Cookie Manager adds.
    pub(super) fn begin(&mut self, request: &Request, cookie: Option<&str>) {
        self.end();
        let own = request.own_cookies();
        let sent = cookie.map(str::to_owned).or_else(|| Some(own).filter(|own| !own.is_empty()));
        self.current = Some(Traced {
            method: request.method.to_string(),
            url: request.url.as_str().to_owned(),
            sample_start_ns: self.start_ns,
            cookies: CookieNotes {
                managed: self.managed,
                sent,
                not_sent: std::mem::take(&mut self.not_sent),
                ..CookieNotes::default()
            },
            cache: (self.caches && asks_whether_valid(request)).then_some(CacheNote::Validated),
            ..Traced::default()
        });
    }

    /// The connection whose bytes are copied.
    pub(super) fn tap(&mut self, stream: Stream) -> Stream {
        self.connections.set(self.connections.get() + 1);
        stream.tapped(self.connections.get(), self.most)
    }

    /// The request goes over that connection.
    pub(super) fn connected(&mut self, stream: &mut Stream, kept: bool, request: &Request) {
        let mut connection = traced_connection(stream, &request.target);
        let Some(tap) = stream.tap() else { return };
        connection.number = tap.number();
        connection.reused = kept;
        let bytes = tap.bytes();
        // What came after the last response belongs to no request.
        bytes.take();
        self.bytes = Some(bytes);
        if let Some(traced) = &mut self.current {
            traced.connection = Some(connection);
        }
    }

    /// What went over HTTP/2, as it would be written in HTTP/1.
    pub(super) fn exchanged_http2(
        &mut self,
        request: &Request,
        cookie: Option<&str>,
        (head, done): (&[u8], &Exchange),
    ) {
        let Some(bytes) = &self.bytes else { return };
        let mut sent = Vec::new();
        match cookie {
            Some(cookie) => request.with_cookie_into(cookie, &mut sent),
            None => sent.extend_from_slice(&request.bytes),
        }
        let head_len = request.head_len(&sent);
        if let Some(at) = sent[..head_len].windows(10).position(|ten| ten == b" HTTP/1.1\r") {
            sent.splice(at + 6..at + 9, *b"2.0");
        }
        sent.truncate(head_len + self.most);
        *bytes.borrow_mut() = WireBytes {
            sent_size: sent.len() as u64,
            sent,
            received: head.to_vec(),
            received_size: done.framed.unwrap_or_default(),
        };
    }

    /// Why the last request failed.
    pub(super) fn failed(&mut self, failure: &Failure) {
        if let Some(traced) = &mut self.current {
            traced.error = Some(failure.text().to_string());
        }
    }

    /// The last request is complete.
    fn end(&mut self) {
        let Some(mut traced) = self.current.take() else { return };
        if let Some(bytes) = self.bytes.take() {
            add_bytes(&mut traced, &bytes.take());
        }
        self.reported.borrow_mut().push(traced);
    }
}

impl Drop for WireTrace {
    fn drop(&mut self) {
        self.end();
    }
}

/// A sink whose head is copied.
pub(super) struct HeadCopy<'s, S> {
    sink: &'s mut S,
    pub(super) head: Vec<u8>,
}

impl<'s, S> HeadCopy<'s, S> {
    pub(super) fn new(sink: &'s mut S) -> Self {
        Self { sink, head: Vec::new() }
    }
}

impl<S: Sink> Sink for HeadCopy<'_, S> {
    fn head(&mut self, head: &ResponseHead<'_>) {
        self.head.extend_from_slice(head.bytes());
        self.sink.head(head);
    }

    fn body(&mut self, bytes: &[u8]) {
        self.sink.body(bytes);
    }

    fn is_decoding(&self) -> bool {
        self.sink.is_decoding()
    }

    fn is_busy(&self) -> bool {
        self.sink.is_busy()
    }

    fn work(&mut self) {
        self.sink.work();
    }

    fn has_room(&mut self, head: usize) -> bool {
        self.sink.has_room(head)
    }

    fn is_skipping(&self) -> bool {
        self.sink.is_skipping()
    }

    fn end_body(&mut self) {
        self.sink.end_body();
    }
}

/// A connection to a target, without its number.
pub(crate) fn traced_connection(stream: &Stream, target: &Target) -> Connection {
    let text =
        |address: io::Result<SocketAddr>| address.map(|address| address.to_string()).unwrap_or_default();
    Connection {
        number: 0,
        reused: false,
        address: text(stream.peer_addr()),
        local_address: text(stream.local_addr()),
        tls: stream.tls_version().map(str::to_owned),
        proxy: target.proxy.as_ref().map(|proxy| format!("{}:{}", proxy.host, proxy.port)),
    }
}

pub(crate) fn add_bytes(traced: &mut Traced, wire: &WireBytes) {
    if wire.sent_size > 0 {
        let head = head_len(&wire.sent);
        let body_size = wire.sent_size - head as u64;
        traced.request = Some(Sent {
            size: wire.sent_size,
            head: Content::new(&wire.sent[..head], head),
            body: Content { bytes: wire.sent[head..].to_vec(), size: body_size },
        });
    }
    if wire.received_size > 0 {
        let head = &wire.received[..head_len(&wire.received)];
        traced.response = Some(Response {
            size: wire.received_size,
            status: status(head),
            head: Content::new(head, head.len()),
            encoding: encoding(head),
        });
    }
}

/// Length of a head with the empty line at its end, interim responses included; of all, if that is
/// missing.
fn head_len(bytes: &[u8]) -> usize {
    let mut from = 0;
    loop {
        let Some(at) = bytes[from..].windows(4).position(|four| four == b"\r\n\r\n") else {
            return bytes.len();
        };
        let is_interim = bytes[from..].starts_with(b"HTTP/1.1 1");
        from += at + 4;
        if !is_interim {
            return from;
        }
    }
}

/// The status of the last status line.
fn status(head: &[u8]) -> u16 {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines().filter(|line| line.starts_with("HTTP/"));
    let code = lines.next_back().and_then(|line| line.split(' ').nth(1));
    code.and_then(|code| code.parse().ok()).unwrap_or(0)
}

/// The content codings that a head names.
fn encoding(head: &[u8]) -> String {
    let head = String::from_utf8_lossy(head);
    let named = head.lines().filter_map(|line| line.split_once(':'));
    let mut named = named.filter(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
    named.next().map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_end_after_interim_responses() {
        let bytes = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\nContent-Encoding: gzip\r\n\r\nx";
        let length = head_len(bytes);
        assert_eq!(&bytes[length..], b"x");
        assert_eq!((status(&bytes[..length]), encoding(&bytes[..length]).as_str()), (204, "gzip"));
        assert_eq!(head_len(b"GET / HTTP/1.1\r\n"), 16);
    }
}
