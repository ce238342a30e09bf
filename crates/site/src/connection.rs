//! One connection: its requests, one after the other.

use std::cell::Cell;
use std::io;
use std::rc::Rc;

use swell_connect::{Stream, TlsServerConfig};
use swell_http1::server::{Connection, Refusal, parse};
use swell_http1::{BodyDecoder, ChunkRules, Framing};
use swell_net::{TcpStream, now_ns, sleep_until};

use crate::access::Access;
use crate::answer::Answer;
use crate::request::Request;
use crate::upload::{Incoming, RequestBody};
use crate::{BodyRules, Site};

/// Longest head of a request, bytes.
const HEAD_MAX: usize = 8 * 1024;
/// A request must be complete, and its response delivered, within this time, unless the site gives
/// a request more.
pub(crate) const REQUEST_NS: i64 = 10_000_000_000;
/// How many bytes of a refused request are still read: closing with unread bytes would reset the
/// connection and lose the refusal.
const DRAIN_MAX: usize = 1 << 20;

/// State that all connections share.
pub(crate) struct Shared<S> {
    pub(crate) site: Rc<S>,
    pub(crate) access: Access,
    pub(crate) tls: Option<TlsServerConfig>,
    /// Number of open event streams.
    pub(crate) streams: Rc<Cell<usize>>,
}

/// Progress of a connection. The further it is, the longer it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Nothing was received.
    Silent,
    /// Bytes were received, but no secret.
    Asks,
    /// A request carried a secret.
    Known,
    /// It receives events.
    Streams,
}

/// Event streams at a time.
const MOST_STREAMS: usize = 16;

/// A complete request.
struct Complete {
    request: Request,
    body: RequestBody,
    keeps: bool,
    /// How long its response may take.
    within_ns: i64,
}

/// Answers requests until one side closes, and records the progress in `phase`.
pub(crate) async fn serve<S: Site>(mut tcp: TcpStream, shared: Rc<Shared<S>>, phase: Rc<Cell<Phase>>) {
    tcp.set_deadline(Some(now_ns() + REQUEST_NS));
    let mut socket = match &shared.tls {
        None => Stream::Tcp(tcp),
        Some(tls) => match Stream::tls_accept(tcp, tls).await {
            Ok(encrypted) => encrypted,
            // A client that does not trust the certificate, or does not use TLS.
            Err(_) => return,
        },
    };
    let mut unread = Vec::new();
    loop {
        socket.set_deadline(Some(now_ns() + REQUEST_NS));
        let complete = match read(&mut socket, &mut unread, &shared, &phase).await {
            Ok(Some(complete)) => complete,
            Ok(None) | Err(RequestError::Gone) => return,
            Err(RequestError::Refused(refusal)) => {
                return refuse(&mut socket, &refusal, &shared.access).await;
            }
        };
        let Complete { request, body, keeps, within_ns } = complete;
        if request.is_known() {
            phase.set(Phase::Known);
        }
        if shared.site.is_stream(&request) {
            return stream(&mut socket, &shared, &request, &phase).await;
        }
        let answer = shared.site.answer(&request, body).await;
        wait_if_guessed(answer.status, &shared.access).await;
        let connection = if keeps { Connection::KeepAlive } else { Connection::Close };
        socket.set_deadline(Some(now_ns() + within_ns));
        let sent = socket.send_all(&answer.bytes(connection, !request.is_head())).await;
        if sent.is_err() || !keeps {
            // Whether the closing message of TLS arrives depends on the client.
            let _ = socket.finish().await;
            return;
        }
    }
}

async fn stream<S: Site>(
    socket: &mut Stream,
    shared: &Rc<Shared<S>>,
    request: &Request,
    phase: &Cell<Phase>,
) {
    if shared.streams.get() >= MOST_STREAMS {
        let refusal = Refusal::new(503, "too many pages are connected to this run; close one");
        return refuse(socket, &refusal, &shared.access).await;
    }
    phase.set(Phase::Streams);
    let _open = OpenStream::count(shared.streams.clone());
    // A disconnected reader is not an error.
    let _ = shared.site.stream(request, socket).await;
}

/// Counts a stream while it is open, also when its task is aborted.
struct OpenStream(Rc<Cell<usize>>);

impl OpenStream {
    fn count(streams: Rc<Cell<usize>>) -> Self {
        streams.set(streams.get() + 1);
        Self(streams)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

enum RequestError {
    Gone,
    Refused(Refusal),
}

impl From<io::Error> for RequestError {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// The next request with its body; none if the client has closed.
async fn read<S: Site>(
    socket: &mut Stream,
    unread: &mut Vec<u8>,
    shared: &Shared<S>,
    phase: &Cell<Phase>,
) -> Result<Option<Complete>, RequestError> {
    loop {
        let parsed = parse(unread, HEAD_MAX, |head| {
            Ok((Request::of(head, &shared.access)?, head.framing, head.keep_alive))
        });
        if let Some((used, (request, framing, keeps))) = parsed.map_err(RequestError::Refused)? {
            unread.drain(..used);
            let rules = shared.site.body_rules(&request);
            request.check_type(rules.content_type).map_err(RequestError::Refused)?;
            socket.set_deadline(Some(now_ns() + rules.within_ns));
            let body = body(socket, unread, framing, &rules).await?;
            return Ok(Some(Complete { request, body, keeps, within_ns: rules.within_ns }));
        }
        if more(socket, unread).await? == 0 {
            return Ok(None);
        }
        phase.set(phase.get().max(Phase::Asks));
    }
}

async fn body(
    socket: &mut Stream,
    unread: &mut Vec<u8>,
    framing: Framing,
    rules: &BodyRules,
) -> Result<RequestBody, RequestError> {
    let cannot_write = |error: io::Error| {
        RequestError::Refused(Refusal::new(507, format!("the upload cannot be stored: {error}")))
    };
    let mut decoder = BodyDecoder::new(framing);
    let mut incoming = Incoming::begin(rules).map_err(cannot_write)?;
    loop {
        let mut added = Ok(true);
        let fed = decoder.feed(unread, ChunkRules::Rfc9112, |piece| {
            if matches!(added, Ok(true)) {
                added = incoming.add(piece);
            }
        });
        let (used, is_done) =
            fed.map_err(|_| RequestError::Refused(Refusal::bad("the chunks of the body are malformed")))?;
        unread.drain(..used);
        if !added.map_err(cannot_write)? {
            let text = format!("the body is larger than {} bytes", rules.most_bytes);
            return Err(RequestError::Refused(Refusal::new(413, text)));
        }
        if is_done {
            return Ok(incoming.end());
        }
        if more(socket, unread).await? == 0 {
            return Err(RequestError::Gone);
        }
    }
}

async fn more(socket: &mut Stream, unread: &mut Vec<u8>) -> io::Result<usize> {
    socket
        .recv(|bytes, _| {
            unread.extend_from_slice(bytes);
            bytes.len()
        })
        .await
}

async fn wait_if_guessed(status: u16, access: &Access) {
    if status == 401 && access.is_guessed_at() {
        sleep_until(now_ns() + 1_000_000_000).await;
    }
}

async fn refuse(socket: &mut Stream, refusal: &Refusal, access: &Access) {
    wait_if_guessed(refusal.status, access).await;
    let answer = Answer::refused(refusal);
    if socket.send_all(&answer.bytes(Connection::Close, true)).await.is_err()
        || socket.finish().await.is_err()
        || socket.shutdown_write().is_err()
    {
        return;
    }
    let mut drained = 0;
    while drained < DRAIN_MAX {
        match socket.recv(|bytes, _| bytes.len()).await {
            Ok(count) if count > 0 => drained += count,
            _ => return,
        }
    }
}
