//! A small HTTP server on a separate thread, from which a Prometheus server fetches the metrics.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use swell_http1::reason;
use swell_http1::server::{Connection, Length, RequestHead, ResponseHeadFields, parse};

/// A client that sends or takes nothing for this long is left.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest head of a request, in bytes.
const HEAD_MAX: usize = 16 * 1024;

/// A response.
pub(crate) struct Answer {
    /// Its media type.
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
}

/// A running server.
pub(crate) struct Server {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Serves at that address what `give` makes of a request, on a thread of that name.
    ///
    /// # Errors
    /// The address cannot be had.
    pub(crate) fn start(
        name: &str,
        at: impl ToSocketAddrs,
        give: impl Fn(&RequestHead<'_>) -> Answer + Send + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(at)?;
        let address = listener.local_addr()?;
        let over = Arc::new(AtomicBool::new(false));
        let seen = over.clone();
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            for stream in listener.incoming() {
                if seen.load(Ordering::Acquire) {
                    break;
                }
                // A client that leaves early is no fault of the test.
                let _ = stream.and_then(|stream| answer(&stream, &give));
            }
        })?;
        Ok(Self { address, over, thread })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it.
    pub(crate) fn stop(self) {
        self.over.store(true, Ordering::Release);
        // Wakes it; if that does not work, it ends with the process.
        if TcpStream::connect_timeout(&self.address, IDLE_TIMEOUT).is_ok() {
            // The thread has nothing to tell.
            let _ = self.thread.join();
        }
    }
}

fn answer(stream: &TcpStream, give: &impl Fn(&RequestHead<'_>) -> Answer) -> io::Result<()> {
    stream.set_read_timeout(Some(IDLE_TIMEOUT))?;
    stream.set_write_timeout(Some(IDLE_TIMEOUT))?;
    let mut stream = stream;
    let mut bytes = Vec::new();
    let mut piece = [0; 1024];
    let ask = |head: &RequestHead<'_>| Ok((head.method == "HEAD", give(head)));
    let until = Instant::now() + IDLE_TIMEOUT;
    let (status, content_type, to_head, body) = loop {
        let received = stream.read(&mut piece)?;
        // Others wait for one that sends its request byte by byte.
        if received == 0 || Instant::now() > until {
            return Ok(());
        }
        bytes.extend_from_slice(&piece[..received]);
        match parse(&bytes, HEAD_MAX, ask) {
            Ok(None) => {}
            Ok(Some((_, (to_head, answer)))) => break (200, answer.content_type, to_head, answer.body),
            Err(refusal) => {
                let body = (refusal.message + "\n").into_bytes();
                break (refusal.status, "text/plain; charset=utf-8", false, body);
            }
        }
    };
    let lines: [&[u8]; 3] = [b"Content-Type: ", content_type.as_bytes(), b"\r\n"];
    let length = Length::Bytes(body.len() as u64);
    let connection = Connection::Close;
    let mut out = Vec::new();
    ResponseHeadFields { status, reason: reason(status), lines: &lines, length, connection }.write(&mut out);
    if !to_head {
        out.extend_from_slice(&body);
    }
    stream.write_all(&out)?;
    if status == 200 { Ok(()) } else { read_rest(stream) }
}

/// Reads what a refused client still sends: a connection that is closed with bytes unread is reset,
/// and the client may lose the answer (RFC 9112 §9.6).
fn read_rest(mut stream: &TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    io::copy(&mut (&mut stream).take(HEAD_MAX as u64), &mut io::sink()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_given_until_it_stops() {
        let give = |head: &RequestHead<'_>| Answer {
            content_type: "text/plain",
            body: format!("[{}]", head.query).into_bytes(),
        };
        let server = Server::start("metrics", ("127.0.0.1", 0), give).expect("a port");
        let ask = |target: &str| {
            let mut stream = TcpStream::connect(server.address()).expect("connects");
            write!(stream, "GET {target} HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n").expect("sent");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("an answer");
            answer
        };
        assert!(ask("/metrics").ends_with("\r\n\r\n[]"));
        let named = ask("/?a,b");
        assert!(
            named.starts_with("HTTP/1.1 200 OK\r\n")
                && named.ends_with("Content-Length: 5\r\nConnection: close\r\n\r\n[a,b]"),
            "{named}"
        );
        let refused = ask("/ not");
        assert!(refused.starts_with("HTTP/1.1 505 HTTP Version Not Supported\r\n"), "{refused}");
        // What follows the line that is refused does not reset the connection.
        let mut stream = TcpStream::connect(server.address()).expect("connects");
        stream.write_all(format!("GET / not HTTP/1.1\r\n{}", "x".repeat(4000)).as_bytes()).expect("sent");
        stream.shutdown(Shutdown::Write).expect("still open");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.contains("Connection: close"), "{answer}");
        drop(stream);
        let address = server.address();
        server.stop();
        assert!(TcpStream::connect(address).is_err());
    }
}
