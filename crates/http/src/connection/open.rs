//! Making a connection (`DefaultHttpClientConnectionOperator`).

use std::cell::RefCell;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use swell_http1::client::{DiscardSink, write_header, write_request_line};
use swell_net::{ConnectOptions, Stream, TcpStream, TlsConfig};

use crate::auth::basic;
use crate::failure::Failure;
use crate::request::Target;

use super::{Dns, Exchange, ExchangeError, Names, Routes, exchange};

/// How to connect.
pub(crate) struct Opened<'a> {
    pub(crate) target: &'a Rc<Target>,
    /// Host as the URL has it, for messages.
    pub(crate) host: &'a str,
    pub(crate) source: Option<IpAddr>,
    /// Time for each address, and for each read of the TLS handshake.
    pub(crate) timeout_ns: Option<i64>,
    pub(crate) tls: Option<&'a TlsConfig>,
    /// `User-Agent` for a proxy.
    pub(crate) agent: Option<&'a str>,
    /// What was said to a proxy before.
    pub(crate) said: Option<&'a ProxySaid>,
    /// Where connections go instead.
    pub(crate) routes: Option<&'a Routes>,
}

/// What the proxies on the way to sites were told when they had asked, by site as HttpClient keeps it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProxySaid(RefCell<Vec<(Rc<Target>, Rc<str>)>>);

impl ProxySaid {
    /// What the proxy on the way to a site was told.
    pub(crate) fn to(&self, target: &Target) -> Option<Rc<str>> {
        let said = self.0.borrow();
        said.iter().find(|(known, _)| **known == *target).map(|(_, said)| said.clone())
    }

    /// Remembers what it was told.
    pub(crate) fn remember(&self, target: &Rc<Target>, said: &str) {
        let mut all = self.0.borrow_mut();
        all.retain(|(known, _)| known != target);
        all.push((target.clone(), said.into()));
    }
}

/// A connection that was made.
pub(crate) struct Made {
    pub(crate) stream: Stream,
    /// How long the TLS handshake took, in nanoseconds; 0 without one.
    pub(crate) handshake_ns: i64,
}

/// Connects to the first address that answers, through the proxy if there is one, and makes the TLS handshake if there is
/// one to make. `names`: those of a DNS Cache Manager.
///
/// # Errors
/// The host is unknown, no address answers, the proxy refuses, the handshake fails.
pub(crate) async fn open(
    how: &Opened<'_>,
    dns: &Dns,
    mut names: Option<&mut Names>,
) -> Result<Made, Failure> {
    let (host, port) = match &how.target.proxy {
        Some(proxy) => (&*proxy.host, proxy.port),
        None => (how.host, how.target.port),
    };
    let mut stream = Stream::Tcp(dial(how, (host, port), dns, names.as_deref_mut()).await?);
    let Some(tls) = how.tls else { return Ok(Made { stream, handshake_ns: 0 }) };
    if let Some(proxy) = &how.target.proxy {
        let said = how.said.and_then(|said| said.to(how.target));
        let mut status = tunnel(how, &mut stream, said.as_deref()).await?;
        if let (407, None, Some(credentials)) = (status, said, &proxy.credentials) {
            // The answer may have a body, so another connection is taken.
            stream = Stream::Tcp(dial(how, (host, port), dns, names).await?);
            let value = basic(credentials);
            status = tunnel(how, &mut stream, Some(&value)).await?;
            if let Some(said) = how.said {
                said.remember(how.target, &value);
            }
        }
        if !(200..300).contains(&status) {
            return Err(Failure::no_tunnel(status));
        }
    }
    let Stream::Tcp(mut tcp) = stream else { unreachable!("it was made so") };
    let begun_ns = swell_net::now_ns();
    tcp.set_deadline(how.timeout_ns.map(|limit_ns| begun_ns + limit_ns));
    let mut stream =
        Stream::tls_connect(tcp, tls, how.host).await.map_err(|error| Failure::handshake(&error))?;
    stream.set_deadline(None);
    Ok(Made { stream, handshake_ns: swell_net::now_ns() - begun_ns })
}

/// Connects to a host, or where connections to it go instead.
async fn dial(
    how: &Opened<'_>,
    place: (&str, u16),
    dns: &Dns,
    names: Option<&mut Names>,
) -> Result<TcpStream, Failure> {
    if let Some(path) = how.routes.and_then(Routes::unix) {
        let connected = TcpStream::connect_unix(path, how.timeout_ns).await;
        return connected.map_err(|error| Failure::connect_unix(&error, path));
    }
    let (host, port) = how.routes.map_or(place, |routes| routes.instead_of(place));
    let Some(names) = names else {
        let addresses = dns.resolve(host, port).await?;
        return connect(how, host, host, &addresses).await;
    };
    let found = names.resolve(host, dns).await?;
    if found.addresses.is_empty() {
        return Err(Failure::not_connected());
    }
    let addresses: Vec<_> = found.addresses.iter().map(|ip| SocketAddr::new(*ip, port)).collect();
    connect(how, host, &found.name, &addresses).await
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

/// Asks the proxy for a tunnel to the site; the status that it answers.
async fn tunnel(how: &Opened<'_>, stream: &mut Stream, said: Option<&str>) -> Result<u16, Failure> {
    let Target { host, port, .. } = &**how.target;
    let shown = if *port == 443 { String::new() } else { format!(":{port}") };
    let mut request = Vec::new();
    write_request_line("CONNECT", &format!("{host}:{port}"), &mut request);
    write_header("Host", &format!("{host}{shown}"), &mut request);
    for (name, value) in [("User-Agent", how.agent), ("Proxy-Authorization", said)] {
        if let Some(value) = value {
            write_header(name, value, &mut request);
        }
    }
    request.extend_from_slice(b"\r\n");
    let mut done = Exchange::default();
    let result = exchange(stream, &request, true, how.timeout_ns, &mut DiscardSink, &mut done).await;
    result.map_err(|error| match error {
        ExchangeError::Io(error) => Failure::exchange(&error),
        ExchangeError::Wire(error) => Failure::wire(&error, &format!("{host}:{port}")),
    })?;
    Ok(done.facts.map_or(0, |facts| facts.status))
}
