//! A web server that keeps every request it gets, byte by byte, and answers by simple rules (see [`answer`]).
//!
//! It shares no code with Swell, so that a mistake of Swell's cannot hide in its judge. A thread a connection.

mod answer;
mod message;
mod pages;
pub(crate) mod sink;

use std::io::{self, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use answer::{Visits, answer};
pub(crate) use message::Request;
use message::read_request;

/// A running recorder.
#[derive(Debug)]
pub(crate) struct Recorder {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    requests: Mutex<Vec<Request>>,
    visits: Mutex<Visits>,
    stopping: AtomicBool,
}

impl Recorder {
    /// Starts listening at a free port of the loopback interface.
    ///
    /// # Errors
    /// That of the socket.
    pub(crate) fn start() -> io::Result<Self> {
        let listener = five_digit_port()?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let acceptor = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || accept(&listener, &shared))
        };
        Ok(Self { address, shared, acceptor: Some(acceptor) })
    }

    /// Its port, always of five digits: sizes of messages hold the port, and must not change with it.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Stops listening and gives the requests in the order in which they were complete.
    pub(crate) fn finish(mut self) -> Vec<Request> {
        self.stop();
        std::mem::take(&mut *lock(&self.shared.requests))
    }

    fn stop(&mut self) {
        let Some(acceptor) = self.acceptor.take() else { return };
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the acceptor. If this fails it is gone already.
        drop(TcpStream::connect(self.address));
        drop(acceptor.join());
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop();
    }
}

fn five_digit_port() -> io::Result<TcpListener> {
    let mut short = Vec::new();
    loop {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        if listener.local_addr()?.port() >= 10_000 {
            return Ok(listener);
        }
        // Kept open, so that the next call gives another port.
        short.push(listener);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for (number, stream) in listener.incoming().enumerate() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // A peer that goes away is no fault; what it sent is on record.
            drop(serve(stream, number, &shared));
        });
    }
}

/// Longer than any run lasts; an idle connection of a process that hangs must not keep a thread for ever.
const IDLE: Duration = Duration::from_mins(5);

fn serve(mut stream: TcpStream, connection: usize, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(IDLE))?;
    let mut unread = Vec::new();
    while let Some(request) = read_request(&mut stream, &mut unread, connection)? {
        let answer = answer(&request, &mut lock(&shared.visits));
        lock(&shared.requests).push(request);
        thread::sleep(Duration::from_millis(answer.delay_ms));
        stream.write_all(&answer.bytes)?;
        if answer.close {
            stream.shutdown(Shutdown::Both)?;
            return Ok(());
        }
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
