//! TCP connections.

use std::cell::Cell;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::clock;
use crate::runtime::{
    Core, Direction, MOST_QUEUED, ReceiveResult, SCRATCH, SourceId, TimerId, try_core, with_core,
};
use crate::rx_timestamps::{RxTimestamps, Stamp};
use crate::sys::Fd;
use crate::tcp_totals::Segments;
use crate::{NetContext, sys};

/// The arrival of the last byte of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// What ends a measurement: `kernel_ns`, or `read_ns` as the run's [`crate::TimestampSource`]
    /// says. On [`crate::now_ns`]' clock.
    pub at_ns: i64,
    /// Arrival at the kernel; `read_ns` where the kernel gave no stamp.
    pub kernel_ns: i64,
    /// After the read.
    pub read_ns: i64,
    /// Whether `at_ns` is the kernel's stamp.
    pub stamped: bool,
}

/// Options of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectOptions {
    /// Local address to connect from; none: the next of the run ([`crate::SourceAddresses`]), or
    /// what the kernel chooses.
    pub source: Option<IpAddr>,
    /// Give up after this time.
    pub timeout_ns: Option<i64>,
    /// Have the time of each segment noted, for [`TcpStream::poll_recv_parts`].
    pub segments: bool,
}

/// How long a full queue of a socket in the file system is left alone.
const FULL_QUEUE_NS: i64 = 1_000_000;

/// A connection of this thread's loop, by TCP or to a Unix socket. It has no buffer.
pub struct TcpStream {
    source: SourceId,
    timer: Option<TimerId>,
    /// When receiving and sending fail; `i64::MAX` for never.
    deadline_ns: i64,
    /// When the timer fires: at the deadline or before it. A deadline that moves later, as for each
    /// request, leaves it as it is.
    armed_ns: Cell<i64>,
    /// A read has found that the peer has ended.
    peer_ended: bool,
    /// No deadline is later; `i64::MAX` where any may be.
    limit_ns: i64,
    /// That of the loop, where each send finds at once whether it may go.
    context: Arc<NetContext>,
    stamps: RxTimestamps,
    /// A ring moves its data, see [`crate::Io`].
    adopted: bool,
    /// The run asked for this TCP connection: what it sent again counts.
    is_asked_for: bool,
    /// How often the kernel had to ask for it again.
    retries: Cell<u64>,
    /// Bytes that were received, modulo 2³² as sequence numbers are.
    received: Cell<u32>,
    /// The sequence number of the first of them, once it is known.
    first_number: Option<u32>,
    fd: Fd,
}

impl TcpStream {
    /// Connects.
    ///
    /// # Errors
    /// As the system's `connect`; `TimedOut` when [`ConnectOptions::timeout_ns`] has passed; no
    /// descriptors left.
    pub async fn connect(to: SocketAddr, options: &ConnectOptions) -> io::Result<Self> {
        if !with_core(|core| core.context.may_send()) {
            std::future::pending::<()>().await;
        }
        let source = with_core(|core| core.note_peer(to));
        let from = options.source.or_else(|| with_core(|core| core.context.next_source(to.ip())));
        let (fd, connected) = sys::connect_start(to, from)?;
        let stamps = RxTimestamps::of_client(&fd, source, options.segments)?;
        let mut stream = Self::of_client(fd, stamps)?;
        stream.is_asked_for = true;
        // On loopback the kernel has shaken hands by now; to wait for the loop to say so would be
        // the tool's own delay.
        if connected || sys::peer_addr(stream.fd.as_raw_fd()).is_ok() {
            return Ok(stream);
        }
        let began_ns = crate::now_ns();
        if stream.adopted {
            with_core(|core| core.uring().await_room(stream.source));
        }
        stream.set_deadline(options.timeout_ns.map(|limit_ns| began_ns + limit_ns));
        let handshake = Handshake { stream: &stream, to, began_ns };
        let made = poll_fn(|cx| stream.poll_connected(cx)).await;
        drop(handshake);
        made?;
        stream.set_deadline(None);
        Ok(stream)
    }

    /// Connects to a socket in the file system, which has no stamps: reads end a measurement. While
    /// its queue is full, it is tried again, as a blocking `connect` would wait.
    ///
    /// # Errors
    /// As the system's `connect`; `TimedOut` when `timeout_ns` has passed; no descriptors left.
    pub async fn connect_unix(path: &Path, timeout_ns: Option<i64>) -> io::Result<Self> {
        let limit_ns = timeout_ns.map(|limit_ns| crate::now_ns() + limit_ns);
        loop {
            match sys::connect_unix(path) {
                Ok(fd) => return Self::new(fd, RxTimestamps::None),
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Err(_) if limit_ns.is_some_and(|limit_ns| crate::now_ns() >= limit_ns) => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(_) => crate::sleep_until(crate::now_ns() + FULL_QUEUE_NS).await,
            }
        }
    }

    /// Its data goes by the ring where the loop has one, unless each read has to bring a stamp.
    fn of_client(fd: Fd, stamps: RxTimestamps) -> io::Result<Self> {
        if !matches!(stamps, RxTimestamps::WithReads { .. })
            && let Some(source) = with_core(|core| core.adopt(&fd, stamps.slot()))
        {
            return Ok(Self::of(source, stamps, true, fd));
        }
        Self::new(fd, stamps)
    }

    pub(crate) fn new(fd: Fd, stamps: RxTimestamps) -> io::Result<Self> {
        match with_core(|core| core.register(&fd)) {
            Ok(source) => Ok(Self::of(source, stamps, false, fd)),
            Err(error) => {
                stamps.forget(&fd);
                Err(error)
            }
        }
    }

    fn of(source: SourceId, stamps: RxTimestamps, adopted: bool, fd: Fd) -> Self {
        let context = with_core(|core| core.context.clone());
        Self {
            source,
            timer: None,
            deadline_ns: i64::MAX,
            armed_ns: Cell::new(i64::MAX),
            peer_ended: false,
            limit_ns: i64::MAX,
            context,
            stamps,
            adopted,
            is_asked_for: false,
            retries: Cell::new(0),
            received: Cell::new(0),
            first_number: None,
            fd,
        }
    }

    fn poll_connected(&self, cx: &Context<'_>) -> Poll<io::Result<()>> {
        let ready = with_core(|core| core.sources().poll(self.source, Direction::Write, cx));
        if ready {
            // A refused connect is reported as writable and in error; one that is made has no error
            // and a peer.
            return Poll::Ready(sys::take_error(&self.fd));
        }
        self.poll_deadline(cx)
    }

    /// Pending, or the error of a deadline that has passed.
    fn poll_deadline<T>(&self, cx: &Context<'_>) -> Poll<io::Result<T>> {
        let past = self.timer.is_some() && with_core(|core| self.is_past_deadline(core, cx));
        if past { Poll::Ready(Err(io::ErrorKind::TimedOut.into())) } else { Poll::Pending }
    }

    /// Whether the deadline has passed; if not, the task is woken when it has, or before.
    fn is_past_deadline(&self, core: &Core, cx: &Context<'_>) -> bool {
        let Some(timer) = self.timer else { return false };
        let mut timers = core.timers();
        while timers.poll(timer, cx) {
            if self.deadline_ns <= crate::now_ns() {
                return true;
            }
            // It was moved later since the timer was armed.
            self.armed_ns.set(self.deadline_ns);
            timers.arm(timer, self.deadline_ns);
        }
        false
    }

    /// Sends all of it.
    ///
    /// # Errors
    /// As the system's `send`; `TimedOut` when the deadline has passed.
    pub async fn send_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut sent = 0;
        poll_fn(|cx| self.poll_send_all(cx, bytes, &mut sent)).await
    }

    /// One step of [`TcpStream::send_all`]: `sent` counts what has gone.
    #[inline]
    pub fn poll_send_all(
        &mut self,
        cx: &Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        if self.adopted {
            return self.poll_queue_all(cx, bytes, sent);
        }
        if !self.context.may_send() {
            // The code that ends this knows that the lease has ended; nothing wakes the task
            // before.
            return Poll::Pending;
        }
        // The first try needs no readiness: a send buffer is usually empty.
        match sys::send(self.fd.as_raw_fd(), &bytes[*sent..]) {
            Ok(count) if *sent + count == bytes.len() => {
                *sent += count;
                Poll::Ready(Ok(()))
            }
            tried => self.poll_send_rest(cx, bytes, sent, tried),
        }
    }

    /// Continues after a partial send.
    #[inline(never)]
    fn poll_send_rest(
        &mut self,
        cx: &Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
        mut tried: io::Result<usize>,
    ) -> Poll<io::Result<()>> {
        loop {
            match tried {
                Ok(count) => *sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.await_room(cx);
                    return self.poll_deadline(cx);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
            if *sent == bytes.len() {
                return Poll::Ready(Ok(()));
            }
            tried = sys::send(self.fd.as_raw_fd(), &bytes[*sent..]);
        }
    }

    /// As [`TcpStream::poll_send_all`], with a ring.
    #[inline(never)]
    fn poll_queue_all(&mut self, cx: &Context<'_>, bytes: &[u8], sent: &mut usize) -> Poll<io::Result<()>> {
        if !self.context.may_send() {
            return Poll::Pending;
        }
        let Some(polled) = self.poll_queue(cx, &bytes[*sent..]) else {
            let tried = sys::send(self.fd.as_raw_fd(), &bytes[*sent..]);
            return self.poll_send_rest(cx, bytes, sent, tried);
        };
        if let Poll::Ready(Ok(())) = polled {
            *sent = bytes.len();
        }
        polled
    }

    /// Has the task woken when there may be room to write.
    fn await_room(&self, cx: &Context<'_>) {
        with_core(|core| {
            let mut sources = core.sources();
            sources.clear(self.source, Direction::Write);
            sources.poll(self.source, Direction::Write, cx);
            drop(sources);
            if self.adopted {
                core.uring().await_room(self.source);
            }
        });
    }

    /// Queues bytes with the ring. None: there are too many, and a system call may follow what was
    /// queued.
    fn poll_queue(&self, cx: &Context<'_>, bytes: &[u8]) -> Option<Poll<io::Result<()>>> {
        with_core(|core| {
            let small = bytes.len() <= MOST_QUEUED;
            let uring = core.uring();
            let queued = if small { uring.send(self.source, bytes) } else { uring.may_send(self.source) };
            match queued {
                Ok(()) if small => Some(Poll::Ready(Ok(()))),
                Ok(()) => None,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // The ring tells when what it holds has gone.
                    let mut sources = core.sources();
                    sources.clear(self.source, Direction::Write);
                    sources.poll(self.source, Direction::Write, cx);
                    drop(sources);
                    Some(self.poll_deadline(cx))
                }
                Err(error) => Some(Poll::Ready(Err(error))),
            }
        })
    }

    /// Whether the next send is one of those that are stamped: some hundred a second of a loop,
    /// none with [`crate::TimestampSource::None`]. Then the kernel is asked to.
    #[inline]
    pub fn sample_send(&mut self) -> bool {
        // Without stamps none were requested, or it is a socket in the file system: that has no
        // queue of errors, and to ask for it would take data.
        !matches!(self.stamps, RxTimestamps::None)
            && with_core(|core| core.is_sampled())
            && sys::stamp_sends(&self.fd, true).is_ok()
    }

    /// When the kernel handed the last byte of a sampled send to the device, on [`crate::now_ns`]'
    /// clock; asked for once the answer is there. None where the kernel gave no stamp.
    pub fn sent_ns(&mut self) -> Option<i64> {
        let wall_ns = sys::sent_stamp(self.fd.as_raw_fd());
        // A socket that is gone needs no switching off.
        let _ = sys::stamp_sends(&self.fd, false);
        with_core(|core| wall_ns.map(|wall_ns| core.scratch().1.apply(wall_ns)))
    }

    /// Receives what is there, waiting for something. `f` gets the bytes in a buffer that all
    /// connections of the loop share, and when the last of them arrived; no bytes mean that the
    /// peer has ended.
    ///
    /// # Errors
    /// As the system's `recv`; `TimedOut` when the deadline has passed.
    pub async fn recv<R>(&mut self, f: impl FnOnce(&[u8], Arrival) -> R) -> io::Result<R> {
        let mut f = Some(f);
        poll_fn(|cx| {
            self.poll_recv(cx, |bytes, arrival| f.take().expect("a receive completes once")(bytes, arrival))
        })
        .await
    }

    /// Whether nothing has come yet, and the task is woken when something does; false also where
    /// that takes more to find out, so that [`TcpStream::poll_recv`] is to do it.
    #[inline]
    pub fn awaits_data(&self, cx: &Context<'_>) -> bool {
        !self.adopted
            && with_core(|core| {
                !core.sources().poll(self.source, Direction::Read, cx)
                    && (self.timer.is_none() || !self.is_past_deadline(core, cx))
            })
    }

    #[inline]
    fn note_received(&self, count: usize) {
        self.received.set(self.received.get().wrapping_add(count as u32));
    }

    /// One step of [`TcpStream::recv`].
    pub fn poll_recv<R>(
        &mut self,
        cx: &Context<'_>,
        f: impl FnOnce(&[u8], Arrival) -> R,
    ) -> Poll<io::Result<R>> {
        if self.adopted {
            return self.poll_taken(cx, f);
        }
        with_core(|core| {
            loop {
                if !core.sources().poll(self.source, Direction::Read, cx) {
                    return self.poll_deadline(cx);
                }
                let (mut scratch, correction) = core.scratch();
                match self.stamps.recv(&self.fd, &mut scratch, &correction) {
                    Ok((count, stamp)) => {
                        if count < scratch.len() && core.sources().drained(self.source) {
                            self.stamps.end_with(stamp);
                            self.peer_ended = true;
                        }
                        self.note_received(count);
                        drop(correction);
                        return Poll::Ready(Ok(f(&scratch[..count], arrival(core, stamp))));
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        core.sources().clear(self.source, Direction::Read);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
        })
    }

    /// As [`TcpStream::poll_recv`] for connections that carry several exchanges at once: `f` gets
    /// the bytes of each segment with the time at which that arrived, one after the other. How many
    /// bytes there were; none: the peer has ended, and `f` was called without any.
    ///
    /// Where segments are not noted ([`ConnectOptions::segments`], which takes a program in the
    /// kernel), all bytes of a read have the time of the newest. Where more segments came than are
    /// noted, the oldest have the time of a later one, which the run counts
    /// ([`NetContext::merged_stamps`]).
    pub fn poll_recv_parts(
        &mut self,
        cx: &Context<'_>,
        mut f: impl FnMut(&[u8], Arrival),
    ) -> Poll<io::Result<usize>> {
        let ring = self.stamps.ring();
        let before = self.received.get();
        let known = self.first_number;
        let end_before = ring.and_then(|(slot, _)| slot.end().filter(|_| known.is_none() && !self.adopted));
        let mut learned = None;
        let ends_at_read = self.context.source().ends_at_read();
        let mut late = 0;
        let polled = self.poll_recv(cx, |bytes, newest| {
            let Some((slot, ring)) = ring.filter(|_| newest.stamped && !bytes.is_empty()) else {
                f(bytes, newest);
                return bytes.len();
            };
            // A server may speak before the program is attached, so the first byte that is noted
            // may not be the first. Where a read has emptied the socket and nothing came meanwhile,
            // the end tells.
            if bytes.len() < SCRATCH && end_before.is_some() && slot.end() == end_before {
                let read = before.wrapping_add(bytes.len() as u32);
                learned = end_before.map(|end| end.wrapping_sub(read));
            }
            let first = known.or(learned).unwrap_or_else(|| slot.first());
            let mut rest = bytes;
            for part in sys::SegmentTimes::new(slot, ring, first.wrapping_add(before), bytes.len()) {
                let (these, others) = rest.split_at(part.bytes.min(rest.len()));
                rest = others;
                late += u64::from(part.is_late);
                let kernel_ns = part.at_ns.map_or(newest.kernel_ns, |at_ns| at_ns + clock::anchor_ns());
                let kernel_ns = kernel_ns.min(newest.kernel_ns);
                let at_ns = if ends_at_read { newest.read_ns } else { kernel_ns };
                f(these, Arrival { at_ns, kernel_ns, ..newest });
            }
            bytes.len()
        });
        self.first_number = known.or(learned);
        if late > 0 {
            self.context.note_merged(late);
        }
        polled
    }

    /// Drops what is there, at most `most` bytes, without copying it: how many bytes that were, and
    /// when the last of them arrived; 0 means that the peer has ended. None: the bytes have to be
    /// received, since a ring does that already.
    #[inline(never)]
    pub fn poll_skip(&mut self, cx: &Context<'_>, most: usize) -> Option<Poll<io::Result<(usize, Arrival)>>> {
        if self.adopted {
            return None;
        }
        Some(with_core(|core| {
            loop {
                if !core.sources().poll(self.source, Direction::Read, cx) {
                    return self.poll_deadline(cx);
                }
                let (_, correction) = core.scratch();
                match self.stamps.skip(&self.fd, most, &correction) {
                    Ok((count, stamp)) => {
                        if count < most && core.sources().drained(self.source) {
                            self.stamps.end_with(stamp);
                            self.peer_ended = true;
                        }
                        self.note_received(count);
                        drop(correction);
                        return Poll::Ready(Ok((count, arrival(core, stamp))));
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        core.sources().clear(self.source, Direction::Read);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
        }))
    }

    /// As [`TcpStream::poll_recv`], of what the ring has received.
    #[inline(never)]
    fn poll_taken<R>(&self, cx: &Context<'_>, f: impl FnOnce(&[u8], Arrival) -> R) -> Poll<io::Result<R>> {
        with_core(|core| {
            let on_this_clock = |at_ns: Option<i64>| at_ns.map(|at_ns| at_ns + clock::anchor_ns());
            match core.uring().take(self.source) {
                Some(ReceiveResult::Bytes(arrived, at_ns)) => {
                    let bytes = core.uring().bytes(&arrived);
                    self.note_received(bytes.len());
                    let told = f(bytes, arrival(core, on_this_clock(at_ns)));
                    core.uring().give_back(arrived);
                    Poll::Ready(Ok(told))
                }
                Some(ReceiveResult::End(at_ns)) => {
                    Poll::Ready(Ok(f(&[], arrival(core, on_this_clock(at_ns)))))
                }
                Some(ReceiveResult::Failed(error)) => Poll::Ready(Err(error)),
                None => {
                    let mut sources = core.sources();
                    sources.clear(self.source, Direction::Read);
                    sources.poll(self.source, Direction::Read, cx);
                    drop(sources);
                    self.poll_deadline(cx)
                }
            }
        })
    }

    /// From now on, receiving and sending fail with `TimedOut` when this instant has passed;
    /// `None`: never. Moving it later, such as for each new request, costs next to nothing.
    #[inline]
    pub fn set_deadline(&mut self, at_ns: Option<i64>) {
        self.deadline_ns = at_ns.map_or(self.limit_ns, |at_ns| at_ns.min(self.limit_ns));
        if self.deadline_ns < self.armed_ns.get() {
            self.arm();
        }
    }

    fn arm(&mut self) {
        with_core(|core| {
            let mut timers = core.timers();
            let timer = *self.timer.get_or_insert_with(|| timers.add(false));
            timers.arm(timer, self.deadline_ns);
        });
        self.armed_ns.set(self.deadline_ns);
    }

    /// No deadline that is set from now on is later than this instant, and there is one without
    /// setting it; `None`: as before.
    pub fn set_limit(&mut self, at_ns: Option<i64>) {
        self.limit_ns = at_ns.unwrap_or(i64::MAX);
        self.set_deadline(None);
    }

    /// Whether the instant of [`TcpStream::set_limit`] has passed. Receiving does not fail for that
    /// as long as there is something to receive.
    pub fn is_over(&self, now_ns: i64) -> bool {
        self.limit_ns <= now_ns
    }

    /// Whether an idle connection is unusable: closed by the peer, broken, or with unexpected data.
    /// Looks at the socket only if the loop has seen something happen to it.
    pub fn is_stale(&self) -> bool {
        let (seen, may_be_stale) = with_core(|core| {
            if self.adopted {
                let seen = core.uring().has_something(self.source);
                return (seen.is_some(), seen.unwrap_or(true));
            }
            (false, core.sources().is_readable(self.source))
        });
        if seen || !may_be_stale {
            return may_be_stale;
        }
        self.peeks_something()
    }

    /// Whether a read has found that the peer has ended, which it may have before all was read: a
    /// look at this connection only. With a ring no read does.
    #[inline]
    pub fn has_seen_end(&self) -> bool {
        self.peer_ended
    }

    /// As [`TcpStream::is_stale`], but asks the kernel for what the loop has not seen yet; with a
    /// ring as that.
    pub fn is_stale_now(&self) -> bool {
        if self.adopted {
            return self.is_stale();
        }
        self.peeks_something()
    }

    /// Asks the kernel whether a read would give something, or the end.
    fn peeks_something(&self) -> bool {
        !matches!(sys::peek(self.fd.as_raw_fd()), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    /// The other end.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        sys::peer_addr(self.fd.as_raw_fd())
    }

    /// This end.
    ///
    /// # Errors
    /// As the system's `getsockname`.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        sys::local_addr(self.fd.as_raw_fd())
    }

    /// Ends this side; the other can still send.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn shutdown_write(&self) -> io::Result<()> {
        if self.adopted {
            return with_core(|core| core.uring().shutdown_write(self.source));
        }
        sys::shutdown_write(self.fd.as_raw_fd())
    }

    /// Whether small sends go out at once; they do unless this says otherwise.
    ///
    /// # Errors
    /// As the system's `setsockopt`.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        sys::set_nodelay(&self.fd, nodelay)
    }

    /// Dropping the connection will send a reset.
    ///
    /// # Errors
    /// As the system's `setsockopt`.
    pub fn set_linger_zero(&self) -> io::Result<()> {
        sys::linger_zero(&self.fd)
    }
}

/// A connection that is being made. Who waits for it may be gone before it is: the end of a test
/// is.
struct Handshake<'a> {
    stream: &'a TcpStream,
    to: SocketAddr,
    began_ns: i64,
}

impl Drop for Handshake<'_> {
    fn drop(&mut self) {
        let Self { stream, to, began_ns } = self;
        let waited_ns = crate::now_ns() - *began_ns;
        stream.retries.set(stream.context.peer_table().note_wait(*to, &stream.fd, waited_ns));
    }
}

impl TcpStream {
    /// Counts what was sent on a connection that ends here.
    fn note_end(&self) {
        let looks = try_core(|core| core.looks_at_end()).unwrap_or(true);
        let seen = looks.then(|| sys::segments(&self.fd).ok()).flatten();
        let data = |seen: Segments| Segments {
            sent_again: seen.sent_again.saturating_sub(self.retries.get()),
            ..seen
        };
        self.context.note_end(seen.map(data));
    }
}

impl Drop for TcpStream {
    fn drop(&mut self) {
        if self.is_asked_for {
            self.note_end();
        }
        self.stamps.forget(&self.fd);
        try_core(|core| {
            core.unregister(self.source);
            if let Some(timer) = self.timer {
                core.timers().release(timer);
            }
        });
    }
}

fn arrival(core: &Core, stamp: Stamp) -> Arrival {
    let read_ns = crate::now_ns();
    // A stamp cannot lie after the read; if the clocks say so, they differ by the noise of their
    // correction.
    let kernel_ns = stamp.map(|stamp_ns| stamp_ns.min(read_ns));
    let stamped = kernel_ns.is_some();
    if !stamped {
        core.context.note_unstamped();
    }
    let kernel_ns = kernel_ns.unwrap_or(read_ns);
    let at_ns = if core.source.ends_at_read() { read_ns } else { kernel_ns };
    Arrival { at_ns, kernel_ns, read_ns, stamped }
}

#[cfg(test)]
mod tests;
