//! Sends requests one after the other, each with limits for time and size.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Instant;

use parking_lot::Mutex;
use swell_connect::{TlsConfig, blocking_tls};
use swell_http1::client::{DiscardSink, Response, write_header, write_request_line};
use url::Url;

use crate::address::Address;
use crate::error::FetchError;
use crate::exchange::{Answer, exchange};
use crate::limits::Limits;
use crate::proxy::{Proxy, basic};

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The method.
    pub method: &'r str,
    /// The whole URL.
    pub url: &'r str,
    /// Header fields besides those for host, length and connection. A redirect to another server
    /// goes without them: they may hold credentials.
    pub headers: &'r [(&'static str, String)],
    /// The body.
    pub body: Option<&'r [u8]>,
}

impl<'r> Request<'r> {
    /// A GET without further header fields.
    pub fn get(url: &'r str) -> Self {
        Self { method: "GET", url, headers: &[], body: None }
    }
}

/// A connection of either kind.
trait Duplex: Read + Write + Send {}

impl<T: Read + Write + Send> Duplex for T {}

type Connection = Box<dyn Duplex>;

/// A client that keeps its last connection for the next request to the same server.
pub struct Client {
    limits: Limits,
    /// For `https` URLs; without it they are refused.
    tls: Option<TlsConfig>,
    /// Proxies are those of the environment; else there is none.
    uses_proxies: bool,
    kept: Mutex<Option<(String, Connection)>>,
}

impl Client {
    /// A client without proxies. `tls` is for `https` URLs.
    pub fn new(limits: Limits, tls: Option<TlsConfig>) -> Self {
        Self { limits, tls, uses_proxies: false, kept: Mutex::default() }
    }

    /// Whether it can speak `https`.
    pub fn has_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// Goes through the proxies that the environment names.
    #[must_use]
    pub fn with_proxies(self) -> Self {
        Self { uses_proxies: true, ..self }
    }

    /// Sends a request and reads its answer, whatever its status.
    ///
    /// # Errors
    /// There is no answer, or no whole one.
    pub fn send(&self, request: Request<'_>) -> Result<Answer, FetchError> {
        let until = Instant::now() + self.limits.total;
        let mut url = request.url.to_owned();
        let mut address = Address::parse(&url)?;
        let mut headers = request.headers;
        for _ in 0..=self.limits.redirects {
            let answer = self.send_one(Request { url: &url, headers, ..request }, &address, until)?;
            let is_redirect = matches!(answer.status, 301 | 302 | 303 | 307 | 308) && request.body.is_none();
            let location = answer.location.as_deref().filter(|_| is_redirect && self.limits.redirects > 0);
            let Some(location) = location else { return Ok(answer) };
            url = redirected(&url, location)?;
            let next = Address::parse(&url)?;
            if !next.has_origin_of(&address) {
                headers = &[];
            }
            address = next;
        }
        Err(FetchError::Redirects(self.limits.redirects))
    }

    fn send_one(
        &self,
        request: Request<'_>,
        address: &Address,
        until: Instant,
    ) -> Result<Answer, FetchError> {
        let proxy = self.proxy(address)?;
        let bytes = bytes_of(request, address, proxy.as_ref());
        let server = format!("{} {}", address.secure, address.authority());
        let mut kept = self.kept.lock();
        if let Some((_, mut connection)) = kept.take().filter(|(known, _)| *known == server) {
            match exchange(&mut connection, &bytes, &self.limits, until) {
                // A server may close a connection that is unused for a while.
                Err(FetchError::Io(error)) if was_closed(&error) => {}
                answered => return Ok(keep(answered?, server, connection, &mut kept)),
            }
        }
        let mut connection = self.connect(address, proxy.as_ref(), until)?;
        let answer = exchange(&mut connection, &bytes, &self.limits, until)?;
        Ok(keep(answer, server, connection, &mut kept))
    }

    fn proxy(&self, address: &Address) -> Result<Option<Proxy>, FetchError> {
        let variable = |name: &str| std::env::var(name).ok();
        if self.uses_proxies { Proxy::of(address, variable) } else { Ok(None) }
    }

    fn connect(
        &self,
        address: &Address,
        proxy: Option<&Proxy>,
        until: Instant,
    ) -> Result<Connection, FetchError> {
        let next = proxy.map_or((&*address.host, address.port), |proxy| (&*proxy.host, proxy.port));
        let mut addresses = next.to_socket_addrs()?;
        let first = addresses.next().ok_or(FetchError::NoAddress)?;
        let connected = TcpStream::connect_timeout(&first, self.limits.connect);
        let try_others = |error| {
            let others = addresses.map(|other| TcpStream::connect_timeout(&other, self.limits.connect));
            others.flatten().next().ok_or(error)
        };
        let mut tcp = connected.or_else(try_others)?;
        tcp.set_read_timeout(Some(self.limits.silence))?;
        tcp.set_write_timeout(Some(self.limits.silence))?;
        tcp.set_nodelay(true)?;
        if !address.secure {
            return Ok(Box::new(tcp));
        }
        if let Some(proxy) = proxy {
            tunnel(&mut tcp, &address.authority(), proxy, until)?;
        }
        let tls =
            self.tls.as_ref().ok_or_else(|| FetchError::Url("https is not supported here".to_owned()))?;
        Ok(Box::new(blocking_tls(tcp, tls, &address.host)?))
    }
}

/// Keeps the connection of an answer if the server does.
fn keep(
    answer: Answer,
    server: String,
    connection: Connection,
    kept: &mut Option<(String, Connection)>,
) -> Answer {
    if answer.keeps {
        *kept = Some((server, connection));
    }
    answer
}

fn bytes_of(request: Request<'_>, address: &Address, proxy: Option<&Proxy>) -> Vec<u8> {
    let body = request.body.unwrap_or_default();
    let mut out = Vec::with_capacity(512 + body.len());
    let authority = address.authority();
    match proxy.filter(|_| !address.secure) {
        Some(_) => {
            let target = format!("http://{authority}{}", address.target);
            write_request_line(request.method, &target, &mut out);
        }
        None => write_request_line(request.method, &address.target, &mut out),
    }
    write_header("Host", &authority, &mut out);
    if let Some(authorization) = proxy.filter(|_| !address.secure).and_then(|p| p.authorization.as_ref()) {
        write_header("Proxy-Authorization", authorization, &mut out);
    }
    if let Some(user) = &address.user {
        write_header("Authorization", &basic(user), &mut out);
    }
    for (name, value) in request.headers {
        write_header(name, value, &mut out);
    }
    if request.body.is_some() {
        write_header("Content-Length", &body.len().to_string(), &mut out);
    }
    write_header("Connection", "Keep-Alive", &mut out);
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(body);
    out
}

/// Asks a proxy for a connection to a server (`CONNECT`, RFC 9110 §9.3.6).
fn tunnel(tcp: &mut TcpStream, authority: &str, proxy: &Proxy, until: Instant) -> Result<(), FetchError> {
    let mut request = Vec::new();
    write_request_line("CONNECT", authority, &mut request);
    write_header("Host", authority, &mut request);
    if let Some(authorization) = &proxy.authorization {
        write_header("Proxy-Authorization", authorization, &mut request);
    }
    request.extend_from_slice(b"\r\n");
    tcp.write_all(&request)?;
    // As in the answer to a HEAD, the body is left.
    let mut response = Response::new(true);
    // Byte by byte: what follows the head belongs to TLS.
    let mut byte = [0; 1];
    loop {
        if tcp.read(&mut byte)? == 0 || Instant::now() > until {
            return Err(FetchError::Io(io::ErrorKind::UnexpectedEof.into()));
        }
        let fed = response.feed(&byte, &mut DiscardSink);
        let invalid = |_| FetchError::NotHttp("the proxy's answer is no HTTP response".to_owned());
        if fed.map_err(invalid)? {
            break;
        }
    }
    match response.facts().map_or(0, |facts| facts.status) {
        200..=299 => Ok(()),
        status => Err(FetchError::Proxy(status)),
    }
}

/// Where a redirect leads.
fn redirected(url: &str, location: &str) -> Result<String, FetchError> {
    let invalid = |error| FetchError::Url(format!("invalid redirect to `{location}`: {error}"));
    let base = Url::parse(url).map_err(invalid)?;
    base.join(location).map(String::from).map_err(invalid)
}

/// Whether the other end closed the connection before it had read a request.
fn was_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn proxy(port: u16) -> Proxy {
        Proxy { host: "127.0.0.1".into(), port, authorization: Some("Basic eDp5".into()) }
    }

    #[test]
    fn tunnel_is_asked_for_and_leaves_what_follows_the_head() {
        for (answer, wanted) in [
            ("HTTP/1.1 200 Connection established\r\n\r\nTLS", Ok(())),
            ("HTTP/1.1 407 No\r\nContent-Length: 3\r\n\r\nwhy", Err(407)),
        ] {
            let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
            let at = listener.local_addr().expect("bound");
            let served = thread::spawn(move || {
                let mut stream = BufReader::new(listener.accept().expect("a client").0);
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    assert_ne!(stream.read_line(&mut head).expect("open"), 0, "closed too early");
                }
                stream.get_mut().write_all(answer.as_bytes()).expect("open");
                head
            });
            let mut tcp = TcpStream::connect(at).expect("it listens");
            let until = Instant::now() + Duration::from_secs(20);
            let made = tunnel(&mut tcp, "h:443", &proxy(at.port()), until);
            let status = made.map_err(|error| match error {
                FetchError::Proxy(status) => status,
                other => panic!("{other}"),
            });
            assert_eq!(status, wanted);
            let head = served.join().expect("served");
            assert_eq!(
                head,
                "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\nProxy-Authorization: Basic eDp5\r\n\r\n"
            );
            let mut rest = String::new();
            tcp.read_to_string(&mut rest).expect("text");
            assert!(wanted.is_err() || rest == "TLS", "{rest}");
        }
    }

    #[test]
    fn proxy_gets_the_whole_url_of_a_plain_request() {
        let request = Request::get("http://u:p@h/a?b");
        let address = Address::parse(request.url).expect("a URL");
        let bytes = |proxy| String::from_utf8(bytes_of(request, &address, proxy)).expect("text");
        let direct =
            "GET /a?b HTTP/1.1\r\nHost: h:80\r\nAuthorization: Basic dTpw\r\nConnection: Keep-Alive\r\n\r\n";
        assert_eq!(bytes(None), direct);
        let by_proxy = "GET http://h:80/a?b HTTP/1.1\r\nHost: h:80\r\nProxy-Authorization: Basic eDp5\r\n\
                        Authorization: Basic dTpw\r\nConnection: Keep-Alive\r\n\r\n";
        assert_eq!(bytes(Some(&proxy(1))), by_proxy);
    }
}
