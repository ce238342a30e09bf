//! A connection, plain or TLS.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use swell_net::{Arrival, TcpStream};

use crate::tap::TappedStream;
use crate::tls::{TlsConfig, TlsServerConfig, TlsStream};

/// A connection with or without TLS, with the same methods.
pub enum Stream {
    /// Plain TCP.
    Tcp(TcpStream),
    /// TLS over TCP.
    Tls(Box<TlsStream>),
    /// Either of them, whose bytes are copied.
    Tapped(Box<TappedStream>),
}

impl Stream {
    /// Makes the TLS handshake as a client; `server_name` goes into SNI unless it is an address.
    ///
    /// # Errors
    /// The handshake fails, the connection ends, or the deadline of `tcp` passes.
    pub async fn tls_connect(tcp: TcpStream, config: &TlsConfig, server_name: &str) -> io::Result<Self> {
        Ok(Self::Tls(Box::new(TlsStream::connect(tcp, config, server_name).await?)))
    }

    /// Makes the TLS handshake as a server.
    ///
    /// # Errors
    /// The handshake fails, the connection ends, or the deadline of `tcp` passes.
    pub async fn tls_accept(tcp: TcpStream, config: &TlsServerConfig) -> io::Result<Self> {
        Self::tls_accept_after(&[], tcp, config).await
    }

    /// As [`Stream::tls_accept`], where the first bytes of the client were received already.
    ///
    /// # Errors
    /// As [`Stream::tls_accept`].
    pub async fn tls_accept_after(
        received: &[u8],
        tcp: TcpStream,
        config: &TlsServerConfig,
    ) -> io::Result<Self> {
        Ok(Self::Tls(Box::new(TlsStream::accept(tcp, config, received).await?)))
    }

    /// Sends all of it. See [`TcpStream::send_all`].
    ///
    /// # Errors
    /// As [`TcpStream::send_all`].
    pub async fn send_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut sent = 0;
        poll_fn(|cx| self.poll_send_all(cx, bytes, &mut sent)).await
    }

    /// One step of [`Stream::send_all`], for futures that are written by hand: `sent`, 0 at first,
    /// counts what has gone.
    ///
    /// # Errors
    /// As [`TcpStream::send_all`].
    #[inline]
    pub fn poll_send_all(
        &mut self,
        cx: &Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(tcp) => tcp.poll_send_all(cx, bytes, sent),
            Self::Tls(tls) => tls.poll_send_all(cx, bytes, sent),
            Self::Tapped(tapped) => tapped.poll_send_all(cx, bytes, sent),
        }
    }

    /// Receives what is there. See [`TcpStream::recv`].
    ///
    /// # Errors
    /// As [`TcpStream::recv`]; a broken TLS record is `InvalidData`.
    pub async fn recv<R>(&mut self, f: impl FnOnce(&[u8], Arrival) -> R) -> io::Result<R> {
        let mut f = Some(f);
        poll_fn(|cx| {
            self.poll_recv(cx, |bytes, arrival| f.take().expect("a receive completes once")(bytes, arrival))
        })
        .await
    }

    /// One step of [`Stream::recv`], for futures that are written by hand: `f` is called if there
    /// is something.
    ///
    /// # Errors
    /// As [`Stream::recv`].
    #[inline]
    pub fn poll_recv<R>(
        &mut self,
        cx: &Context<'_>,
        f: impl FnOnce(&[u8], Arrival) -> R,
    ) -> Poll<io::Result<R>> {
        match self {
            Self::Tcp(tcp) => tcp.poll_recv(cx, f),
            Self::Tls(tls) => tls.poll_recv(cx, f),
            Self::Tapped(tapped) => tapped.poll_recv(cx, f),
        }
    }

    /// One step of a receive for connections that carry several exchanges at once, see
    /// [`TcpStream::poll_recv_parts`]. With TLS a part is a record, whose last byte counts. A trace
    /// does not see what is received so.
    ///
    /// # Errors
    /// As [`Stream::recv`].
    pub fn poll_recv_parts(
        &mut self,
        cx: &Context<'_>,
        f: impl FnMut(&[u8], Arrival),
    ) -> Poll<io::Result<usize>> {
        match self {
            Self::Tcp(tcp) => tcp.poll_recv_parts(cx, f),
            Self::Tls(tls) => tls.poll_recv_parts(cx, f),
            Self::Tapped(tapped) => match &mut tapped.inner {
                Self::Tcp(tcp) => tcp.poll_recv_parts(cx, f),
                Self::Tls(tls) => tls.poll_recv_parts(cx, f),
                Self::Tapped(_) => unreachable!("a tap is put on once"),
            },
        }
    }

    /// See [`TcpStream::poll_skip`]; none also with TLS, and where bytes are copied.
    pub fn poll_skip(&mut self, cx: &Context<'_>, most: usize) -> Option<Poll<io::Result<(usize, Arrival)>>> {
        match self {
            Self::Tcp(tcp) => tcp.poll_skip(cx, most),
            Self::Tls(_) | Self::Tapped(_) => None,
        }
    }

    /// See [`TcpStream::awaits_data`]; false with TLS, which may hold what has come.
    #[inline]
    pub fn awaits_data(&self, cx: &Context<'_>) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.awaits_data(cx),
            Self::Tls(_) => false,
            Self::Tapped(tapped) => tapped.inner.awaits_data(cx),
        }
    }

    /// Says that nothing more will be sent: TLS has a goodbye without which a body that ends with
    /// the connection looks cut off (RFC 8446 §6.1). Plain TCP says it by closing.
    ///
    /// # Errors
    /// As [`TcpStream::send_all`].
    pub async fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Tcp(_) => Ok(()),
            Self::Tls(tls) => tls.finish().await,
            Self::Tapped(tapped) => Box::pin(tapped.inner.finish()).await,
        }
    }

    /// See [`TcpStream::sample_send`].
    #[inline]
    pub fn sample_send(&mut self) -> bool {
        self.tcp_mut().sample_send()
    }

    /// See [`TcpStream::sent_ns`]. With TLS: the last byte of the last record.
    #[inline]
    pub fn sent_ns(&mut self) -> Option<i64> {
        self.tcp_mut().sent_ns()
    }

    /// The certificate that the other end showed, DER; none without TLS, and of clients that were
    /// not asked.
    pub fn peer_certificate(&self) -> Option<&[u8]> {
        match self {
            Self::Tcp(_) => None,
            Self::Tls(tls) => tls.peer_certificate(),
            Self::Tapped(tapped) => tapped.inner.peer_certificate(),
        }
    }

    /// The application protocol that both ends agreed upon (RFC 7301); none without TLS, or where
    /// nothing was offered.
    pub fn protocol(&self) -> Option<&[u8]> {
        match self {
            Self::Tcp(_) => None,
            Self::Tls(tls) => tls.protocol(),
            Self::Tapped(tapped) => tapped.inner.protocol(),
        }
    }

    /// The version of TLS; none without TLS.
    pub fn tls_version(&self) -> Option<&'static str> {
        match self {
            Self::Tcp(_) => None,
            Self::Tls(tls) => tls.version(),
            Self::Tapped(tapped) => tapped.inner.tls_version(),
        }
    }

    /// The same connection, whose bytes are copied from now on. `number`: a number for it;
    /// `most_sent`: bytes of a request that are kept.
    #[must_use]
    pub fn tapped(self, number: u32, most_sent: usize) -> Self {
        Self::Tapped(Box::new(TappedStream::new(self, number, most_sent)))
    }

    /// What copies its bytes, if something does.
    pub fn tap(&mut self) -> Option<&mut TappedStream> {
        match self {
            Self::Tapped(tapped) => Some(tapped),
            Self::Tcp(_) | Self::Tls(_) => None,
        }
    }

    /// See [`TcpStream::set_deadline`].
    #[inline]
    pub fn set_deadline(&mut self, at_ns: Option<i64>) {
        self.tcp_mut().set_deadline(at_ns);
    }

    /// See [`TcpStream::set_limit`].
    #[inline]
    pub fn set_limit(&mut self, at_ns: Option<i64>) {
        self.tcp_mut().set_limit(at_ns);
    }

    /// See [`TcpStream::is_over`].
    #[inline]
    pub fn is_over(&self, now_ns: i64) -> bool {
        self.tcp().is_over(now_ns)
    }

    /// See [`TcpStream::is_stale`]. A TLS connection may hold an unread session ticket; that does
    /// not make it stale.
    #[inline]
    pub fn is_stale(&mut self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.is_stale(),
            Self::Tls(tls) => tls.is_stale(),
            Self::Tapped(tapped) => tapped.inner.is_stale(),
        }
    }

    /// See [`TcpStream::has_seen_end`].
    #[inline]
    pub fn has_seen_end(&self) -> bool {
        self.tcp().has_seen_end()
    }

    /// See [`TcpStream::is_stale_now`].
    #[inline]
    pub fn is_stale_now(&mut self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.is_stale_now(),
            Self::Tls(tls) => tls.is_stale_now(),
            Self::Tapped(tapped) => tapped.inner.is_stale_now(),
        }
    }

    /// The other end.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.tcp().peer_addr()
    }

    /// This end.
    ///
    /// # Errors
    /// As the system's `getsockname`.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.tcp().local_addr()
    }

    /// Ends this side without the goodbye of TLS.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn shutdown_write(&self) -> io::Result<()> {
        self.tcp().shutdown_write()
    }

    /// Dropping the connection will send a reset.
    ///
    /// # Errors
    /// As the system's `setsockopt`.
    pub fn set_linger_zero(&self) -> io::Result<()> {
        self.tcp().set_linger_zero()
    }

    #[inline]
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Tcp(tcp) => tcp,
            Self::Tls(tls) => tls.tcp(),
            Self::Tapped(tapped) => tapped.inner.tcp(),
        }
    }

    #[inline]
    fn tcp_mut(&mut self) -> &mut TcpStream {
        match self {
            Self::Tcp(tcp) => tcp,
            Self::Tls(tls) => tls.tcp_mut(),
            Self::Tapped(tapped) => tapped.inner.tcp_mut(),
        }
    }
}
