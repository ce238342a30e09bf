//! Counts of connections that carry several exchanges at once.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::runtime::with_core;

/// Connections of a run whose protocol was negotiated, or that carry several exchanges at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionTotals {
    /// Connections with several exchanges at once (HTTP/2).
    pub opened: u64,
    /// Connections to servers that were offered HTTP/2 and chose HTTP/1.1.
    pub refused: u64,
    /// The smallest limit of concurrent streams that a server announced; none: no server did.
    pub streams_limit: Option<u32>,
    /// The largest number of exchanges that were in flight on one connection.
    pub streams_peak: u32,
}

#[derive(Debug)]
pub(crate) struct SessionCounters {
    opened: AtomicU64,
    refused: AtomicU64,
    streams_limit: AtomicU32,
    streams_peak: AtomicU32,
}

impl Default for SessionCounters {
    fn default() -> Self {
        Self {
            opened: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            streams_limit: AtomicU32::new(u32::MAX),
            streams_peak: AtomicU32::new(0),
        }
    }
}

impl SessionCounters {
    pub(crate) fn totals(&self) -> SessionTotals {
        SessionTotals {
            opened: self.opened.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            streams_limit: Some(self.streams_limit.load(Ordering::Relaxed)).filter(|most| *most != u32::MAX),
            streams_peak: self.streams_peak.load(Ordering::Relaxed),
        }
    }
}

/// Counts a connection of this loop that carries several exchanges at once.
///
/// # Panics
/// Outside an event loop.
pub fn note_session_opened() {
    with_core(|core| core.context.sessions().opened.fetch_add(1, Ordering::Relaxed));
}

/// Counts a connection whose server was offered to carry several exchanges at once, and refused.
///
/// # Panics
/// Outside an event loop.
pub fn note_session_refused() {
    with_core(|core| core.context.sessions().refused.fetch_add(1, Ordering::Relaxed));
}

/// Notes how many exchanges at once a server allows on a connection.
///
/// # Panics
/// Outside an event loop.
pub fn note_streams_limit(most: u32) {
    with_core(|core| core.context.sessions().streams_limit.fetch_min(most, Ordering::Relaxed));
}

/// Notes that a connection has this number of exchanges in flight, more than ever.
///
/// # Panics
/// Outside an event loop.
pub fn note_streams_peak(streams: u32) {
    with_core(|core| core.context.sessions().streams_peak.fetch_max(streams, Ordering::Relaxed));
}
