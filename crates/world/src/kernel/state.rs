//! What a simulated kernel knows, and what happens in it as time passes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::RawFd;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use swell_net::simulated::{FIRST_DESCRIPTOR, READABLE};

use super::clock::{Clock, Span};
use super::events::{Due, Event};
use super::link::Link;
use super::socket::{Listener, Socket};

/// What a read of the clock takes unless a world says otherwise, nanoseconds.
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

/// A machine: an address and clocks.
pub(super) struct Machine {
    /// When a process of it last gave data to a connection, world time.
    pub(super) sent_ns: i64,
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
    /// What a read of the clock takes.
    pub(super) read_ns: i64,
    pub(super) descriptors: Vec<Option<Descriptor>>,
    pub(super) events: BinaryHeap<Reverse<Due>>,
    pub(super) serial: u64,
    pub(super) loops: Vec<VecDeque<usize>>,
    /// Places of listeners, and of timers.
    pub(super) listening: Vec<usize>,
    pub(super) timers: Vec<usize>,
    pub(super) machines: Vec<Machine>,
    pub(super) links: BTreeMap<(usize, usize), Link>,
    pub(super) processes: Vec<Process>,
    pub(super) current: usize,
    pub(super) way_draws: SmallRng,
    pub(super) tie_draws: SmallRng,
    pub(super) call_draws: SmallRng,
    pub(super) counts: Counts,
    trace: u64,
    pub(super) arrivals: Option<Arrivals>,
}

/// A separate stream of draws for each purpose, so that one more draw here leaves the others as
/// they are.
pub(crate) fn draws(seed: u64, purpose: &str) -> SmallRng {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    SmallRng::seed_from_u64(purpose.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, hash))
}

impl State {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            now_ns: 0,
            read_ns: READ_NS,
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
        self.machines.push(Machine { sent_ns: 0, address, clock, next_port: FIRST_PORT });
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
        self.now_ns += self.read_ns;
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

    pub(super) fn listener_at(&mut self, place: usize) -> Option<&mut Listener> {
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

    pub(super) fn fire(&mut self, place: usize, of: u64) {
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
