//! Requests over HTTP/2: sessions of users, made where there is none.

use std::cell::RefCell;

use swell_connect::{Claim, Connecting, KeptSessions, PooledConnection, Session};
use swell_http2::Settings;
use swell_net::{note_session_opened, note_session_refused, now_ns};

use crate::compile::{HttpVersion, Spec};
use crate::exchange::{Exchange, ExchangeError};
use crate::exchange_http2::{Http2Request, as_closed, exchange_http2};
use crate::failure::Failure;
use crate::request::Request;
use crate::sampler::limits::Limits;
use crate::sampler::state::HttpState;

use super::events::EventSink;
use super::files::read_files;
use super::in_flight::InFlight;
use super::sender::Sender;
use super::wire::HeadCopy;

thread_local! {
    /// The connections of a worker that several users share.
    static GROUPS: RefCell<Vec<KeptSessions>> = const { RefCell::new(Vec::new()) };
}

/// The way of a request.
pub(super) enum Way {
    /// Over HTTP/2, with its result.
    Http2(Result<(), Failure>),
    /// The server speaks HTTP/1.1; over this connection where one was made.
    Http1(Option<Box<PooledConnection>>),
}

/// The sessions of a new user. `share`: how many users have one set together.
pub(in crate::sampler) fn sessions(share: usize) -> KeptSessions {
    GROUPS.with(|groups| KeptSessions::of_group(groups, share))
}

/// What carries a request.
enum Got {
    Session(Session),
    Http1(Option<Box<PooledConnection>>),
}

impl Sender {
    /// Sends the request over HTTP/2 and takes in the response. What the server has not processed
    /// is sent once more, on a new connection.
    pub(super) async fn send_http2(
        &self,
        spec: &Spec,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
    ) -> Way {
        let mut is_second = std::mem::take(&mut state.was_not_processed);
        loop {
            let session = match self.session(spec, state, in_flight, limits).await {
                Ok(Got::Session(session)) => session,
                Ok(Got::Http1(connection)) => return Way::Http1(connection),
                Err(failure) => return Way::Http2(Err(failure)),
            };
            let request = in_flight.request.clone();
            let result = self.exchange_over(&session, state, in_flight, limits).await;
            let error = match result {
                Ok(Err(error)) => error,
                Ok(Ok(())) => return Way::Http2(Ok(())),
                Err(failure) => return Way::Http2(Err(failure)),
            };
            if error.is_unprocessed() && !is_second && !state.is_interrupted() {
                is_second = true;
                in_flight.collected = in_flight.collected.anew();
                in_flight.done = Exchange::default();
                continue;
            }
            return Way::Http2(Err(match as_closed(error, in_flight.done.received) {
                ExchangeError::Io(_) if state.is_interrupted() => state.why_it_ends(&spec.settings),
                error => Failure::broken(error, &request),
            }));
        }
    }

    async fn session(
        &self,
        spec: &Spec,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
    ) -> Result<Got, Failure> {
        let request = in_flight.request.clone();
        let kept = state.sessions.get_or_insert_with(|| sessions(spec.settings.http2_share));
        let claim = if request.closes {
            None
        } else {
            Some(kept.claim(&request.target, spec.settings.idle.time_to_live_ms).await)
        };
        in_flight.kept = matches!(claim, Some(Claim::Session(_)));
        if let Some(wire) = &mut in_flight.wire {
            wire.begin(&request, in_flight.cookie.as_deref());
        }
        let session = match claim {
            Some(Claim::Session(session)) => session,
            Some(Claim::Http1) => return Ok(Got::Http1(None)),
            Some(Claim::Connect(claim)) => {
                match self.new_session(spec, state, in_flight, limits, Some(claim)).await? {
                    Got::Session(session) => session,
                    http1 @ Got::Http1(_) => return Ok(http1),
                }
            }
            None => match self.new_session(spec, state, in_flight, limits, None).await? {
                Got::Session(session) => session,
                http1 @ Got::Http1(_) => return Ok(http1),
            },
        };
        if let Some(wire) = &mut in_flight.wire {
            let kept = in_flight.kept;
            session.with_stream(|stream| wire.connected(stream, kept, &request));
        }
        Ok(Got::Session(session))
    }

    async fn new_session(
        &self,
        spec: &Spec,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
        claim: Option<Connecting>,
    ) -> Result<Got, Failure> {
        let is_secure = in_flight.request.target.secure;
        let connection = Box::pin(self.connect(spec, state, in_flight, limits, spec.version)).await?;
        let chosen = connection.stream.protocol();
        if is_secure && chosen != Some(b"h2") {
            if spec.version == HttpVersion::Http2 {
                return Err(Failure::no_http2(chosen));
            }
            note_session_refused();
            if let Some(claim) = claim {
                claim.http1();
            }
            return Ok(Got::Http1(Some(connection)));
        }
        note_session_opened();
        let session = Session::new(connection.stream, &Settings::default());
        if let Some(claim) = claim {
            claim.open(session.clone());
        }
        Ok(Got::Session(session))
    }

    /// The inner result is that of the exchange.
    ///
    /// # Errors
    /// The request cannot be made.
    async fn exchange_over(
        &self,
        session: &Session,
        state: &HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
    ) -> Result<Result<(), ExchangeError>, Failure> {
        let request = in_flight.request.clone();
        read_files(&request)?;
        if let Some(recent) = &in_flight.recent {
            recent.borrow_mut().request(in_flight.start_ns, &request.bytes, request.target.secure);
            in_flight.collected.record_head(Some(recent), in_flight.start_ns);
        }
        let mut lines = self.scratch.take();
        let body = parts_of_body(&request)?;
        let head = match request.http2(in_flight.cookie.as_deref(), &mut lines) {
            Ok(head) => head,
            Err(error) => {
                self.scratch.set(lines);
                return Err(Failure::illegal(&error.to_string()));
            }
        };
        let wanted = Http2Request {
            head,
            body: &body,
            expects_continue: request.expects_continue,
            to_head: &*request.method == "HEAD",
            timeout_ns: limits.response_ns,
            ends_at_ns: state.ends_at_ns(),
            notes_pieces: in_flight.events.is_some(),
        };
        let InFlight { collected, done, wire, cookie, events, .. } = in_flight;
        let result = match (wire, events.as_deref_mut()) {
            (None, None) => exchange_http2(session, &wanted, collected, done).await,
            (None, Some(events)) => {
                let mut sink = EventSink { inner: collected, events };
                Box::pin(exchange_http2(session, &wanted, &mut sink, done)).await
            }
            (Some(wire), events) => {
                let mut copy = HeadCopy::new(collected);
                let result = match events {
                    None => Box::pin(exchange_http2(session, &wanted, &mut copy, done)).await,
                    Some(events) => {
                        let mut sink = EventSink { inner: &mut copy, events };
                        Box::pin(exchange_http2(session, &wanted, &mut sink, done)).await
                    }
                };
                wire.exchanged_http2(&request, cookie.as_deref(), (&copy.head, done));
                result
            }
        };
        lines.clear();
        self.scratch.set(lines);
        if in_flight.done.read_ns == 0 && result.is_ok() {
            in_flight.done.read_ns = now_ns();
        }
        Ok(result)
    }
}

/// The body with its files in between.
fn parts_of_body(request: &Request) -> Result<Vec<&[u8]>, Failure> {
    let body = request.body();
    if request.files.is_empty() {
        return Ok(if body.is_empty() { Vec::new() } else { vec![body] });
    }
    let mut parts = Vec::with_capacity(2 * request.files.len() + 1);
    let mut from = 0;
    for (at, file) in &request.files {
        parts.extend([&body[from..*at], file.content()?].into_iter().filter(|part| !part.is_empty()));
        from = *at;
    }
    parts.extend(Some(&body[from..]).filter(|part| !part.is_empty()));
    Ok(parts)
}
