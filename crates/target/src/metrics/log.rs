//! The last requests that carried an id, for joining with a client's log.

use std::collections::VecDeque;
use std::fmt::Write;

/// One answered request. Times are nanoseconds since the epoch on `swell_net::now_ns`' clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Value of `id` in the query, still encoded.
    pub id: Box<str>,
    /// First part of the path, such as `/delay`.
    pub route: &'static str,
    /// The kernel received the last byte of the request.
    pub arrival_ns: i64,
    /// The delay asked for, in nanoseconds.
    pub asked_ns: i64,
    /// Just before the answer was handed to the kernel.
    pub before_send_ns: i64,
    /// Just after.
    pub after_send_ns: i64,
    /// The client's port: which connection it was, for joining with a capture of packets that
    /// cannot be read.
    pub peer_port: u16,
}

/// A ring of the last entries.
#[derive(Debug)]
pub(crate) struct Log {
    entries: VecDeque<LogEntry>,
    entries_max: usize,
}

impl Log {
    pub(crate) fn new(entries_max: usize) -> Self {
        Self { entries: VecDeque::new(), entries_max }
    }

    /// Adds an entry; the oldest goes where there are too many.
    pub(crate) fn push(&mut self, entry: LogEntry) {
        if self.entries.len() >= self.entries_max {
            self.entries.pop_front();
        }
        if self.entries_max > 0 {
            self.entries.push_back(entry);
        }
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &LogEntry> {
        self.entries.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }
}

/// Entries as CSV with a head row.
pub(crate) fn to_csv(entries: &[LogEntry]) -> String {
    let mut out = String::from("id,route,arrival_ns,asked_ns,residence_ns,send_ns,peer_port\n");
    for entry in entries {
        let LogEntry { id, route, arrival_ns, asked_ns, before_send_ns, after_send_ns, peer_port } = entry;
        let residence_ns = before_send_ns - arrival_ns;
        let send_ns = after_send_ns - before_send_ns;
        let id = id.replace(',', "%2C");
        writeln!(out, "{id},{route},{arrival_ns},{asked_ns},{residence_ns},{send_ns},{peer_port}")
            .expect("writing to memory does not fail");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str) -> LogEntry {
        LogEntry {
            id: id.into(),
            route: "/delay",
            arrival_ns: 100,
            asked_ns: 50,
            before_send_ns: 151,
            after_send_ns: 159,
            peer_port: 40_000,
        }
    }

    #[test]
    fn the_ring_keeps_the_last() {
        let mut log = Log::new(2);
        for id in ["a", "b", "c"] {
            log.push(entry(id));
        }
        let ids: Vec<_> = log.entries().map(|entry| &*entry.id).collect();
        assert_eq!(ids, ["b", "c"]);
        let mut off = Log::new(0);
        off.push(entry("a"));
        assert_eq!(off.entries().count(), 0);
    }

    #[test]
    fn rows_hold_the_differences() {
        assert_eq!(
            to_csv(&[entry("a,b")]),
            "id,route,arrival_ns,asked_ns,residence_ns,send_ns,peer_port\na%2Cb,/delay,100,50,51,8,40000\n"
        );
    }
}
