//! A sample over an open connection, polled by hand.
//!
//! Nearly every sample of a test is one. A future that waits for its response occupies memory for
//! each waiting user, and that memory is cold when it is needed. An asynchronous function stores
//! each argument twice and reserves space for all rare cases. Rare cases are left to
//! [`HttpSampler::run`] before the sample begins, or continue from here in a separate future.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{self, Poll, ready};

use swell_api::{SampleResult, SamplerFuture};
use swell_connect::{PooledConnection, Target};
use swell_expr::Context;
use swell_net::{note_exchange, now_ns};

use crate::exchange::{Exchange, ExchangeError, Http1Exchange, IncomingResponse, RequestRef};
use crate::failure::Failure;
use crate::request::TemplatedRequest;

use super::collect::CollectedResponse;
use super::exchange::{InFlight, repeats};
use super::http_sampler::HttpSampler;
use super::prepare::{CachedRequest, cookie, cookie_of_template};
use super::state::SampleUser;

/// Everything that exists before the request is sent.
pub(super) struct FastPathStart {
    /// `None` after the end of the exchange.
    connection: Option<Box<PooledConnection>>,
    cookie: Option<String>,
    at_ns: i64,
}

/// The request to send.
pub(super) enum FastPathRequest {
    /// There is a request in it.
    Whole(Rc<CachedRequest>),
    /// The request is made by a template, which the values fit.
    Templated(TemplatedRequest),
}

impl FastPathRequest {
    /// It asks for the connection to be closed.
    fn closes(&self) -> bool {
        match self {
            Self::Whole(cached) => cached.request().closes,
            Self::Templated(templated) => templated.template.closes,
        }
    }

    fn target(&self) -> &Target {
        match self {
            Self::Whole(cached) => &cached.request().target,
            Self::Templated(templated) => &templated.template.target,
        }
    }

    fn method(&self) -> &str {
        match self {
            Self::Whole(cached) => &cached.request().method,
            Self::Templated(templated) => &templated.template.method,
        }
    }
}

/// The connection of an exchange that ended goes back to the user's, or is closed.
#[inline]
fn give_back(
    user: &mut SampleUser<'_>,
    connection: Box<PooledConnection>,
    done: &Exchange,
    closes: bool,
    sampler: &HttpSampler,
) {
    if !closes {
        let keep_alive_ms = done.facts.and_then(|facts| facts.keep_alive_ms);
        user.state.pool.put(connection, keep_alive_ms, &sampler.spec.settings.idle, done.read_ns);
    }
}

/// A sample in progress.
pub(super) struct FastPath<'a> {
    sampler: &'a HttpSampler,
    /// None once [`Self::rest`] has it.
    user: Option<SampleUser<'a>>,
    request: FastPathRequest,
    start: FastPathStart,
    exchange: Http1Exchange<CollectedResponse<'a>>,
    /// What comes after the response.
    rest: Option<SamplerFuture<'a>>,
}

impl FastPathStart {
    /// None: there is more to it than an exchange over the user's idle connection.
    pub(super) fn whole(
        sampler: &HttpSampler,
        user: &mut SampleUser<'_>,
        cached: &CachedRequest,
    ) -> Option<Self> {
        let request = cached.request.as_ref().filter(|request| !request.expects_continue)?;
        let spec = &sampler.spec;
        Self::to(&request.target, sampler, user, |user| cookie(spec, user.cx, user.state, &request.url))
    }

    /// The same for a request that is made by a template.
    pub(super) fn templated(
        sampler: &HttpSampler,
        user: &mut SampleUser<'_>,
        templated: &TemplatedRequest,
    ) -> Option<Self> {
        Self::to(&templated.template.target, sampler, user, |user| {
            cookie_of_template(&sampler.spec, user.cx, user.state, templated)
        })
    }

    fn to(
        target: &Rc<Target>,
        sampler: &HttpSampler,
        user: &mut SampleUser<'_>,
        cookie: impl FnOnce(&mut SampleUser<'_>) -> Option<String>,
    ) -> Option<Self> {
        sampler.fast_path.as_ref()?;
        let state = &user.state;
        if state.has_credentials() || state.interrupt_at_ns.is_some() || target.proxy.is_some() {
            return None;
        }
        let mut at_ns = now_ns();
        let connection = Some(user.state.pool.take(target, &sampler.spec.settings.idle, at_ns)?);
        let cookie = cookie(user);
        if cookie.is_some() {
            at_ns = now_ns();
        }
        Some(Self { connection, cookie, at_ns })
    }
}

impl<'a> FastPath<'a> {
    pub(super) fn new(
        sampler: &'a HttpSampler,
        user: SampleUser<'a>,
        request: FastPathRequest,
        start: FastPathStart,
    ) -> Self {
        Self { sampler, user: Some(user), request, start, exchange: Http1Exchange::new(), rest: None }
    }

    /// The sample, none if more follows from it.
    fn poll_first(&mut self, cx: &task::Context<'_>) -> Poll<Option<Box<SampleResult>>> {
        let mut arriving = None;
        let result = ready!(self.poll_exchange(cx, &mut arriving));
        let done = self.exchange.sum(arriving.as_ref(), result.is_ok());
        let sampler = self.sampler;
        let start = &mut self.start;
        let user = self.user.as_mut().expect("a sample ends once");
        let connection = start.connection.take().expect("it exists until the exchange ends");
        note_exchange(done.received, done.first_byte_ns == done.end_ns);
        let closes = !done.reusable || self.request.closes();
        give_back(user, connection, &done, closes, sampler);
        let cached = match &self.request {
            FastPathRequest::Whole(cached) => cached.clone(),
            FastPathRequest::Templated(templated) => {
                if let (Ok(()), Some(arriving)) = (&result, &mut arriving)
                    && arriving.sink.is_plain()
                {
                    let came = (done, &mut arriving.sink, start.cookie.take());
                    let mut sample =
                        sampler.samples.sample_of_template(&sampler.spec, user, templated, came, start.at_ns);
                    sampler.ended(user, &mut sample, false);
                    return Poll::Ready(Some(sample));
                }
                CachedRequest::whole(&sampler.spec, user.cx, templated)
            }
        };
        let request = cached.request();
        let result = result.map_err(|error| Failure::broken(error, request));
        let in_flight = InFlight {
            first: request.clone(),
            request: request.clone(),
            cookie: start.cookie.take(),
            collected: arriving.map_or_else(
                || CollectedResponse::new(sampler.samples.response_needs()),
                |arriving| arriving.sink,
            ),
            done,
            start_ns: start.at_ns,
            connected_ns: 0,
            auto: false,
            kept: true,
            handshake_ns: 0,
            wire: None,
            recent: None,
            events: None,
        };
        if let Err(failure) = &result {
            if repeats(&sampler.spec, user.state, &in_flight, failure) {
                let begun_ns = start.at_ns;
                let user = self.user.take().expect("a sample ends once");
                self.rest = Some(Box::pin(sampler.repeat(user, cached, begun_ns)));
                return Poll::Ready(None);
            }
            in_flight.note_if_closed(failure);
        }
        let mut first = sampler.samples.sample_from(
            &sampler.spec,
            user.cx,
            user.state,
            in_flight,
            result,
            request.method.clone(),
        );
        if !sampler.has_follow_up(user.cx, &cached.evaluated, &first) {
            sampler.ended(user, &mut first.sample, false);
            return Poll::Ready(Some(first.sample));
        }
        let user = self.user.take().expect("a sample ends once");
        self.rest = Some(Box::pin(sampler.follow_up(user, cached, first)));
        Poll::Ready(None)
    }

    fn poll_exchange(
        &mut self,
        cx: &task::Context<'_>,
        arriving: &mut Option<IncomingResponse<CollectedResponse<'a>>>,
    ) -> Poll<Result<(), ExchangeError>> {
        let Self { sampler, user, start, exchange, request, .. } = self;
        let user = user.as_ref().expect("a sample ends once");
        let connection = start.connection.as_mut().expect("it exists until the exchange ends");
        let timeout_ns = sampler.fast_path.and_then(|config| config.response_ns);
        let to_head = request.method() == "HEAD";
        let recent = user.cx.recent.as_ref();
        let mut sink = || {
            let mut collected = CollectedResponse::new(sampler.samples.response_needs());
            collected.record_head(recent, start.at_ns);
            collected
        };
        let cookie = start.cookie.as_deref();
        let ready: Option<&[u8]> = match &*request {
            // Not looked at once it is sent.
            _ if exchange.is_sent() => Some(&[]),
            FastPathRequest::Whole(cached) if cookie.is_none() => Some(&cached.request().bytes),
            _ => None,
        };
        if let Some(bytes) = ready {
            if exchange.is_new() {
                record(user.cx, start.at_ns, bytes, request);
            }
            let ask = RequestRef { bytes, to_head, timeout_ns, begun_ns: start.at_ns };
            return exchange.poll(cx, &mut connection.stream, &ask, &mut sink, arriving);
        }
        let mut bytes = sampler.sender.scratch.take();
        bytes.clear();
        match (&*request, cookie) {
            (FastPathRequest::Whole(cached), Some(cookie)) => {
                cached.request().with_cookie_into(cookie, &mut bytes);
            }
            (FastPathRequest::Whole(cached), None) => bytes.extend_from_slice(&cached.request().bytes),
            (FastPathRequest::Templated(templated), cookie) => {
                templated.write(user.cx, cookie, &mut bytes);
            }
        }
        if exchange.is_new() {
            record(user.cx, start.at_ns, &bytes, request);
        }
        let ask = RequestRef { bytes: &bytes, to_head, timeout_ns, begun_ns: start.at_ns };
        let polled = exchange.poll(cx, &mut connection.stream, &ask, &mut sink, arriving);
        sampler.sender.scratch.set(bytes);
        polled
    }
}

/// Records the request in a run that keeps its first failures.
#[inline]
fn record(cx: &Context, start_ns: i64, bytes: &[u8], request: &FastPathRequest) {
    let Some(recent) = &cx.recent else { return };
    let mut recent = recent.borrow_mut();
    if recent.is_open(cx.iteration) {
        recent.request(start_ns, bytes, request.target().secure);
    }
}

impl Future for FastPath<'_> {
    type Output = Option<Box<SampleResult>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Self::Output> {
        if self.rest.is_none()
            && let Some(sample) = ready!(self.poll_first(cx))
        {
            return Poll::Ready(Some(sample));
        }
        let rest = self.rest.as_mut().expect("poll_first left the rest of the exchange");
        rest.as_mut().poll(cx)
    }
}
