//! One end of an exchange: a connection, and what has come from it.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use swell_connect::Stream;

/// Bytes that may wait to be taken; more are left with the kernel.
const INPUT_BYTES: usize = 256 << 10;

/// A connection, and what was received and not taken yet.
pub(super) struct Peer {
    pub(super) stream: Stream,
    pub(super) input: Vec<u8>,
}

/// Which end something came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Client,
    Server,
}

/// What came from an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// Bytes, which are in its input.
    Bytes,
    /// It has ended.
    End,
}

impl Peer {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, input: Vec::new() }
    }

    /// Receives, and keeps what came.
    pub(super) async fn receive(&mut self) -> io::Result<Received> {
        poll_fn(|cx| self.poll_receive(cx)).await
    }

    fn poll_receive(&mut self, cx: &Context<'_>) -> Poll<io::Result<Received>> {
        let input = &mut self.input;
        self.stream.poll_recv(cx, |bytes, _| {
            input.extend_from_slice(bytes);
            if bytes.is_empty() { Received::End } else { Received::Bytes }
        })
    }

    fn has_room(&self) -> bool {
        self.input.len() < INPUT_BYTES
    }
}

/// Receives from the end that has something, the server first.
pub(super) async fn receive_either(client: &mut Peer, server: &mut Peer) -> (Side, io::Result<Received>) {
    poll_fn(|cx| {
        if server.has_room()
            && let Poll::Ready(received) = server.poll_receive(cx)
        {
            return Poll::Ready((Side::Server, received));
        }
        if client.has_room()
            && let Poll::Ready(received) = client.poll_receive(cx)
        {
            return Poll::Ready((Side::Client, received));
        }
        Poll::Pending
    })
    .await
}

/// Passes bytes in both directions until one end ends and all it sent has gone.
pub(super) async fn relay(client: &mut Peer, server: &mut Peer) {
    let mut there = 0;
    let mut back = 0;
    poll_fn(|cx| {
        let first = poll_pass(cx, client, server, &mut there);
        let second = poll_pass(cx, server, client, &mut back);
        if first.is_ready() || second.is_ready() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    // An end that has gone does not miss the goodbye.
    let _ = client.stream.finish().await;
    let _ = server.stream.finish().await;
}

/// One direction; ready at its end.
fn poll_pass(cx: &Context<'_>, from: &mut Peer, to: &mut Peer, sent: &mut usize) -> Poll<()> {
    loop {
        if !from.input.is_empty() {
            match to.stream.poll_send_all(cx, &from.input, sent) {
                Poll::Ready(Ok(())) => {
                    from.input.clear();
                    *sent = 0;
                }
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
        match from.poll_receive(cx) {
            Poll::Ready(Ok(Received::Bytes)) => {}
            Poll::Ready(Ok(Received::End) | Err(_)) => return Poll::Ready(()),
            Poll::Pending => return Poll::Pending,
        }
    }
}
