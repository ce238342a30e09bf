//! TCP between the sockets of a kernel: handshakes, data, ends, resets, windows.

use std::net::SocketAddr;

use rand::Rng;

use super::events::Event;
use super::link::{FIRST_SYN_RETRY_NS, Link, SYN_RETRIES, chance};
use super::socket::{Listener, Phase, Received, Socket};
use super::state::{Kind, State};

impl State {
    pub(super) fn data(&mut self, at_ns: i64, to: usize, from: usize, bytes: Vec<u8>) {
        self.note(bytes.len() as u64);
        let machine = self.socket_at(to).map_or(0, |socket| socket.machine);
        let stamp_ns = self.machines[machine].clock.wall_ns(at_ns);
        let Some(socket) = self.socket_at(to).filter(|socket| socket.phase == Phase::Connected) else {
            // The connection is closed here: the sender gets a reset.
            let errno = self
                .socket_at(from)
                .map_or(0, |socket| if socket.peer_ended { libc::EPIPE } else { libc::ECONNRESET });
            return self.send_reset(None, from, errno);
        };
        let count = bytes.len();
        socket.received.push_back(Received { bytes, taken: 0, stamp_ns });
        self.note_arrival(to, count, at_ns);
        self.edge(to);
    }

    /// Remembers when bytes arrived, or the end, which counts as one more.
    pub(super) fn note_arrival(&mut self, to: usize, count: usize, at_ns: i64) {
        let Some(socket) = self.socket_at(to) else { return };
        socket.arrived += count as u64;
        let (local, remote, arrived) = (socket.local, socket.remote, socket.arrived);
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.entry((local, remote)).or_default().push((arrived, at_ns));
        }
    }

    pub(super) fn reset(&mut self, to: usize, errno: i32) {
        let Some(socket) = self.socket_at(to).filter(|socket| socket.phase != Phase::Broken) else { return };
        socket.phase = Phase::Broken;
        socket.error = Some(errno);
        socket.peer = None;
        self.edge(to);
    }

    /// Has a reset arrive at an end of a connection. `from`: the end that sends it, after what it
    /// sent before.
    pub(super) fn send_reset(&mut self, from: Option<usize>, to: usize, errno: i32) {
        let Some((here, far)) = self.ends(to) else { return };
        let after_ns = from.and_then(|from| self.socket_at(from)).map_or(0, |socket| socket.last_arrival_ns);
        let link = self.link(here, far.unwrap_or(here));
        let way_ns = link.way_ns(&mut self.way_draws, 0);
        self.at((self.now_ns + way_ns).max(after_ns + 1), Event::Reset { to, errno });
    }

    /// The ends of a connection that begins: its machine, and that of the address it asks for.
    fn ends(&mut self, socket: usize) -> Option<(usize, Option<usize>)> {
        let found = self.socket_at(socket)?;
        let remote = found.remote.ip();
        let machine = found.machine;
        let far = if remote.is_loopback() { Some(machine) } else { self.machine_of(remote) };
        Some((machine, far))
    }

    /// Sends a SYN at an instant, again after one second, two, four where it is lost.
    pub(super) fn send_syn(&mut self, left_ns: i64, from: usize, tries: u32) {
        let Some((here, far)) = self.ends(from) else { return };
        let Some(socket) = self.socket_at(from).filter(|socket| socket.phase == Phase::Connecting) else {
            return;
        };
        socket.segments.sent += 1;
        socket.segments.sent_again += u64::from(tries > 0);
        let link = self.link(here, far.unwrap_or(here));
        let suspended = far.map(|far| self.machines[far].clock.suspended.clone()).unwrap_or_default();
        if far.is_none() || link.loses(&mut self.way_draws, left_ns, &suspended) {
            return self.retry_syn(left_ns, from, tries);
        }
        let way_ns = link.way_ns(&mut self.way_draws, 0);
        self.at(left_ns + way_ns, Event::Syn { from, tries, left_ns });
    }

    /// A SYN that left at an instant has no answer.
    fn retry_syn(&mut self, left_ns: i64, from: usize, tries: u32) {
        self.counts.syns_dropped += 1;
        let again_ns = left_ns + (FIRST_SYN_RETRY_NS << tries);
        if tries >= SYN_RETRIES {
            return self.at(again_ns, Event::Failed { socket: from, errno: libc::ETIMEDOUT });
        }
        self.at(again_ns, Event::SynAgain { from, tries: tries + 1 });
    }

    /// A SYN arrives.
    pub(super) fn syn(&mut self, at_ns: i64, from: usize, tries: u32, left_ns: i64) {
        let Some((here, Some(far))) = self.ends(from) else { return };
        let Some(socket) = self.socket_at(from).filter(|socket| socket.phase == Phase::Connecting) else {
            return;
        };
        let (client, to) = (socket.local, socket.remote);
        let link = self.link(here, far);
        let listeners = self.listeners(far, to);
        if listeners.is_empty() {
            return self.send_reset(None, from, libc::ECONNREFUSED);
        }
        let listener = listeners[self.call_draws.random_range(0..listeners.len())];
        let is_full = self.listener_at(listener).is_none_or(|found| found.queue.len() > found.backlog);
        if is_full {
            return self.retry_syn(left_ns, from, tries);
        }
        let mut made = Socket::new(far, to, client, Phase::Connected);
        made.peer = Some(from);
        made.buffer = link.buffer;
        made.segments.sent = 1;
        let fd = self.open(Kind::Socket(Box::new(made)));
        let made = Self::place(fd);
        if let Some(socket) = self.socket_at(from) {
            socket.peer = Some(made);
        }
        let back_ns = link.way_ns(&mut self.way_draws, 0);
        self.at(at_ns + back_ns, Event::SynAck { to: from, from: listener });
    }

    /// Whether a port of a machine is in use.
    pub(super) fn listens(&self, machine: usize, at: SocketAddr) -> bool {
        !self.listeners(machine, at).is_empty()
    }

    /// Listening sockets of a machine for an address.
    fn listeners(&self, machine: usize, to: SocketAddr) -> Vec<usize> {
        let own = self.machines[machine].address;
        let is_own = to.ip() == own || to.ip().is_loopback();
        let serves = |listener: &Listener| {
            let at = listener.at;
            let is_for = at.ip() == to.ip() || (at.ip().is_unspecified() && is_own);
            listener.machine == machine && at.port() == to.port() && is_for
        };
        let found = self.listening.iter().copied().filter(|place| {
            let kind = self.descriptors[*place].as_ref().map(|descriptor| &descriptor.kind);
            matches!(kind, Some(Kind::Listener(listener)) if serves(listener))
        });
        found.collect()
    }

    pub(super) fn syn_ack(&mut self, at_ns: i64, to: usize, listener: usize) {
        let Some((here, far)) = self.ends(to) else { return };
        let link = self.link(here, far.unwrap_or(here));
        let way_ns = link.way_ns(&mut self.way_draws, 0);
        let Some(socket) = self.socket_at(to).filter(|socket| socket.phase == Phase::Connecting) else {
            return;
        };
        socket.phase = Phase::Connected;
        socket.segments.sent += 1;
        socket.last_arrival_ns = socket.last_arrival_ns.max(at_ns + way_ns);
        let made_ns = socket.last_arrival_ns;
        let peer = socket.peer;
        self.edge(to);
        if let Some(socket) = peer {
            self.at(made_ns, Event::Made { listener, socket });
        }
    }

    pub(super) fn made(&mut self, listener: usize, socket: usize) {
        let Some(peer) = self.socket_at(socket).map(|socket| socket.remote) else { return };
        if let Some(found) = self.listener_at(listener) {
            found.queue.push_back((socket, peer));
            return self.edge(listener);
        }
        self.drop_connection(socket);
    }

    /// Ends a connection that was not accepted.
    pub(super) fn drop_connection(&mut self, place: usize) {
        if let Some(peer) = self.socket_at(place).and_then(|socket| socket.peer) {
            self.send_reset(Some(place), peer, libc::ECONNRESET);
        }
        self.remove(place);
    }

    pub(super) fn read(&mut self, place: usize, bytes: usize) {
        let Some(socket) = self.socket_at(place) else { return };
        socket.unread = socket.unread.saturating_sub(bytes);
        if socket.wants_room && socket.has_room() {
            socket.wants_room = false;
            self.edge(place);
        }
    }

    /// The peer of a connection has read bytes: its window opens a way later.
    pub(super) fn acknowledge(&mut self, place: usize, bytes: usize) {
        let Some((here, far)) = self.ends(place) else { return };
        let Some(peer) = self.socket_at(place).and_then(|socket| socket.peer) else { return };
        let link = self.link(here, far.unwrap_or(here));
        let way_ns = link.way_ns(&mut self.way_draws, 0);
        self.at(self.now_ns + way_ns, Event::Read { socket: peer, bytes });
    }

    /// Sends data of a connection, in order; or breaks it, as its link says.
    pub(super) fn send_data(&mut self, place: usize, bytes: &[u8]) {
        let Some((here, far)) = self.ends(place) else { return };
        let far = far.unwrap_or(here);
        let link = self.link(here, far);
        let suspended = self.machines[far].clock.suspended.clone();
        let (at_ns, again) = link.arrival(&mut self.way_draws, self.now_ns, bytes.len(), &suspended);
        let at_ns = self.near_tie(&link, far, at_ns);
        let breaks = chance(&mut self.way_draws, link.reset);
        self.counts.segments += 1;
        self.counts.lost += again;
        self.counts.resets += u64::from(breaks);
        let sent_ns = self.machines[here].clock.wall_ns(self.now_ns) + 2_000;
        let now_ns = self.now_ns;
        self.machines[here].sent_ns = now_ns;
        let Some(socket) = self.socket_at(place) else { return };
        socket.segments.sent += 1 + again;
        socket.segments.sent_again += again;
        socket.unread += bytes.len();
        let at_ns = at_ns.max(socket.last_arrival_ns + 1);
        socket.last_arrival_ns = at_ns;
        let stamps = socket.options.stamps_sends;
        let Some(to) = socket.peer else { return };
        if stamps {
            self.at(now_ns + 2_000, Event::SentStamp { socket: place, stamp_ns: sent_ns });
        }
        if breaks {
            self.at(at_ns, Event::Reset { to, errno: libc::ECONNRESET });
            return self.at(at_ns, Event::Reset { to: place, errno: libc::ECONNRESET });
        }
        self.at(at_ns, Event::Data { to, from: place, bytes: bytes.to_vec() });
    }

    /// Sends the end of a connection after its data.
    pub(super) fn send_end(&mut self, place: usize) {
        let Some((here, far)) = self.ends(place) else { return };
        let far = far.unwrap_or(here);
        let link = self.link(here, far);
        let suspended = self.machines[far].clock.suspended.clone();
        let (at_ns, _) = link.arrival(&mut self.way_draws, self.now_ns, 0, &suspended);
        let Some(socket) = self.socket_at(place) else { return };
        let at_ns = at_ns.max(socket.last_arrival_ns + 1);
        socket.last_arrival_ns = at_ns;
        if let Some(to) = socket.peer {
            self.at(at_ns, Event::End { to });
        }
    }

    /// Moves an arrival to within a nanosecond of the next timer of its machine, now and then.
    fn near_tie(&mut self, link: &Link, machine: usize, at_ns: i64) -> i64 {
        if !chance(&mut self.tie_draws, link.near_ties) {
            return at_ns;
        }
        let clock = &self.machines[machine].clock;
        let kinds = self.timers.iter().filter_map(|place| Some(&self.descriptors[*place].as_ref()?.kind));
        let armed = kinds.filter_map(|kind| match *kind {
            Kind::Timer { machine: of, at_ns: Some(at_ns), .. } if of == machine => {
                Some(clock.world_ns(at_ns))
            }
            _ => None,
        });
        let range = at_ns..=at_ns + link.latency_ns.max(1_000_000);
        let Some(timer_ns) = armed.filter(|timer_ns| range.contains(&(timer_ns - 1))).min() else {
            return at_ns;
        };
        timer_ns + self.tie_draws.random_range(-1..=1)
    }
}
