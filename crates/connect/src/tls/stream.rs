//! TLS over a TCP connection: rustls implements the protocol, and the event loop waits.

use std::future::poll_fn;
use std::io::{self, Read};
use std::task::{Context, Poll, ready};

use rustls::{ClientConnection, Connection, ServerConnection};
use rustls_pki_types::ServerName;
use swell_net::{Arrival, TcpStream};

use super::records::Records;
use super::{TlsConfig, TlsServerConfig};

/// A TLS connection.
pub struct TlsStream {
    tcp: TcpStream,
    session: Connection,
    /// Records on their way out, and how much of them has gone.
    out: Vec<u8>,
    sent: usize,
    /// The peer has ended.
    ended: bool,
    /// When the peer's end came.
    goodbye: Option<Arrival>,
    /// Application data that came with the handshake.
    early: Option<(Vec<u8>, Arrival)>,
    /// Where the next record begins, for [`TlsStream::poll_recv_parts`].
    records: Records,
}

impl TlsStream {
    /// Makes the handshake as a client. See [`crate::Stream::tls_connect`].
    pub(crate) async fn connect(tcp: TcpStream, config: &TlsConfig, server_name: &str) -> io::Result<Self> {
        let name = ServerName::try_from(server_name.trim_matches(['[', ']']).to_owned())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let session = ClientConnection::new(config.shared(), name).map_err(io::Error::other)?;
        Self::handshake(tcp, session.into()).await
    }

    /// Makes the handshake as a server; `received` has come already. See
    /// [`crate::Stream::tls_accept`].
    pub(crate) async fn accept(
        tcp: TcpStream,
        config: &TlsServerConfig,
        received: &[u8],
    ) -> io::Result<Self> {
        let session = ServerConnection::new(config.shared()).map_err(io::Error::other)?;
        let mut session = Connection::from(session);
        let mut ended = false;
        if !received.is_empty() {
            // A client sends data only after the server's answer.
            decrypt(&mut session, &mut ended, received)?;
        }
        Self::handshake(tcp, session).await
    }

    async fn handshake(tcp: TcpStream, mut session: Connection) -> io::Result<Self> {
        session.set_buffer_limit(None);
        let mut stream = Self {
            tcp,
            session,
            out: Vec::new(),
            sent: 0,
            ended: false,
            goodbye: None,
            early: None,
            records: Records::default(),
        };
        while stream.session.is_handshaking() {
            stream.flush().await?;
            if !stream.session.is_handshaking() {
                break;
            }
            let (plain, arrival) = poll_fn(|cx| stream.poll_records(cx)).await?;
            if stream.ended && stream.session.is_handshaking() {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "connection ended in the TLS handshake",
                ));
            }
            if !plain.is_empty() {
                stream.early = Some((plain, arrival));
            }
        }
        stream.flush().await?;
        Ok(stream)
    }

    /// One step of sending all of it: `sent` counts what has been taken.
    pub(crate) fn poll_send_all(
        &mut self,
        cx: &Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        // The session takes all at once.
        if *sent < bytes.len() {
            io::Write::write_all(&mut self.session.writer(), &bytes[*sent..])?;
            *sent = bytes.len();
        }
        self.poll_flush(cx)
    }

    pub(crate) async fn finish(&mut self) -> io::Result<()> {
        self.session.send_close_notify();
        self.flush().await
    }

    async fn flush(&mut self) -> io::Result<()> {
        poll_fn(|cx| self.poll_flush(cx)).await
    }

    fn poll_flush(&mut self, cx: &Context<'_>) -> Poll<io::Result<()>> {
        loop {
            while self.session.wants_write() {
                self.session.write_tls(&mut self.out)?;
            }
            if self.sent < self.out.len() {
                ready!(self.tcp.poll_send_all(cx, &self.out, &mut self.sent))?;
            }
            (self.out, self.sent) = (Vec::new(), 0);
            if !self.session.wants_write() {
                return Poll::Ready(Ok(()));
            }
        }
    }

    /// One step of a receive.
    pub(crate) fn poll_recv<R>(
        &mut self,
        cx: &Context<'_>,
        f: impl FnOnce(&[u8], Arrival) -> R,
    ) -> Poll<io::Result<R>> {
        if let Some((plain, arrival)) = self.early.take() {
            return Poll::Ready(Ok(f(&plain, arrival)));
        }
        if let Some(arrival) = self.goodbye {
            // It came with the last data; a peer that waits for ours sends nothing more.
            return Poll::Ready(Ok(f(&[], arrival)));
        }
        loop {
            // Records of the protocol itself (tickets, key updates) may have to be answered first.
            ready!(self.poll_flush(cx))?;
            let (plain, arrival) = ready!(self.poll_records(cx))?;
            if self.ended {
                self.goodbye = Some(arrival);
            }
            if !plain.is_empty() || self.ended {
                return Poll::Ready(Ok(f(&plain, arrival)));
            }
        }
    }

    /// One step of a receive that gives the bytes of each record with the time at which its last
    /// byte arrived. See [`TcpStream::poll_recv_parts`].
    pub(crate) fn poll_recv_parts(
        &mut self,
        cx: &Context<'_>,
        mut f: impl FnMut(&[u8], Arrival),
    ) -> Poll<io::Result<usize>> {
        if let Some((plain, arrival)) = self.early.take() {
            f(&plain, arrival);
            return Poll::Ready(Ok(plain.len()));
        }
        if let Some(arrival) = self.goodbye {
            f(&[], arrival);
            return Poll::Ready(Ok(0));
        }
        loop {
            ready!(self.poll_flush(cx))?;
            let (count, last) = ready!(self.poll_each_record(cx, &mut f))?;
            if self.ended {
                self.goodbye = last;
            }
            if count > 0 {
                return Poll::Ready(Ok(count));
            }
            if let Some(arrival) = self.goodbye {
                f(&[], arrival);
                return Poll::Ready(Ok(0));
            }
        }
    }

    /// Receives once and decrypts record by record; how many bytes came of it.
    fn poll_each_record(
        &mut self,
        cx: &Context<'_>,
        f: &mut impl FnMut(&[u8], Arrival),
    ) -> Poll<io::Result<(usize, Option<Arrival>)>> {
        let Self { tcp, session, ended, records, .. } = self;
        let mut count = 0;
        let mut last = None;
        let mut result = Ok(());
        ready!(tcp.poll_recv_parts(cx, |bytes, arrival| {
            last = Some(arrival);
            *ended |= bytes.is_empty();
            let mut rest = bytes;
            while !rest.is_empty() && result.is_ok() {
                let (part, is_whole) = records.split(&mut rest);
                match decrypt_part(session, ended, part, is_whole) {
                    Ok(plain) if plain.is_empty() => {}
                    Ok(plain) => {
                        count += plain.len();
                        f(&plain, arrival);
                    }
                    Err(error) => result = Err(error),
                }
            }
        }))?;
        result?;
        Poll::Ready(Ok((count, last)))
    }

    /// Receives once and decrypts all of it.
    fn poll_records(&mut self, cx: &Context<'_>) -> Poll<io::Result<(Vec<u8>, Arrival)>> {
        let session = &mut self.session;
        let ended = &mut self.ended;
        let records = &mut self.records;
        let take = |bytes: &[u8], arrival| {
            records.skip(bytes);
            (decrypt(session, ended, bytes), arrival)
        };
        let (plain, arrival) = ready!(self.tcp.poll_recv(cx, take))?;
        Poll::Ready(plain.map(|plain| (plain, arrival)))
    }

    /// Whether an idle connection is unusable: ended, broken, or with unexpected data.
    pub(crate) fn is_stale(&mut self) -> bool {
        self.ended || self.early.is_some() || self.tcp.is_stale() && self.holds_more_than_tickets()
    }

    /// As [`TlsStream::is_stale`], but asks the kernel for what the loop has not seen yet.
    pub(crate) fn is_stale_now(&mut self) -> bool {
        self.ended || self.early.is_some() || self.tcp.is_stale_now() && self.holds_more_than_tickets()
    }

    fn holds_more_than_tickets(&mut self) -> bool {
        // Something came: take it in, since it may be a ticket only.
        let cx = Context::from_waker(std::task::Waker::noop());
        match self.poll_records(&cx) {
            Poll::Ready(Ok((plain, _))) => self.ended || !plain.is_empty(),
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        }
    }

    /// The certificate that the other end showed, DER.
    pub(crate) fn peer_certificate(&self) -> Option<&[u8]> {
        self.session.peer_certificates()?.first().map(AsRef::as_ref)
    }

    /// The application protocol that both ends agreed upon.
    pub(crate) fn protocol(&self) -> Option<&[u8]> {
        self.session.alpn_protocol()
    }

    /// The version that both ends agreed upon.
    pub(crate) fn version(&self) -> Option<&'static str> {
        use rustls::ProtocolVersion::{TLSv1_2, TLSv1_3};
        match self.session.protocol_version()? {
            TLSv1_2 => Some("TLS 1.2"),
            TLSv1_3 => Some("TLS 1.3"),
            _ => Some("TLS"),
        }
    }

    pub(crate) fn tcp(&self) -> &TcpStream {
        &self.tcp
    }

    pub(crate) fn tcp_mut(&mut self) -> &mut TcpStream {
        &mut self.tcp
    }
}

/// Feeds bytes of one record to the session; what the record decrypts to, if it is whole.
fn decrypt_part(
    session: &mut Connection,
    ended: &mut bool,
    mut part: &[u8],
    is_whole: bool,
) -> io::Result<Vec<u8>> {
    if is_whole {
        return decrypt(session, ended, part);
    }
    while !part.is_empty() {
        session.read_tls(&mut part)?;
    }
    Ok(Vec::new())
}

/// Feeds received bytes to the session and takes what they decrypt to.
fn decrypt(session: &mut Connection, ended: &mut bool, mut bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    if bytes.is_empty() {
        *ended = true;
    }
    while !bytes.is_empty() {
        session.read_tls(&mut bytes)?;
        let state =
            session.process_new_packets().map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        *ended |= state.peer_has_closed();
        let waiting = state.plaintext_bytes_to_read();
        if waiting > 0 {
            let start = plain.len();
            plain.resize(start + waiting, 0);
            session.reader().read_exact(&mut plain[start..])?;
        }
    }
    Ok(plain)
}
