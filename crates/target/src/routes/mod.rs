//! The routes: functions from a request to what to do about it. They touch no sockets and wait for
//! nothing.

#![expect(
    clippy::unnecessary_wraps,
    reason = "the table of routes wants one type, and most routes may refuse"
)]

mod bodies;
mod cookies;
mod delays;
mod echo;
mod events;
mod flood;
mod grpc;
mod json;
mod login;
mod mirror;
mod misbehave;
mod pages;
mod redirects;
mod stats;
mod table;
mod websocket;
mod work;

use std::sync::atomic::AtomicU64;

use crate::delay::{Admissions, Draws, Pools};
use crate::metrics::{Counters, LogEntry, StatsSnapshot, WorkerMetrics, reset, snapshot};
use crate::options::Options;

pub(crate) use events::EventStream;
pub use grpc::PROTO;
pub(crate) use grpc::{GrpcCall, GrpcMethod, Next};
pub(crate) use pages::{LAST_MODIFIED, PAGES, PageId};
#[cfg(test)]
pub(crate) use table::examples;
pub(crate) use table::{grpc_route, name, route};
pub(crate) use websocket::{EchoRule, Upgrade};
pub(crate) use work::{End, Outcome, Pieces, Raw, Reply, RouteRequest, StreamedBody, Work, filler};

/// What the routes share over all workers.
pub(crate) struct RouteState {
    pub(crate) options: Options,
    pub(crate) workers: Vec<WorkerMetrics>,
    pub(crate) counters: Counters,
    pub(crate) pools: Pools,
    pub(crate) admissions: Admissions,
    draws: Draws,
    /// Login forms handed out.
    forms: AtomicU64,
}

impl RouteState {
    pub(crate) fn new(options: Options) -> Self {
        let metrics = || WorkerMetrics::new(table::ROUTES.len(), options.log_entries);
        Self {
            workers: std::iter::repeat_with(metrics).take(options.workers).collect(),
            counters: Counters::default(),
            pools: Pools::default(),
            admissions: Admissions::default(),
            draws: Draws::default(),
            forms: AtomicU64::new(0),
            options,
        }
    }

    pub(crate) fn snapshot(&self) -> StatsSnapshot {
        snapshot(&self.workers, &self.counters, &table::shown())
    }

    /// Entries of all workers in the order of arrival.
    pub(crate) fn log(&self) -> Vec<LogEntry> {
        let mut entries: Vec<LogEntry> = self.workers.iter().flat_map(WorkerMetrics::entries).collect();
        entries.sort_by_key(|entry| entry.arrival_ns);
        entries
    }

    /// Forgets the times on record and starts the streams of draws again.
    pub(crate) fn reset(&self) {
        reset(&self.workers, &self.counters);
        self.draws.reset();
    }
}
