//! Making a connection (`DefaultHttpClientConnectionOperator`).

use std::net::{IpAddr, SocketAddr};

use swell_net::{ConnectOptions, Stream, TcpStream, TlsConfig};

use crate::failure::Failure;
use crate::request::Target;

use super::Dns;

/// How to connect.
pub(crate) struct Opened<'a> {
    pub(crate) target: &'a Target,
    /// Host as the URL has it, for messages.
    pub(crate) host: &'a str,
    pub(crate) source: Option<IpAddr>,
    /// Time for each address, and for each read of the TLS handshake.
    pub(crate) timeout_ns: Option<i64>,
    pub(crate) tls: Option<&'a TlsConfig>,
}

/// Connects to the first address that answers, and makes the TLS handshake if there is one to make.
///
/// # Errors
/// The host is unknown, no address answers, the handshake fails.
pub(crate) async fn open(how: &Opened<'_>, dns: &Dns) -> Result<Stream, Failure> {
    let addresses = dns.resolve(how.host, how.target.port).await?;
    let mut tcp = connect(how, &addresses).await?;
    let Some(tls) = how.tls else { return Ok(Stream::Tcp(tcp)) };
    tcp.set_deadline(how.timeout_ns.map(|limit_ns| swell_net::now_ns() + limit_ns));
    let mut stream =
        Stream::tls_connect(tcp, tls, how.host).await.map_err(|error| Failure::handshake(&error))?;
    stream.set_deadline(None);
    Ok(stream)
}

async fn connect(how: &Opened<'_>, addresses: &[SocketAddr]) -> Result<TcpStream, Failure> {
    let options = ConnectOptions { source: how.source, timeout_ns: how.timeout_ns };
    let mut last = None;
    for address in addresses {
        match TcpStream::connect(*address, &options).await {
            Ok(tcp) => return Ok(tcp),
            Err(error) => last = Some(error),
        }
    }
    let error = last.expect("a resolved host has an address");
    Err(Failure::connect(&error, how.host, how.target.port, addresses))
}
