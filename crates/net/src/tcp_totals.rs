//! TCP retransmissions on the connections of a run, which the kernel reports when they end.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of a loop's connections that are queried one by one.
const FIRST: u64 = 1024;
/// Beyond that, one in this many: querying the kernel costs about a microsecond.
const EACH: u64 = 16;

/// TCP counts of a run's connections, without those that are still open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpTotals {
    /// Connections that have ended.
    pub connections: u64,
    /// Those of them that were looked at: of each loop the first 1,024, then every 16th.
    pub looked_at: u64,
    /// Segments that went out on those, as `tcpi_segs_out` of tcp(7) counts them.
    pub sent: u64,
    /// Segments that were sent again on those. Those that ask for a connection are in
    /// [`crate::Peer::retries`] instead.
    pub sent_again: u64,
}

/// The totals during the run.
#[derive(Debug, Default)]
pub(crate) struct TcpCounters {
    connections: AtomicU64,
    looked_at: AtomicU64,
    sent: AtomicU64,
    sent_again: AtomicU64,
}

/// Segments of a connection so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segments {
    pub(crate) sent: u64,
    pub(crate) sent_again: u64,
}

/// Whether the connection of this number, counted from 1, is looked at.
pub(crate) fn is_looked_at(number: u64) -> bool {
    number <= FIRST || number.is_multiple_of(EACH)
}

impl TcpCounters {
    /// A connection ends, of which `seen` was looked up, if it was.
    pub(crate) fn note(&self, seen: Option<Segments>) {
        let add = |count: &AtomicU64, more: u64| count.fetch_add(more, Ordering::Relaxed);
        add(&self.connections, 1);
        let Some(seen) = seen else { return };
        add(&self.looked_at, 1);
        add(&self.sent, seen.sent);
        if seen.sent_again > 0 {
            add(&self.sent_again, seen.sent_again);
        }
    }

    pub(crate) fn totals(&self) -> TcpTotals {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        TcpTotals {
            connections: of(&self.connections),
            looked_at: of(&self.looked_at),
            sent: of(&self.sent),
            sent_again: of(&self.sent_again),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_connections_are_looked_at_and_then_every_sixteenth() {
        let looked_at = (1..=2048).filter(|number| is_looked_at(*number)).count();
        assert_eq!(looked_at, 1024 + 64);
    }

    #[test]
    fn what_was_not_looked_at_is_in_the_number_of_connections_only() {
        let counters = TcpCounters::default();
        counters.note(None);
        counters.note(Some(Segments { sent: 7, sent_again: 2 }));
        let wanted = TcpTotals { connections: 2, looked_at: 1, sent: 7, sent_again: 2 };
        assert_eq!(counters.totals(), wanted);
    }
}
