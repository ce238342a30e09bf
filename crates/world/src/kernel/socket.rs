//! A simulated TCP socket: what it holds and what an epoll instance would say of it.

use std::collections::VecDeque;
use std::net::SocketAddr;

use swell_net::simulated::{ERROR, HUNG_UP, PEER_ENDED, READABLE, SentSegments, WRITABLE};

/// Bytes that arrived at once.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) bytes: Vec<u8>,
    pub(super) taken: usize,
    /// On the wall clock of the machine.
    pub(super) stamp_ns: i64,
}

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Connecting,
    Connected,
    /// Reset or refused.
    Broken,
}

/// What was asked for by `setsockopt`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SocketOptions {
    pub(super) linger_zero: bool,
    pub(super) stamps_receives: bool,
    pub(super) stamps_sends: bool,
}

/// One end of a connection.
#[derive(Debug)]
pub(super) struct Socket {
    pub(super) machine: usize,
    pub(super) local: SocketAddr,
    pub(super) remote: SocketAddr,
    pub(super) phase: Phase,
    /// The other end, while it is open.
    pub(super) peer: Option<usize>,
    pub(super) received: VecDeque<Received>,
    /// The peer's FIN has come.
    pub(super) peer_ended: bool,
    /// This end has sent its FIN.
    pub(super) ended: bool,
    /// The error of the next call (`SO_ERROR`).
    pub(super) error: Option<i32>,
    /// Bytes that are on their way or that the peer has not read.
    pub(super) unread: usize,
    /// The most of them.
    pub(super) buffer: usize,
    pub(super) wants_room: bool,
    pub(super) options: SocketOptions,
    /// Stamps of sends that wait to be fetched, wall clock.
    pub(super) sent_stamps: Vec<i64>,
    /// When the last segment of this end arrives; the next one comes later.
    pub(super) last_arrival_ns: i64,
    pub(super) segments: SentSegments,
    /// Bytes that have arrived.
    pub(super) arrived: u64,
}

impl Socket {
    pub(super) fn new(machine: usize, local: SocketAddr, remote: SocketAddr, phase: Phase) -> Self {
        Self {
            machine,
            local,
            remote,
            phase,
            peer: None,
            received: VecDeque::new(),
            peer_ended: false,
            ended: false,
            error: None,
            unread: 0,
            buffer: 0,
            wants_room: false,
            options: SocketOptions::default(),
            sent_stamps: Vec::new(),
            last_arrival_ns: 0,
            segments: SentSegments::default(),
            arrived: 0,
        }
    }

    /// What an epoll instance would report now (`tcp_poll` of Linux).
    pub(super) fn mask(&self) -> u32 {
        let is_broken = self.phase == Phase::Broken;
        let set = |holds: bool, bits: u32| if holds { bits } else { 0 };
        set(!self.received.is_empty() || self.peer_ended || is_broken, READABLE)
            | set(self.peer_ended || is_broken, PEER_ENDED)
            | set(is_broken || (self.phase == Phase::Connected && (self.has_room() || self.ended)), WRITABLE)
            | set(is_broken || (self.peer_ended && self.ended), HUNG_UP)
            | set(self.error.is_some() || !self.sent_stamps.is_empty(), ERROR)
    }

    /// Whether a third of the buffer is free, as `sk_stream_is_writeable` wants it.
    pub(super) fn has_room(&self) -> bool {
        3 * self.unread <= 2 * self.buffer
    }

    /// Bytes that can be read.
    pub(super) fn available(&self) -> usize {
        self.received.iter().map(|part| part.bytes.len() - part.taken).sum()
    }

    /// Takes up to `most` bytes, or only looks at them: how many, and the stamp of the last.
    pub(super) fn take(&mut self, most: usize, peek: bool, mut to: impl FnMut(&[u8])) -> (usize, i64) {
        let mut count = 0;
        let mut stamp_ns = 0;
        for part in &mut self.received {
            if count == most {
                break;
            }
            let bytes = &part.bytes[part.taken..];
            let bytes = &bytes[..bytes.len().min(most - count)];
            to(bytes);
            count += bytes.len();
            stamp_ns = part.stamp_ns;
            if !peek {
                part.taken += bytes.len();
            }
        }
        while self.received.front().is_some_and(|part| part.taken == part.bytes.len()) {
            self.received.pop_front();
        }
        (count, stamp_ns)
    }

    /// In words, for reports of what is waited for.
    pub(super) fn describe(&self) -> String {
        let phase = match self.phase {
            Phase::Connecting => "connecting",
            Phase::Connected if self.peer_ended && self.ended => "ended by both sides",
            Phase::Connected if self.peer_ended => "ended by the peer",
            Phase::Connected if self.ended => "ended by this side",
            Phase::Connected => "open",
            Phase::Broken => "broken",
        };
        let (local, remote) = (self.local, self.remote);
        let (unread, available) = (self.unread, self.available());
        format!("{local} to {remote}, {phase}, {available} bytes to read, {unread} not read by the peer")
    }
}

/// A listening socket.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) machine: usize,
    pub(super) at: SocketAddr,
    pub(super) backlog: usize,
    /// Connections that wait to be accepted, and their peers.
    pub(super) queue: VecDeque<(usize, SocketAddr)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(parts: &[(&[u8], i64)]) -> Socket {
        let at = SocketAddr::from(([10, 0, 0, 1], 80));
        let mut socket = Socket::new(0, at, at, Phase::Connected);
        socket.buffer = 300;
        for (bytes, stamp_ns) in parts {
            socket.received.push_back(Received { bytes: bytes.to_vec(), taken: 0, stamp_ns: *stamp_ns });
        }
        socket
    }

    #[test]
    fn a_read_has_the_stamp_of_its_last_byte() {
        let mut socket = socket(&[(b"abc", 1), (b"def", 2)]);
        let mut read = |most, peek| {
            let mut all = Vec::new();
            let (_, stamp_ns) = socket.take(most, peek, |bytes| all.extend_from_slice(bytes));
            (String::from_utf8(all).unwrap(), stamp_ns)
        };
        assert_eq!(read(1, true), ("a".to_owned(), 1));
        assert_eq!(read(4, false), ("abcd".to_owned(), 2));
        assert_eq!(read(9, false), ("ef".to_owned(), 2));
    }

    #[test]
    fn readiness_is_that_of_tcp() {
        let mut open = socket(&[]);
        assert_eq!(open.mask(), WRITABLE);
        open.unread = 201;
        assert_eq!(open.mask(), 0);
        open.peer_ended = true;
        assert_eq!(open.mask(), READABLE | PEER_ENDED);
        open.ended = true;
        assert_eq!(open.mask(), READABLE | WRITABLE | PEER_ENDED | HUNG_UP);
        let mut stamped = socket(&[(b"a", 1)]);
        stamped.sent_stamps.push(7);
        assert_eq!(stamped.mask(), READABLE | WRITABLE | ERROR);
    }
}
