//! Serves the metrics of a run for a Prometheus server that fetches them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use swell_http1::server::{RequestHead, header};

use super::board::Board;
use super::outcome::ExportOutcome;
use super::{protobuf, text};
use crate::metrics_server::{Answer, Server};

/// A running metrics server.
pub(super) struct Pull {
    server: Server,
    seen: Arc<Seen>,
}

/// What was fetched.
#[derive(Default)]
struct Seen {
    fetches: AtomicU64,
    /// How many intervals the last one had.
    intervals: AtomicU64,
}

impl Pull {
    /// # Errors
    /// The address cannot be had.
    pub(super) fn start(at: SocketAddr, board: Arc<Mutex<Board>>) -> io::Result<Self> {
        let seen = Arc::new(Seen::default());
        let seeing = seen.clone();
        let give = move |head: &RequestHead<'_>| {
            let board = board.lock();
            seeing.fetches.fetch_add(1, Ordering::Relaxed);
            seeing.intervals.store(board.taken, Ordering::Release);
            if header(head.headers, "Accept").is_some_and(protobuf::is_wanted) {
                Answer { content_type: protobuf::CONTENT_TYPE, body: protobuf::bytes(&board) }
            } else {
                Answer { content_type: text::CONTENT_TYPE, body: text::text(&board).into_bytes() }
            }
        };
        Ok(Self { server: Server::start("swell-metrics", at, give)?, seen })
    }

    /// Where it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Whether this many intervals have been fetched.
    pub(super) fn has_given(&self, intervals: u64) -> bool {
        self.seen.intervals.load(Ordering::Acquire) >= intervals
    }

    pub(super) fn finish(self) -> ExportOutcome {
        let place = format!("http://{}/metrics", self.address());
        self.server.stop();
        ExportOutcome {
            delivered: self.seen.fetches.load(Ordering::Relaxed),
            ..ExportOutcome::new("prometheus", place)
        }
    }
}
