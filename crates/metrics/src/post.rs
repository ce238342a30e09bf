//! Requests that take something to another system: the lines of a Backend Listener, the metrics of an export.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use swell_connect::{TlsConfig, blocking_tls};
use swell_http1::client::{Response, ResponseHead, Sink, write_header, write_request_line};
use swell_http1::{Framing, WireError};

/// Most bytes of an answer that are read.
const MOST: usize = 64 * 1024;

/// Where requests go, and how.
#[derive(Default)]
pub(crate) struct Post {
    pub(crate) url: String,
    /// What stands in the head, besides host, length and connection.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) connect_timeout_ms: u64,
    pub(crate) read_timeout_ms: u64,
    /// For `https` URLs.
    pub(crate) tls: Option<TlsConfig>,
    /// The connection of the last request, if the server keeps it.
    pub(crate) kept: Mutex<Option<Connection>>,
}

/// A connection of either kind.
pub(crate) trait Duplex: Read + Write + Send {}

impl<T: Read + Write + Send> Duplex for T {}

type Connection = Box<dyn Duplex>;

/// Why a request did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    /// In words, the server's own included.
    pub(crate) why: String,
    /// The status with which the server refused it; none where there was no answer.
    pub(crate) status: Option<u16>,
}

/// What a server says.
#[derive(Default)]
struct Answer {
    code: u16,
    /// Version, code and reason.
    status_line: String,
    body: Vec<u8>,
    /// The connection can take another request.
    keeps: bool,
}

impl Sink for Answer {
    fn head(&mut self, head: &ResponseHead<'_>) {
        let mut text = String::new();
        head.text(&[], &mut text);
        self.code = head.facts.status;
        text.lines().next().unwrap_or_default().clone_into(&mut self.status_line);
    }

    fn body(&mut self, bytes: &[u8]) {
        self.body.extend_from_slice(bytes);
    }
}

impl Post {
    /// Sends a body in a request of its own, on the connection of the one before as long as the server keeps it, as JMeter's client
    /// does. What it answers is cut after 64 KiB.
    ///
    /// # Errors
    /// What went wrong, the server's refusal included.
    pub(crate) fn send(&self, body: &[u8]) -> Result<Vec<u8>, Failed> {
        let failed = |why: String| Failed { why, status: None };
        let said = |error: io::Error| failed(self.words(&error));
        let (_, host, port, target) = address(&self.url).map_err(failed)?;
        let request = self.request(&format!("{host}:{port}"), target, body);
        let until = Instant::now() + Duration::from_millis(self.read_timeout_ms.saturating_mul(2));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let before =
            kept.take().map(|mut connection| (exchange(&mut connection, &request, until), connection));
        let (answer, connection) = match before {
            Some((Ok(answer), connection)) => (answer, connection),
            Some((Err(error), _)) if !was_closed(&error) => return Err(said(error)),
            // The server may close a connection that nobody uses for a while.
            _ => {
                let mut connection = self.connect(host, port).map_err(said)?;
                (exchange(&mut connection, &request, until).map_err(said)?, connection)
            }
        };
        if answer.keeps {
            *kept = Some(connection);
        }
        if answer.status_line.is_empty() {
            return Err(said(not_http(&WireError::NoStatusLine)));
        }
        if (200..300).contains(&answer.code) {
            return Ok(answer.body);
        }
        let body = String::from_utf8_lossy(&answer.body);
        let why = format!("{} {}", answer.status_line.trim(), body.trim()).trim().to_owned();
        Err(Failed { why, status: Some(answer.code) })
    }

    /// A silence that is too long has a name of the system that says little.
    fn words(&self, error: &io::Error) -> String {
        match error.kind() {
            io::ErrorKind::WouldBlock => format!("no answer within {} ms", self.read_timeout_ms),
            _ => error.to_string(),
        }
    }

    fn request(&self, host: &str, target: &str, body: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(512 + body.len());
        write_request_line("POST", target, &mut out);
        write_header("Host", host, &mut out);
        for (name, value) in &self.headers {
            write_header(name, value, &mut out);
        }
        write_header("Content-Length", &body.len().to_string(), &mut out);
        write_header("Connection", "Keep-Alive", &mut out);
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(body);
        out
    }

    fn connect(&self, host: &str, port: u16) -> io::Result<Connection> {
        let none = || io::Error::other("the host has no address");
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let address = (host, port).to_socket_addrs()?.next().ok_or_else(none)?;
        let tcp = TcpStream::connect_timeout(&address, Duration::from_millis(self.connect_timeout_ms))?;
        let silence = Some(Duration::from_millis(self.read_timeout_ms));
        tcp.set_read_timeout(silence)?;
        tcp.set_write_timeout(silence)?;
        tcp.set_nodelay(true)?;
        Ok(match &self.tls {
            Some(tls) => Box::new(blocking_tls(tcp, tls, host)?),
            None => Box::new(tcp),
        })
    }
}

/// Whether the other end closed the connection before it had read a request.
fn was_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

/// Sends a request and takes its answer, which has to be whole at that time: a server may send it byte by byte.
fn exchange(connection: &mut Connection, request: &[u8], until: Instant) -> io::Result<Answer> {
    connection.write_all(request)?;
    connection.flush()?;
    let (mut response, mut answer, mut piece) = (Response::new(false), Answer::default(), [0; 4096]);
    loop {
        let received = connection.read(&mut piece)?;
        if Instant::now() > until {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the answer takes too long"));
        }
        if received == 0 {
            match response.end(&mut answer) {
                Err(WireError::NoResponse) => return Err(io::ErrorKind::UnexpectedEof.into()),
                ended => ended.map_err(|error| not_http(&error))?,
            }
            return Ok(answer);
        }
        let is_complete = response.feed(&piece[..received], &mut answer).map_err(|error| not_http(&error))?;
        // The end of a body that only the end of the connection tells is not waited for: what has come is enough to tell.
        let is_endless = !answer.body.is_empty()
            && response.facts().is_some_and(|facts| facts.framing == Framing::UntilClose);
        if is_complete || is_endless || response.received() > MOST as u64 {
            answer.keeps = response.reusable();
            return Ok(answer);
        }
    }
}

fn not_http(error: &WireError) -> io::Error {
    let why = match error {
        WireError::Head(why) | WireError::Trailer(why) => format!(": {why}"),
        WireError::ShortBody { .. } | WireError::TruncatedChunk { .. } | WireError::NoLastChunk => {
            ": it ends too early".to_owned()
        }
        _ => String::new(),
    };
    io::Error::new(io::ErrorKind::InvalidData, format!("the server's answer is no HTTP response{why}"))
}

/// Whether a URL is one of HTTPS.
pub(crate) fn is_secure(url: &str) -> bool {
    address(url).is_ok_and(|(secure, ..)| secure)
}

/// Whether it is HTTPS, host, port and the rest of a URL.
pub(crate) fn address(url: &str) -> Result<(bool, &str, u16, &str), String> {
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
    use std::io::{BufRead, BufReader};
    use std::net::SocketAddr;
    use std::sync::mpsc;
    use std::thread;

    use swell_connect::{Stream, TlsServerConfig};
    use swell_net::{Runtime, TcpListener};

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
            headers: vec![("Authorization", "Token secret".to_owned())],
            connect_timeout_ms: 20_000,
            read_timeout_ms: 20_000,
            tls: Some(TlsConfig::trusting(roots)),
            kept: Mutex::default(),
        };
        assert_eq!(to("localhost", std::slice::from_ref(&certificate)).send(b"m a=1 2\n"), Ok(Vec::new()));
        let came = told.recv().unwrap();
        assert!(
            came.starts_with("POST /write?db=x HTTP/1.1\r\n") && came.ends_with("\r\n\r\nm a=1 2\n"),
            "{came}"
        );
        assert!(came.contains("Authorization: Token secret\r\n"), "{came}");
        let stranger = to("localhost", &[]).send(b"m a=1 2\n").unwrap_err().why;
        assert!(stranger.contains("UnknownIssuer"), "{stranger}");
        let misnamed = to("127.0.0.1", &[certificate]).send(b"m a=1 2\n").unwrap_err().why;
        assert!(misnamed.contains("not valid for name"), "{misnamed}");
    }

    /// A server that answers requests of one line each, a given number on each of its connections, and tells how many there were.
    fn plain_server(answers: Vec<Vec<&'static str>>) -> (Post, thread::JoinHandle<Vec<usize>>) {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/write", listener.local_addr().unwrap());
        let served = thread::spawn(move || {
            let serve = |answers: Vec<&str>| {
                let mut stream = BufReader::new(listener.accept().unwrap().0);
                for answer in &answers {
                    let mut line = String::new();
                    while !line.starts_with("m a=") {
                        line.clear();
                        assert_ne!(stream.read_line(&mut line).unwrap(), 0, "it is closed too early");
                    }
                    stream.get_mut().write_all(answer.as_bytes()).unwrap();
                }
                answers.len()
            };
            answers.into_iter().map(serve).collect()
        });
        (Post { url, connect_timeout_ms: 20_000, read_timeout_ms: 20_000, ..Post::default() }, served)
    }

    #[test]
    fn a_connection_is_kept_for_the_next_lines_until_the_server_closes_it() {
        let (empty, text) =
            ("HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 400 Bad\r\nContent-Length: 3\r\n\r\nwhy");
        let closes = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        // The first connection ends without a word, the second with one, the third has no length; the last sends chunks.
        let endless = "HTTP/1.1 500 No\r\n\r\nlong";
        let chunks = "HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n0\r\n\r\n";
        let other = "SSH-2.0-OpenSSH\r\n";
        let (post, served) = plain_server(vec![
            vec![empty, text, empty],
            vec![closes],
            vec![endless],
            vec![chunks, empty],
            vec![other],
        ]);
        let mut sent = Vec::new();
        for _ in 0..8 {
            sent.push(post.send(b"m a=1 2\n").map(drop).map_err(|failed| failed.why));
        }
        let failed = |why: &str| Err(why.to_owned());
        let wanted = [
            Ok(()),
            failed("HTTP/1.1 400 Bad why"),
            Ok(()),
            Ok(()),
            failed("HTTP/1.1 500 No long"),
            failed("HTTP/1.1 400 Bad why"),
            Ok(()),
            failed("the server's answer is no HTTP response"),
        ];
        assert_eq!(sent, wanted);
        assert_eq!(served.join().unwrap(), [3, 1, 1, 2, 1]);
    }
}
