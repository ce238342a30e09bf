//! Datagrams to and from a single peer.

use std::io;
use std::net::SocketAddr;

use crate::runtime::with_core;
use crate::rx_timestamps::RxTimestamps;
use crate::sys;
use crate::tcp::{Arrival, TcpStream};

/// A socket of this thread's loop that only receives from one peer. As with a connection, the next
/// call returns errors that the other machine reports.
pub struct UdpSocket(TcpStream);

impl UdpSocket {
    /// A socket on a port that the system chooses.
    ///
    /// # Errors
    /// The system has no socket to give.
    pub fn to(peer: SocketAddr) -> io::Result<Self> {
        let fd = sys::udp_to(peer)?;
        let stamps = RxTimestamps::with_reads(&fd, with_core(|core| core.source))?;
        Ok(Self(TcpStream::new(fd, stamps)?))
    }

    /// Sends one datagram.
    ///
    /// # Errors
    /// As [`TcpStream::send_all`].
    pub async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.send_all(bytes).await
    }

    /// Waits for a datagram.
    ///
    /// # Errors
    /// As [`TcpStream::recv`].
    pub async fn recv<R>(&mut self, f: impl FnOnce(&[u8], Arrival) -> R) -> io::Result<R> {
        self.0.recv(f).await
    }

    /// See [`TcpStream::set_deadline`].
    pub fn set_deadline(&mut self, at_ns: Option<i64>) {
        self.0.set_deadline(at_ns);
    }
}
