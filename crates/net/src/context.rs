//! State shared by the event loops of one run: the clock that ends a measurement, and counts about
//! clocks and peers.

use std::io;
use std::net::IpAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use swell_pool::Pool;

use crate::blocking::helpers;
use crate::peers::Peers;
use crate::runtime::with_core;
use crate::session_totals::{SessionCounters, SessionTotals};
use crate::tcp_totals::{Segments, TcpCounters, TcpTotals};
use crate::{Io, IoInterface, Peer, SourceAddresses, rx_timestamps};

/// The clock that ends a measurement ([`crate::Arrival::at_ns`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimestampSource {
    /// The kernel's receive stamp: noted by a program in the kernel (BPF) where that may be loaded,
    /// else as with `Socket`.
    #[default]
    Kernel,
    /// The kernel's receive stamp, brought by each read (`SO_TIMESTAMPNS`); no program is loaded.
    Socket,
    /// The time after the read, as in tools without stamps. The kernel is asked for stamps all the
    /// same, which tell how late the reads were.
    UserSpace,
    /// The time after the read, and the kernel is asked for no stamps, of what arrives or is sent:
    /// to see what stamps cost. Nothing tells how late the reads were.
    None,
}

impl TimestampSource {
    /// Whether the kernel is asked for stamps.
    pub fn asks_kernel(self) -> bool {
        self != Self::None
    }

    /// Whether measurements end after the read, and not when the kernel received the data.
    pub fn ends_at_read(self) -> bool {
        matches!(self, Self::UserSpace | Self::None)
    }

    /// Whether a program in the kernel notes when the bytes of new connections arrive. If not, each
    /// read brings its stamp. The first call of a process that wants the program loads it.
    pub fn uses_kernel_program(self) -> bool {
        matches!(self, Self::Kernel | Self::UserSpace) && rx_timestamps::is_program_loaded()
    }
}

/// Requests sent on kept connections that the peer had closed, so that no byte of a response came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClosedIdle {
    /// Those that failed.
    pub failed: u64,
    /// Those that were repeated on a new connection.
    pub repeated: u64,
}

#[derive(Debug, Default)]
struct ClosedIdleCounters {
    failed: AtomicU64,
    repeated: AtomicU64,
}

/// Counts a request of this loop that went out on a kept connection which the peer had closed.
/// `repeated`: it is sent again on a new connection; otherwise it failed.
///
/// # Panics
/// Outside an event loop.
#[cold]
pub fn note_closed_idle(repeated: bool) {
    with_core(|core| core.context.note_closed_idle(repeated));
}

/// State shared by all event loops of one run. If the kernel gives stamps, requests write nothing
/// to it.
#[derive(Debug)]
pub struct NetContext {
    source: TimestampSource,
    io: Io,
    served: OnceLock<IoInterface>,
    clock_steps: AtomicU64,
    unstamped_reads: AtomicU64,
    merged_stamps: AtomicU64,
    closed_idle: ClosedIdleCounters,
    sessions: SessionCounters,
    peers: Peers,
    tcp: TcpCounters,
    addresses: Option<SourceAddresses>,
    /// How late starts of a rate may be, nanoseconds, so that several have one wake.
    slack_ns: i64,
    /// For what blocks: look-ups of names, files.
    helpers: Pool,
    /// Nothing is sent from then on.
    lease_ns: AtomicI64,
}

impl Default for NetContext {
    fn default() -> Self {
        Self::new(TimestampSource::default())
    }
}

impl NetContext {
    /// Nothing counted yet.
    pub fn new(source: TimestampSource) -> Self {
        Self {
            source,
            io: Io::default(),
            served: OnceLock::new(),
            clock_steps: AtomicU64::new(0),
            unstamped_reads: AtomicU64::new(0),
            merged_stamps: AtomicU64::new(0),
            closed_idle: ClosedIdleCounters::default(),
            sessions: SessionCounters::default(),
            peers: Peers::default(),
            tcp: TcpCounters::default(),
            addresses: None,
            slack_ns: 0,
            helpers: helpers(),
            lease_ns: AtomicI64::new(i64::MAX),
        }
    }

    /// Which clock ends a measurement.
    pub fn source(&self) -> TimestampSource {
        self.source
    }

    /// The loops of this run are to use this interface of the kernel.
    #[must_use]
    pub fn with_io(self, io: Io) -> Self {
        Self { io, ..self }
    }

    /// Starts of a rate may be late by up to this much, so that several have one wake.
    #[must_use]
    pub fn with_slack(self, slack: Duration) -> Self {
        Self { slack_ns: i64::try_from(slack.as_nanos()).unwrap_or(i64::MAX), ..self }
    }

    pub(crate) fn slack_ns(&self) -> i64 {
        self.slack_ns
    }

    /// Connections without an explicit source address use these.
    #[must_use]
    pub fn with_sources(self, addresses: Option<SourceAddresses>) -> Self {
        rx_timestamps::expect_sections(addresses.as_ref().map_or(1, SourceAddresses::sections));
        Self { addresses, ..self }
    }

    /// Where the next connection to this address goes out from; none: the kernel chooses.
    pub(crate) fn next_source(&self, to: IpAddr) -> Option<IpAddr> {
        self.addresses.as_ref()?.next_for(to)
    }

    /// The interface that is wanted.
    pub fn io(&self) -> Io {
        self.io
    }

    /// The interface that serves, none before there is a loop.
    pub fn io_served(&self) -> Option<&IoInterface> {
        self.served.get()
    }

    pub(crate) fn note_io(&self, is_uring: bool, refused: Option<io::Error>) {
        let io = if is_uring { Io::Uring } else { Io::Epoll };
        // All loops of a run find the same kernel.
        let _first = self.served.set(IoInterface { io, refused: refused.map(|error| error.to_string()) });
    }

    /// How often a loop saw the wall clock step.
    pub fn clock_steps(&self) -> u64 {
        self.clock_steps.load(Ordering::Relaxed)
    }

    /// How many reads came without a receive stamp. The kernel needs a moment to switch stamping
    /// on, so the first few of a machine may.
    pub fn unstamped_reads(&self) -> u64 {
        self.unstamped_reads.load(Ordering::Relaxed)
    }

    /// How many segments of connections with several exchanges at once have the time of a later
    /// one: more came before a read than are noted.
    pub fn merged_stamps(&self) -> u64 {
        self.merged_stamps.load(Ordering::Relaxed)
    }

    /// Requests that went out on kept connections which the peer had closed.
    pub fn closed_idle(&self) -> ClosedIdle {
        let ClosedIdleCounters { failed, repeated } = &self.closed_idle;
        ClosedIdle { failed: failed.load(Ordering::Relaxed), repeated: repeated.load(Ordering::Relaxed) }
    }

    /// Connections that carry several exchanges at once.
    pub fn session_totals(&self) -> SessionTotals {
        self.sessions.totals()
    }

    pub(crate) fn sessions(&self) -> &SessionCounters {
        &self.sessions
    }

    /// The addresses that were connected to, in their order; at most the first 64.
    pub fn peers(&self) -> Vec<Peer> {
        self.peers.all()
    }

    /// What TCP did on connections that have ended.
    pub fn tcp_totals(&self) -> TcpTotals {
        self.tcp.totals()
    }

    pub(crate) fn note_end(&self, seen: Option<Segments>) {
        self.tcp.note(seen);
    }

    /// Nothing is sent and no connection is made from `until_ns` on, on the clock of
    /// [`crate::boot_ns`], unless a later call says another time: senders wait forever. For a
    /// process that must not continue after a long absence, however it wakes up.
    pub fn lease(&self, until_ns: i64) {
        self.lease_ns.store(until_ns, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn may_send(&self) -> bool {
        let until_ns = self.lease_ns.load(Ordering::Relaxed);
        until_ns == i64::MAX || crate::boot_ns() < until_ns
    }

    #[cold]
    pub(crate) fn note_clock_step(&self) {
        self.clock_steps.fetch_add(1, Ordering::Relaxed);
    }

    #[cold]
    pub(crate) fn note_unstamped(&self) {
        self.unstamped_reads.fetch_add(1, Ordering::Relaxed);
    }

    #[cold]
    pub(crate) fn note_merged(&self, segments: u64) {
        self.merged_stamps.fetch_add(segments, Ordering::Relaxed);
    }

    #[cold]
    pub(crate) fn note_closed_idle(&self, repeated: bool) {
        let ClosedIdleCounters { failed, repeated: again } = &self.closed_idle;
        if repeated { again } else { failed }.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn helpers(&self) -> &Pool {
        &self.helpers
    }

    pub(crate) fn peer_table(&self) -> &Peers {
        &self.peers
    }
}
