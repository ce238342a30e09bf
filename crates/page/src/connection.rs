//! One connection: its requests, one after the other.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;

use swell_connect::{Stream, TlsServerConfig};
use swell_http1::server::{Connection, Refusal, parse};
use swell_http1::{BodyDecoder, ChunkRules, Framing};
use swell_net::{TcpStream, now_ns, sleep_until};

use crate::access::Access;
use crate::answer::Answer;
use crate::routes::AuthRequest;
use crate::state::LiveState;
use crate::stream::stream;

/// Longest head of a request, bytes.
const HEAD_MAX: usize = 8 * 1024;
/// Longest body, bytes.
const BODY_MAX: usize = 64 * 1024;
/// A request must be complete, and its response delivered, within this time.
const REQUEST_NS: i64 = 10_000_000_000;
/// How many bytes of a refused request are still read: closing with unread bytes would reset the
/// connection and lose the refusal.
const DRAIN_MAX: usize = 1 << 20;

/// State that all connections share.
pub(crate) struct Shared {
    pub(crate) live: Rc<RefCell<LiveState>>,
    pub(crate) access: Access,
    pub(crate) tls: Option<TlsServerConfig>,
    /// Number of open event streams.
    pub(crate) streams: Cell<usize>,
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
struct Request {
    asked: AuthRequest,
    body: Vec<u8>,
    keeps: bool,
}

/// Answers requests until one side closes, and records the progress in `phase`.
pub(crate) async fn serve(mut tcp: TcpStream, shared: Rc<Shared>, phase: Rc<Cell<Phase>>) {
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
        let request = match read(&mut socket, &mut unread, &shared.access, &phase).await {
            Ok(Some(request)) => request,
            Ok(None) | Err(RequestError::Gone) => return,
            Err(RequestError::Refused(refusal)) => {
                return refuse(&mut socket, &refusal, &shared.access).await;
            }
        };
        if request.asked.is_known() {
            phase.set(Phase::Known);
        }
        let since = request.asked.stream(&shared.live.borrow());
        if let Some(since) = since {
            if shared.streams.get() >= MOST_STREAMS {
                let refusal = Refusal::new(503, "too many pages are connected to this run; close one");
                return refuse(&mut socket, &refusal, &shared.access).await;
            }
            phase.set(Phase::Streams);
            let _open = OpenStream::count(shared.clone());
            // A disconnected reader is not an error.
            let _ = stream(&mut socket, &shared.live, since).await;
            return;
        }
        let answer = request.asked.answer(&shared.live, &request.body);
        wait_if_guessed(answer.status, &shared.access).await;
        let connection = if request.keeps { Connection::KeepAlive } else { Connection::Close };
        let sent = socket.send_all(&answer.bytes(connection, !request.asked.is_head())).await;
        if sent.is_err() || !request.keeps {
            // Whether the closing message of TLS arrives depends on the client.
            let _ = socket.finish().await;
            return;
        }
    }
}

/// Counts a stream while it is open, also when its task is aborted.
struct OpenStream(Rc<Shared>);

impl OpenStream {
    fn count(shared: Rc<Shared>) -> Self {
        shared.streams.set(shared.streams.get() + 1);
        Self(shared)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.streams.set(self.0.streams.get() - 1);
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
async fn read(
    socket: &mut Stream,
    unread: &mut Vec<u8>,
    access: &Access,
    phase: &Cell<Phase>,
) -> Result<Option<Request>, RequestError> {
    loop {
        let parsed = parse(unread, HEAD_MAX, |head| {
            Ok((AuthRequest::of(head, access)?, head.framing, head.keep_alive))
        });
        if let Some((used, (asked, framing, keeps))) = parsed.map_err(RequestError::Refused)? {
            unread.drain(..used);
            let body = body(socket, unread, framing).await?;
            return Ok(Some(Request { asked, body, keeps }));
        }
        if more(socket, unread).await? == 0 {
            return Ok(None);
        }
        phase.set(phase.get().max(Phase::Asks));
    }
}

async fn body(socket: &mut Stream, unread: &mut Vec<u8>, framing: Framing) -> Result<Vec<u8>, RequestError> {
    let mut decoder = BodyDecoder::new(framing);
    let mut body = Vec::new();
    loop {
        let fed = decoder.feed(unread, ChunkRules::Rfc9112, |piece| body.extend_from_slice(piece));
        let (used, is_done) =
            fed.map_err(|_| RequestError::Refused(Refusal::bad("the chunks of the body are malformed")))?;
        unread.drain(..used);
        if body.len() > BODY_MAX {
            return Err(RequestError::Refused(Refusal::new(
                413,
                format!("the body is larger than {BODY_MAX} bytes"),
            )));
        }
        if is_done {
            return Ok(body);
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
