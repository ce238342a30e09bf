//! A loop on io_uring.
//!
//! The loop *adopts* the connections that it opens: a receive stays armed on each, and what arrives
//! stays in a buffer of the ring until its reader takes it. Small sends are copied, queued, and
//! submitted eight at a time, or fewer after 30 µs. All other descriptors are watched for
//! readiness, as with epoll, and read and written by system calls.
//!
//! A ring holds the file of each descriptor with a pending operation. Closing such a descriptor
//! would not end the connection, so its operations are cancelled first.
//! the connection, so what was asked is cancelled before.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;
use std::rc::Rc;

use super::SourceId;
use crate::sys::{self, Answer, Buffers, FilledBuffer, OperationKind, Ring};

/// Sends that are handed over at once.
const CHUNK: u32 = 8;
/// How long a send may wait for others while tasks are polled; none is interrupted for it.
const MOST_WAIT_NS: i64 = 30_000;
/// Larger sends are made by a system call: to copy them would cost more than the call.
pub(crate) const MOST_QUEUED: usize = 4096;
/// What may arrive before its reader takes it. A connection with more is not read until then, so
/// its peer has to wait.
const MOST_UNREAD: usize = 1 << 20;

/// The result of a receive.
pub(crate) enum ReceiveResult {
    /// Bytes, and when the last of them arrived.
    Bytes(ArrivedBytes, Option<i64>),
    /// The peer has ended.
    End(Option<i64>),
    Failed(io::Error),
}

/// Received bytes that wait for their reader.
pub(crate) enum ArrivedBytes {
    InBuffer(FilledBuffer),
    /// Buffers were short.
    Copied(Vec<u8>),
}

#[derive(Clone, Copy, Default)]
enum StreamEnd {
    #[default]
    Open,
    Peer(Option<i64>),
    /// The number of the system's error.
    Failed(i32),
}

/// A descriptor of the loop, by the index of its source.
#[expect(clippy::struct_excessive_bools, reason = "independent operations in the kernel")]
#[derive(Default)]
struct Conn {
    /// Identifies the source; another source with this index has a different value.
    key: u64,
    fd: RawFd,
    watched: bool,
    /// A look for readiness is with the kernel.
    looking: bool,
    /// A receive is with the kernel.
    armed: bool,
    /// It is being taken back.
    paused: bool,
    /// A send did not fit and waits for room.
    waits_for_room: bool,
    /// No more is sent after that.
    half_closed: bool,
    /// In which epoch something was sent last, see [`Inner::epoch`].
    sent_in: u32,
    send_error: Option<i32>,
    arrived: VecDeque<(ArrivedBytes, Option<i64>)>,
    unread: usize,
    ending: StreamEnd,
    slot: Option<&'static sys::PortSlot>,
}

struct Inner {
    ring: Ring,
    conns: Vec<Conn>,
    /// Descriptors of the loop itself, by key.
    own: Vec<(u64, RawFd)>,
    /// Counts how often all answers were read: sends of an earlier epoch have gone, or are known
    /// not to have.
    epoch: u32,
    /// Answers that were read while something else was done.
    early: Vec<sys::Event>,
    /// Connections with bytes whose time of arrival is still to be noted.
    fresh: Vec<u32>,
}

/// The ring of a loop and its connections.
pub(crate) struct Uring {
    inner: RefCell<Inner>,
    buffers: Rc<Buffers>,
    /// Sends that are queued, and since when, on the monotonic clock.
    queued: Cell<u32>,
    since_ns: Cell<i64>,
}

fn index_of(key: u64) -> usize {
    key as u32 as usize
}

impl Uring {
    pub(crate) fn open() -> io::Result<Self> {
        let ring = Ring::open()?;
        let buffers = ring.buffers().clone();
        let own = Vec::new();
        let early = Vec::new();
        let fresh = Vec::new();
        let inner = Inner { ring, conns: Vec::new(), own, epoch: 1, early, fresh };
        Ok(Self { inner: RefCell::new(inner), buffers, queued: Cell::new(0), since_ns: Cell::new(0) })
    }

    /// See [`super::Driver::watch`].
    pub(crate) fn watch(&self, fd: RawFd, key: u64) {
        let inner = &mut *self.inner.borrow_mut();
        if key >= super::FIRST_OWN_KEY {
            inner.own.push((key, fd));
        } else {
            let conn = inner.enter(key, fd);
            (conn.watched, conn.looking) = (true, true);
        }
        inner.ring.poll(fd, key, sys::BOTH_WAYS, true);
    }

    /// From now on data of this connection comes and goes by the ring.
    pub(crate) fn adopt(&self, id: SourceId, fd: RawFd, slot: Option<&'static sys::PortSlot>) {
        self.inner.borrow_mut().enter(id.key(), fd).slot = slot;
    }

    /// Reports once when there is room to write, or an error.
    pub(crate) fn await_room(&self, id: SourceId) {
        let inner = &mut *self.inner.borrow_mut();
        let conn = &mut inner.conns[index_of(id.key())];
        if !std::mem::replace(&mut conn.looking, true) {
            inner.ring.poll(conn.fd, id.key(), sys::WRITABLE, false);
        }
    }

    /// See [`super::Driver::forget`].
    pub(crate) fn forget(&self, id: SourceId) {
        self.settle(id);
        let inner = &mut *self.inner.borrow_mut();
        let key = id.key();
        let Some(conn) = inner.conns.get_mut(index_of(key)) else { return };
        let conn = std::mem::take(conn);
        for (arrived, _) in conn.arrived {
            self.give_back(arrived);
        }
        if conn.armed {
            inner.ring.cancel(OperationKind::Receive, key);
        }
        if conn.looking {
            inner.ring.cancel(OperationKind::Poll, key);
        }
        // At once: so that closing ends the connection now, and what names the descriptor does not
        // find another's.
        if inner.ring.has_queued() {
            inner.ring.turn(false);
            self.queued.set(0);
            inner.take_answers(&self.buffers);
        }
    }

    /// Queues bytes to be sent, at most [`MOST_QUEUED`]. An error is that of an earlier send; the
    /// caller waits for room where that is `WouldBlock`.
    pub(crate) fn send(&self, id: SourceId, bytes: &[u8]) -> io::Result<()> {
        self.may_send(id)?;
        let inner = &mut *self.inner.borrow_mut();
        let epoch = inner.epoch;
        let conn = &mut inner.conns[index_of(id.key())];
        conn.sent_in = epoch;
        inner.ring.send(conn.fd, id.key(), bytes);
        self.queued.set(self.queued.get() + 1);
        if self.queued.get() == 1 {
            self.since_ns.set(sys::monotonic_ns());
        } else if self.queued.get() >= CHUNK {
            inner.ring.submit();
            self.queued.set(0);
        }
        Ok(())
    }

    /// Whether what is sent now follows what was sent before. `WouldBlock`: wait for room. Else an
    /// error of an earlier send.
    pub(crate) fn may_send(&self, id: SourceId) -> io::Result<()> {
        self.settle(id);
        let conn = &mut self.inner.borrow_mut().conns[index_of(id.key())];
        match conn.send_error.take() {
            Some(error) => Err(io::Error::from_raw_os_error(error)),
            None if conn.waits_for_room => Err(io::ErrorKind::WouldBlock.into()),
            None => Ok(()),
        }
    }

    /// No more is sent on this connection than was.
    pub(crate) fn shutdown_write(&self, id: SourceId) -> io::Result<()> {
        self.settle(id);
        let conn = &mut self.inner.borrow_mut().conns[index_of(id.key())];
        conn.half_closed = conn.waits_for_room;
        if conn.half_closed { Ok(()) } else { sys::shutdown_write(conn.fd) }
    }

    /// Learns what came of what was sent on this connection.
    fn settle(&self, id: SourceId) {
        let inner = &mut *self.inner.borrow_mut();
        let is_unsure = |inner: &Inner| {
            inner.conns.get(index_of(id.key())).is_some_and(|conn| conn.sent_in == inner.epoch)
        };
        // What does not fit is sent again to wait for room, which is to be handed over, too.
        while is_unsure(inner) && !inner.ring.has_ended() {
            inner.ring.turn(false);
            self.queued.set(0);
            inner.take_answers(&self.buffers);
        }
    }

    /// A task was polled: what is queued does not wait for many others.
    pub(crate) fn after_poll(&self) {
        if self.queued.get() > 0 && sys::monotonic_ns() - self.since_ns.get() > MOST_WAIT_NS {
            self.submit();
        }
    }

    /// Hands over what is queued.
    pub(crate) fn submit(&self) {
        let inner = &mut *self.inner.borrow_mut();
        if inner.ring.has_queued() {
            inner.ring.submit();
        }
        self.queued.set(0);
    }

    /// What came; none where nothing did, and then it is received from now on.
    pub(crate) fn take(&self, id: SourceId) -> Option<ReceiveResult> {
        let inner = &mut *self.inner.borrow_mut();
        let conn = &mut inner.conns[index_of(id.key())];
        if let Some((arrived, at_ns)) = conn.arrived.pop_front() {
            conn.unread -= self.bytes(&arrived).len();
            return Some(ReceiveResult::Bytes(arrived, at_ns));
        }
        // A send that found the connection broken took its error away from those who receive.
        if let Some(error) = conn.send_error.take() {
            return Some(ReceiveResult::Failed(io::Error::from_raw_os_error(error)));
        }
        match conn.ending {
            StreamEnd::Peer(at_ns) => return Some(ReceiveResult::End(at_ns)),
            StreamEnd::Failed(error) => {
                return Some(ReceiveResult::Failed(io::Error::from_raw_os_error(error)));
            }
            StreamEnd::Open => {}
        }
        if !conn.armed {
            conn.armed = true;
            let fd = conn.fd;
            inner.ring.receive(fd, id.key());
        }
        None
    }

    /// Whether unread data came; `None` if the kernel was not asked to receive and still has it.
    pub(crate) fn has_something(&self, id: SourceId) -> Option<bool> {
        let conn = &self.inner.borrow().conns[index_of(id.key())];
        let has =
            !conn.arrived.is_empty() || !matches!(conn.ending, StreamEnd::Open) || conn.send_error.is_some();
        (has || conn.armed).then_some(has)
    }

    pub(crate) fn bytes<'b>(&'b self, arrived: &'b ArrivedBytes) -> &'b [u8] {
        match arrived {
            ArrivedBytes::InBuffer(filled) => self.buffers.bytes(filled),
            ArrivedBytes::Copied(bytes) => bytes,
        }
    }

    pub(crate) fn give_back(&self, arrived: ArrivedBytes) {
        if let ArrivedBytes::InBuffer(filled) = arrived {
            self.buffers.give_back(filled);
        }
    }

    /// See [`super::Driver::wait`].
    pub(crate) fn wait(&self, events: &mut Vec<sys::Event>, block: bool) {
        let inner = &mut *self.inner.borrow_mut();
        inner.ring.turn(block && inner.early.is_empty());
        self.queued.set(0);
        inner.take_answers(&self.buffers);
        events.clear();
        events.append(&mut inner.early);
    }
}

impl Inner {
    /// A new descriptor.
    fn enter(&mut self, key: u64, fd: RawFd) -> &mut Conn {
        let index = index_of(key);
        if self.conns.len() <= index {
            self.conns.resize_with(index + 1, Conn::default);
        }
        let conn = Conn { key, fd, sent_in: self.epoch.wrapping_sub(1), ..Conn::default() };
        self.conns[index] = conn;
        &mut self.conns[index]
    }

    fn take_answers(&mut self, buffers: &Buffers) {
        let Self { ring, conns, own, early, fresh, .. } = self;
        let all = ring.answers(|ring, answer| {
            if answer.filled.is_some() {
                buffers.took();
            }
            let conn = conns.get_mut(index_of(answer.number)).filter(|conn| conn.key == answer.number);
            let Some(conn) = conn else {
                if let Some(filled) = answer.filled {
                    buffers.give_back(filled);
                }
                if let Some((key, fd)) = own.iter().find(|(key, _)| *key == answer.number) {
                    early.push(sys::Event::new(sys::READABLE, *key));
                    if !answer.more {
                        ring.poll(*fd, *key, sys::BOTH_WAYS, true);
                    }
                }
                return;
            };
            let news = match answer.asked {
                OperationKind::Poll => conn.is_ready(ring, &answer),
                OperationKind::Receive => {
                    fresh.push(index_of(answer.number) as u32);
                    conn.receive(ring, buffers, answer)
                }
                OperationKind::Send | OperationKind::Rest => conn.sent(&answer),
                OperationKind::Cancel => 0,
            };
            if news != 0 {
                early.push(sys::Event::new(news, conn.key));
            }
        });
        if all {
            self.epoch = self.epoch.wrapping_add(1);
        }
        for index in self.fresh.drain(..) {
            self.conns[index as usize].note_arrival();
        }
    }
}

impl Conn {
    /// The readiness to report.
    fn is_ready(&mut self, ring: &mut Ring, answer: &Answer) -> u32 {
        self.looking = answer.more;
        let Ok(mask) = answer.result else { return 0 };
        if self.watched && !answer.more {
            self.looking = true;
            ring.poll(self.fd, self.key, sys::BOTH_WAYS, true);
        }
        mask
    }

    /// Keeps what came for the reader, who is woken.
    fn receive(&mut self, ring: &mut Ring, buffers: &Buffers, answer: Answer) -> u32 {
        if !answer.more {
            (self.armed, self.paused) = (false, false);
        }
        if let Some(slot) = self.slot {
            slot.fetch();
        }
        match (answer.result, answer.filled) {
            (Ok(count @ 1..), Some(filled)) => {
                self.unread += count as usize;
                let arrived = if buffers.are_short() {
                    let bytes = buffers.bytes(&filled).to_vec();
                    buffers.give_back(filled);
                    ArrivedBytes::Copied(bytes)
                } else {
                    ArrivedBytes::InBuffer(filled)
                };
                self.arrived.push_back((arrived, None));
                if self.unread > MOST_UNREAD && self.armed && !self.paused {
                    self.paused = true;
                    ring.cancel(OperationKind::Receive, self.key);
                }
            }
            (Ok(_), filled) => {
                if let Some(filled) = filled {
                    buffers.give_back(filled);
                }
                self.ending = StreamEnd::Peer(None);
            }
            (Err(error), _) => match error.raw_os_error() {
                // It is asked for again when the reader comes.
                Some(libc::ENOBUFS | libc::ECANCELED | libc::EINTR | libc::EAGAIN) => {}
                error => self.ending = StreamEnd::Failed(error.unwrap_or(libc::EIO)),
            },
        }
        sys::READABLE
    }

    /// The kernel's note of when what has come arrived, before more can.
    fn note_arrival(&mut self) {
        let Some(slot) = self.slot else { return };
        if let StreamEnd::Peer(at_ns @ None) = &mut self.ending {
            *at_ns = slot.end_ns();
        }
        for (_, at_ns) in self.arrived.iter_mut().rev().take_while(|(_, at_ns)| at_ns.is_none()) {
            *at_ns = slot.data_ns();
        }
    }

    /// A send did not go at once, or has gone or failed later.
    fn sent(&mut self, answer: &Answer) -> u32 {
        self.waits_for_room = matches!((&answer.result, answer.asked), (Ok(_), OperationKind::Send));
        if self.waits_for_room {
            return 0;
        }
        if let Err(error) = &answer.result {
            self.send_error = Some(error.raw_os_error().unwrap_or(libc::EPIPE));
        }
        if std::mem::take(&mut self.half_closed) {
            // Where that fails the connection is gone, which its reader learns.
            let _ = sys::shutdown_write(self.fd);
        }
        sys::READABLE | sys::WRITABLE
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::runtime::with_core;
    use crate::{
        ConnectOptions, Io, NetContext, Runtime, TcpListener, TcpStream, TimestampSource, spawn, try_uring,
    };

    #[test]
    fn a_ring_that_the_kernel_refuses_in_the_middle_is_told_of_once() {
        if let Err(error) = try_uring() {
            println!("skipped: this kernel gives no ring: {error}");
            return;
        }
        let worker = std::thread::spawn(|| {
            let context = Arc::new(NetContext::new(TimestampSource::None).with_io(Io::Uring));
            let mut runtime = Runtime::with_context(context).expect("descriptors");
            runtime.block_on(async {
                let listener = TcpListener::bind(([127, 0, 0, 1], 0).into()).expect("a free port");
                let at = listener.local_addr().expect("bound");
                // It receives, and the task is there until the loop is dropped.
                drop(spawn(async move {
                    let mut idle =
                        TcpStream::connect(at, &ConnectOptions::default()).await.expect("listening");
                    idle.recv(|_, _| ()).await.expect("nothing comes");
                }));
                listener.accept().await.expect("a client");
                let mut client = TcpStream::connect(at, &ConnectOptions::default()).await.expect("listening");
                with_core(|core| core.uring().inner.borrow().ring.break_off());
                // What is queued cannot go; dropping it asks what came of it.
                client.send_all(b"hello").await.expect("it is queued");
                client.recv(|_, _| ()).await.expect("nothing comes");
            });
        });
        let panic = worker.join().expect_err("the kernel refuses the ring");
        let told = panic.downcast_ref::<String>().expect("words");
        assert!(told.contains("the kernel closed this worker's io_uring"), "{told}");
    }
}
