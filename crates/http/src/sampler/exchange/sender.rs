//! Sends the requests of a sampler.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use swell_connect::{ClientKeys, ConnectParams, NameCache, PooledConnection, TlsConfig, open};
use swell_expr::Context;
use swell_net::{note_closed_idle, now_ns, sleep_until};

use crate::compile::{HttpVersion, Retries, Spec};
use crate::exchange::{Exchange, ExchangeError, RequestRef, exchange};
use crate::failure::Failure;

use super::events::EventSink;
use super::http2::Way;
use super::in_flight::InFlight;
use super::parts::{exchange_in_parts, is_broken_send, read_early};
use super::tls::tls_of;
use crate::sampler::key_choice::KeyChoice;
use crate::sampler::limits::Limits;
use crate::sampler::state::HttpState;

/// Sends requests over the connections of users.
pub(crate) struct Sender {
    names: Arc<NameCache>,
    /// Trusts all certificates, as JMeter does, unless the run limits them; each user has separate
    /// sessions.
    tls: TlsConfig,
    /// A buffer to put requests together in.
    pub(crate) scratch: Cell<Vec<u8>>,
}

impl Sender {
    pub(crate) fn new(spec: &Spec, names: Arc<NameCache>) -> Self {
        Self { names, tls: tls_of(&spec.settings.tls_limits, &spec.roots), scratch: Cell::default() }
    }

    /// Addresses of hosts.
    pub(crate) fn names(&self) -> &NameCache {
        &self.names
    }

    /// Sends the request and takes in the response, again where that is allowed.
    pub(crate) async fn send(
        &self,
        spec: &Spec,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
    ) -> Result<(), Failure> {
        let retries = spec.settings.retries;
        let mut left = retries.count;
        loop {
            let result = self.send_once(spec, state, in_flight, limits).await;
            if let (Some(wire), Err(failure)) = (&mut in_flight.wire, &result) {
                wire.failed(failure);
            }
            let Err(failure) = &result else { return result };
            if repeats(spec, state, in_flight, failure) {
                in_flight.collected = in_flight.collected.anew();
                continue;
            }
            let sent = in_flight.done.sent > 0;
            let allowed = left > 0 && in_flight.done.facts.is_none() && !state.is_interrupted();
            if !allowed || !retries.allow(failure, &in_flight.request.method, sent) {
                in_flight.note_if_closed(failure);
                return result;
            }
            left -= 1;
            in_flight.collected = in_flight.collected.anew();
        }
    }

    /// The connection of an exchange over HTTP/1.1: one that was `made` to ask the server for HTTP/2,
    /// a kept one, or a new one.
    async fn http1_connection(
        &self,
        spec: &Spec,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
        made: Option<Box<PooledConnection>>,
    ) -> Result<Box<PooledConnection>, Failure> {
        let request = in_flight.request.clone();
        in_flight.kept = false;
        let mut connection = if let Some(made) = made {
            made
        } else {
            let idle = state.pool.take(&request.target, &spec.settings.idle, in_flight.start_ns);
            in_flight.kept = idle.is_some();
            if let Some(wire) = &mut in_flight.wire {
                wire.begin(&request, in_flight.cookie.as_deref());
            }
            match idle {
                Some(idle) => idle,
                None => Box::pin(self.connect(spec, state, in_flight, limits, HttpVersion::Http1)).await?,
            }
        };
        if let Some(wire) = &mut in_flight.wire {
            wire.connected(&mut connection.stream, in_flight.kept, &request);
        }
        Ok(connection)
    }

    async fn send_once(
        &self,
        spec: &Spec,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
    ) -> Result<(), Failure> {
        let request = in_flight.request.clone();
        let settings = &spec.settings;
        in_flight.done = Exchange::default();
        if state.is_over() {
            return Err(state.why_it_ends(settings));
        }
        let mut made = None;
        if spec.version.may_be_http2(request.target.secure) && !request.target.is_proxied() {
            match Box::pin(self.send_http2(spec, state, in_flight, limits)).await {
                Way::Http2(result) => return result,
                Way::Http1(connection) => made = connection,
            }
        }
        let mut connection = self.http1_connection(spec, state, in_flight, limits, made).await?;
        let to_head = &*request.method == "HEAD";
        let mut with_cookie = Vec::new();
        if let Some(cookie) = &in_flight.cookie {
            with_cookie = self.scratch.take();
            with_cookie.clear();
            request.with_cookie_into(cookie, &mut with_cookie);
        }
        let bytes = if in_flight.cookie.is_some() { &with_cookie } else { &*request.bytes };
        if let Some(recent) = &in_flight.recent {
            recent.borrow_mut().request(in_flight.start_ns, bytes, request.target.secure);
            in_flight.collected.record_head(Some(recent), in_flight.start_ns);
        }
        let sink = &mut in_flight.collected;
        let done = &mut in_flight.done;
        let ends_at_ns = state.ends_at_ns();
        if ends_at_ns.is_some() {
            connection.stream.set_limit(ends_at_ns);
        }
        let stream = &mut connection.stream;
        let is_whole = request.files.is_empty() && !request.expects_continue;
        let result = if let Some(events) = in_flight.events.as_deref_mut().filter(|_| is_whole) {
            let mut sink = EventSink { inner: &mut *sink, events };
            Box::pin(exchange(stream, bytes, to_head, limits.response_ns, &mut sink, done)).await
        } else if is_whole {
            exchange(stream, bytes, to_head, limits.response_ns, sink, done).await
        } else {
            let wanted = RequestRef { bytes, to_head, timeout_ns: limits.response_ns, begun_ns: 0 };
            Box::pin(exchange_in_parts(stream, &request, wanted, sink, done)).await?
        };
        let result = match result {
            Err(error) if spec.settings.reads_early_responses && is_broken_send(&error, done) => {
                Box::pin(read_early(stream, to_head, limits.response_ns, sink, done))
                    .await
                    .map_err(|()| error)
            }
            result => result,
        };
        if ends_at_ns.is_some() {
            connection.stream.set_limit(None);
        }
        let done = &mut in_flight.done;
        if in_flight.cookie.is_some() {
            self.scratch.set(with_cookie);
        }
        if done.reusable && !request.closes {
            let keep_alive_ms = done.facts.and_then(|facts| facts.keep_alive_ms);
            state.pool.put(connection, keep_alive_ms, &settings.idle, done.read_ns);
        }
        result.map_err(|error| match error {
            ExchangeError::Io(_) if state.is_interrupted() => state.why_it_ends(settings),
            error => Failure::broken(error, &request),
        })
    }

    /// Chooses the key for handshakes. Sessions that are there are resumed, with whichever key they
    /// were made: a target that resumes one does not ask again.
    pub(crate) fn choose_key(&self, spec: &Spec, cx: &mut Context, state: &mut HttpState) {
        let Some(entries) = &spec.keys else { return };
        let alias = entries.alias(cx);
        let chosen = state.key.as_deref_mut().filter(|_| state.tls.is_some());
        if chosen.as_ref().is_some_and(|chosen| chosen.alias == alias) {
            return;
        }
        let keys = entries.keys(cx, alias.as_ref());
        if let Some(KeyChoice { alias: known, keys: ClientKeys::Named(old) }) = chosen
            && let ClientKeys::Named(new) = &keys
        {
            old.change(new);
            *known = alias;
            return;
        }
        state.tls = Some(self.tls.with_client_keys(keys.clone()));
        state.key = Some(Box::new(KeyChoice { alias, keys }));
    }

    /// Makes a connection. `version`: what the server is offered.
    pub(super) async fn connect(
        &self,
        spec: &Spec,
        state: &mut HttpState,
        in_flight: &mut InFlight<'_>,
        limits: Limits,
        version: HttpVersion,
    ) -> Result<Box<PooledConnection>, Failure> {
        let request = &in_flight.request;
        let settings = &spec.settings;
        let ends_at_ns = state.ends_at_ns();
        let timeout_ns = state.until_interrupt(limits.connect_ns);
        let new = || {
            if spec.settings.shared_sessions { self.tls.clone() } else { self.tls.with_new_sessions() }
        };
        let tls = request.target.secure.then(|| &*state.tls.get_or_insert_with(new));
        let offering = tls.filter(|_| version != HttpVersion::Http1);
        let offering = offering.map(|tls| tls.with_protocols(version.protocols()));
        let tls = offering.as_ref().or(tls);
        let sent = request
            .target
            .proxy
            .as_ref()
            .map(|_| state.sent_proxy_credentials.get_or_insert_default().clone());
        let params = ConnectParams {
            target: &request.target,
            host: request.url.host(),
            source: limits.source,
            timeout_ns,
            tls,
            agent: spec.settings.user_agent,
            sent: sent.as_deref(),
            routes: spec.routes.as_ref(),
            segments: version != HttpVersion::Http1 || in_flight.events.is_some(),
            tunnels: false,
        };
        let names = state.names.as_deref_mut().filter(|_| spec.dns.is_some());
        let opened = open(&params, &self.names, names);
        let opened = match ends_at_ns {
            None => opened.await.map_err(Failure::from),
            Some(at_ns) => match before(at_ns, opened).await {
                Some(opened) => opened.map_err(Failure::from),
                None => Err(Failure::interrupted()),
            },
        };
        let connected = match (opened, &state.key) {
            (_, Some(key)) if key.was_missed() => Err(key.failure()),
            (connected, _) => connected,
        };
        // JMeter ends the connect time also where connecting failed.
        in_flight.connected_ns = now_ns();
        let connected = connected
            .map_err(|error| if state.is_interrupted() { state.why_it_ends(settings) } else { error })?;
        in_flight.handshake_ns = connected.handshake_ns;
        let target = in_flight.request.target.clone();
        let stream = match &mut in_flight.wire {
            Some(wire) => wire.tap(connected.stream),
            None => connected.stream,
        };
        Ok(Box::new(PooledConnection::new(stream, target, in_flight.connected_ns)))
    }
}

/// Whether a request that failed is sent once more on a new connection, because the server had
/// closed the kept one; counts it.
#[cold]
pub(crate) fn repeats(spec: &Spec, state: &HttpState, in_flight: &InFlight<'_>, failure: &Failure) -> bool {
    let method = &*in_flight.request.method;
    let sent = in_flight.done.sent > 0;
    let repeats = spec.settings.repeats_on_new_connection
        && in_flight.was_closed(failure)
        && Retries::ON_NEW_CONNECTION.allow(failure, method, sent)
        && !state.is_interrupted();
    if repeats {
        note_closed_idle(true);
    }
    repeats
}

/// What a future gives, if it does so before that instant.
async fn before<T>(at_ns: i64, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut sleep = sleep_until(at_ns);
    poll_fn(|task| {
        if let Poll::Ready(output) = future.as_mut().poll(task) {
            return Poll::Ready(Some(output));
        }
        while Pin::new(&mut sleep).poll(task).is_ready() {
            if now_ns() >= at_ns {
                return Poll::Ready(None);
            }
            // A test that stops wakes sleepers before their time.
            sleep = sleep_until(at_ns);
        }
        Poll::Pending
    })
    .await
}
