//! A small HTTP server on a thread of its own, for one who fetches the metrics now and then.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Who says nothing for so long is left.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest head of a request.
const MOST: u64 = 16 * 1024;

/// A server that runs.
pub(super) struct Server {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Serves at that address what `text` gives for the names in a query (`?name[]=…`).
    ///
    /// # Errors
    /// The address cannot be had.
    pub(super) fn start(
        at: (&str, u16),
        text: impl Fn(&[String]) -> String + Send + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(at)?;
        let address = listener.local_addr()?;
        let over = Arc::new(AtomicBool::new(false));
        let seen = over.clone();
        let thread = std::thread::Builder::new().name("prometheus".into()).spawn(move || {
            for stream in listener.incoming() {
                if seen.load(Ordering::Acquire) {
                    break;
                }
                // Whoever asks and goes away is no matter of the test.
                let _gone = stream.and_then(|stream| answer(&stream, &text));
            }
        })?;
        Ok(Self { address, over, thread })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it.
    pub(super) fn stop(self) {
        self.over.store(true, Ordering::Release);
        // Wakes it; if that does not work, it ends with the process.
        if TcpStream::connect_timeout(&self.address, PATIENCE).is_ok() {
            let _ended = self.thread.join();
        }
    }
}

fn answer(stream: &TcpStream, text: &impl Fn(&[String]) -> String) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut head = BufReader::new(stream.take(MOST));
    let mut request = String::new();
    head.read_line(&mut request)?;
    let mut line = String::new();
    while head.read_line(&mut line)? > 2 {
        line.clear();
    }
    let target = request.split(' ').nth(1).unwrap_or_default();
    let body = text(&names(target));
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if !request.starts_with("HEAD ") {
        stream.write_all(body.as_bytes())?;
    }
    stream.flush()
}

/// Names in a query.
fn names(target: &str) -> Vec<String> {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .filter(|(key, _)| ["name[]", "name%5B%5D", "name%5b%5d"].contains(key))
        .map(|(_, name)| name.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_given_until_it_stops() {
        let server =
            Server::start(("127.0.0.1", 0), |names| format!("[{}]", names.join(","))).expect("a port");
        let ask = |target: &str| {
            let mut stream = TcpStream::connect(server.address()).expect("connects");
            write!(stream, "GET {target} HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n").expect("sent");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("an answer");
            answer
        };
        assert!(ask("/metrics").ends_with("\r\n\r\n[]"));
        let named = ask("/?name[]=a&name%5B%5D=b&other=c");
        assert!(
            named.starts_with("HTTP/1.1 200 OK\r\n")
                && named.ends_with("Content-Length: 5\r\nConnection: close\r\n\r\n[a,b]"),
            "{named}"
        );
        let address = server.address();
        server.stop();
        assert!(TcpStream::connect(address).is_err());
    }
}
