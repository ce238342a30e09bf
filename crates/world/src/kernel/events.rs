//! What happens later in a kernel, in its order.

use std::cmp::Reverse;

use rand::Rng;

use super::state::State;

/// What happens at an instant.
#[derive(Debug)]
pub(super) enum Event {
    Data {
        to: usize,
        from: usize,
        bytes: Vec<u8>,
    },
    End {
        to: usize,
    },
    Reset {
        to: usize,
        errno: i32,
    },
    /// It left at `left_ns`.
    Syn {
        from: usize,
        tries: u32,
        left_ns: i64,
    },
    SynAgain {
        from: usize,
        tries: u32,
    },
    SynAck {
        to: usize,
        from: usize,
    },
    /// The client's acknowledgement: the connection may be accepted.
    Made {
        listener: usize,
        socket: usize,
    },
    Failed {
        socket: usize,
        errno: i32,
    },
    /// The peer has read this much.
    Read {
        socket: usize,
        bytes: usize,
    },
    SentStamp {
        socket: usize,
        stamp_ns: i64,
    },
    Timer {
        timer: usize,
        serial: u64,
    },
}

#[derive(Debug)]
pub(super) struct Due {
    pub(super) at_ns: i64,
    pub(super) tie: u32,
    serial: u64,
    event: Event,
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.serial == other.serial
    }
}
impl Eq for Due {}
impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |due: &Self| (due.at_ns, due.tie, due.serial);
        key(self).cmp(&key(other))
    }
}

impl State {
    /// Has something happen later.
    pub(super) fn at(&mut self, at_ns: i64, event: Event) {
        self.serial += 1;
        let tie = self.tie_draws.random();
        self.events.push(Reverse(Due { at_ns, tie, serial: self.serial, event }));
    }

    pub(super) fn next_ns(&self) -> Option<i64> {
        self.events.peek().map(|Reverse(due)| due.at_ns)
    }

    /// Has everything happen that is due.
    pub(super) fn happen(&mut self) {
        while self.next_ns().is_some_and(|at_ns| at_ns <= self.now_ns) {
            let Some(Reverse(due)) = self.events.pop() else { return };
            self.counts.events += 1;
            self.note(due.at_ns as u64);
            self.happens(due.at_ns, due.event);
        }
    }

    fn happens(&mut self, at_ns: i64, event: Event) {
        match event {
            Event::Data { to, from, bytes } => self.data(at_ns, to, from, bytes),
            Event::End { to } => {
                if let Some(socket) = self.socket_at(to) {
                    socket.peer_ended = true;
                    self.note_arrival(to, 1, at_ns);
                    self.edge(to);
                }
            }
            Event::Reset { to, errno } => self.reset(to, errno),
            Event::Syn { from, tries, left_ns } => self.syn(at_ns, from, tries, left_ns),
            Event::SynAgain { from, tries } => self.send_syn(at_ns, from, tries),
            Event::SynAck { to, from } => self.syn_ack(at_ns, to, from),
            Event::Made { listener, socket } => self.made(listener, socket),
            Event::Failed { socket, errno } => self.reset(socket, errno),
            Event::Read { socket, bytes } => self.read(socket, bytes),
            Event::SentStamp { socket, stamp_ns } => {
                if let Some(found) = self.socket_at(socket) {
                    found.sent_stamps.push(stamp_ns);
                    self.edge(socket);
                }
            }
            Event::Timer { timer, serial } => self.fire(timer, serial),
        }
    }
}
