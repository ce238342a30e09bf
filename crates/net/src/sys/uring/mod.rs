//! An io_uring instance: its requests and completions.
//!
//! Needs Linux 6.1 for `IORING_SETUP_DEFER_TASKRUN`, with which the kernel works for this ring only
//! during calls on it, so that nothing interrupts a task. Buffer rings and receives that stay armed
//! need 6.0. See `man io_uring_enter` and `man io_uring_register`.

mod buffers;

use std::io;
use std::os::fd::RawFd;
use std::rc::Rc;

use io_uring::squeue::{Entry, Flags};
use io_uring::types::Fd;
use io_uring::{IoUring, cqueue, opcode};

pub(crate) use buffers::{Buffers, FilledBuffer};

/// Requests that wait to be submitted; a full queue is submitted.
const QUEUE: u32 = 256;
/// Completions that wait to be read. The kernel keeps further ones in a separate list, and none is
/// lost (`IORING_FEAT_NODROP`).
const ANSWERS: u32 = 4096;
/// `linux/io_uring.h`: run what is due for this ring.
const GET_EVENTS: u32 = 1;

/// The purpose of a request, returned with its completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum OperationKind {
    /// Readiness of a descriptor.
    Poll,
    /// What arrives.
    Receive,
    /// A send that may not wait; the number is that of its place in [`Ring`].
    Send,
    /// The rest of such a send, which waits until there is room.
    Rest,
    /// That something else ends.
    Cancel,
}

/// Bits of a name below [`OperationKind`].
const NUMBER_BITS: u32 = 60;

/// Names a request: what it is, and 60 bits of the asker's.
fn name(asked: OperationKind, number: u64) -> u64 {
    (asked as u64) << NUMBER_BITS | (number & ((1 << NUMBER_BITS) - 1))
}

/// A completion.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) asked: OperationKind,
    /// The asker's.
    pub(crate) number: u64,
    /// A count or a mask; an error of the system.
    pub(crate) result: io::Result<u32>,
    /// Where the bytes are.
    pub(crate) filled: Option<FilledBuffer>,
    /// More answers follow to the same request.
    pub(crate) more: bool,
}

/// Bytes on their way to the kernel.
struct Outgoing {
    fd: RawFd,
    bytes: Vec<u8>,
    /// How many have gone.
    gone: usize,
    number: u64,
}

/// A ring, its buffers, and the bytes to send.
pub(crate) struct Ring {
    // Before the buffers: fields are dropped in this order, and the kernel may write until the ring
    // is closed.
    kernel: IoUring,
    buffers: Rc<Buffers>,
    outgoing: Vec<Outgoing>,
    free: Vec<u32>,
    /// Places of sends of which no answer came yet.
    underway: Vec<u32>,
    /// The kernel has refused to continue.
    ended: bool,
}

impl Ring {
    /// # Errors
    /// `PermissionDenied`: the kernel's or a container's rules forbid it; `Unsupported` or
    /// `InvalidInput`: the kernel is too old.
    pub(crate) fn open() -> io::Result<Self> {
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_submit_all()
            .setup_cqsize(ANSWERS)
            .dontfork()
            .build(QUEUE)?;
        if !ring.params().is_feature_nodrop() || !ring.params().is_feature_skip_cqe_on_success() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let buffers = Rc::new(Buffers::register(&ring.submitter())?);
        let outgoing = Vec::new();
        let free = Vec::new();
        let underway = Vec::new();
        Ok(Self { kernel: ring, buffers, outgoing, free, underway, ended: false })
    }

    /// What arrived is read there.
    pub(crate) fn buffers(&self) -> &Rc<Buffers> {
        &self.buffers
    }

    /// Puts a file instead of the ring that is none, so that the kernel refuses every call from now
    /// on.
    #[cfg(test)]
    pub(crate) fn break_off(&self) {
        use std::os::fd::AsRawFd;
        let other = std::fs::File::open("/dev/null").expect("it exists");
        // SAFETY: both descriptors are open; the ring closes the copy in the end.
        let copied = unsafe { libc::dup2(other.as_raw_fd(), self.kernel.as_raw_fd()) };
        assert_eq!(copied, self.kernel.as_raw_fd());
    }

    /// Reports readiness each time it is new: `events` are those of `poll`. Once, or until
    /// cancelled.
    pub(crate) fn poll(&mut self, fd: RawFd, number: u64, events: u32, again: bool) {
        let poll = opcode::PollAdd::new(Fd(fd), events).multi(again).build();
        self.push(&poll.user_data(name(OperationKind::Poll, number)));
    }

    /// Receives until it is cancelled, an error or the peer's end comes, or buffers are short
    /// (`ENOBUFS`).
    pub(crate) fn receive(&mut self, fd: RawFd, number: u64) {
        let receive = opcode::RecvMulti::new(Fd(fd), buffers::GROUP).build();
        self.push(&receive.user_data(name(OperationKind::Receive, number)));
    }

    /// Ends what was asked for under this number.
    pub(crate) fn cancel(&mut self, asked: OperationKind, number: u64) {
        let cancel = opcode::AsyncCancel::new(name(asked, number)).build().flags(Flags::SKIP_SUCCESS);
        self.push(&cancel.user_data(name(OperationKind::Cancel, number)));
    }

    /// Queues bytes, which are copied. No answer means that all of them have gone, once all answers
    /// are read.
    pub(crate) fn send(&mut self, fd: RawFd, number: u64, bytes: &[u8]) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.outgoing.push(Outgoing { fd, bytes: Vec::new(), gone: 0, number });
            self.outgoing.len() as u32 - 1
        });
        let out = &mut self.outgoing[place as usize];
        (out.fd, out.gone, out.number) = (fd, 0, number);
        out.bytes.clear();
        out.bytes.extend_from_slice(bytes);
        self.underway.push(place);
        // With MSG_WAITALL a partial send is not a success, so it is reported.
        let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT | libc::MSG_WAITALL;
        let send = opcode::Send::new(Fd(fd), out.bytes.as_ptr(), out.bytes.len() as u32).flags(flags).build();
        self.push(&send.flags(Flags::SKIP_SUCCESS).user_data(name(OperationKind::Send, u64::from(place))));
    }

    /// What a send left over goes when there is room; then comes an answer.
    fn send_rest(&mut self, place: u32) {
        let out = &self.outgoing[place as usize];
        let rest = &out.bytes[out.gone..];
        let flags = libc::MSG_NOSIGNAL | libc::MSG_WAITALL;
        let send = opcode::Send::new(Fd(out.fd), rest.as_ptr(), rest.len() as u32).flags(flags).build();
        self.push(&send.user_data(name(OperationKind::Rest, u64::from(place))));
    }

    fn push(&mut self, entry: &Entry) {
        while !self.ended {
            // SAFETY: what entries point to is the ring's own: bytes of `outgoing` stay where they
            // are until their answer, buffers as long as the ring.
            let pushed = unsafe { self.kernel.submission().push(entry) };
            if pushed.is_ok() {
                return;
            }
            self.submit();
        }
    }

    /// Whether requests wait to be submitted.
    pub(crate) fn has_queued(&mut self) -> bool {
        !self.ended && !self.kernel.submission().is_empty()
    }

    /// Whether the kernel has refused to continue: the worker's panic reports it, and later drops
    /// do not use the ring.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Hands over what is queued.
    pub(crate) fn submit(&mut self) {
        self.enter(0, 0);
    }

    /// Hands over what is queued, has the kernel do what is due, and waits for an answer if there
    /// is none and `block` says so.
    pub(crate) fn turn(&mut self, block: bool) {
        let wanted = u32::from(block && self.kernel.completion().is_empty());
        self.enter(wanted, GET_EVENTS);
    }

    fn enter(&mut self, wanted: u32, flags: u32) {
        if self.ended {
            return;
        }
        let queued = self.kernel.submission().len() as u32;
        // SAFETY: no argument is given.
        let entered = unsafe { self.kernel.submitter().enter::<libc::sigset_t>(queued, wanted, flags, None) };
        match entered.map_err(|error| (error.raw_os_error(), error)) {
            // A signal; no memory for requests for now; answers to be read first. What was not
            // taken stays in the queue.
            Ok(_) | Err((Some(libc::EINTR | libc::EAGAIN | libc::EBUSY), _)) => {}
            Err((_, error)) => {
                self.ended = true;
                panic!("the kernel closed this worker's io_uring ({error}); use --io epoll")
            }
        }
    }

    /// Takes the answers that are there; whether there is none left to anything that was asked
    /// before, so that all sends without one have gone.
    pub(crate) fn answers(&mut self, mut take: impl FnMut(&mut Self, Answer)) -> bool {
        loop {
            let next = self.kernel.completion().next();
            let Some(entry) = next else { break };
            let answer = read(&entry);
            let answer = match answer.asked {
                OperationKind::Send => self.sent_part(answer),
                OperationKind::Rest => self.rest_ended(answer),
                _ => answer,
            };
            take(self, answer);
        }
        let all = !self.kernel.submission().cq_overflow() && !self.has_queued();
        if all {
            self.free.append(&mut self.underway);
        }
        all
    }

    /// A send was partial. If memory was short, the rest follows, and the result has no error.
    fn sent_part(&mut self, answer: Answer) -> Answer {
        let place = answer.number as u32;
        self.underway.retain(|other| *other != place);
        let out = &mut self.outgoing[place as usize];
        let number = out.number;
        let result = match answer.result {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
                self.free.push(place);
                Err(error)
            }
            sent => {
                out.gone += sent.unwrap_or(0) as usize;
                self.send_rest(place);
                Ok(0)
            }
        };
        Answer { number, result, ..answer }
    }

    /// The rest has gone or cannot.
    fn rest_ended(&mut self, answer: Answer) -> Answer {
        let out = &mut self.outgoing[answer.number as usize];
        out.gone += *answer.result.as_ref().unwrap_or(&0) as usize;
        let number = out.number;
        let all = out.gone == out.bytes.len();
        self.free.push(answer.number as u32);
        let cut = || Err(io::ErrorKind::BrokenPipe.into());
        let result = answer.result.and_then(|count| if all { Ok(count) } else { cut() });
        Answer { number, result, ..answer }
    }
}

fn read(entry: &cqueue::Entry) -> Answer {
    let result = entry.result();
    let flags = entry.flags();
    let data = entry.user_data();
    let asked = match data >> NUMBER_BITS {
        0 => OperationKind::Poll,
        1 => OperationKind::Receive,
        2 => OperationKind::Send,
        3 => OperationKind::Rest,
        _ => OperationKind::Cancel,
    };
    let filled = cqueue::buffer_select(flags).map(|buffer| FilledBuffer::new(buffer, result.max(0) as u32));
    let result = u32::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result));
    let number = data & ((1 << NUMBER_BITS) - 1);
    Answer { asked, number, result, filled, more: cqueue::more(flags) }
}
