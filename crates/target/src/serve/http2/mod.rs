//! Connections that speak HTTP/2: with TLS by ALPN, without it by prior knowledge.
//!
//! One task per connection: it receives, waits for the delays of all streams, and sends. Requests
//! take the same way to the routes as those of HTTP/1.1, in the form of an HTTP/1.1 head.

mod answers;
mod body;
mod grpc;
mod requests;
mod transcript;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::task::{Context, Poll};

use swell_connect::Stream;
use swell_http2::{ErrorCode, PREFACE, Settings, StreamId, server};
use swell_net::{now_ns, sleep_until, yield_now};

use crate::metrics::{CompletedRequest, LogEntry};
use crate::routes::name;

use super::connection::close_after_reading;
use super::job::{Facts, Job};
use super::worker::OpenConnection;

use body::Answer;
use requests::Requests;

/// Output that waits for the kernel: no body adds to it above this, nor is anything received.
const OUTPUT_WANTED: usize = 64 * 1024;
const OUTPUT_MAX: usize = 256 * 1024;

/// Whether a connection begins with the preface of HTTP/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    Http1,
    /// All bytes up to now are those of the preface.
    Undecided,
    Http2,
}

impl Beginning {
    pub(super) fn of(bytes: &[u8]) -> Self {
        if bytes.starts_with(PREFACE) {
            Self::Http2
        } else if PREFACE.starts_with(bytes) {
            Self::Undecided
        } else {
            Self::Http1
        }
    }
}

/// A connection.
pub(super) struct Http2 {
    stream: Stream,
    worker: OpenConnection,
    peer_port: u16,
    session: server::Session,
    requests: Requests,
    /// Requests that wait for their time.
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Responses of which a part is not sent.
    answers: Vec<Answer>,
    out: Vec<u8>,
    /// Bytes of `out` that the kernel has.
    sent: usize,
    /// Requests whose last bytes are in `out`.
    finished: Vec<Finished>,
    /// When the client began a frame or a head that has not ended.
    frame_begun_ns: Option<i64>,
    ending: Option<Ending>,
}

/// A request that waits for its time.
struct Waiting {
    at_ns: i64,
    stream: StreamId,
    job: Job,
}

/// A request whose response is about to be handed to the kernel.
struct Finished {
    facts: Facts,
    route: usize,
    /// 0: not yet.
    before_send_ns: i64,
}

/// How the connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// When what waits is sent.
    Close,
    /// At once, by a TCP reset.
    Reset,
}

/// What a step did.
enum Step {
    Sent,
    Received,
    TimeCame,
    PeerEnded,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        (self.at_ns, self.stream) == (other.at_ns, other.stream)
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at_ns, self.stream).cmp(&(other.at_ns, other.stream))
    }
}

impl Http2 {
    pub(super) fn new(stream: Stream, worker: OpenConnection, peer_port: u16) -> Self {
        let streams_max = Some(worker.state.options.http2_streams_max);
        let session = server::Session::new(&Settings { streams_max, ..Settings::server() });
        let requests = Requests::new(worker.shared());
        Self {
            stream,
            worker,
            peer_port,
            session,
            requests,
            waiting: BinaryHeap::new(),
            answers: Vec::new(),
            out: Vec::new(),
            sent: 0,
            finished: Vec::new(),
            frame_begun_ns: None,
            ending: None,
        }
    }

    /// Answers requests until one side ends. `received`: what has come already, and when.
    pub(super) async fn serve(mut self, received: &[u8], arrival_ns: i64) {
        self.session.start(&mut self.out);
        self.feed(received, arrival_ns);
        loop {
            self.answer_what_is_due(now_ns());
            self.write_answers(now_ns());
            self.write_calls(now_ns());
            self.note_before_send();
            if self.ending == Some(Ending::Reset) {
                // Dropping the stream without this would be a normal close.
                let _ = self.stream.set_linger_zero();
                return;
            }
            if self.is_complete() {
                return self.close().await;
            }
            match self.step().await {
                Ok(Step::Received | Step::TimeCame) => {}
                // A fast reader must not keep the other connections waiting.
                Ok(Step::Sent) => {
                    if !self.answers.is_empty() || !self.requests.calls.is_empty() {
                        yield_now().await;
                    }
                }
                Ok(Step::PeerEnded) | Err(_) => return,
            }
        }
    }

    /// Whether nothing is left to do on a connection that ends.
    fn is_complete(&self) -> bool {
        let is_idle = self.session.open_streams() == 0 && self.waiting.is_empty() && self.answers.is_empty();
        let is_idle = is_idle && self.requests.calls.is_empty();
        let ends = self.ending.is_some() || (self.session.is_closing() && is_idle);
        ends && self.out.is_empty()
    }

    /// Sends, receives or waits, whichever is possible first.
    async fn step(&mut self) -> io::Result<Step> {
        let at_ns = self.next_ns();
        let mut sleep = pin!(sleep_until(at_ns.unwrap_or(i64::MAX)));
        poll_fn(|cx| {
            if let Poll::Ready(step) = self.poll_transfer(cx) {
                return Poll::Ready(step);
            }
            if at_ns.is_some() && sleep.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(Step::TimeCame));
            }
            Poll::Pending
        })
        .await
    }

    fn poll_transfer(&mut self, cx: &Context<'_>) -> Poll<io::Result<Step>> {
        if !self.out.is_empty()
            && let Poll::Ready(sent) = self.stream.poll_send_all(cx, &self.out, &mut self.sent)
        {
            sent?;
            self.out.clear();
            self.sent = 0;
            self.note_after_send();
            return Poll::Ready(Ok(Step::Sent));
        }
        if self.ending.is_some() || self.out.len() - self.sent > OUTPUT_MAX {
            return Poll::Pending;
        }
        let Self { stream, worker, session, requests, out, ending, .. } = self;
        let received = stream.poll_recv(cx, |bytes, arrival| {
            requests.arrival_ns = arrival.at_ns;
            let mut scratch = worker.http2.borrow_mut();
            if session.feed(bytes, &mut scratch, out, requests).is_err() {
                *ending = Some(Ending::Close);
                worker.count_bad_request();
            }
            bytes.len()
        });
        let Poll::Ready(count) = received else { return Poll::Pending };
        if count? == 0 {
            return Poll::Ready(Ok(Step::PeerEnded));
        }
        self.take_requests();
        Poll::Ready(Ok(Step::Received))
    }

    fn feed(&mut self, bytes: &[u8], arrival_ns: i64) {
        self.requests.arrival_ns = arrival_ns;
        let mut scratch = self.worker.http2.borrow_mut();
        if self.session.feed(bytes, &mut scratch, &mut self.out, &mut self.requests).is_err() {
            self.ending = Some(Ending::Close);
            self.worker.count_bad_request();
        }
        drop(scratch);
        self.take_requests();
    }

    /// Takes what the last bytes brought: requests that are complete, and streams that are gone.
    fn take_requests(&mut self) {
        for stream in self.requests.gone.drain(..) {
            self.waiting.retain(|Reverse(waiting)| waiting.stream != stream);
            self.answers.retain(|answer| answer.stream != stream);
        }
        for stream in self.requests.await_continue.drain(..) {
            self.session.inform(stream, 100, b"", &mut self.out).expect("a head without fields can be sent");
        }
        for (stream, mut job) in std::mem::take(&mut self.requests.complete) {
            job.settle_delay(&self.worker.state);
            let at_ns = job.facts.arrival_ns + job.facts.asked_ns;
            self.waiting.push(Reverse(Waiting { at_ns, stream, job }));
        }
        if self.session.awaits_rest() {
            self.frame_begun_ns.get_or_insert_with(now_ns);
        } else {
            self.frame_begun_ns = None;
        }
        let most = self.worker.state.options.http2_requests_max;
        if most.is_some_and(|most| self.requests.count >= most) && !self.session.is_closing() {
            self.session.go_away(ErrorCode::NO_ERROR, &mut self.out);
        }
    }

    fn answer_what_is_due(&mut self, now_ns: i64) {
        while let Some(Reverse(next)) = self.waiting.peek()
            && next.at_ns <= now_ns
        {
            let Some(Reverse(Waiting { stream, job, .. })) = self.waiting.pop() else { return };
            self.answer(stream, job);
        }
        for stream in self.requests.overdue(now_ns) {
            self.worker.count_bad_request();
            self.session.reset(stream, ErrorCode::CANCEL, &mut self.out);
        }
        if self.frame_begun_ns.is_some_and(|begun_ns| self.requests.limit(begun_ns) <= now_ns) {
            self.frame_begun_ns = None;
            self.worker.count_bad_request();
            self.session.go_away(ErrorCode::NO_ERROR, &mut self.out);
            self.ending = Some(Ending::Close);
        }
    }

    /// When something is to be done that no peer causes.
    fn next_ns(&self) -> Option<i64> {
        let waiting = self.waiting.peek().map(|Reverse(waiting)| waiting.at_ns);
        // While output waits for the kernel no body can continue, however late it is.
        let can_write = self.out.len() < OUTPUT_WANTED;
        let answers = self.answers.iter().filter(|_| can_write).filter_map(Answer::waits_until).min();
        let calls = self.requests.calls.next_ns().filter(|_| can_write);
        let frame = self.frame_begun_ns.map(|begun_ns| self.requests.limit(begun_ns));
        [waiting, answers, calls, frame, self.requests.next_overdue_ns()].into_iter().flatten().min()
    }

    /// The last bytes of a response are in the output.
    fn finish(&mut self, stream: StreamId, facts: Facts) {
        if self.requests.cut.remove(&stream) {
            // The rest of the request's body is not wanted (RFC 9113 §8.1).
            self.session.reset(stream, ErrorCode::NO_ERROR, &mut self.out);
        }
        match facts.route {
            Some(route) => self.finished.push(Finished { facts, route, before_send_ns: 0 }),
            None => self.worker.count_bad_request(),
        }
    }

    /// Before the send: a client that has its answer finds it counted.
    fn note_before_send(&mut self) {
        let new = self.finished.iter_mut().filter(|finished| finished.before_send_ns == 0);
        for finished in new {
            finished.before_send_ns = now_ns();
            self.worker.metrics().answering(&finished.completed());
        }
        if self.out.is_empty() {
            // Routes that answer nothing.
            self.note_after_send();
        }
    }

    fn note_after_send(&mut self) {
        let after_send_ns = now_ns();
        for mut finished in self.finished.drain(..) {
            let completed = finished.completed();
            self.worker.metrics().answered(&completed, after_send_ns);
            if let Some(id) = finished.facts.id.take() {
                self.worker.metrics().keep(LogEntry {
                    id,
                    route: name(finished.route),
                    arrival_ns: completed.arrival_ns,
                    asked_ns: completed.asked_ns,
                    before_send_ns: completed.before_send_ns,
                    after_send_ns,
                    peer_port: self.peer_port,
                });
            }
        }
    }

    /// Closes when the peer has had time to read what was sent.
    async fn close(&mut self) {
        if self.stream.finish().await.is_ok() {
            close_after_reading(&mut self.stream).await;
        }
    }
}

impl Finished {
    fn completed(&self) -> CompletedRequest {
        let Facts { arrival_ns, asked_ns, .. } = self.facts;
        CompletedRequest { route: self.route, arrival_ns, asked_ns, before_send_ns: self.before_send_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preface_differs_from_requests() {
        for (bytes, wanted) in [
            (&b""[..], Beginning::Undecided),
            (b"P", Beginning::Undecided),
            (b"PO", Beginning::Http1),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r", Beginning::Undecided),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Beginning::Http2),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04", Beginning::Http2),
            (b"PRI * HTTP/1.1\r\n", Beginning::Http1),
            (b"GET / HTTP/1.1\r\n\r\n", Beginning::Http1),
            (b"PRINT / HTTP/1.1\r\n", Beginning::Http1),
        ] {
            assert_eq!(Beginning::of(bytes), wanted, "{}", bytes.escape_ascii());
        }
    }
}
