//! Requests of the client over HTTP/2: many at once on one connection.

use std::cell::RefCell;
use std::future::{Future as _, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::task::Poll;

use swell_connect::{Arrived, Session, SessionError, SessionExchange, Stream};
use swell_http2::client::{Request, Scheme};
use swell_http2::{Fields, Settings};
use swell_net::{ConnectOptions, TcpStream, now_ns, sleep_uncut_until};

use super::client::{Body, CONNECT_NS, Outcome, Sample};

/// The sessions of a client that may be usable.
#[derive(Default)]
pub(super) struct Sessions(RefCell<Vec<Session>>);

impl Sessions {
    /// A session that takes requests, or a new one.
    async fn usable(&self, site: SocketAddr) -> Option<Session> {
        let found = poll_fn(|cx| {
            let mut sessions = self.0.borrow_mut();
            sessions.retain(|session| session.is_usable(cx));
            Poll::Ready(sessions.first().cloned())
        });
        if let Some(session) = found.await {
            return Some(session);
        }
        let options = ConnectOptions { timeout_ns: Some(CONNECT_NS), ..ConnectOptions::default() };
        let stream = TcpStream::connect(site, &options).await.ok()?;
        let session = Session::new(Stream::Tcp(stream), &Settings::default());
        self.0.borrow_mut().push(session.clone());
        Some(session)
    }

    /// Sends a request, and notes in its sample how it ended.
    pub(super) async fn exchange(&self, site: SocketAddr, timeout_ns: i64, sample: &mut Sample, body: Body) {
        let Some(session) = self.usable(site).await else { return };
        sample.sending_ns = now_ns();
        let deadline_ns = sample.sending_ns + timeout_ns;
        let mut timeout = pin!(sleep_uncut_until(deadline_ns));
        let mut exchange = None;
        let mut progress = Progress { body, status: 0, length: 0, has_ended: false };
        let ended = poll_fn(|cx| {
            let polled = poll_exchange(cx, &session, &mut exchange, sample, &mut progress);
            match (polled, timeout.as_mut().poll(cx)) {
                (Poll::Ready(done), _) => Poll::Ready(Some(done)),
                (Poll::Pending, Poll::Ready(())) => Poll::Ready(None),
                (Poll::Pending, Poll::Pending) => Poll::Pending,
            }
        });
        sample_outcome(ended.await.as_ref(), exchange.as_ref(), sample, &progress);
    }
}

/// What has come of a response.
struct Progress {
    body: Body,
    status: u16,
    length: u64,
    has_ended: bool,
}

impl Progress {
    fn take(&mut self, arrived: &mut Arrived, sample: &mut Sample) {
        if let Some(last) = arrived.last {
            (sample.arrived_ns, sample.read_ns) = (last.kernel_ns, last.read_ns);
            sample.stamped &= last.stamped;
        }
        self.status = arrived.status;
        self.length += arrived.body.len() as u64;
        self.body.add(&arrived.body);
        arrived.body.clear();
        self.has_ended = arrived.ended;
    }
}

/// Opens the stream of a request, and takes in its response to the end.
fn poll_exchange(
    cx: &mut std::task::Context<'_>,
    session: &Session,
    exchange: &mut Option<SessionExchange>,
    sample: &mut Sample,
    progress: &mut Progress,
) -> Poll<Result<(), SessionError>> {
    let open = if let Some(open) = exchange {
        open
    } else {
        let path = sample.numbered_path();
        let request = Request {
            method: b"GET",
            scheme: Scheme::Http,
            authority: b"site",
            path: path.as_bytes(),
            path_repeats: false,
            constant: &Fields::default(),
            own: b"",
        };
        match std::task::ready!(session.poll_open(cx, &request, true)) {
            Ok(opened) => exchange.insert(opened),
            Err(error) => return Poll::Ready(Err(error)),
        }
    };
    while !progress.has_ended {
        match std::task::ready!(open.poll_receive(cx, |arrived| progress.take(arrived, sample))) {
            Ok(()) => {}
            Err(error) => return Poll::Ready(Err(error)),
        }
    }
    Poll::Ready(Ok(()))
}

/// `ended`: none where the time-out passed first.
fn sample_outcome(
    ended: Option<&Result<(), SessionError>>,
    exchange: Option<&SessionExchange>,
    sample: &mut Sample,
    progress: &Progress,
) {
    sample.outcome = match ended {
        None => {
            if let Some(exchange) = exchange {
                exchange.note_timeout();
            }
            Outcome::TimedOut
        }
        Some(Ok(())) => {
            sample.body_is_right = progress.body.is_right();
            Outcome::Response(progress.status, progress.length)
        }
        Some(Err(SessionError::Io(..))) => Outcome::Reset,
        Some(Err(SessionError::Ended | SessionError::Closing | SessionError::NotProcessed)) => {
            Outcome::Closed
        }
        Some(Err(_)) => Outcome::Broken,
    };
}
