//! Sending lines by HTTP.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use swell_net::{TlsConfig, blocking_tls};

/// Most of an answer that is read.
const MOST: u64 = 64 * 1024;

/// Where lines go, and how.
pub(super) struct Post {
    pub(super) url: String,
    /// Of InfluxDB 2; may be empty.
    pub(super) token: String,
    pub(super) connect_timeout_ms: u64,
    pub(super) read_timeout_ms: u64,
    /// For `https` URLs.
    pub(super) tls: Option<TlsConfig>,
}

/// A connection of either kind.
trait Duplex: Read + Write {}

impl<T: Read + Write> Duplex for T {}

impl Post {
    /// Sends lines in a request of their own.
    ///
    /// # Errors
    /// What went wrong, the server's refusal included.
    pub(super) fn send(&self, lines: &str) -> Result<(), String> {
        post(self, lines)
    }
}

fn post(settings: &Post, lines: &str) -> Result<(), String> {
    let (_, host, port, target) = address(&settings.url)?;
    let said = |error: io::Error| error.to_string();
    let address = (host, port).to_socket_addrs().map_err(said)?.next().ok_or("the host has no address")?;
    let connect = Duration::from_millis(settings.connect_timeout_ms);
    let tcp = TcpStream::connect_timeout(&address, connect).map_err(said)?;
    let silence = Some(Duration::from_millis(settings.read_timeout_ms));
    tcp.set_read_timeout(silence).and_then(|()| tcp.set_write_timeout(silence)).map_err(said)?;
    let mut stream: Box<dyn Duplex> = match &settings.tls {
        Some(tls) => Box::new(blocking_tls(tcp, tls, host).map_err(said)?),
        None => Box::new(tcp),
    };
    let token = match settings.token.trim() {
        "" => String::new(),
        token => format!("Authorization: Token {token}\r\n"),
    };
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: {host}:{port}\r\nUser-Agent: ApacheJMeter5.6.3\r\n{token}\
         Content-Type: text/plain; charset=UTF-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        lines.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(lines.as_bytes())).map_err(said)?;
    let mut answer = BufReader::new(stream.take(MOST));
    let mut status = String::new();
    answer.read_line(&mut status).map_err(said)?;
    if status.split(' ').nth(1).is_some_and(|code| code.starts_with('2')) {
        return Ok(());
    }
    let mut rest = Vec::new();
    // What came of it is enough to tell.
    let _as_far_as_it_came = answer.read_to_end(&mut rest);
    let rest = String::from_utf8_lossy(&rest);
    let body = rest.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    Err(format!("{} {}", status.trim(), body.trim()).trim().to_owned())
}

/// Whether a URL is one of HTTPS.
pub(super) fn is_secure(url: &str) -> bool {
    address(url).is_ok_and(|(secure, ..)| secure)
}

/// Whether it is HTTPS, host, port and the rest of a URL.
fn address(url: &str) -> Result<(bool, &str, u16, &str), String> {
    let url = url.trim();
    let after =
        |start: &str| url.get(..start.len())?.eq_ignore_ascii_case(start).then(|| &url[start.len()..]);
    let (secure, rest) = match (after("https://"), after("http://")) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return Err(format!("`{url}` starts neither with http:// nor with https://")),
    };
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (place, target) = rest.split_at(at);
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().map_err(|_| format!("`{port}` is no port"))?),
        None => (place, if secure { 443 } else { 80 }),
    };
    Ok((secure, host, port, if target.is_empty() { "/" } else { target }))
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::mpsc;
    use std::thread;

    use swell_net::{Runtime, Stream, TcpListener, TlsServerConfig};

    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        assert_eq!(address("http://h:8086/write?db=x"), Ok((false, "h", 8086, "/write?db=x")));
        assert_eq!(address(" http://h "), Ok((false, "h", 80, "/")));
        assert_eq!(address("HTTPS://h/x"), Ok((true, "h", 443, "/x")));
        assert!(address("ftp://h/").is_err() && address("http://h:x/").is_err() && address("").is_err());
    }

    /// A server with a certificate for `localhost`, and that certificate; it answers everything with 204 and tells what came.
    fn secure_server() -> (u16, Vec<u8>, mpsc::Receiver<String>) {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let certificate = made.cert.der().to_vec();
        let tls = TlsServerConfig::new(certificate.clone(), made.signing_key.serialize_der()).unwrap();
        let ((say_port, port), (tell, told)) = (mpsc::channel(), mpsc::channel());
        thread::spawn(move || {
            Runtime::new().unwrap().block_on(async {
                let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
                say_port.send(listener.local_addr().unwrap().port()).unwrap();
                while let Ok((tcp, _)) = listener.accept().await {
                    let Ok(mut stream) = Stream::tls_accept(tcp, &tls).await else { continue };
                    let mut came = String::new();
                    while !came.ends_with("1 2\n") {
                        stream.recv(|bytes, _| came.push_str(&String::from_utf8_lossy(bytes))).await.unwrap();
                    }
                    stream.send_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
                    tell.send(came).unwrap();
                }
            });
        });
        (port.recv().unwrap(), certificate, told)
    }

    #[test]
    fn lines_go_by_https_to_whom_is_trusted() {
        let (port, certificate, told) = secure_server();
        let to = |host: &str, roots: &[Vec<u8>]| Post {
            url: format!("https://{host}:{port}/write?db=x"),
            token: "secret".to_owned(),
            connect_timeout_ms: 20_000,
            read_timeout_ms: 20_000,
            tls: Some(TlsConfig::trusting(roots)),
        };
        assert_eq!(to("localhost", std::slice::from_ref(&certificate)).send("m a=1 2\n"), Ok(()));
        let came = told.recv().unwrap();
        assert!(
            came.starts_with("POST /write?db=x HTTP/1.1\r\n") && came.ends_with("\r\n\r\nm a=1 2\n"),
            "{came}"
        );
        assert!(came.contains("Authorization: Token secret\r\n"), "{came}");
        let stranger = to("localhost", &[]).send("m a=1 2\n").unwrap_err();
        assert!(stranger.contains("UnknownIssuer"), "{stranger}");
        let misnamed = to("127.0.0.1", &[certificate]).send("m a=1 2\n").unwrap_err();
        assert!(misnamed.contains("not valid for name"), "{misnamed}");
    }
}
