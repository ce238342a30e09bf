//! A kernel without hardware: sockets, timers and clocks of several machines, in one thread.

mod clock;
mod events;
mod link;
mod socket;
mod state;
mod tcp;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::RawFd;

use rand::Rng;
use swell_net::simulated::{Kernel, NewProcess, SentSegments};

pub(crate) use clock::end_of;
pub use clock::{Clock, Span};
pub use link::Link;
use link::chance;
use socket::{Listener, Phase, Socket};
pub use state::Counts;
pub(crate) use state::draws;
use state::{Arrivals, Kind, Process, State};

/// The kernel of all machines of a world; and processes that others have started, with those.
pub(crate) struct SimulatedKernel(RefCell<State>, RefCell<Vec<(usize, NewProcess)>>);

impl SimulatedKernel {
    pub(crate) fn new(seed: u64) -> Self {
        Self(RefCell::new(State::new(seed)), RefCell::default())
    }

    /// A machine with an address; its number.
    pub(crate) fn add_machine(&self, address: IpAddr, clock: Clock) -> usize {
        self.0.borrow_mut().add_machine(address, clock)
    }

    pub(crate) fn set_link(&self, one: usize, other: usize, link: Link) {
        self.0.borrow_mut().links.insert((one.min(other), one.max(other)), link);
    }

    /// A process of a machine, which begins now; its number.
    pub(crate) fn add_process(&self, machine: usize) -> usize {
        let mut state = self.0.borrow_mut();
        let clock = &state.machines[machine].clock;
        let anchor_ns = clock.wall_ns(state.now_ns) - clock.monotonic_ns(state.now_ns);
        state.processes.push(Process { machine, anchor_ns });
        state.processes.len() - 1
    }

    /// Processes that were started since the last time, and which processes started them.
    pub(crate) fn take_spawned(&self) -> Vec<(usize, NewProcess)> {
        self.1.take()
    }

    /// The process that runs from now on.
    pub(crate) fn switch_to(&self, process: usize) {
        let mut state = self.0.borrow_mut();
        state.current = process;
        state.note(process as u64);
    }

    pub(crate) fn set_read_ns(&self, read_ns: i64) {
        self.0.borrow_mut().read_ns = read_ns;
    }

    pub(crate) fn count_turn(&self) {
        self.0.borrow_mut().counts.turns += 1;
    }

    pub(crate) fn counts(&self) -> Counts {
        self.0.borrow().counts
    }

    /// A hash of everything that has happened.
    pub(crate) fn trace(&self) -> u64 {
        self.0.borrow().trace()
    }

    pub(crate) fn now_ns(&self) -> i64 {
        self.0.borrow().now_ns
    }

    /// Time passes up to an instant, and everything happens that is due.
    pub(crate) fn advance(&self, to_ns: i64) {
        let mut state = self.0.borrow_mut();
        state.now_ns = state.now_ns.max(to_ns);
        state.happen();
    }

    /// When something happens next.
    pub(crate) fn next_ns(&self) -> Option<i64> {
        self.0.borrow().next_ns()
    }

    pub(crate) fn has_events(&self, loop_number: usize) -> bool {
        !self.0.borrow().loops[loop_number].is_empty()
    }

    pub(crate) fn describe(&self, loop_number: usize, key: u64) -> String {
        self.0.borrow().describe(loop_number, key)
    }

    /// When a process of a machine last gave data to a connection, world time.
    pub(crate) fn sent_ns(&self, machine: usize) -> i64 {
        self.0.borrow().machines[machine].sent_ns
    }

    /// `CLOCK_BOOTTIME` of a machine at an instant of world time.
    pub(crate) fn boot_ns(&self, machine: usize, world_ns: i64) -> i64 {
        self.0.borrow().machines[machine].clock.boot_ns(world_ns)
    }

    pub(crate) fn suspended(&self, machine: usize) -> Vec<Span> {
        self.0.borrow().suspended(machine).to_vec()
    }

    /// The world time of an instant of [`swell_net::now_ns`] in a process.
    pub(crate) fn world_ns(&self, process: usize, at_ns: i64) -> i64 {
        let state = self.0.borrow();
        let Process { machine, anchor_ns } = state.processes[process];
        state.machines[machine].clock.world_ns(at_ns - anchor_ns)
    }

    /// From now on, notes when bytes arrive.
    pub(crate) fn note_arrivals(&self) {
        self.0.borrow_mut().arrivals = Some(Arrivals::new());
    }

    /// When the byte of this number (from 1) arrived at an end of a connection, world time.
    pub(crate) fn arrival_ns(&self, local: SocketAddr, remote: SocketAddr, byte: u64) -> Option<i64> {
        let state = self.0.borrow();
        let all = state.arrivals.as_ref()?.get(&(local, remote))?;
        all.get(all.partition_point(|(bytes, _)| *bytes < byte)).map(|(_, at_ns)| *at_ns)
    }

    /// A send or a read takes a part of what it could, now and then.
    fn part_of(state: &mut State, fd: RawFd, count: usize) -> usize {
        let socket = state.socket(fd);
        let (here, remote) = (socket.machine, socket.remote.ip());
        let far = state.machine_of(remote).unwrap_or(here);
        let partial = state.link(here, far).partial;
        if count > 1 && chance(&mut state.call_draws, partial) {
            state.counts.partial += 1;
            return state.call_draws.random_range(1..count);
        }
        count
    }

    fn receive(
        &self,
        fd: RawFd,
        most: usize,
        peek: bool,
        to: impl FnMut(&[u8]),
    ) -> io::Result<(usize, Option<i64>)> {
        let mut state = self.0.borrow_mut();
        let state = &mut *state;
        let available = state.socket(fd).available().min(most);
        if available == 0 {
            let socket = state.socket(fd);
            if let Some(errno) = socket.error.take() {
                return Err(io::Error::from_raw_os_error(errno));
            }
            let has_ended = socket.peer_ended || socket.phase == Phase::Broken;
            let blocks = socket.available() == 0 && !has_ended;
            return if blocks { Err(io::ErrorKind::WouldBlock.into()) } else { Ok((0, None)) };
        }
        let count = if peek { available } else { Self::part_of(state, fd, available) };
        let socket = state.socket(fd);
        let (count, stamp_ns) = socket.take(count, peek, to);
        let stamp_ns = socket.options.stamps_receives.then_some(stamp_ns);
        if !peek {
            // As if the rest had come just after this read.
            let leaves_some = socket.available() > 0 && count < most;
            state.note(count as u64);
            if leaves_some {
                state.edge(State::place(fd));
            }
            state.acknowledge(State::place(fd), count);
        }
        Ok((count, stamp_ns))
    }

    fn close_socket(state: &mut State, place: usize) {
        let Some(socket) = state.socket_at(place) else { return };
        let resets = socket.options.linger_zero || socket.available() > 0;
        let ended = socket.ended;
        let peer = socket.peer;
        if let (true, Some(peer)) = (resets, peer) {
            let errno = state.socket_at(peer).map_or(0, |_| libc::ECONNRESET);
            state.send_reset(Some(place), peer, errno);
        } else if !ended {
            state.send_end(place);
        }
        state.remove(place);
    }
}

impl Kernel for SimulatedKernel {
    fn monotonic_ns(&self) -> i64 {
        let mut state = self.0.borrow_mut();
        state.pass_read();
        state.clock().monotonic_ns(state.now_ns)
    }

    fn wall_ns(&self) -> i64 {
        let mut state = self.0.borrow_mut();
        state.pass_read();
        state.clock().wall_ns(state.now_ns)
    }

    fn boot_ns(&self) -> i64 {
        let state = self.0.borrow();
        state.clock().boot_ns(state.now_ns)
    }

    fn cpu_ns(&self) -> i64 {
        // Processors are not simulated: a process that asks has used none.
        0
    }

    fn anchor_ns(&self) -> i64 {
        let state = self.0.borrow();
        state.processes[state.current].anchor_ns
    }

    fn shift_anchor(&self, by_ns: i64) {
        let mut state = self.0.borrow_mut();
        let current = state.current;
        state.processes[current].anchor_ns += by_ns;
    }

    fn spawn(&self, process: NewProcess) {
        self.1.borrow_mut().push((self.0.borrow().current, process));
    }

    fn open_loop(&self) -> usize {
        let mut state = self.0.borrow_mut();
        state.loops.push(VecDeque::new());
        state.loops.len() - 1
    }

    fn watch(&self, loop_number: usize, fd: RawFd, key: u64) {
        let mut state = self.0.borrow_mut();
        let place = State::place(fd);
        if let Some(Some(descriptor)) = state.descriptors.get_mut(place) {
            descriptor.watch = Some((loop_number, key));
        }
        // What is ready already is reported, as `epoll_ctl` does.
        state.edge(place);
    }

    fn take_events(&self, loop_number: usize, most: usize) -> Vec<(u32, u64)> {
        let mut state = self.0.borrow_mut();
        std::iter::from_fn(|| state.next_event(loop_number)).take(most).collect()
    }

    fn timer(&self) -> RawFd {
        let mut state = self.0.borrow_mut();
        let machine = state.here();
        state.open(Kind::Timer { machine, at_ns: None, fired: false, serial: 0 })
    }

    fn arm(&self, fd: RawFd, at_ns: i64) {
        self.0.borrow_mut().arm(State::place(fd), at_ns);
    }

    fn armed_ns(&self, fd: RawFd) -> Option<i64> {
        match self.0.borrow_mut().kind(fd) {
            Kind::Timer { at_ns, .. } => *at_ns,
            _ => None,
        }
    }

    fn event(&self) -> RawFd {
        self.0.borrow_mut().open(Kind::Event { count: 0 })
    }

    fn signal(&self, fd: RawFd) {
        let mut state = self.0.borrow_mut();
        if let Kind::Event { count } = state.kind(fd) {
            *count += 1;
            state.edge(State::place(fd));
        }
    }

    fn close(&self, fd: RawFd) {
        let mut state = self.0.borrow_mut();
        let place = State::place(fd);
        if state.socket_at(place).is_some() {
            return Self::close_socket(&mut state, place);
        }
        if let Some(Kind::Listener(listener)) = state.remove(place) {
            for (waiting, _) in listener.queue {
                state.drop_connection(waiting);
            }
        }
    }

    fn connect(&self, to: SocketAddr, source: Option<IpAddr>) -> io::Result<(RawFd, bool)> {
        let mut state = self.0.borrow_mut();
        let here = state.here();
        let own = if to.ip().is_loopback() { to.ip() } else { state.machines[here].address };
        let local = SocketAddr::new(source.unwrap_or(own), state.next_port(here));
        let mut socket = Socket::new(here, local, to, Phase::Connecting);
        let far = state.machine_of(to.ip()).unwrap_or(here);
        socket.buffer = state.link(here, far).buffer;
        let fd = state.open(Kind::Socket(Box::new(socket)));
        let now_ns = state.now_ns;
        state.send_syn(now_ns, State::place(fd), 0);
        Ok((fd, false))
    }

    fn listen(&self, at: SocketAddr, backlog: i32) -> io::Result<RawFd> {
        let mut state = self.0.borrow_mut();
        let here = state.here();
        let port = if at.port() == 0 { state.next_port(here) } else { at.port() };
        let at = SocketAddr::new(at.ip(), port);
        let backlog = usize::try_from(backlog).unwrap_or(0);
        Ok(state.open(Kind::Listener(Listener { machine: here, at, backlog, queue: VecDeque::new() })))
    }

    fn is_free(&self, at: SocketAddr) -> io::Result<()> {
        let state = self.0.borrow();
        if state.listens(state.here(), at) { Err(io::ErrorKind::AddrInUse.into()) } else { Ok(()) }
    }

    fn accept(&self, fd: RawFd) -> io::Result<(RawFd, SocketAddr)> {
        let mut state = self.0.borrow_mut();
        let Kind::Listener(listener) = state.kind(fd) else {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        };
        let (place, peer) = listener.queue.pop_front().ok_or(io::ErrorKind::WouldBlock)?;
        Ok((State::descriptor(place), peer))
    }

    fn send(&self, fd: RawFd, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.borrow_mut();
        let state = &mut *state;
        let socket = state.socket(fd);
        if socket.ended || socket.phase == Phase::Broken {
            return Err(io::Error::from_raw_os_error(socket.error.take().unwrap_or(libc::EPIPE)));
        }
        let room = socket.buffer.saturating_sub(socket.unread);
        if (room == 0 && !bytes.is_empty()) || socket.phase == Phase::Connecting {
            socket.wants_room = true;
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let whole = bytes.len().min(room);
        if whole == 0 {
            return Ok(0);
        }
        let count = Self::part_of(state, fd, whole);
        state.socket(fd).wants_room |= whole < bytes.len();
        state.note(count as u64);
        state.send_data(State::place(fd), &bytes[..count]);
        if count < whole {
            // A real kernel takes a part only without room, and has news when there is some.
            state.edge(State::place(fd));
        }
        Ok(count)
    }

    fn recv(&self, fd: RawFd, into: &mut [u8]) -> io::Result<(usize, Option<i64>)> {
        let most = into.len();
        let mut filled = 0;
        self.receive(fd, most, false, |bytes| {
            into[filled..filled + bytes.len()].copy_from_slice(bytes);
            filled += bytes.len();
        })
    }

    fn skip(&self, fd: RawFd, most: usize) -> io::Result<(usize, Option<i64>)> {
        self.receive(fd, most, false, |_| {})
    }

    fn peek(&self, fd: RawFd) -> io::Result<usize> {
        self.receive(fd, 1, true, |_| {}).map(|(count, _)| count)
    }

    fn shutdown_write(&self, fd: RawFd) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        let socket = state.socket(fd);
        if socket.phase != Phase::Connected {
            return Err(io::Error::from_raw_os_error(libc::ENOTCONN));
        }
        if !std::mem::replace(&mut socket.ended, true) {
            state.send_end(State::place(fd));
        }
        Ok(())
    }

    fn set_linger_zero(&self, fd: RawFd) -> io::Result<()> {
        self.0.borrow_mut().socket(fd).options.linger_zero = true;
        Ok(())
    }

    fn stamp_receives(&self, fd: RawFd) -> io::Result<()> {
        self.0.borrow_mut().socket(fd).options.stamps_receives = true;
        Ok(())
    }

    fn stamp_sends(&self, fd: RawFd, on: bool) -> io::Result<()> {
        self.0.borrow_mut().socket(fd).options.stamps_sends = on;
        Ok(())
    }

    fn sent_stamp(&self, fd: RawFd) -> Option<i64> {
        self.0.borrow_mut().socket(fd).sent_stamps.drain(..).next_back()
    }

    fn take_error(&self, fd: RawFd) -> io::Result<()> {
        let error = self.0.borrow_mut().socket(fd).error.take();
        error.map_or(Ok(()), |errno| Err(io::Error::from_raw_os_error(errno)))
    }

    fn segments(&self, fd: RawFd) -> io::Result<SentSegments> {
        Ok(self.0.borrow_mut().socket(fd).segments)
    }

    fn local_addr(&self, fd: RawFd) -> io::Result<SocketAddr> {
        match self.0.borrow_mut().kind(fd) {
            Kind::Socket(socket) => Ok(socket.local),
            Kind::Listener(listener) => Ok(listener.at),
            Kind::Timer { .. } | Kind::Event { .. } => Err(io::Error::from_raw_os_error(libc::ENOTSOCK)),
        }
    }

    fn peer_addr(&self, fd: RawFd) -> io::Result<SocketAddr> {
        let mut state = self.0.borrow_mut();
        let socket = state.socket(fd);
        if socket.phase == Phase::Connected {
            return Ok(socket.remote);
        }
        Err(io::Error::from_raw_os_error(libc::ENOTCONN))
    }
}
