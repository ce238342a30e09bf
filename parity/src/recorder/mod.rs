//! A web server that records every request byte by byte and responds by simple rules (see
//! [`answer`]).
//!
//! It shares no code with Swell, so that a bug of Swell cannot also hide in its judge. Each
//! connection has a thread.

mod answer;
mod message;
mod pages;
mod raw;
mod secure;
pub(crate) mod sink;
mod websocket;

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use answer::{Visits, answer};
pub(crate) use message::Request;
use message::read_request;
use parking_lot::Mutex;
pub(crate) use raw::End;

/// A running recorder.
#[derive(Debug)]
pub(crate) struct Recorder {
    web: Door,
    secure: Mutex<Option<Door>>,
    raw: Mutex<Vec<(End, Door)>>,
    shared: Arc<Shared>,
}

/// A listening port.
#[derive(Debug)]
struct Door {
    address: SocketAddr,
    acceptor: Option<thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    requests: Mutex<Vec<Request>>,
    visits: Mutex<Visits>,
    connections: AtomicUsize,
    stopping: AtomicBool,
}

impl Recorder {
    /// Starts listening on a free port of the loopback interface.
    ///
    /// # Errors
    /// The socket cannot be opened.
    pub(crate) fn start() -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let plain = |mut stream: TcpStream, number, shared: &Shared| {
            serve(&mut stream, number, None, shared)?;
            stream.shutdown(Shutdown::Both)
        };
        let web = Door::open(&shared, plain)?;
        Ok(Self { web, secure: Mutex::default(), raw: Mutex::default(), shared })
    }

    /// Returns its port, always with five digits: message sizes include the port and must not vary.
    pub(crate) fn port(&self) -> u16 {
        self.web.address.port()
    }

    /// Returns the TLS port of the same server.
    ///
    /// # Errors
    /// The socket cannot be opened, or no certificate can be made.
    pub(crate) fn secure_port(&self) -> io::Result<u16> {
        let mut secure = self.secure.lock();
        if secure.is_none() {
            let config = secure::config()?;
            let serve_secured = move |stream, number, shared: &Shared| {
                let (mut stream, client) = secure::accept(stream, Arc::clone(&config))?;
                serve(&mut stream, number, Some(&client), shared)?;
                stream.conn.send_close_notify();
                stream.flush()?;
                stream.sock.shutdown(Shutdown::Both)
            };
            *secure = Some(Door::open(&self.shared, serve_secured)?);
        }
        Ok(secure.as_ref().expect("it was opened").address.port())
    }

    /// Opens a port for bytes without a protocol, whose responses end in this way.
    ///
    /// # Errors
    /// The socket cannot be opened.
    pub(crate) fn raw(&self, end: End) -> io::Result<u16> {
        let mut doors = self.raw.lock();
        if let Some((_, door)) = doors.iter().find(|(known, _)| *known == end) {
            return Ok(door.address.port());
        }
        let door =
            Door::open(&self.shared, move |stream, number, shared| raw::serve(stream, number, end, shared))?;
        let port = door.address.port();
        doors.push((end, door));
        Ok(port)
    }

    /// Returns all ports.
    pub(crate) fn ports(&self) -> Vec<u16> {
        let raw = self.raw.lock();
        let secure = self.secure.lock();
        let web = std::iter::once(&self.web).chain(secure.iter());
        web.chain(raw.iter().map(|(_, door)| door)).map(|door| door.address.port()).collect()
    }

    /// Stops listening and returns the requests in the order in which they were complete.
    pub(crate) fn finish(mut self) -> Vec<Request> {
        self.stop();
        std::mem::take(&mut *self.shared.requests.lock())
    }

    fn stop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.web.close();
        self.secure.lock().iter_mut().for_each(Door::close);
        self.raw.lock().iter_mut().for_each(|(_, door)| door.close());
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Door {
    fn open(
        shared: &Arc<Shared>,
        serve: impl Fn(TcpStream, usize, &Shared) -> io::Result<()> + Clone + Send + 'static,
    ) -> io::Result<Self> {
        let listener = five_digit_port()?;
        let address = listener.local_addr()?;
        let shared = Arc::clone(shared);
        let acceptor = Some(thread::spawn(move || accept(&listener, &shared, serve)));
        Ok(Self { address, acceptor })
    }

    fn close(&mut self) {
        let Some(acceptor) = self.acceptor.take() else { return };
        // Wakes the acceptor. If this fails, the acceptor has already ended.
        drop(TcpStream::connect(self.address));
        drop(acceptor.join());
    }
}

fn five_digit_port() -> io::Result<TcpListener> {
    let mut short = Vec::new();
    loop {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        if listener.local_addr()?.port() >= 10_000 {
            return Ok(listener);
        }
        // Keep it open, so that the next call returns another port.
        short.push(listener);
    }
}

fn accept(
    listener: &TcpListener,
    shared: &Arc<Shared>,
    serve: impl Fn(TcpStream, usize, &Shared) -> io::Result<()> + Clone + Send + 'static,
) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let number = shared.connections.fetch_add(1, Ordering::SeqCst);
        let shared = Arc::clone(shared);
        let serve = serve.clone();
        thread::spawn(move || {
            // A peer may disconnect; what it sent is recorded. A peer that hangs must not block a
            // thread for ever.
            let ready = stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(IDLE)));
            drop(ready.and_then(|()| serve(stream, number, &shared)));
        });
    }
}

/// Longer than any run.
const IDLE: Duration = Duration::from_mins(5);

/// Responds until the peer or a response ends the connection.
fn serve(
    stream: &mut (impl Read + Write),
    connection: usize,
    client: Option<&str>,
    shared: &Shared,
) -> io::Result<()> {
    let mut unread = Vec::new();
    while let Some(mut request) = read_request(stream, &mut unread, connection)? {
        if websocket::is_upgrade(&request) {
            return websocket::serve(stream, request, unread, shared);
        }
        let answer = answer(&request, &mut shared.visits.lock());
        request.client = client.map(str::to_owned);
        shared.requests.lock().push(request);
        thread::sleep(Duration::from_millis(answer.delay_ms));
        stream.write_all(&answer.bytes)?;
        stream.flush()?;
        if answer.close {
            return Ok(());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn records_requests_byte_by_byte_and_numbers_connections() {
        let recorder = Recorder::start().unwrap();
        let address = ("127.0.0.1", recorder.port());
        let mut first = TcpStream::connect(address).unwrap();
        first
            .write_all(b"POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /close HTTP/1.1\r\n\r\n")
            .unwrap();
        let mut said = String::new();
        first.read_to_string(&mut said).unwrap();
        assert_eq!(said.matches("HTTP/1.1 200 OK").count(), 2, "{said}");
        let mut second = TcpStream::connect(address).unwrap();
        second.write_all(b"GET /close HTTP/1.1\r\n\r\n").unwrap();
        second.read_to_string(&mut said).unwrap();
        let requests = recorder.finish();
        let seen: Vec<_> = requests.iter().map(|r| (r.connection, r.line(), r.body.as_slice())).collect();
        let expected: Vec<(usize, String, &[u8])> = vec![
            (0, "POST /a HTTP/1.1".to_owned(), b"abc"),
            (0, "GET /close HTTP/1.1".to_owned(), b""),
            (1, "GET /close HTTP/1.1".to_owned(), b""),
        ];
        assert_eq!(seen, expected);
    }
}
