//! Making a connection (`DefaultHttpClientConnectionOperator`).

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use swell_net::{ConnectOptions, Stream, TcpStream, TlsConfig};

use crate::failure::Failure;
use crate::request::Target;
use crate::wire::response::Nothing;

use super::{Broken, Dns, Exchange, exchange};

/// How to connect.
pub(crate) struct Opened<'a> {
    pub(crate) target: &'a Target,
    /// Host as the URL has it, for messages.
    pub(crate) host: &'a str,
    pub(crate) source: Option<IpAddr>,
    /// Time for each address, and for each read of the TLS handshake.
    pub(crate) timeout_ns: Option<i64>,
    pub(crate) tls: Option<&'a TlsConfig>,
    /// Hosts whose addresses the plan gives.
    pub(crate) hosts: Option<&'a [(Rc<str>, Rc<str>)]>,
    /// `User-Agent` for a proxy.
    pub(crate) agent: Option<&'a str>,
}

/// Connects to the first address that answers, through the proxy if there is one, and makes the TLS handshake if there is
/// one to make.
///
/// # Errors
/// The host is unknown, no address answers, the proxy refuses, the handshake fails.
pub(crate) async fn open(how: &Opened<'_>, dns: &Dns) -> Result<Stream, Failure> {
    let (host, port) = match &how.target.proxy {
        Some(proxy) => (&*proxy.host, proxy.port),
        None => (how.host, how.target.port),
    };
    let mut stream = Stream::Tcp(dial(how, host, port, dns).await?);
    let Some(tls) = how.tls else { return Ok(stream) };
    if how.target.proxy.is_some() {
        tunnel(how, &mut stream).await?;
    }
    let Stream::Tcp(mut tcp) = stream else { unreachable!("it was made so") };
    tcp.set_deadline(how.timeout_ns.map(|limit_ns| swell_net::now_ns() + limit_ns));
    let mut stream =
        Stream::tls_connect(tcp, tls, how.host).await.map_err(|error| Failure::handshake(&error))?;
    stream.set_deadline(None);
    Ok(stream)
}

/// Connects to a host.
async fn dial(how: &Opened<'_>, host: &str, port: u16, dns: &Dns) -> Result<TcpStream, Failure> {
    let given = how.hosts.unwrap_or_default().iter().find(|(name, _)| name.eq_ignore_ascii_case(host));
    let Some((name, addresses)) = given else {
        let addresses = dns.resolve(host, port).await?;
        return connect(how, host, host, &addresses).await;
    };
    // JMeter finds a host in any case, and its addresses only as it is written.
    let (mut found, mut said) = (Vec::new(), "");
    for address in addresses.split(',').map(str::trim).filter(|_| **name == *host) {
        said = if address.is_empty() { "localhost" } else { address };
        found.extend(dns.resolve(said, port).await.unwrap_or_default());
    }
    if found.is_empty() {
        return Err(Failure::not_connected());
    }
    connect(how, host, said, &found).await
}

async fn connect(
    how: &Opened<'_>,
    host: &str,
    name: &str,
    addresses: &[SocketAddr],
) -> Result<TcpStream, Failure> {
    let options = ConnectOptions { source: how.source, timeout_ns: how.timeout_ns };
    let mut last = None;
    for address in addresses {
        match TcpStream::connect(*address, &options).await {
            Ok(tcp) => return Ok(tcp),
            Err(error) => last = Some((error, address.port())),
        }
    }
    let (error, port) = last.expect("a resolved host has an address");
    Err(Failure::connect(&error, (host, port), name, addresses))
}

/// Asks the proxy for a tunnel to the site.
async fn tunnel(how: &Opened<'_>, stream: &mut Stream) -> Result<(), Failure> {
    let Target { host, port, .. } = how.target;
    let shown = if *port == 443 { String::new() } else { format!(":{port}") };
    let agent = how.agent.map(|agent| format!("User-Agent: {agent}\r\n")).unwrap_or_default();
    let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}{shown}\r\n{agent}\r\n");
    let mut done = Exchange::default();
    let result = exchange(stream, request.as_bytes(), true, how.timeout_ns, &mut Nothing, &mut done).await;
    result.map_err(|error| match error {
        Broken::Io(error) => Failure::exchange(&error),
        Broken::Wire(error) => Failure::wire(&error, &format!("{host}:{port}")),
    })?;
    match done.facts.map_or(0, |facts| facts.status) {
        200..=299 => Ok(()),
        status => Err(Failure::no_tunnel(status)),
    }
}
