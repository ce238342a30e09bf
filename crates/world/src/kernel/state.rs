//! What a simulated kernel knows, and what happens in it as time passes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::RawFd;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use swell_net::simulated::{FIRST_DESCRIPTOR, READABLE};

use super::clock::{Clock, Span};
use super::link::{FIRST_SYN_RETRY_NS, Link, SYN_RETRIES, chance};
use super::socket::{Listener, Phase, Received, Socket};

/// What a read of the clock takes, nanoseconds.
const READ_NS: i64 = 20;
/// The first port of a machine's own connections.
const FIRST_PORT: u16 = 32_768;

/// Counts of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Turns of loops.
    pub turns: u64,
    /// Events of the kernel.
    pub events: u64,
    /// Segments with data.
    pub segments: u64,
    /// Segments that were sent again.
    pub lost: u64,
    /// Connections that a link broke.
    pub resets: u64,
    /// Sends and reads that took a part of what they could.
    pub partial: u64,
    /// SYNs that were lost or found a full queue.
    pub syns_dropped: u64,
}

/// What a descriptor is.
pub(super) enum Kind {
    Socket(Box<Socket>),
    Listener(Listener),
    /// Fires at an instant of the monotonic clock of this machine; `serial` tells one setting from
    /// the next.
    Timer {
        machine: usize,
        at_ns: Option<i64>,
        fired: bool,
        serial: u64,
    },
    Event {
        count: u64,
    },
}

pub(super) struct Descriptor {
    pub(super) kind: Kind,
    pub(super) watch: Option<(usize, u64)>,
    is_queued: bool,
}

/// What happens at an instant.
#[derive(Debug)]
enum Event {
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
struct Due {
    at_ns: i64,
    tie: u32,
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

/// A machine: an address and clocks.
pub(super) struct Machine {
    pub(super) address: IpAddr,
    pub(super) clock: Clock,
    next_port: u16,
}

/// A process, for its clock.
pub(super) struct Process {
    pub(super) machine: usize,
    pub(super) anchor_ns: i64,
}

/// Bytes that arrived at an end of a connection: how many had by then, and when, world time. The
/// end of the peer counts as one more.
pub(super) type Arrivals = BTreeMap<(SocketAddr, SocketAddr), Vec<(u64, i64)>>;

/// All of a simulated kernel.
pub(super) struct State {
    pub(super) now_ns: i64,
    pub(super) descriptors: Vec<Option<Descriptor>>,
    events: BinaryHeap<Reverse<Due>>,
    serial: u64,
    pub(super) loops: Vec<VecDeque<usize>>,
    /// Places of listeners, and of timers.
    listening: Vec<usize>,
    timers: Vec<usize>,
    pub(super) machines: Vec<Machine>,
    pub(super) links: BTreeMap<(usize, usize), Link>,
    pub(super) processes: Vec<Process>,
    pub(super) current: usize,
    way_draws: SmallRng,
    tie_draws: SmallRng,
    pub(super) call_draws: SmallRng,
    pub(super) counts: Counts,
    trace: u64,
    pub(super) arrivals: Option<Arrivals>,
}

/// A stream of draws of its own for each purpose, so that one more draw here leaves the others as
/// they are.
pub(crate) fn draws(seed: u64, purpose: &str) -> SmallRng {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    SmallRng::seed_from_u64(purpose.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, hash))
}

impl State {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            now_ns: 0,
            descriptors: Vec::new(),
            events: BinaryHeap::new(),
            serial: 0,
            loops: Vec::new(),
            listening: Vec::new(),
            timers: Vec::new(),
            machines: Vec::new(),
            links: BTreeMap::new(),
            processes: Vec::new(),
            current: 0,
            way_draws: draws(seed, "ways"),
            tie_draws: draws(seed, "ties"),
            call_draws: draws(seed, "calls"),
            counts: Counts::default(),
            trace: 0xcbf2_9ce4_8422_2325,
            arrivals: None,
        }
    }

    /// Mixes a number into the hash of everything that happens.
    pub(super) fn note(&mut self, number: u64) {
        self.trace = (self.trace ^ number).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }

    pub(super) fn trace(&self) -> u64 {
        self.trace
    }

    pub(super) fn add_machine(&mut self, address: IpAddr, clock: Clock) -> usize {
        self.machines.push(Machine { address, clock, next_port: FIRST_PORT });
        let machine = self.machines.len() - 1;
        self.links.insert((machine, machine), Link::loopback());
        machine
    }

    pub(super) fn machine_of(&self, address: IpAddr) -> Option<usize> {
        if address.is_loopback() || address.is_unspecified() {
            return Some(self.here());
        }
        self.machines.iter().position(|machine| machine.address == address)
    }

    /// The machine of the process that runs now.
    pub(super) fn here(&self) -> usize {
        self.processes[self.current].machine
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.machines[self.here()].clock
    }

    /// Time passes as a clock is read.
    pub(super) fn pass_read(&mut self) {
        self.now_ns += READ_NS;
    }

    pub(super) fn link(&self, from: usize, to: usize) -> Link {
        self.links.get(&(from.min(to), from.max(to))).cloned().unwrap_or_default()
    }

    pub(super) fn open(&mut self, kind: Kind) -> RawFd {
        let place = self.descriptors.len();
        match kind {
            Kind::Listener(_) => self.listening.push(place),
            Kind::Timer { .. } => self.timers.push(place),
            Kind::Socket(_) | Kind::Event { .. } => {}
        }
        self.descriptors.push(Some(Descriptor { kind, watch: None, is_queued: false }));
        FIRST_DESCRIPTOR + place as RawFd
    }

    /// Takes a descriptor out of the table.
    pub(super) fn remove(&mut self, place: usize) -> Option<Kind> {
        self.listening.retain(|listener| *listener != place);
        self.timers.retain(|timer| *timer != place);
        self.descriptors.get_mut(place)?.take().map(|descriptor| descriptor.kind)
    }

    /// The place of a descriptor in the table, whose numbers are not used again.
    pub(super) fn place(fd: RawFd) -> usize {
        (fd - FIRST_DESCRIPTOR) as usize
    }

    pub(super) fn descriptor(place: usize) -> RawFd {
        FIRST_DESCRIPTOR + place as RawFd
    }

    pub(super) fn kind(&mut self, fd: RawFd) -> &mut Kind {
        let descriptor = self.descriptors.get_mut(Self::place(fd)).and_then(Option::as_mut);
        &mut descriptor.expect("a descriptor that is open").kind
    }

    pub(super) fn socket(&mut self, fd: RawFd) -> &mut Socket {
        self.socket_at(Self::place(fd)).expect("the descriptor of a connection that is open")
    }

    pub(super) fn socket_at(&mut self, place: usize) -> Option<&mut Socket> {
        match self.descriptors.get_mut(place)?.as_mut().map(|descriptor| &mut descriptor.kind) {
            Some(Kind::Socket(socket)) => Some(socket),
            _ => None,
        }
    }

    fn listener_at(&mut self, place: usize) -> Option<&mut Listener> {
        match self.descriptors.get_mut(place)?.as_mut().map(|descriptor| &mut descriptor.kind) {
            Some(Kind::Listener(listener)) => Some(listener),
            _ => None,
        }
    }

    /// Something new about a descriptor: its loop will look.
    pub(super) fn edge(&mut self, place: usize) {
        let Some(Some(descriptor)) = self.descriptors.get_mut(place) else { return };
        if let Some((loop_number, _)) = descriptor.watch
            && !std::mem::replace(&mut descriptor.is_queued, true)
        {
            self.loops[loop_number].push_back(place);
        }
    }

    /// The next event of a loop: its mask and key. A descriptor is in the queue once, and says what
    /// holds when it is taken, as an epoll instance does.
    pub(super) fn next_event(&mut self, loop_number: usize) -> Option<(u32, u64)> {
        loop {
            let place = self.loops[loop_number].pop_front()?;
            let Some(descriptor) = self.descriptors[place].as_mut() else { continue };
            descriptor.is_queued = false;
            let mask = descriptor.kind.mask();
            if let Some((_, key)) = descriptor.watch.filter(|_| mask != 0) {
                return Some((mask, key));
            }
        }
    }

    /// Has something happen later.
    fn at(&mut self, at_ns: i64, event: Event) {
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

    fn data(&mut self, at_ns: i64, to: usize, from: usize, bytes: Vec<u8>) {
        self.note(bytes.len() as u64);
        let machine = self.socket_at(to).map_or(0, |socket| socket.machine);
        let stamp_ns = self.machines[machine].clock.wall_ns(at_ns);
        let Some(socket) = self.socket_at(to).filter(|socket| socket.phase == Phase::Connected) else {
            // Nobody has this connection any more: the sender gets a reset.
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
    fn note_arrival(&mut self, to: usize, count: usize, at_ns: i64) {
        let Some(socket) = self.socket_at(to) else { return };
        socket.arrived += count as u64;
        let (local, remote, arrived) = (socket.local, socket.remote, socket.arrived);
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.entry((local, remote)).or_default().push((arrived, at_ns));
        }
    }

    fn reset(&mut self, to: usize, errno: i32) {
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
    fn syn(&mut self, at_ns: i64, from: usize, tries: u32, left_ns: i64) {
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

    fn syn_ack(&mut self, at_ns: i64, to: usize, listener: usize) {
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

    fn made(&mut self, listener: usize, socket: usize) {
        let Some(peer) = self.socket_at(socket).map(|socket| socket.remote) else { return };
        if let Some(found) = self.listener_at(listener) {
            found.queue.push_back((socket, peer));
            return self.edge(listener);
        }
        self.drop_connection(socket);
    }

    /// Ends a connection that nobody has accepted.
    pub(super) fn drop_connection(&mut self, place: usize) {
        if let Some(peer) = self.socket_at(place).and_then(|socket| socket.peer) {
            self.send_reset(Some(place), peer, libc::ECONNRESET);
        }
        self.remove(place);
    }

    fn read(&mut self, place: usize, bytes: usize) {
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

    /// Arms a timer of the machine of the process that runs now.
    pub(super) fn arm(&mut self, place: usize, at_ns: i64) {
        self.serial += 1;
        let next = self.serial;
        let Some(Some(Descriptor { kind: Kind::Timer { machine, at_ns: place_ns, fired, serial }, .. })) =
            self.descriptors.get_mut(place)
        else {
            return;
        };
        (*place_ns, *fired, *serial) = (Some(at_ns), false, next);
        let machine = *machine;
        let world_ns = self.machines[machine].clock.world_ns(at_ns).max(self.now_ns);
        self.at(world_ns, Event::Timer { timer: place, serial: next });
    }

    fn fire(&mut self, place: usize, of: u64) {
        if let Some(Some(Descriptor { kind: Kind::Timer { at_ns, fired, serial, .. }, .. })) =
            self.descriptors.get_mut(place)
            && *serial == of
        {
            (*at_ns, *fired) = (None, true);
            self.edge(place);
        }
    }

    /// A port for a connection of a machine.
    pub(super) fn next_port(&mut self, machine: usize) -> u16 {
        let machine = &mut self.machines[machine];
        let port = machine.next_port;
        machine.next_port = port.checked_add(1).unwrap_or(FIRST_PORT);
        port
    }

    /// What is waited for at a descriptor that a loop knows by a key.
    pub(super) fn describe(&self, loop_number: usize, key: u64) -> String {
        let is_it = |descriptor: &&Descriptor| descriptor.watch == Some((loop_number, key));
        match self.descriptors.iter().flatten().find(is_it).map(|descriptor| &descriptor.kind) {
            Some(Kind::Socket(socket)) => socket.describe(),
            Some(Kind::Listener(listener)) => format!("listener {}", listener.at),
            _ => "a descriptor that is closed".to_owned(),
        }
    }

    /// When the machines of a world are suspended.
    pub(super) fn suspended(&self, machine: usize) -> &[Span] {
        &self.machines[machine].clock.suspended
    }
}

impl Kind {
    fn mask(&self) -> u32 {
        let readable = |holds: bool| if holds { READABLE } else { 0 };
        match self {
            Self::Socket(socket) => socket.mask(),
            Self::Listener(listener) => readable(!listener.queue.is_empty()),
            Self::Timer { fired, .. } => readable(*fired),
            Self::Event { count } => readable(*count > 0),
        }
    }
}
