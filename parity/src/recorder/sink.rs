//! A sink for metrics: receives everything sent to one port by TCP and UDP, and never responds.

use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A running sink.
#[derive(Debug)]
pub(crate) struct Sink {
    port: u16,
    stopping: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Vec<Vec<u8>>>>,
}

impl Sink {
    /// Starts listening on a free port of the loopback interface.
    ///
    /// # Errors
    /// A socket cannot be opened.
    pub(crate) fn start() -> io::Result<Self> {
        let (tcp, udp) = both()?;
        let port = tcp.local_addr()?.port();
        let stopping = Arc::<AtomicBool>::default();
        let stop = stopping.clone();
        let stop_too = stopping.clone();
        let threads = vec![
            thread::spawn(move || streams(&tcp, &stop)),
            thread::spawn(move || datagrams(&udp, &stop_too)),
        ];
        Ok(Self { port, stopping, threads })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Stops listening and returns the received data: one entry per connection and datagram.
    pub(crate) fn finish(self) -> Vec<Vec<u8>> {
        self.stopping.store(true, Ordering::SeqCst);
        // Wakes the acceptor. If this fails, the acceptor has already ended.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
        self.threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    }
}

/// Opens a port that is free for both protocols.
fn both() -> io::Result<(TcpListener, UdpSocket)> {
    loop {
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        if let Ok(udp) = UdpSocket::bind(tcp.local_addr()?) {
            udp.set_read_timeout(Some(Duration::from_millis(20)))?;
            return Ok((tcp, udp));
        }
    }
}

fn streams(tcp: &TcpListener, stopping: &AtomicBool) -> Vec<Vec<u8>> {
    let mut readers = Vec::new();
    for stream in tcp.incoming() {
        let last = stopping.load(Ordering::SeqCst);
        match stream {
            Ok(mut stream) => readers.push(thread::spawn(move || {
                let mut all = Vec::new();
                // A peer may disconnect; what it sent counts.
                drop(stream.read_to_end(&mut all));
                all
            })),
            Err(_) if last => break,
            Err(_) => {}
        }
        // Connections already in the queue still count; then accepting fails.
        if last && tcp.set_nonblocking(true).is_err() {
            break;
        }
    }
    let texts = readers.into_iter().filter_map(|reader| reader.join().ok());
    texts.filter(|text| !text.is_empty()).collect()
}

fn datagrams(udp: &UdpSocket, stopping: &AtomicBool) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        // Data sent before the stop has arrived by now.
        let last = stopping.load(Ordering::SeqCst);
        match udp.recv(&mut buffer) {
            Ok(length) => all.push(buffer[..length].to_vec()),
            Err(_) if last => return all,
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn takes_streams_and_datagrams() {
        let sink = Sink::start().unwrap();
        let to = (Ipv4Addr::LOCALHOST, sink.port());
        TcpStream::connect(to).unwrap().write_all(b"stream").unwrap();
        UdpSocket::bind("127.0.0.1:0").unwrap().send_to(b"datagram", to).unwrap();
        assert_eq!(sink.finish(), [b"stream".to_vec(), b"datagram".to_vec()]);
    }
}
