//! Streams of events on their way out.

use std::io;

use swell_http1::server::Length;
use swell_http1::{LAST_CHUNK, write_chunk_size};
use swell_net::{now_ns, sleep_until};

use crate::routes::EventStream;

use super::connection::{Connection, NextStep};
use super::job::Facts;

impl Connection {
    /// Sends each event when it is due, counted from the arrival of the request. On record is the
    /// last one.
    pub(super) async fn send_events(
        &mut self,
        facts: &mut Facts,
        stream: EventStream,
    ) -> io::Result<NextStep> {
        let mut out = self.head(facts, &stream.response);
        if facts.is_head {
            return self.send_counted(facts, &out).await;
        }
        let is_chunked = stream.response.length == Length::Chunked;
        let mut content = Vec::new();
        let mut done_ns = 0;
        for number in 0..stream.events {
            let asked_ns = stream.first_ns + stream.every_ns * number as i64;
            if asked_ns > 0 {
                // The head does not wait for the first event.
                if !out.is_empty() {
                    self.stream.send_all(&out).await?;
                    done_ns = if number > 0 { now_ns() } else { 0 };
                    out.clear();
                }
                sleep_until(facts.arrival_ns + asked_ns).await;
            }
            facts.asked_ns = asked_ns;
            content.clear();
            stream.write(number, (now_ns(), done_ns), &mut content);
            if number + 1 == stream.events {
                stream.write_end(&mut content);
            }
            put(&content, is_chunked, &mut out);
        }
        if is_chunked {
            out.extend_from_slice(LAST_CHUNK);
        }
        self.send_counted(facts, &out).await
    }
}

fn put(content: &[u8], is_chunked: bool, out: &mut Vec<u8>) {
    if is_chunked {
        write_chunk_size(content.len() as u64, out);
    }
    out.extend_from_slice(content);
    if is_chunked {
        out.extend_from_slice(b"\r\n");
    }
}
