//! Connections to servers.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use swell_connect::{ConnectError, Stream, dial};
use swell_net::{ConnectOptions, TcpStream, now_ns};

use super::Shared;
use super::peer::Peer;

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
}

/// Why there is no connection.
#[derive(Debug)]
pub(super) enum ServerError {
    Connect(ConnectError),
    /// The certificate is not trusted.
    Certificate(rustls::CertificateError),
    /// The server does not speak HTTP/1.1.
    NoHttp1,
    Handshake(io::Error),
}

/// Connects, and makes the handshake if there is one to make.
pub(super) async fn connect(shared: &Shared, origin: &Origin) -> Result<Connected, ServerError> {
    let tcp = dial_server(shared, &origin.host, origin.port).await.map_err(ServerError::Connect)?;
    secure(shared, origin, tcp).await
}

/// Connects to the first address of a host that answers.
pub(super) async fn dial_server(shared: &Shared, host: &str, port: u16) -> Result<TcpStream, ConnectError> {
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
    Ok(Connected { origin, peer: Peer::new(stream), address, number, handshake_ms, is_reused: false })
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
pub(super) fn connect_error(error: &ConnectError) -> String {
    match error {
        ConnectError::UnknownHost { host, .. } => format!("unknown host {host}"),
        ConnectError::Connect { error, host, port, .. } => {
            format!("cannot connect to {host}:{port}: {error}")
        }
        other => format!("cannot connect: {other:?}"),
    }
}
