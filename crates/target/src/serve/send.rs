//! Answers on their way out.

use std::io;

use swell_http1::server::{Connection as Kept, Length};
use swell_http1::{LAST_CHUNK, write_chunk_size};
use swell_net::{now_ns, sleep_until, yield_now};

use crate::metrics::{CompletedRequest, LogEntry};
use crate::routes::{End, PageId, Pieces, Raw, Reply, StreamedBody, filler, name};
use crate::wire::Response;

use super::connection::{Connection, NextStep};
use super::job::Facts;
use super::ready::{Bytes, not_modified, response};

impl Connection {
    /// Sends the response to a request after its delay, if it has one.
    pub(crate) async fn send(&mut self, facts: &mut Facts, reply: Reply) -> io::Result<NextStep> {
        match reply {
            Reply::Page { page, gzip } => self.send_page(facts, page, gzip).await,
            Reply::NotModified if facts.keep_alive => {
                let Bytes { all, .. } = self.worker.ready.borrow_mut().not_modified(now_ns());
                self.send_counted(facts, &all).await
            }
            Reply::NotModified => self.send_whole(facts, &not_modified()).await,
            Reply::Whole(response) => self.send_whole(facts, &response).await,
            // Rare and large: boxed, so that every connection's future stays small.
            Reply::Stream(streamed) => Box::pin(self.send_stream(facts, *streamed)).await,
            Reply::Events(stream) => Box::pin(self.send_events(facts, *stream)).await,
            Reply::WebSocket(upgrade) => Box::pin(self.converse(facts, *upgrade)).await,
            Reply::Raw(raw) => Box::pin(self.send_raw(facts, *raw)).await,
            Reply::FromBody(_) => unreachable!("a route that has seen the body does not ask for it again"),
        }
    }

    async fn send_page(&mut self, facts: &mut Facts, id: PageId, gzip: bool) -> io::Result<NextStep> {
        let closes = id.page().closes;
        if !facts.keep_alive && !closes {
            return self.send_whole(facts, &response(id, gzip)).await;
        }
        facts.keep_alive &= !closes;
        let Bytes { all, head_len } = self.worker.ready.borrow_mut().page(id, gzip, now_ns());
        let bytes = if facts.is_head { &all[..head_len] } else { &all };
        self.send_counted(facts, bytes).await
    }

    async fn send_whole(&mut self, facts: &mut Facts, response: &Response) -> io::Result<NextStep> {
        let mut out = self.head(facts, response);
        if !facts.is_head {
            out.extend_from_slice(&response.body);
        }
        self.send_counted(facts, &out).await
    }

    /// The head of an answer; one without a length closes the connection.
    pub(super) fn head(&self, facts: &mut Facts, response: &Response) -> Vec<u8> {
        facts.keep_alive &= response.length != Length::UntilClose;
        let kept = if facts.keep_alive { Kept::KeepAlive } else { Kept::Close };
        let mut out = Vec::with_capacity(256 + response.headers.len() + response.body.len());
        response.write_head(self.worker.ready.borrow_mut().date(now_ns()), kept, &mut out);
        out
    }

    /// Sends the last bytes of an answer and records when.
    pub(super) async fn send_counted(&mut self, facts: &mut Facts, bytes: &[u8]) -> io::Result<NextStep> {
        let Facts { route, arrival_ns, asked_ns, keep_alive, .. } = *facts;
        let next = if keep_alive { NextStep::Request } else { NextStep::Close };
        let Some(route) = route else {
            self.stream.send_all(bytes).await?;
            return Ok(next);
        };
        let done = CompletedRequest { route, arrival_ns, asked_ns, before_send_ns: now_ns() };
        self.worker.metrics().answering(&done);
        self.stream.send_all(bytes).await?;
        let after_send_ns = now_ns();
        self.worker.metrics().answered(&done, after_send_ns);
        if let Some(id) = facts.id.take() {
            self.worker.metrics().keep(LogEntry {
                id,
                route: name(route),
                arrival_ns,
                asked_ns,
                before_send_ns: done.before_send_ns,
                after_send_ns,
                peer_port: self.peer_port,
            });
        }
        Ok(next)
    }

    async fn send_stream(&mut self, facts: &mut Facts, streamed: StreamedBody) -> io::Result<NextStep> {
        let StreamedBody { response, pieces } = streamed;
        let mut out = self.head(facts, &response);
        if facts.is_head {
            return self.send_counted(facts, &out).await;
        }
        let is_chunked = matches!(pieces, Pieces::Chunks { .. });
        let (interval_ns, mut next_ns) = match pieces {
            Pieces::Drops { interval_ns, .. } => (interval_ns, now_ns()),
            _ => (0, 0),
        };
        let mut is_first = true;
        for size in pieces.sizes() {
            let mut left = size;
            while left > 0 {
                if !is_first {
                    self.stream.send_all(&out).await?;
                    out.clear();
                    next_ns += interval_ns;
                    // A fast reader must not keep the other connections waiting.
                    if interval_ns > 0 { sleep_until(next_ns).await } else { yield_now().await }
                }
                is_first = false;
                if is_chunked && left == size {
                    write_chunk_size(size, &mut out);
                }
                let piece = filler(left);
                out.extend_from_slice(piece);
                left -= piece.len() as u64;
            }
            if is_chunked {
                out.extend_from_slice(b"\r\n");
            }
        }
        if is_chunked {
            out.extend_from_slice(LAST_CHUNK);
        }
        self.send_counted(facts, &out).await
    }

    async fn send_raw(&mut self, facts: &mut Facts, raw: Raw) -> io::Result<NextStep> {
        let Raw { first, pause_ns, then, end } = raw;
        if !first.is_empty() {
            self.stream.send_all(&first).await?;
        }
        if pause_ns > 0 {
            facts.asked_ns += pause_ns;
            sleep_until(facts.arrival_ns + facts.asked_ns).await;
        }
        facts.keep_alive &= end == End::KeepAlive;
        let next = self.send_counted(facts, &then).await?;
        match end {
            End::KeepAlive | End::Close => return Ok(next),
            End::Reset => self.stream.set_linger_zero()?,
            End::Hang => while self.stream.recv(|bytes, _| bytes.len()).await? > 0 {},
        }
        Ok(NextStep::Abort)
    }
}
