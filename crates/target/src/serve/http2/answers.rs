//! Responses on their way out.

use std::borrow::Cow;

use swell_http1::server::{Length, Refusal};
use swell_http2::{ErrorCode, Fields, StreamId};
use swell_net::now_ns;

use crate::routes::{End, PageId, Raw, Reply, StreamedBody};
use crate::serve::job::{Facts, Job};
use crate::serve::ready::not_modified;
use crate::wire::Response;

use super::body::{Answer, Source};
use super::grpc::Finished;
use super::transcript::take_head;
use super::{Ending, Http2, OUTPUT_WANTED};

/// Most bytes of a body that are written before another stream has its turn.
const TURN: usize = 16 * 1024;

impl Http2 {
    /// Begins the response to a request after its delay, if it has one.
    pub(super) fn answer(&mut self, stream: StreamId, job: Job) {
        let Job { facts, work, .. } = job;
        match work.reply {
            Reply::Page { page, gzip } => self.page(stream, facts, page, gzip),
            Reply::NotModified => self.whole(stream, facts, not_modified()),
            Reply::Whole(response) => self.whole(stream, facts, *response),
            Reply::Stream(streamed) => {
                let StreamedBody { response, pieces } = *streamed;
                self.respond(stream, facts, &response, Source::made_up(pieces), false);
            }
            Reply::Events(events) => {
                let response = events.response.clone();
                let source = Source::events(*events, facts.arrival_ns);
                self.respond(stream, facts, &response, source, false);
            }
            Reply::WebSocket(_) => {
                let refusal = Refusal::new(426, "WebSocket needs HTTP/1.1");
                self.whole(stream, facts, Response::from(&refusal));
            }
            Reply::Raw(raw) => self.raw(stream, facts, *raw),
            Reply::FromBody(_) => unreachable!("a route that has seen the body does not ask for it again"),
        }
    }

    fn page(&mut self, stream: StreamId, facts: Facts, page: PageId, gzip: bool) {
        let (fields, date) = {
            let mut ready = self.worker.ready.borrow_mut();
            (ready.http2_page(page, gzip), *ready.date(now_ns()))
        };
        let own = [&b"date: "[..], &date, b"\r\n"].concat();
        let sent = self.session.respond(stream, 200, &fields, &own, facts.is_head, &mut self.out);
        sent.expect("a date can be sent");
        let page = page.page();
        let coded = page.gzip.as_ref().filter(|_| gzip);
        let body = coded.unwrap_or(&page.identity).as_slice();
        self.begin_body(stream, facts, Source::bytes(body), 0);
    }

    fn whole(&mut self, stream: StreamId, facts: Facts, mut response: Response) {
        let body = std::mem::take(&mut response.body);
        let is_empty = body.is_empty();
        self.respond(stream, facts, &response, Source::bytes(body), is_empty);
    }

    /// Writes the head of a response and begins its body.
    fn respond(
        &mut self,
        stream: StreamId,
        facts: Facts,
        response: &Response,
        source: Source,
        is_empty: bool,
    ) {
        let mut own = Vec::with_capacity(response.headers.len() + 64);
        own.extend_from_slice(b"date: ");
        own.extend_from_slice(self.worker.ready.borrow_mut().date(now_ns()));
        own.extend_from_slice(b"\r\n");
        own.extend_from_slice(response.headers.as_bytes());
        if let Length::Bytes(bytes) = response.length {
            own.extend_from_slice(format!("content-length: {bytes}\r\n").as_bytes());
        }
        let end = facts.is_head || is_empty;
        if !self.write_head(stream, response.status, &own, end) {
            return;
        }
        if end { self.finish(stream, facts) } else { self.begin_body(stream, facts, source, 0) }
    }

    /// False: the route made a field that HTTP/2 cannot carry.
    fn write_head(&mut self, stream: StreamId, status: u16, own: &[u8], end: bool) -> bool {
        let server = self.worker.ready.borrow_mut().http2_server();
        let Err(error) = self.session.respond(stream, status, &server, own, end, &mut self.out) else {
            return true;
        };
        let message = format!("{error}\n");
        self.session
            .respond(stream, 500, &server, b"content-type: text/plain\r\n", false, &mut self.out)
            .expect("a media type can be sent");
        self.session.send_data(stream, message.as_bytes(), true, &mut self.out);
        self.worker.count_bad_request();
        false
    }

    fn begin_body(&mut self, stream: StreamId, facts: Facts, source: Source, not_before_ns: i64) {
        if facts.is_head {
            return self.finish(stream, facts);
        }
        self.answers.push(Answer { stream, facts, not_before_ns, source });
    }

    /// Writes as much of the bodies as windows and output allow, each stream in turn.
    pub(super) fn write_answers(&mut self, now_ns: i64) {
        let mut is_stuck = false;
        while !is_stuck && self.out.len() < OUTPUT_WANTED {
            is_stuck = true;
            let mut place = 0;
            while place < self.answers.len() {
                let Self { answers, session, out, .. } = self;
                let answer = &mut answers[place];
                let stream = answer.stream;
                let Some((bytes, is_last)) = answer.next(now_ns) else {
                    place += 1;
                    continue;
                };
                let piece = &bytes[..bytes.len().min(TURN)];
                let is_end = is_last && piece.len() == bytes.len();
                let size = piece.len();
                let count = session.send_data(stream, piece, is_end, out);
                is_stuck &= count == 0;
                if is_end && count == size {
                    let answer = answers.remove(place);
                    self.finish(stream, answer.facts);
                } else {
                    answer.written(count, now_ns);
                    place += 1;
                }
            }
        }
    }

    /// Writes what is due of the calls of gRPC.
    pub(super) fn write_calls(&mut self, now_ns: i64) {
        if self.requests.calls.is_empty() {
            return;
        }
        let server = self.worker.ready.borrow().http2_server();
        let Self { requests, session, out, .. } = self;
        for Finished { stream, facts, has_ended } in requests.calls.write(now_ns, session, (&server, out)) {
            if !has_ended {
                // The rest of the request is not wanted (RFC 9113 §8.1).
                self.session.reset(stream, ErrorCode::NO_ERROR, &mut self.out);
            }
            // The reflection is not on record.
            if facts.route.is_some() {
                self.finish(stream, facts);
            }
        }
    }

    /// Bytes of HTTP/1, or bytes that are no HTTP at all, which go out as they are.
    fn raw(&mut self, stream: StreamId, mut facts: Facts, raw: Raw) {
        let Raw { first, pause_ns, then, end } = raw;
        let all = [first, then].concat();
        if all.is_empty() || !all.starts_with(b"HTTP/1.") {
            self.out.extend_from_slice(&all);
            self.finish(stream, facts);
            match end {
                End::Reset => self.ending = Some(Ending::Reset),
                End::Close | End::KeepAlive => self.ending = Some(Ending::Close),
                End::Hang => {}
            }
            return;
        }
        let mut rest = &all[..];
        while let Some(head) = take_head(&mut rest) {
            let is_final = head.status >= 200;
            let is_end = is_final && (facts.is_head || rest.is_empty());
            let fields = Fields::default();
            let status = head.status;
            let sent = self.session.respond(stream, status, &fields, head.lines, is_end, &mut self.out);
            if sent.is_err() {
                self.write_head(stream, 500, b"", true);
                return self.finish(stream, facts);
            }
            if is_end {
                return self.finish(stream, facts);
            }
            if is_final {
                break;
            }
        }
        facts.asked_ns += pause_ns;
        let not_before_ns = if pause_ns > 0 { facts.arrival_ns + facts.asked_ns } else { 0 };
        let body: Cow<'static, [u8]> = rest.to_vec().into();
        self.begin_body(stream, facts, Source::bytes(body), not_before_ns);
    }
}
