//! One connection from accept to close: requests one after the other.

use std::rc::Rc;

use swell_connect::Stream;
use swell_http1::Framing;
use swell_http1::server::Refusal;
use swell_net::{now_ns, sleep_until, yield_now};

use crate::wire::{Body, BodyReader};

use super::http2::{Beginning, Http2};
use super::job::Job;
use super::leftover::Leftover;
use super::worker::{OpenConnection, Worker};

/// How long and how much is still read after the last response: closing at once would send a reset,
/// which could overtake it.
const DRAIN_NS: i64 = 1_000_000_000;
const DRAIN_BYTES: usize = 4 * 1024 * 1024;

/// Sends the end, and returns when the peer has had time to read what was sent before.
pub(super) async fn close_after_reading(stream: &mut Stream) {
    if stream.shutdown_write().is_err() {
        return;
    }
    stream.set_deadline(Some(now_ns() + DRAIN_NS));
    let mut drained = 0;
    while let Ok(count @ 1..) = stream.recv(|bytes, _| bytes.len()).await {
        drained += count;
        if drained > DRAIN_BYTES {
            return;
        }
    }
}

/// A connection. While it idles it holds no buffer.
pub(crate) struct Connection {
    pub(crate) stream: Stream,
    pub(crate) worker: OpenConnection,
    /// The client's port.
    pub(crate) peer_port: u16,
    leftover: Leftover,
    beginning: Beginning,
    has_deadline: bool,
}

/// Status of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextStep {
    Request,
    Close,
    /// It ends without a goodbye.
    Abort,
}

impl Connection {
    pub(crate) fn new(stream: Stream, worker: Rc<Worker>, peer_port: u16) -> Self {
        Self {
            stream,
            worker: OpenConnection::new(worker),
            peer_port,
            leftover: Leftover::default(),
            beginning: Beginning::Undecided,
            has_deadline: false,
        }
    }

    /// Answers requests until one side ends.
    pub(crate) async fn serve(mut self) {
        while let Some(mut job) = self.request().await {
            // What is rare is boxed, so that every connection's future stays small.
            if job.framing != Framing::None {
                match Box::pin(self.body(&mut job)).await {
                    Ok(body) => job = job.with_body(&body, &self.worker.state),
                    Err(Some(refusal)) => job = Job::refused(&refusal),
                    Err(None) => return self.worker.count_bad_request(),
                }
            }
            if job.facts.route.is_none() {
                return Box::pin(self.refuse(job)).await;
            }
            self.set_deadline(None);
            job.settle_delay(&self.worker.state);
            if job.facts.asked_ns > 0 {
                sleep_until(job.facts.arrival_ns + job.facts.asked_ns).await;
            }
            match self.send(&mut job.facts, job.work.reply).await {
                Ok(NextStep::Request) => {}
                // A client that has gone does not miss the goodbye.
                Ok(NextStep::Close) => return drop(self.stream.finish().await),
                Ok(NextStep::Abort) | Err(_) => return,
            }
        }
        if self.beginning == Beginning::Http2 {
            Box::pin(self.serve_http2()).await;
        }
    }

    /// The client began with the preface of HTTP/2.
    async fn serve_http2(mut self) {
        self.set_deadline(None);
        let received = self.leftover.rest().to_vec();
        let connection = Http2::new(self.stream, self.worker, self.peer_port);
        connection.serve(&received, self.leftover.arrival_ns).await;
    }

    /// The next request, or `None` where the client has ended, did not end what it began, or
    /// speaks HTTP/2.
    async fn request(&mut self) -> Option<Job> {
        loop {
            if !self.leftover.is_empty() {
                if self.beginning == Beginning::Undecided {
                    self.beginning = Beginning::of(self.leftover.rest());
                }
                let read = match self.beginning {
                    Beginning::Http2 => return None,
                    Beginning::Undecided => None,
                    Beginning::Http1 => self.read_leftover(),
                };
                if let Some((used, job)) = read {
                    self.leftover.take(used);
                    return Some(job);
                }
                self.set_deadline(Some(()));
            }
            let leftover = &mut self.leftover;
            let state = &self.worker.state;
            let beginning = &mut self.beginning;
            let mut read = None;
            let got = self.stream.recv(|bytes, arrival| {
                if leftover.is_empty() && !bytes.is_empty() {
                    if *beginning == Beginning::Undecided {
                        *beginning = Beginning::of(bytes);
                    }
                    if *beginning == Beginning::Http1 {
                        read = Job::read(bytes, arrival.at_ns, state);
                    }
                }
                let used = read.as_ref().map_or(0, |(used, _)| *used);
                leftover.put(&bytes[used..], arrival.at_ns);
                bytes.len()
            });
            let has_ended = got.await.unwrap_or(0) == 0;
            if let Some((_, job)) = read {
                return Some(job);
            }
            if has_ended {
                if !self.leftover.is_empty() {
                    self.worker.count_bad_request();
                }
                return None;
            }
        }
    }

    fn read_leftover(&self) -> Option<(usize, Job)> {
        Job::read(self.leftover.rest(), self.leftover.arrival_ns, &self.worker.state)
    }

    /// Reads the request's body to its end, and keeps it if the route looks at it. Fails with a
    /// refusal, or with `None` where the client has gone.
    async fn body(&mut self, job: &mut Job) -> Result<Body, Option<Refusal>> {
        let mut reader = BodyReader::new(job.framing, job.looks_at_body());
        let used = reader.feed(self.leftover.rest())?;
        self.leftover.take(used);
        if !reader.is_done() {
            self.set_deadline(Some(()));
            if job.expects_continue {
                self.stream.send_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(|_| None)?;
            }
        }
        while !reader.is_done() {
            let leftover = &mut self.leftover;
            let fed = self.stream.recv(|bytes, arrival| {
                job.facts.arrival_ns = arrival.at_ns;
                let used = reader.feed(bytes)?;
                leftover.put(&bytes[used..], arrival.at_ns);
                Ok(used)
            });
            match fed.await {
                // A fast sender must not keep the other connections waiting.
                Ok(Ok(used)) if used > 0 => yield_now().await,
                Ok(Err(refusal)) => return Err(Some(refusal)),
                Ok(Ok(_)) | Err(_) => return Err(None),
            }
        }
        Ok(reader.finish())
    }

    /// Bytes that came after the request, which belong to what follows it.
    pub(crate) fn take_leftover(&mut self) -> Vec<u8> {
        let rest = self.leftover.rest().to_vec();
        self.leftover.take(rest.len());
        rest
    }

    /// Says what is wrong with a request, and closes when the client has had time to read it.
    async fn refuse(&mut self, mut job: Job) {
        self.worker.count_bad_request();
        let sent = self.send(&mut job.facts, job.work.reply).await;
        if sent.is_ok() {
            close_after_reading(&mut self.stream).await;
        }
    }

    /// Starts the time in which a begun request has to arrive, or ends it.
    fn set_deadline(&mut self, begun: Option<()>) {
        if begun.is_some() == self.has_deadline {
            return;
        }
        self.has_deadline = begun.is_some();
        let limit_ns = i64::try_from(self.worker.state.options.read_timeout.as_nanos()).unwrap_or(i64::MAX);
        self.stream.set_deadline(begun.map(|()| now_ns().saturating_add(limit_ns)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size_of_result<T>(_: impl FnOnce(Connection) -> T) -> usize {
        size_of::<T>()
    }

    #[test]
    fn an_open_connection_costs_less_than_a_kilobyte() {
        let bytes = size_of_result(Connection::serve);
        assert!(bytes <= 1_024, "{bytes}");
    }
}
