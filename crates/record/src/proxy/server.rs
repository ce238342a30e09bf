//! Connections to servers.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use swell_connect::{ConnectError, Stream, dial};
use swell_fetch::Proxy;
use swell_net::{ConnectOptions, TcpStream, now_ns};

use super::Shared;
use super::peer::{Peer, Received};
use super::request::RequestHead;
use super::response::{ResponseReader, Step};

/// How long one address, or a handshake, may take.
const CONNECT_NS: i64 = 30_000_000_000;

/// A server that requests are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) is_secure: bool,
    /// As in the URL: an IPv6 address has brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// The name for TLS.
    pub(super) server_name: String,
}

impl Origin {
    /// The beginning of its URLs.
    pub(super) fn url(&self) -> String {
        let (scheme, usual) = if self.is_secure { ("https", 443) } else { ("http", 80) };
        if self.port == usual {
            format!("{scheme}://{}", self.host)
        } else {
            format!("{scheme}://{}:{}", self.host, self.port)
        }
    }
}

/// A connection to a server.
pub(super) struct Connected {
    pub(super) origin: Origin,
    pub(super) peer: Peer,
    pub(super) address: Option<SocketAddr>,
    pub(super) number: u64,
    pub(super) handshake_ms: Option<f64>,
    /// It has had a request before.
    pub(super) is_reused: bool,
    /// The proxy at its other end, which reads whole URLs; none: the server, or a tunnel to it.
    pub(super) proxy: Option<Proxy>,
}

impl Connected {
    /// The bytes of a request for its other end.
    pub(super) fn request(&self, head: &RequestHead, target: &str) -> Vec<u8> {
        match &self.proxy {
            None => head.bytes(target, None),
            Some(proxy) => {
                head.bytes(&format!("{}{target}", self.origin.url()), proxy.authorization.as_deref())
            }
        }
    }
}

/// Why there is no connection.
#[derive(Debug)]
pub(super) enum ServerError {
    Connect(ConnectError),
    /// The proxy on the way: its address, and why there is no way through it.
    Proxy(String, String),
    /// The certificate is not trusted.
    Certificate(rustls::CertificateError),
    /// The server does not speak HTTP/1.1.
    NoHttp1,
    Handshake(io::Error),
}

/// Connects, and makes the handshake if there is one to make.
pub(super) async fn connect(shared: &Shared, origin: &Origin) -> Result<Connected, ServerError> {
    let Origin { host, port, .. } = origin;
    if origin.is_secure {
        return secure(shared, origin, reach(shared, host, *port).await?.0).await;
    }
    match shared.upstream.on_the_way_to(false, host, *port) {
        None => {
            let tcp = dial_host(shared, host, *port).await.map_err(ServerError::Connect)?;
            secure(shared, origin, tcp).await
        }
        Some(proxy) => {
            let connected = secure(shared, origin, dial_proxy(shared, &proxy).await?).await?;
            Ok(Connected { proxy: Some(proxy), ..connected })
        }
    }
}

/// A connection to a server that bytes pass as they are, and what the server has sent already.
pub(super) async fn reach(
    shared: &Shared,
    host: &str,
    port: u16,
) -> Result<(TcpStream, Vec<u8>), ServerError> {
    match shared.upstream.on_the_way_to(true, host, port) {
        None => {
            let tcp = dial_host(shared, host, port).await.map_err(ServerError::Connect)?;
            Ok((tcp, Vec::new()))
        }
        Some(proxy) => through(dial_proxy(shared, &proxy).await?, &proxy, &format!("{host}:{port}")).await,
    }
}

/// Why a proxy that wants a user and a password does not get them.
pub(super) const WANTS_USER: &str =
    "it wants a user and a password; record with --upstream http://USER:PASSWORD@HOST:PORT";

/// Asks a proxy for a tunnel.
async fn through(
    mut tcp: TcpStream,
    proxy: &Proxy,
    server: &str,
) -> Result<(TcpStream, Vec<u8>), ServerError> {
    let failed = |why: String| ServerError::Proxy(proxy.place(), why);
    let authorization = proxy.authorization.as_ref();
    let authorization =
        authorization.map(|value| format!("Proxy-Authorization: {value}\r\n")).unwrap_or_default();
    let request = format!("CONNECT {server} HTTP/1.1\r\nHost: {server}\r\n{authorization}\r\n");
    tcp.set_deadline(Some(now_ns() + CONNECT_NS));
    let mut peer = Peer::new(Stream::Tcp(tcp));
    peer.stream.send_all(request.as_bytes()).await.map_err(|error| failed(error.to_string()))?;
    let mut reader = ResponseReader::new(true);
    let status = loop {
        match reader.feed(&peer.input, |_| {}) {
            Ok(Step::Interim(length)) => {
                peer.input.drain(..length);
                continue;
            }
            Ok(Step::Head(length, response) | Step::Switch(length, response)) => {
                peer.input.drain(..length);
                break response.status;
            }
            Ok(Step::Incomplete | Step::Body(_)) => {}
            Err(error) => return Err(failed(format!("it does not answer as a proxy does: {error:?}"))),
        }
        match peer.receive().await {
            Ok(Received::Bytes) => {}
            Ok(Received::End) => return Err(failed("it closed the connection".to_owned())),
            Err(error) => return Err(failed(error.to_string())),
        }
    };
    match (status, peer.stream) {
        (200..=299, Stream::Tcp(mut tcp)) => {
            tcp.set_deadline(None);
            Ok((tcp, peer.input))
        }
        (407, _) => Err(failed(WANTS_USER.to_owned())),
        (status, _) => Err(failed(format!("it refuses a tunnel to {server} with status {status}"))),
    }
}

async fn dial_proxy(shared: &Shared, proxy: &Proxy) -> Result<TcpStream, ServerError> {
    let dialled = dial_host(shared, &proxy.host, proxy.port).await;
    dialled.map_err(|error| ServerError::Proxy(proxy.place(), connect_error(&error)))
}

/// Connects to the first address of a host that answers.
async fn dial_host(shared: &Shared, host: &str, port: u16) -> Result<TcpStream, ConnectError> {
    let addresses = shared.names.resolve(host, port).await?;
    let options = ConnectOptions { timeout_ns: Some(CONNECT_NS), ..ConnectOptions::default() };
    dial((host, port), host, &addresses, &options).await
}

/// Makes the handshake if there is one to make.
pub(super) async fn secure(
    shared: &Shared,
    origin: &Origin,
    mut tcp: TcpStream,
) -> Result<Connected, ServerError> {
    let address = tcp.peer_addr().ok();
    let begun_ns = now_ns();
    let (stream, handshake_ms) = if origin.is_secure {
        tcp.set_deadline(Some(begun_ns + CONNECT_NS));
        let made = Stream::tls_connect(tcp, &shared.tls, &origin.server_name).await;
        let mut stream = made.map_err(handshake_error)?;
        stream.set_deadline(None);
        (stream, Some((now_ns() - begun_ns) as f64 / 1e6))
    } else {
        (Stream::Tcp(tcp), None)
    };
    let origin = origin.clone();
    let number = shared.next_connection();
    let peer = Peer::new(stream);
    Ok(Connected { origin, peer, address, number, handshake_ms, is_reused: false, proxy: None })
}

fn handshake_error(error: io::Error) -> ServerError {
    match error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(why)) => ServerError::Certificate(why.clone()),
        Some(rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol)) => {
            ServerError::NoHttp1
        }
        _ => ServerError::Handshake(error),
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => f.write_str(&connect_error(error)),
            Self::Proxy(place, why) => write!(f, "the upstream proxy {place}: {why}"),
            Self::Certificate(why) => {
                let why = rustls::Error::InvalidCertificate(why.clone());
                write!(f, "the server's certificate is not trusted ({why}); record with -k to accept it")
            }
            Self::NoHttp1 => f.write_str("the server does not speak HTTP/1.1"),
            Self::Handshake(error) => write!(f, "the TLS handshake with the server failed: {error}"),
        }
    }
}

/// Why a server cannot be reached.
fn connect_error(error: &ConnectError) -> String {
    match error {
        ConnectError::UnknownHost { host, .. } => format!("unknown host {host}"),
        ConnectError::Connect { error, host, port, .. } => {
            format!("cannot connect to {host}:{port}: {error}")
        }
        other => format!("cannot connect: {other:?}"),
    }
}
