//! The routes: functions from a request to what to do about it. They touch no sockets and wait for nothing.

#![expect(
    clippy::unnecessary_wraps,
    reason = "the table of routes wants one type, and most routes may refuse"
)]

mod bodies;
mod cookies;
mod delays;
mod echo;
mod flood;
mod json;
mod login;
mod mirror;
mod misbehave;
mod pages;
mod redirects;
mod routes;
mod stats;
mod work;

use std::sync::atomic::AtomicU64;

use crate::delay::{Draws, Pools};
use crate::options::Options;
use crate::tally::{Counters, LogEntry, StatsSnapshot, Tally, reset, snapshot};

pub(crate) use pages::{LAST_MODIFIED, PAGES, PageId};
#[cfg(test)]
pub(crate) use routes::examples;
pub(crate) use routes::{name, route};
pub(crate) use work::{Ask, End, Outcome, Pieces, Raw, Reply, Streamed, Work, filler};

/// What the routes share over all workers.
pub(crate) struct Site {
    pub(crate) options: Options,
    pub(crate) tallies: Vec<Tally>,
    pub(crate) counters: Counters,
    pub(crate) pools: Pools,
    draws: Draws,
    /// Login forms handed out.
    forms: AtomicU64,
}

impl Site {
    pub(crate) fn new(options: Options) -> Self {
        let tally = || Tally::new(routes::ROUTES.len(), options.log_entries);
        Self {
            tallies: std::iter::repeat_with(tally).take(options.workers).collect(),
            counters: Counters::default(),
            pools: Pools::default(),
            draws: Draws::default(),
            forms: AtomicU64::new(0),
            options,
        }
    }

    pub(crate) fn snapshot(&self) -> StatsSnapshot {
        snapshot(&self.tallies, &self.counters, &routes::shown())
    }

    /// Entries of all workers in the order of arrival.
    pub(crate) fn log(&self) -> Vec<LogEntry> {
        let mut entries: Vec<LogEntry> = self.tallies.iter().flat_map(Tally::entries).collect();
        entries.sort_by_key(|entry| entry.arrival_ns);
        entries
    }

    /// Forgets the times on record and starts the streams of draws again.
    pub(crate) fn reset(&self) {
        reset(&self.tallies, &self.counters);
        self.draws.reset();
    }
}
