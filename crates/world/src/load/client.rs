//! A client with an open loop, on the sockets of the program: what it sends, and what it measures.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::rc::Rc;

use rand::Rng;
use rand::rngs::SmallRng;
use swell_http1::client::{Response, ResponseHead, Sink};
use swell_net::{Arrival, ConnectOptions, TcpStream, now_ns, sleep_until, spawn};

use super::http2::Sessions;
use super::options::{Fault, LoadOptions};
use crate::kernel::draws;

const S: i64 = 1_000_000_000;
/// When the first request starts, after the process.
const LEAD_NS: i64 = S;
/// How long a connection may take to be made.
pub(super) const CONNECT_NS: i64 = 30 * S;
/// What a response of `/headers`, whose length depends on the request, has for its length.
const ANY_LENGTH: u64 = u64::MAX;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A whole response: its status, and the bytes of its body.
    Response(u16, u64),
    /// The response is not HTTP, or ended early.
    Broken,
    /// The connection ended before a byte of the response.
    Closed,
    /// The connection was reset.
    Reset,
    /// It could not be connected.
    NotConnected,
    /// The time-out passed.
    TimedOut,
}

/// A request as the client saw it. Times are those of its clock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// Its number.
    pub number: u32,
    /// The path without its number.
    pub path: String,
    /// The status and length that the route gives; none: it breaks HTTP.
    pub expected: Option<(u16, u64)>,
    /// When it was to start.
    pub wanted_ns: i64,
    /// When it started.
    pub started_ns: i64,
    /// Before the send.
    pub sending_ns: i64,
    /// When the last read of it arrived at the kernel, and when it was read.
    pub arrived_ns: i64,
    /// After that read.
    pub read_ns: i64,
    /// When it was done.
    pub ended_ns: i64,
    /// How it ended.
    pub outcome: Outcome,
    /// The body is what the route sends, as far as that is known.
    pub body_is_right: bool,
    /// Both addresses of its connection, if it had one.
    pub ends: Option<(SocketAddr, SocketAddr)>,
    /// Bytes of the connection that were sent, and received, up to the end of this request.
    pub sent: u64,
    /// See `sent`.
    pub received: u64,
    /// All reads had a stamp.
    pub stamped: bool,
}

struct Connection {
    stream: TcpStream,
    ends: (SocketAddr, SocketAddr),
    sent: u64,
    received: u64,
}

/// What the requests of a client share.
pub(super) struct Client {
    site: SocketAddr,
    timeout_ns: i64,
    misbehaving: f64,
    /// Sessions of HTTP/2; none: each request has a connection of HTTP/1.1.
    sessions: Option<Sessions>,
    idle: RefCell<Vec<Connection>>,
    draws: RefCell<SmallRng>,
    /// The body of which the routes send a part.
    filler: Rc<[u8]>,
    pub(super) samples: RefCell<Vec<Sample>>,
}

impl Client {
    pub(super) fn new(site: SocketAddr, options: &LoadOptions, filler: Rc<[u8]>) -> Self {
        Self {
            site,
            timeout_ns: i64::from(options.timeout_ms) * 1_000_000,
            misbehaving: options.misbehaving,
            sessions: options.http2.then(Sessions::default),
            idle: RefCell::default(),
            draws: RefCell::new(draws(options.seed, "requests")),
            filler,
            samples: RefCell::default(),
        }
    }

    /// Starts each request at its time, and ends with the last of them. Requests that can end in no
    /// way, since the lease of the process has ended, are given up.
    pub(super) fn run(self: Rc<Self>, options: &LoadOptions) -> impl Future<Output = ()> + use<> {
        let LoadOptions { requests, rate_per_s, .. } = *options;
        let gives_up = options.has(|fault| matches!(fault, Fault::LeaseEnds { .. }));
        self.start(requests, rate_per_s, gives_up)
    }

    async fn start(self: Rc<Self>, requests: u32, rate_per_s: f64, gives_up: bool) {
        let begin_ns = now_ns() + LEAD_NS;
        let mut running = Vec::new();
        for number in 0..requests {
            let wanted_ns = begin_ns + (f64::from(number) / rate_per_s * 1e9) as i64;
            sleep_until(wanted_ns).await;
            running.push(spawn(self.clone().request(number, wanted_ns)));
        }
        if gives_up {
            sleep_until(now_ns() + CONNECT_NS + self.timeout_ns + S).await;
            running.drain(..).for_each(|task| task.abort());
        }
        for task in running {
            task.await;
        }
        self.idle.borrow_mut().clear();
    }

    async fn request(self: Rc<Self>, number: u32, wanted_ns: i64) {
        let started_ns = now_ns();
        let (path, expected) = self.draw_path();
        let mut sample = Sample {
            number,
            path,
            expected,
            wanted_ns,
            started_ns,
            sending_ns: 0,
            arrived_ns: 0,
            read_ns: 0,
            ended_ns: 0,
            outcome: Outcome::NotConnected,
            body_is_right: true,
            ends: None,
            sent: 0,
            received: 0,
            stamped: true,
        };
        if let Some(sessions) = &self.sessions {
            let body = Body { seen: 0, wanted: self.body_of(&sample) };
            sessions.exchange(self.site, self.timeout_ns, &mut sample, body).await;
        } else if let Some(mut connection) = self.connection().await {
            sample.ends = Some(connection.ends);
            let keeps = self.exchange(&mut connection, &mut sample).await;
            (sample.sent, sample.received) = (connection.sent, connection.received);
            connection.stream.set_deadline(None);
            if keeps {
                self.idle.borrow_mut().push(connection);
            }
        }
        sample.ended_ns = now_ns();
        self.samples.borrow_mut().push(sample);
    }

    /// An idle connection, or a new one.
    async fn connection(&self) -> Option<Connection> {
        loop {
            let idle = self.idle.borrow_mut().pop();
            match idle {
                Some(connection) if connection.stream.is_stale() => {}
                Some(connection) => return Some(connection),
                None => break,
            }
        }
        let options = ConnectOptions { timeout_ns: Some(CONNECT_NS), ..ConnectOptions::default() };
        let stream = TcpStream::connect(self.site, &options).await.ok()?;
        let ends = (stream.local_addr().ok()?, self.site);
        Some(Connection { stream, ends, sent: 0, received: 0 })
    }

    /// Whether the connection can be used again.
    async fn exchange(&self, connection: &mut Connection, sample: &mut Sample) -> bool {
        let request = format!("GET {} HTTP/1.1\r\nHost: site\r\n\r\n", sample.numbered_path());
        sample.sending_ns = now_ns();
        connection.stream.set_deadline(Some(sample.sending_ns + self.timeout_ns));
        if let Err(error) = connection.stream.send_all(request.as_bytes()).await {
            sample.outcome = outcome(error.kind());
            return false;
        }
        connection.sent += request.len() as u64;
        let mut response = Response::new(false);
        let mut body = Body { seen: 0, wanted: self.body_of(sample) };
        let result = loop {
            let before = connection.received;
            let read = |bytes: &[u8], arrival: Arrival| {
                connection.received += bytes.len() as u64;
                sample.stamped &= arrival.stamped || bytes.is_empty();
                if !bytes.is_empty() {
                    (sample.arrived_ns, sample.read_ns) = (arrival.kernel_ns, arrival.read_ns);
                }
                let fed = if bytes.is_empty() {
                    response.end(&mut body).map(|()| true)
                } else {
                    response.feed(bytes, &mut body)
                };
                (bytes.len(), fed)
            };
            match connection.stream.recv(read).await {
                Err(error) => break outcome(error.kind()),
                Ok((_, Ok(true))) => {
                    sample.body_is_right = body.is_right();
                    break Outcome::Response(
                        response.facts().map_or(0, |facts| facts.status),
                        response.body_len(),
                    );
                }
                Ok((0, Err(_))) if before == connection.received && response.received() == 0 => {
                    break Outcome::Closed;
                }
                Ok((_, Err(_))) => break Outcome::Broken,
                Ok((_, Ok(false))) => {}
            }
        };
        sample.outcome = result;
        matches!(result, Outcome::Response(..)) && response.reusable()
    }

    /// The body that a route sends, where that is known: it sends the filler once for each part.
    fn body_of(&self, sample: &Sample) -> Option<Vec<u8>> {
        if !["/bytes", "/chunked", "/pool", "/delay"].iter().any(|route| sample.path.starts_with(route)) {
            return None;
        }
        let Some((200, length)) = sample.expected.filter(|(_, length)| *length != ANY_LENGTH) else {
            return None;
        };
        let parts = sample.path.split_once("parts=").map_or(1, |(_, parts)| parts.parse().unwrap_or(1));
        let parts = parts.min(length);
        let mut body = Vec::new();
        for part in 0..parts {
            let size = (length - body.len() as u64).div_ceil(parts - part);
            body.extend_from_slice(self.filler.get(..size as usize)?);
        }
        Some(body)
    }

    /// A path, with the status and length of its response; none where it breaks HTTP.
    fn draw_path(&self) -> (String, Option<(u16, u64)>) {
        let mut draws = self.draws.borrow_mut();
        let bytes =
            if draws.random_bool(0.2) { draws.random_range(0..20_000) } else { draws.random_range(0..600) };
        if draws.random_bool(self.misbehaving) {
            let paths = [
                "/reset",
                "/close",
                "/hang",
                "/garbage",
                "/short-body",
                "/fail?every=2&how=reset",
                "/big-header/3000",
            ];
            return (paths[draws.random_range(0..paths.len())].to_owned(), None);
        }
        let us = draws.random_range(0..20_000);
        let ok = Some((200, bytes));
        match draws.random_range(0..10) {
            0 => (format!("/bytes/{bytes}"), ok),
            1 => (format!("/chunked/{bytes}?parts={}", draws.random_range(1..20)), ok),
            2 => (format!("/pool?workers=4&service=2ms&bytes={bytes}"), ok),
            3 => ("/headers".to_owned(), Some((200, ANY_LENGTH))),
            5 => ("/no-length".to_owned(), Some((200, 10))),
            6 => ("/1xx".to_owned(), Some((200, 3))),
            7 => (format!("/slow-body?bytes={bytes}&chunk=1000&interval={us}us"), ok),
            4 => ("/status/404".to_owned(), Some((404, 4))),
            _ => (format!("/delay/{us}us?bytes={bytes}"), ok),
        }
    }
}

impl Sample {
    /// Its path with its number, by which the site records it.
    pub(super) fn numbered_path(&self) -> String {
        let mark = if self.path.contains('?') { '&' } else { '?' };
        format!("{}{mark}id={}", self.path, self.number)
    }

    /// Whether the response is the one that the route gives.
    pub(super) fn is_expected(&self) -> bool {
        match (self.outcome, self.expected) {
            (Outcome::Response(status, _), Some((wanted, ANY_LENGTH))) => status == wanted,
            (Outcome::Response(status, length), Some(wanted)) => (status, length) == wanted,
            _ => false,
        }
    }
}

fn outcome(kind: ErrorKind) -> Outcome {
    match kind {
        ErrorKind::TimedOut => Outcome::TimedOut,
        _ => Outcome::Reset,
    }
}

/// Compares a body with what the route sends.
pub(super) struct Body {
    seen: usize,
    /// Its rest; none once it differs, or where it is not known.
    wanted: Option<Vec<u8>>,
}

impl Body {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let end = self.seen + bytes.len();
        if let Some(wanted) = &self.wanted {
            // A byte that differs leaves the count wrong for good.
            let differs = wanted.get(self.seen..end) != Some(bytes);
            self.seen = if differs { usize::MAX / 2 } else { end };
        }
    }

    pub(super) fn is_right(&self) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| self.seen == wanted.len())
    }
}

impl Sink for Body {
    fn head(&mut self, _: &ResponseHead<'_>) {}

    fn body(&mut self, bytes: &[u8]) {
        self.add(bytes);
    }
}
