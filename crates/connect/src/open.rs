//! Opens a connection (`DefaultHttpClientConnectionOperator`).

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use swell_net::{ConnectOptions, TcpStream, now_ns};

use crate::tunnel::tunnel;
use crate::{
    ConnectError, NameCache, Proxy, Routes, SentProxyCredentials, Stream, Target, TlsConfig, UserNames, basic,
};

/// Parameters of a connection.
pub struct ConnectParams<'a> {
    /// Where to.
    pub target: &'a Rc<Target>,
    /// The host to look up, and the name that TLS asks for.
    pub host: &'a str,
    /// The address that the connection goes out from.
    pub source: Option<IpAddr>,
    /// Time for each address, and for each read of the TLS handshake.
    pub timeout_ns: Option<i64>,
    /// Used where the target is secure.
    pub tls: Option<&'a TlsConfig>,
    /// `User-Agent` for a proxy.
    pub agent: Option<&'a str>,
    /// What was said to a proxy before.
    pub sent: Option<&'a SentProxyCredentials>,
    /// Where connections go instead.
    pub routes: Option<&'a Routes>,
    /// The connection may carry several exchanges at once ([`ConnectOptions::segments`]).
    pub segments: bool,
    /// A proxy is asked for a tunnel also without TLS: it would not pass on another protocol.
    pub tunnels: bool,
}

/// An open connection.
pub struct OpenConnection {
    /// The connection.
    pub stream: Stream,
    /// How long the TLS handshake took, in nanoseconds; 0 without one.
    pub handshake_ns: i64,
}

/// Connects to the first address that answers, through the proxy if there is one, and makes the TLS
/// handshake if there is one to make. `names`: those of a DNS Cache Manager.
///
/// # Errors
/// The host is unknown, no address answers, the proxy refuses, the handshake fails.
pub async fn open(
    params: &ConnectParams<'_>,
    cache: &NameCache,
    mut names: Option<&mut UserNames>,
) -> Result<OpenConnection, ConnectError> {
    let (host, port) = match &params.target.proxy {
        Some(proxy) => (&*proxy.host, proxy.port),
        None => (params.host, params.target.port),
    };
    let mut tcp = connect(params, (host, port), cache, names.as_deref_mut()).await?;
    if let Some(proxy) = params.target.proxy.as_ref().filter(|_| params.tls.is_some() || params.tunnels) {
        tcp = tunnel_through(params, proxy, tcp, cache, names).await?;
    }
    let Some(tls) = params.tls else {
        return Ok(OpenConnection { stream: Stream::Tcp(tcp), handshake_ns: 0 });
    };
    let begun_ns = now_ns();
    tcp.set_deadline(params.timeout_ns.map(|limit_ns| begun_ns + limit_ns));
    let mut stream = Stream::tls_connect(tcp, tls, params.host).await.map_err(ConnectError::Handshake)?;
    stream.set_deadline(None);
    Ok(OpenConnection { stream, handshake_ns: now_ns() - begun_ns })
}

/// Asks a proxy for a tunnel, once more with credentials where it wants them and none were sent.
async fn tunnel_through(
    params: &ConnectParams<'_>,
    proxy: &Proxy,
    tcp: TcpStream,
    cache: &NameCache,
    names: Option<&mut UserNames>,
) -> Result<TcpStream, ConnectError> {
    let mut stream = Stream::Tcp(tcp);
    let sent = params.sent.and_then(|sent| sent.to(params.target));
    let mut status = tunnel(params, &mut stream, sent.as_deref()).await?;
    if let (407, None, Some(credentials)) = (status, sent, &proxy.credentials) {
        // The answer may have a body, so another connection is taken.
        stream = Stream::Tcp(connect(params, (&proxy.host, proxy.port), cache, names).await?);
        let value = basic(credentials);
        status = tunnel(params, &mut stream, Some(&value)).await?;
        if let Some(sent) = params.sent {
            sent.remember(params.target, &value);
        }
    }
    match stream {
        Stream::Tcp(tcp) if (200..300).contains(&status) => Ok(tcp),
        _ => Err(ConnectError::TunnelRefused(status)),
    }
}

/// Connects to a host, or where connections to it go instead.
async fn connect(
    params: &ConnectParams<'_>,
    wanted: (&str, u16),
    cache: &NameCache,
    names: Option<&mut UserNames>,
) -> Result<TcpStream, ConnectError> {
    if let Some(path) = params.routes.and_then(Routes::unix) {
        let connected = TcpStream::connect_unix(path, params.timeout_ns).await;
        return connected.map_err(|error| ConnectError::ConnectUnix(error, path.to_owned()));
    }
    let (host, port) = params.routes.map_or(wanted, |routes| routes.instead_of(wanted));
    let options =
        ConnectOptions { source: params.source, timeout_ns: params.timeout_ns, segments: params.segments };
    let Some(names) = names else {
        let addresses = cache.resolve(host, port).await?;
        return dial((host, port), host, &addresses, &options).await;
    };
    let found = names.resolve(host, cache).await?;
    if found.addresses.is_empty() {
        return Err(ConnectError::NoAddress);
    }
    let addresses: Vec<_> = found.addresses.iter().map(|ip| SocketAddr::new(*ip, port)).collect();
    dial((host, port), &found.name, &addresses, &options).await
}

/// Connects to the first of the addresses that answers. `name`: what they go by.
///
/// # Errors
/// None does; the error of the last is returned.
///
/// # Panics
/// The list of addresses is empty.
pub async fn dial(
    (host, port): (&str, u16),
    name: &str,
    addresses: &[SocketAddr],
    options: &ConnectOptions,
) -> Result<TcpStream, ConnectError> {
    let mut last = None;
    for address in addresses {
        match TcpStream::connect(*address, options).await {
            Ok(tcp) => return Ok(tcp),
            Err(error) => last = Some(error),
        }
    }
    let error = last.expect("a resolved host has an address");
    let host = host.to_owned();
    let name = name.to_owned();
    let tried = addresses.to_vec();
    Err(ConnectError::Connect { error, host, port, name, tried })
}
