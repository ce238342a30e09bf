//! A sample over an open connection, polled by hand.
//!
//! Nearly every sample of a test is one. A future that waits for its response occupies memory for
//! each waiting user, and that memory is cold when it is needed. An asynchronous function stores
//! each argument twice and reserves space for all rare cases. Rare cases are left to
//! [`HttpSampler::run`] before the sample begins, or continue from here in a separate future.

mod config;
mod http1;
mod http2;

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{self, Poll, ready};

use swell_api::{SampleResult, SamplerFuture};
use swell_connect::{PooledConnection, ReadySession, Session, Target};
use swell_expr::Context;
use swell_net::now_ns;

use crate::exchange::{Exchange, ExchangeError};
use crate::failure::Failure;
use crate::request::TemplatedRequest;

use super::collect::CollectedResponse;
use super::exchange::{InFlight, repeats};
use super::http_sampler::HttpSampler;
use super::prepare::{CachedRequest, cookie, cookie_of_template};
use super::state::SampleUser;
pub(super) use config::FastPathConfig;
use http1::Http1Wire;
use http2::Http2Wire;

/// Everything that exists before the request is sent.
pub(super) struct FastPathStart {
    carrier: Carrier,
    cookie: Option<String>,
    at_ns: i64,
}

/// What carries the request.
enum Carrier {
    Http1(Box<PooledConnection>),
    Http2(Session),
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

/// A version of HTTP, and an exchange over it.
trait Wire<'a> {
    /// A response that is being received.
    type Incoming;

    /// Goes as far as it can. At the end `arriving` has what came, if anything; it is empty before.
    fn poll(
        &mut self,
        cx: &task::Context<'_>,
        sample: &Sample<'_, 'a>,
        arriving: &mut Option<Self::Incoming>,
    ) -> Poll<Result<(), ExchangeError>>;

    /// What came of it. `well`: it did not fail.
    fn sum(&self, arriving: Option<&Self::Incoming>, well: bool) -> Exchange;

    /// What collects the response.
    fn sink(incoming: &mut Self::Incoming) -> &mut CollectedResponse<'a>;

    /// The same at the end.
    fn into_sink(incoming: Self::Incoming) -> CollectedResponse<'a>;

    /// The exchange has ended: the connection goes back to the user's, or is closed.
    fn give_back(&mut self, user: &mut SampleUser<'_>, done: &Exchange, closes: bool, sampler: &HttpSampler);
}

/// What an exchange needs of its sample.
struct Sample<'s, 'a> {
    sampler: &'a HttpSampler,
    cx: &'s Context,
    request: &'s FastPathRequest,
    cookie: Option<&'s str>,
    at_ns: i64,
}

impl<'a> Sample<'_, 'a> {
    /// A sink for the response.
    fn sink(&self) -> CollectedResponse<'a> {
        let mut collected = CollectedResponse::new(self.sampler.samples.response_needs());
        collected.record_head(self.cx.recent.as_ref(), self.at_ns);
        collected
    }

    fn timeout_ns(&self) -> Option<i64> {
        self.sampler.fast_path.and_then(|config| config.response_ns)
    }

    fn to_head(&self) -> bool {
        self.request.method() == "HEAD"
    }

    /// The bytes of the request over HTTP/1.1, where they exist already.
    fn ready_bytes(&self) -> Option<&[u8]> {
        match self.request {
            FastPathRequest::Whole(cached) if self.cookie.is_none() => Some(&cached.request().bytes),
            _ => None,
        }
    }

    /// Appends the bytes of the request over HTTP/1.1.
    fn write(&self, bytes: &mut Vec<u8>) {
        match (self.request, self.cookie) {
            (FastPathRequest::Whole(cached), Some(cookie)) => {
                cached.request().with_cookie_into(cookie, bytes);
            }
            (FastPathRequest::Whole(cached), None) => bytes.extend_from_slice(&cached.request().bytes),
            (FastPathRequest::Templated(templated), cookie) => templated.write(self.cx, cookie, bytes),
        }
    }

    /// Whether requests are recorded, in a run that keeps its first failures.
    #[inline]
    fn is_recorded(&self) -> bool {
        self.cx.recent.is_some()
    }

    /// Records the request in a run that keeps its first failures.
    #[inline]
    fn record(&self, bytes: &[u8]) {
        let Some(recent) = &self.cx.recent else { return };
        let mut recent = recent.borrow_mut();
        if recent.is_open(self.cx.iteration) {
            recent.request(self.at_ns, bytes, self.request.target().secure);
        }
    }
}

/// A sample in progress.
struct FastPath<'a, W> {
    sampler: &'a HttpSampler,
    /// None once [`Self::rest`] has it.
    user: Option<SampleUser<'a>>,
    request: FastPathRequest,
    cookie: Option<String>,
    at_ns: i64,
    wire: W,
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
        let session = if sampler.spec.version.may_be_http2(target.secure) {
            let life_ms = sampler.spec.settings.idle.time_to_live_ms;
            Some(state.sessions.as_ref()?.ready(target, life_ms)?)
        } else {
            None
        };
        let mut at_ns = now_ns();
        let carrier = if let Some(ReadySession::Session(session)) = session {
            Carrier::Http2(session)
        } else {
            Carrier::Http1(user.state.pool.take(target, &sampler.spec.settings.idle, at_ns)?)
        };
        let cookie = cookie(user);
        if cookie.is_some() {
            at_ns = now_ns();
        }
        Some(Self { carrier, cookie, at_ns })
    }

    /// Begins the sample.
    pub(super) fn sample<'a>(
        self,
        sampler: &'a HttpSampler,
        user: SampleUser<'a>,
        request: FastPathRequest,
    ) -> SamplerFuture<'a> {
        let Self { carrier, cookie, at_ns } = self;
        let user = Some(user);
        match carrier {
            Carrier::Http1(connection) => {
                let wire = Http1Wire::new(connection);
                Box::pin(FastPath { sampler, user, request, cookie, at_ns, wire, rest: None })
            }
            Carrier::Http2(session) => {
                let wire = Http2Wire::new(session);
                Box::pin(FastPath { sampler, user, request, cookie, at_ns, wire, rest: None })
            }
        }
    }
}

impl<'a, W: Wire<'a>> FastPath<'a, W> {
    /// The sample, none if more follows from it.
    fn poll_first(&mut self, cx: &task::Context<'_>) -> Poll<Option<Box<SampleResult>>> {
        let mut arriving = None;
        let result = ready!(self.poll_exchange(cx, &mut arriving));
        let done = self.wire.sum(arriving.as_ref(), result.is_ok());
        let sampler = self.sampler;
        let user = self.user.as_mut().expect("a sample ends once");
        let closes = !done.reusable || self.request.closes();
        self.wire.give_back(user, &done, closes, sampler);
        let cached = match &self.request {
            FastPathRequest::Whole(cached) => cached.clone(),
            FastPathRequest::Templated(templated) => {
                if let (Ok(()), Some(arriving)) = (&result, &mut arriving)
                    && W::sink(arriving).is_plain()
                {
                    let came = (done, W::sink(arriving), self.cookie.take());
                    let mut sample =
                        sampler.samples.sample_of_template(&sampler.spec, user, templated, came, self.at_ns);
                    sampler.ended(user, &mut sample, false);
                    return Poll::Ready(Some(sample));
                }
                CachedRequest::whole(&sampler.spec, user.cx, templated)
            }
        };
        let request = cached.request();
        if let Err(error) = &result
            && error.is_unprocessed()
        {
            user.state.was_not_processed = error.is_refused();
            return self.again(cached);
        }
        let result = result.map_err(|error| Failure::broken(error, request));
        let in_flight = InFlight {
            first: request.clone(),
            request: request.clone(),
            cookie: self.cookie.take(),
            collected: arriving
                .map_or_else(|| CollectedResponse::new(sampler.samples.response_needs()), W::into_sink),
            done,
            start_ns: self.at_ns,
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
                return self.again(cached);
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

    /// The sample continues on the general path, with a request that is sent again.
    fn again(&mut self, cached: Rc<CachedRequest>) -> Poll<Option<Box<SampleResult>>> {
        let user = self.user.take().expect("a sample ends once");
        self.rest = Some(Box::pin(self.sampler.repeat(user, cached, self.at_ns)));
        Poll::Ready(None)
    }

    #[inline]
    fn poll_exchange(
        &mut self,
        cx: &task::Context<'_>,
        arriving: &mut Option<W::Incoming>,
    ) -> Poll<Result<(), ExchangeError>> {
        let Self { sampler, user, request, cookie, at_ns, wire, .. } = self;
        let user = user.as_ref().expect("a sample ends once");
        let cookie = cookie.as_deref();
        wire.poll(cx, &Sample { sampler, cx: user.cx, request, cookie, at_ns: *at_ns }, arriving)
    }
}

impl<'a, W: Wire<'a> + Unpin> Future for FastPath<'a, W> {
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
