//! Sending lines by HTTP.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use swell_net::{TlsConfig, blocking_tls};

/// Most of an answer that is read.
const MOST: u64 = 64 * 1024;

/// Where lines go, and how.
#[derive(Default)]
pub(super) struct Post {
    pub(super) url: String,
    /// Of InfluxDB 2; may be empty.
    pub(super) token: String,
    pub(super) connect_timeout_ms: u64,
    pub(super) read_timeout_ms: u64,
    /// For `https` URLs.
    pub(super) tls: Option<TlsConfig>,
    /// The connection of the last lines, if the server keeps it.
    pub(super) kept: Mutex<Option<Connection>>,
}

/// A connection of either kind.
pub(super) trait Duplex: Read + Write + Send {}

impl<T: Read + Write + Send> Duplex for T {}

type Connection = BufReader<Box<dyn Duplex>>;

/// What a server says.
struct Answer {
    status: String,
    body: Vec<u8>,
    /// The connection can take another request.
    keeps: bool,
}

impl Post {
    /// Sends lines in a request of their own, on the connection of the one before as long as the server keeps it, as JMeter's client
    /// does.
    ///
    /// # Errors
    /// What went wrong, the server's refusal included.
    pub(super) fn send(&self, lines: &str) -> Result<(), String> {
        let (_, host, port, target) = address(&self.url)?;
        let request = self.request(&format!("{host}:{port}"), target, lines);
        let said = |error: io::Error| error.to_string();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.take().map(|mut connection| (exchange(&mut connection, &request), connection));
        let (answer, connection) = match before {
            Some((Ok(answer), connection)) => (answer, connection),
            Some((Err(error), _)) if !was_closed(&error) => return Err(said(error)),
            // The server may close a connection that nobody uses for a while.
            _ => {
                let mut connection = self.connect(host, port).map_err(said)?;
                (exchange(&mut connection, &request).map_err(said)?, connection)
            }
        };
        if answer.keeps {
            *kept = Some(connection);
        }
        if answer.status.split(' ').nth(1).is_some_and(|code| code.starts_with('2')) {
            return Ok(());
        }
        let body = String::from_utf8_lossy(&answer.body);
        Err(format!("{} {}", answer.status.trim(), body.trim()).trim().to_owned())
    }

    fn request(&self, place: &str, target: &str, lines: &str) -> String {
        let token = match self.token.trim() {
            "" => String::new(),
            token => format!("Authorization: Token {token}\r\n"),
        };
        format!(
            "POST {target} HTTP/1.1\r\nHost: {place}\r\nUser-Agent: ApacheJMeter5.6.3\r\n{token}\
             Content-Type: text/plain; charset=UTF-8\r\nContent-Length: {}\r\nConnection: Keep-Alive\r\n\r\n{lines}",
            lines.len()
        )
    }

    fn connect(&self, host: &str, port: u16) -> io::Result<Connection> {
        let none = || io::Error::other("the host has no address");
        let address = (host, port).to_socket_addrs()?.next().ok_or_else(none)?;
        let tcp = TcpStream::connect_timeout(&address, Duration::from_millis(self.connect_timeout_ms))?;
        let silence = Some(Duration::from_millis(self.read_timeout_ms));
        tcp.set_read_timeout(silence)?;
        tcp.set_write_timeout(silence)?;
        tcp.set_nodelay(true)?;
        Ok(BufReader::new(match &self.tls {
            Some(tls) => Box::new(blocking_tls(tcp, tls, host)?),
            None => Box::new(tcp),
        }))
    }
}

/// Whether the other end closed the connection before it had read a request.
fn was_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

fn exchange(connection: &mut Connection, request: &str) -> io::Result<Answer> {
    connection.get_mut().write_all(request.as_bytes())?;
    connection.get_mut().flush()?;
    let mut answer = connection.take(MOST);
    let mut status = String::new();
    if answer.read_line(&mut status)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let (mut keeps, mut length) = (status.starts_with("HTTP/1.1 "), None);
    loop {
        let mut line = String::new();
        answer.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        match &*name.to_ascii_lowercase() {
            "content-length" => length = value.trim().parse::<u64>().ok(),
            "connection" => keeps &= !value.trim().eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    // These have no body.
    if ["204", "304"].iter().any(|code| status.split(' ').nth(1) == Some(code)) {
        length = Some(0);
    }
    let mut body = Vec::new();
    if let Some(length) = length {
        answer.by_ref().take(length).read_to_end(&mut body)?;
        keeps &= body.len() as u64 == length;
    } else {
        // Its end is not looked for: what has come is enough to tell.
        keeps = false;
        body = answer.fill_buf().map(<[u8]>::to_vec).unwrap_or_default();
    }
    Ok(Answer { status, body, keeps })
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
            kept: Mutex::default(),
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

    /// A server that answers requests of one line each, so many on each of its connections, and tells how many there were.
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
        // The first connection ends without a word, the second with one, the third has no length.
        let endless = "HTTP/1.1 500 No\r\n\r\nlong";
        let (post, served) =
            plain_server(vec![vec![empty, text, empty], vec![closes], vec![endless], vec![empty]]);
        let mut sent = Vec::new();
        for _ in 0..6 {
            sent.push(post.send("m a=1 2\n"));
        }
        let failed = |why: &str| Err(why.to_owned());
        let wanted =
            [Ok(()), failed("HTTP/1.1 400 Bad why"), Ok(()), Ok(()), failed("HTTP/1.1 500 No long"), Ok(())];
        assert_eq!(sent, wanted);
        assert_eq!(served.join().unwrap(), [3, 1, 1, 1]);
    }
}
