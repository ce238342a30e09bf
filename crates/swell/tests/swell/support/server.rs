//! A server on plain threads that keeps what it receives and answers as its rule says, well or
//! badly.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use socket2::{Domain, Socket, Type};

use super::LIMIT;

/// What is done about a request.
pub(crate) enum Answer {
    /// These bytes, and on to the next request.
    Keep(Vec<u8>),
    /// These bytes, then the connection is closed.
    Close(Vec<u8>),
    /// These bytes, then nothing more is sent, but the connection stays open until the client
    /// closes it.
    HalfClose(Vec<u8>),
    /// These bytes, then the connection is reset.
    Reset(Vec<u8>),
    /// Nothing, until the client gives up.
    Silence,
}

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Request line and headers.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// A server on a free port; it ends when it is dropped.
pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

type Handler = dyn Fn(&Request) -> Answer + Send + Sync;

struct Shared {
    handler: Box<Handler>,
    requests: Mutex<Vec<Request>>,
    connections: AtomicUsize,
    over: AtomicBool,
}

impl Answer {
    /// 200 with that body.
    pub(crate) fn ok(body: &str) -> Self {
        Self::Keep(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
    }
}

impl Request {
    /// Its path with the query.
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        pairs.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }
}

impl Server {
    /// Answers requests by that rule, each connection on a separate thread.
    pub(crate) fn start(rule: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        Self::on(listener, || {}, rule)
    }

    /// Two of them at one port, of 127.0.0.1 and of 127.0.0.2.
    pub(crate) fn pair<R: Fn(&Request) -> Answer + Send + Sync + 'static>(rules: [R; 2]) -> [Self; 2] {
        let listeners = loop {
            let first = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
            let port = first.local_addr().expect("bound").port();
            // Another process may have it there.
            if let Ok(second) = TcpListener::bind(("127.0.0.2", port)) {
                break [first, second];
            }
        };
        let mut both =
            listeners.into_iter().zip(rules).map(|(listener, rule)| Self::on(listener, || {}, rule));
        std::array::from_fn(|_| both.next().expect("two"))
    }

    /// As [`Server::start`], but with a bound on connections that wait to be accepted; none is
    /// accepted before `until` returns.
    pub(crate) fn crowded(
        backlog: u8,
        until: impl FnOnce() + Send + 'static,
        rule: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        socket.bind(&any.into()).and_then(|()| socket.listen(backlog.into())).expect("a port is free");
        Self::on(socket.into(), until, rule)
    }

    fn on(
        listener: TcpListener,
        until: impl FnOnce() + Send + 'static,
        rule: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let addr = listener.local_addr().expect("bound");
        let shared = Arc::new(Shared {
            handler: Box::new(rule),
            requests: Mutex::default(),
            connections: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        });
        let thread = std::thread::spawn({
            let shared = shared.clone();
            move || {
                until();
                shared.accept(&listener);
            }
        });
        Self { addr, shared, thread: Some(thread) }
    }

    /// Requests so far, in the order in which they came.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().clone()
    }

    /// Connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // Wakes the one that accepts.
        // To wake it; it may be gone.
        let _ = TcpStream::connect(self.addr);
        if let Some(thread) = self.thread.take() {
            // A panic of it is shown already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept() else { return };
            if self.over.load(Ordering::SeqCst) {
                return;
            }
            self.connections.fetch_add(1, Ordering::SeqCst);
            let shared = self.clone();
            std::thread::spawn(move || shared.serve(stream));
        }
    }

    fn serve(&self, stream: TcpStream) {
        // A test that fails must not leave threads that wait for ever.
        stream.set_read_timeout(Some(LIMIT)).expect("a time above 0");
        let mut connection = Connection { stream, unread: Vec::new(), held: false };
        while let Some(request) = connection.receive() {
            self.requests.lock().push(request.clone());
            let answer = (self.handler)(&request);
            if connection.answer(answer).is_none() {
                return;
            }
        }
    }
}

struct Connection {
    stream: TcpStream,
    unread: Vec<u8>,
    /// The last byte of `unread` is still with the kernel: a socket that is closed so resets its
    /// connection.
    held: bool,
}

impl Connection {
    /// The next request; none at the end of the connection.
    fn receive(&mut self) -> Option<Request> {
        let end = loop {
            match self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(at) => break at + 4,
                None => self.read_more()?,
            }
        };
        let head = String::from_utf8_lossy(&self.unread[..end]).into_owned();
        let mut request = Request { head, body: Vec::new() };
        let length = request.header("content-length").map_or(0, |text| text.parse().expect("a length"));
        while self.unread.len() < end + length {
            self.read_more()?;
        }
        request.body = self.unread[end..end + length].to_vec();
        self.unread.drain(..end + length);
        Some(request)
    }

    fn read_more(&mut self) -> Option<()> {
        self.take_held()?;
        let mut buffer = [0; 4096];
        let count = self.stream.peek(&mut buffer).ok()?;
        self.stream.read_exact(&mut buffer[..count.checked_sub(1)?]).ok()?;
        let mut last = [0];
        self.stream.peek(&mut last).ok()?;
        self.unread.extend_from_slice(&buffer[..count - 1]);
        self.unread.extend_from_slice(&last);
        self.held = true;
        Some(())
    }

    fn take_held(&mut self) -> Option<()> {
        if std::mem::take(&mut self.held) {
            self.stream.read_exact(&mut [0]).ok()?;
        }
        Some(())
    }

    /// None: the connection has ended.
    fn answer(&mut self, answer: Answer) -> Option<()> {
        let (bytes, goes_on) = match answer {
            Answer::Reset(bytes) => {
                // The client may be gone: that is its affair.
                // The client may be gone.
                let _ = self.stream.write_all(&bytes);
                return None;
            }
            Answer::Keep(bytes) => (bytes, true),
            Answer::HalfClose(bytes) => {
                self.stream.write_all(&bytes).and_then(|()| self.stream.shutdown(Shutdown::Write)).ok()?;
                (Vec::new(), true)
            }
            Answer::Close(bytes) => (bytes, false),
            Answer::Silence => (Vec::new(), true),
        };
        self.take_held()?;
        self.stream.write_all(&bytes).ok()?;
        goes_on.then_some(())
    }
}
