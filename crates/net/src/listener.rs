//! Listening sockets.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::task::Poll;

use crate::runtime::{Direction, SourceId, try_core, with_core};
use crate::rx_timestamps::RxTimestamps;
use crate::{TcpStream, sys};

/// Connections that may wait to be accepted; the kernel cuts it to `net.core.somaxconn`.
const BACKLOG: i32 = 65_535;

/// A listening socket of this thread's loop. Several loops may listen on one port, and the kernel
/// distributes the connections.
pub struct TcpListener {
    source: SourceId,
    fd: sys::Fd,
}

impl TcpListener {
    /// Listens; port 0 lets the system choose.
    ///
    /// # Errors
    /// As the system's `bind` and `listen`.
    pub fn bind(at: SocketAddr) -> io::Result<Self> {
        let fd = sys::listen(at, BACKLOG)?;
        let source = with_core(|core| core.register(&fd))?;
        Ok(Self { source, fd })
    }

    /// Whether the port is free: a port that [`TcpListener::bind`] shares is shared with other
    /// processes too.
    ///
    /// # Errors
    /// Like the system's `bind`; the port is in use.
    pub fn is_free(at: SocketAddr) -> io::Result<()> {
        sys::is_free(at)
    }

    /// The next connection.
    ///
    /// # Errors
    /// As the system's `accept`; no descriptors left is one of them, after which the listener is
    /// still good.
    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        poll_fn(|cx| {
            with_core(|core| {
                loop {
                    if !core.sources().poll(self.source, Direction::Read, cx) {
                        return Poll::Pending;
                    }
                    match sys::accept(self.fd.as_raw_fd()) {
                        Ok((fd, peer)) => {
                            let stream = RxTimestamps::with_reads(&fd, core.source)
                                .and_then(|stamps| TcpStream::new(fd, stamps));
                            return Poll::Ready(stream.map(|stream| (stream, peer)));
                        }
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                            core.sources().clear(self.source, Direction::Read);
                        }
                        Err(error) => match error.kind() {
                            io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted => {}
                            _ => return Poll::Ready(Err(error)),
                        },
                    }
                }
            })
        })
        .await
    }

    /// Where it listens.
    ///
    /// # Errors
    /// As the system's `getsockname`.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        sys::local_addr(self.fd.as_raw_fd())
    }
}

impl Drop for TcpListener {
    fn drop(&mut self) {
        try_core(|core| core.unregister(self.source));
    }
}
