//! A server that breaks HTTP in every way, by chance but the same way for the same seed and path.

mod answer;
mod mutate;

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::net::sockopt::set_socket_linger;

use super::LIMIT;
use answer::{End, Script};

/// The server. It hears all that is sent to it until every client has closed its connections.
pub(crate) struct Hostile {
    pub(crate) addr: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    seed: u64,
    /// Paths of the requests that came.
    seen: Mutex<Vec<String>>,
    /// Connections that were reset: what was sent on them after the last request is lost.
    resets: AtomicUsize,
    over: AtomicBool,
}

/// What a server heard.
#[derive(Debug)]
pub(crate) struct Heard {
    /// Paths of all requests.
    pub(crate) paths: Vec<String>,
    pub(crate) resets: usize,
}

impl Hostile {
    pub(crate) fn start(seed: u64) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let addr = listener.local_addr().expect("bound");
        let shared = Arc::new(Shared {
            seed,
            seen: Mutex::default(),
            resets: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        });
        let thread = std::thread::spawn({
            let shared = shared.clone();
            move || shared.accept(&listener)
        });
        Self { addr, shared, thread: Some(thread) }
    }

    /// Ends it. The clients are gone: what they sent is read to its end.
    pub(crate) fn finish(mut self) -> Heard {
        self.end();
        let paths = std::mem::take(&mut *self.shared.seen.lock());
        Heard { paths, resets: self.shared.resets.load(Ordering::SeqCst) }
    }

    fn end(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.shared.over.store(true, Ordering::SeqCst);
            // Wakes the one that accepts.
            drop(TcpStream::connect(self.addr));
            thread.join().expect("the server does not panic");
        }
    }
}

impl Drop for Hostile {
    fn drop(&mut self) {
        // A test that fails already reports its own panic.
        if !std::thread::panicking() {
            self.end();
        }
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        let mut threads = Vec::new();
        // Connections are accepted in order, so those of clients come before the one that wakes at
        // the end.
        while let Ok((stream, _)) = listener.accept() {
            if self.over.load(Ordering::SeqCst) {
                break;
            }
            let shared = self.clone();
            threads.push(std::thread::spawn(move || shared.serve(stream)));
        }
        for thread in threads {
            thread.join().expect("a connection does not panic");
        }
    }

    fn serve(&self, mut stream: TcpStream) {
        stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(LIMIT))).expect("a socket");
        let mut unread = Vec::new();
        let mut mute = false;
        while let Some(path) = receive(&mut stream, &mut unread) {
            self.seen.lock().push(path.clone());
            if mute {
                continue;
            }
            let script = Script::of(self.seed, &path);
            // The client may have gone: the next read tells.
            let written = script.pieces.iter().try_for_each(|piece| stream.write_all(piece));
            mute = match script.end {
                End::Open => written.is_err(),
                // The client waits until its timeout.
                End::Stall => true,
                End::Close => {
                    // It may be closed already.
                    let _ = stream.shutdown(Shutdown::Write);
                    true
                }
                End::Reset => {
                    self.resets.fetch_add(1, Ordering::SeqCst);
                    set_socket_linger(&stream, Some(Duration::ZERO)).expect("a socket");
                    return;
                }
            };
        }
    }
}

/// The path of the next request; none at the end of the connection.
fn receive(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<String> {
    let mut buffer = [0; 4096];
    let end = loop {
        if let Some(at) = unread.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        unread.extend_from_slice(&buffer[..count]);
    };
    let head = String::from_utf8_lossy(&unread[..end]).into_owned();
    unread.drain(..end);
    Some(head.split(' ').nth(1).unwrap_or_default().to_owned())
}
