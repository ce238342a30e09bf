//! Copies what goes over a connection, for traces.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll};

use swell_net::Arrival;

use crate::Stream;

/// Bytes of a response that are copied: its head is wanted, the rest is only counted.
const RECEIVED: usize = 64 << 10;

/// What went over a connection since it was taken out last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireBytes {
    /// The first bytes that were handed to the socket.
    pub sent: Vec<u8>,
    /// How many there were.
    pub sent_size: u64,
    /// The first bytes that arrived.
    pub received: Vec<u8>,
    /// How many there were.
    pub received_size: u64,
}

/// A connection whose bytes are copied; with TLS, before they are encrypted.
pub struct TappedStream {
    pub(crate) inner: Stream,
    number: u32,
    most_sent: usize,
    bytes: Rc<RefCell<WireBytes>>,
}

impl TappedStream {
    pub(crate) fn new(inner: Stream, number: u32, most_sent: usize) -> Self {
        Self { inner, number, most_sent, bytes: Rc::default() }
    }

    /// The number that the connection was given.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// What goes over it, which is taken out for each exchange.
    pub fn bytes(&self) -> Rc<RefCell<WireBytes>> {
        self.bytes.clone()
    }

    pub(crate) fn poll_send_all(
        &mut self,
        cx: &Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        let before = *sent;
        let polled = self.inner.poll_send_all(cx, bytes, sent);
        let mut copied = self.bytes.borrow_mut();
        keep(&mut copied.sent, &bytes[before..*sent], self.most_sent);
        copied.sent_size += (*sent - before) as u64;
        polled
    }

    pub(crate) fn poll_recv<R>(
        &mut self,
        cx: &Context<'_>,
        f: impl FnOnce(&[u8], Arrival) -> R,
    ) -> Poll<io::Result<R>> {
        let copied = &self.bytes;
        let step = |bytes: &[u8], arrival| {
            let mut copied = copied.borrow_mut();
            keep(&mut copied.received, bytes, RECEIVED);
            copied.received_size += bytes.len() as u64;
            drop(copied);
            f(bytes, arrival)
        };
        recv_below(&mut self.inner, cx, step)
    }
}

/// One step of a receive; the type of the closure must not contain itself.
fn recv_below<R>(
    inner: &mut Stream,
    cx: &Context<'_>,
    step: impl FnOnce(&[u8], Arrival) -> R,
) -> Poll<io::Result<R>> {
    match inner {
        Stream::Tcp(tcp) => tcp.poll_recv(cx, step),
        Stream::Tls(tls) => tls.poll_recv(cx, step),
        Stream::Tapped(_) => unreachable!("a tap is put on once"),
    }
}

fn keep(kept: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let more = most.saturating_sub(kept.len()).min(bytes.len());
    kept.extend_from_slice(&bytes[..more]);
}
