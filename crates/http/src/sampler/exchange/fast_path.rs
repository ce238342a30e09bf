//! A sample over a connection that is open already, polled by hand.
//!
//! Nearly every sample of a test is one. A future that waits for its response is memory that each
//! user in in_flight has, cold by the time it is needed; an asynchronous function stores each
//! argument twice, and room for all rare cases. What happens seldom is left to [`HttpSampler::run`]
//! before it begins, or continues from here in a separate future.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{self, Poll, ready};

use swell_api::{SampleResult, SamplerFuture};
use swell_connect::{PooledConnection, Target};
use swell_net::now_ns;

use crate::compile::{Flag, Spec};
use crate::exchange::{ExchangeError, Http1Exchange, IncomingResponse, RequestRef};
use crate::failure::Failure;
use crate::request::TemplatedRequest;
use crate::sampler::chain::SampleOutcome;
use crate::sampler::collect::CollectedResponse;
use crate::sampler::{CachedRequest, HttpSampler, MS, SampleUser};

use super::InFlight;

/// What of a plan decides whether its samples can take the fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastPathConfig {
    /// `HTTPSampler.response_timeout`.
    response_ns: Option<i64>,
}

impl FastPathConfig {
    /// None: more may have to be done before a request is sent, or with its response.
    pub(crate) fn of(spec: &Spec) -> Option<Self> {
        let managed = spec.cache.is_some() || spec.auth.is_some();
        // One that may go out again needs more than a connection.
        let managed = managed || spec.settings.retries.count > 0 || spec.settings.total_timeout_ms.is_some();
        let simple = !managed && spec.upload.is_none() && matches!(spec.auto, Flag::Is(false));
        let settled = spec.source.constant() == Some("") && spec.connect_timeout.constant().is_some();
        let timeout = spec.response_timeout.constant().filter(|_| simple && settled)?;
        Some(Self { response_ns: timeout.trim().parse::<i64>().ok().filter(|ms| *ms > 0).map(|ms| ms * MS) })
    }
}

/// All that is there before the request is sent.
pub(crate) struct FastPathStart {
    /// `None` after the end of the exchange.
    connection: Option<Box<PooledConnection>>,
    cookie: Option<String>,
    at_ns: i64,
}

/// What is sent.
pub(crate) enum FastPathRequest {
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

    fn method(&self) -> &str {
        match self {
            Self::Whole(cached) => &cached.request().method,
            Self::Templated(templated) => &templated.template.method,
        }
    }
}

/// A sample on its way.
pub(crate) struct FastPath<'a> {
    sampler: &'a HttpSampler,
    /// None once [`Self::rest`] has it.
    user: Option<SampleUser<'a>>,
    request: FastPathRequest,
    start: FastPathStart,
    exchange: Http1Exchange<CollectedResponse<'a>>,
    /// What comes after the response.
    rest: Option<SamplerFuture<'a>>,
}

impl HttpSampler {
    /// None: there is more to it than an exchange over the user's idle connection.
    pub(crate) fn start(&self, user: &mut SampleUser<'_>, cached: &CachedRequest) -> Option<FastPathStart> {
        let request = cached.request.as_ref().filter(|request| !request.expects_continue)?;
        self.start_to(&request.target, user, |user| self.cookie(user.cx, user.state, &request.url))
    }

    /// The same for a request that is made by a template.
    pub(crate) fn start_templated(
        &self,
        user: &mut SampleUser<'_>,
        templated: &TemplatedRequest,
    ) -> Option<FastPathStart> {
        self.start_to(&templated.template.target, user, |user| {
            self.cookie_of_template(user.cx, user.state, templated)
        })
    }

    fn start_to(
        &self,
        target: &Rc<Target>,
        user: &mut SampleUser<'_>,
        cookie: impl FnOnce(&mut SampleUser<'_>) -> Option<String>,
    ) -> Option<FastPathStart> {
        self.fast_path.as_ref()?;
        let state = &user.state;
        if state.has_credentials() || state.interrupt_at_ns.is_some() || target.proxy.is_some() {
            return None;
        }
        let mut at_ns = now_ns();
        let connection = Some(user.state.pool.take(target, &self.spec.settings.idle, at_ns)?);
        let cookie = cookie(user);
        if cookie.is_some() {
            at_ns = now_ns();
        }
        Some(FastPathStart { connection, cookie, at_ns })
    }

    /// Makes a sample again on a new connection. `begun_ns`: its time begins with the first
    /// attempt.
    async fn repeat(
        &self,
        user: SampleUser<'_>,
        cached: Rc<CachedRequest>,
        begun_ns: i64,
    ) -> Option<Box<SampleResult>> {
        let mut sample = self.run(user, Some(cached), Vec::new()).await?;
        sample.timing.start_ns = begun_ns;
        if let Some(first) = sample.sub_results.first_mut() {
            first.timing.start_ns = begun_ns;
        }
        Some(sample)
    }

    /// What a redirect or a page leads to.
    async fn follow_up(
        &self,
        user: SampleUser<'_>,
        cached: Rc<CachedRequest>,
        first: SampleOutcome,
    ) -> Option<Box<SampleResult>> {
        let mut sample = self.processed(user.cx, user.state, &cached.evaluated, first, 0).await;
        self.ended(&user, &mut sample, false);
        Some(sample)
    }
}

impl<'a> FastPath<'a> {
    pub(crate) fn new(
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
        if done.reusable && !self.request.closes() {
            let keep_alive_ms = done.facts.and_then(|facts| facts.keep_alive_ms);
            user.state.pool.put(connection, keep_alive_ms, &sampler.spec.settings.idle, done.read_ns);
        } else {
            drop(connection);
        }
        let cached = match &self.request {
            FastPathRequest::Whole(cached) => cached.clone(),
            FastPathRequest::Templated(templated) => {
                if let (Ok(()), Some(arriving)) = (&result, &mut arriving)
                    && arriving.sink.is_plain()
                {
                    let came = (done, &mut arriving.sink, start.cookie.take());
                    let mut sample = sampler.sample_of_template(user, templated, came, start.at_ns);
                    sampler.ended(user, &mut sample, false);
                    return Poll::Ready(Some(sample));
                }
                sampler.whole(user.cx, templated)
            }
        };
        let request = cached.request();
        let result = result.map_err(|error| Failure::broken(error, request));
        let in_flight = InFlight {
            first: request.clone(),
            request: request.clone(),
            cookie: start.cookie.take(),
            collected: arriving
                .map_or_else(|| CollectedResponse::new(&sampler.response_needs), |arriving| arriving.sink),
            done,
            start_ns: start.at_ns,
            connected_ns: 0,
            auto: false,
            kept: true,
            handshake_ns: 0,
        };
        if let Err(failure) = &result {
            if sampler.repeats(user.state, &in_flight, failure) {
                let begun_ns = start.at_ns;
                let user = self.user.take().expect("a sample ends once");
                self.rest = Some(Box::pin(sampler.repeat(user, cached, begun_ns)));
                return Poll::Ready(None);
            }
            in_flight.note_if_closed(failure);
        }
        let mut first = sampler.sample_from(user.cx, user.state, in_flight, result, request.method.clone());
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
        let Self { sampler, start, exchange, request, .. } = self;
        let connection = start.connection.as_mut().expect("it exists until the exchange ends");
        let timeout_ns = sampler.fast_path.and_then(|config| config.response_ns);
        let to_head = request.method() == "HEAD";
        let mut sink = || CollectedResponse::new(&sampler.response_needs);
        let cookie = start.cookie.as_deref();
        let ready: Option<&[u8]> = match request {
            // Not looked at once it is sent.
            _ if exchange.is_sent() => Some(&[]),
            FastPathRequest::Whole(cached) if cookie.is_none() => Some(&cached.request().bytes),
            _ => None,
        };
        if let Some(bytes) = ready {
            let ask = RequestRef { bytes, to_head, timeout_ns, begun_ns: start.at_ns };
            return exchange.poll(cx, &mut connection.stream, &ask, &mut sink, arriving);
        }
        let mut bytes = sampler.scratch.take();
        bytes.clear();
        match (&*request, cookie) {
            (FastPathRequest::Whole(cached), Some(cookie)) => {
                cached.request().with_cookie_into(cookie, &mut bytes);
            }
            (FastPathRequest::Whole(cached), None) => bytes.extend_from_slice(&cached.request().bytes),
            (FastPathRequest::Templated(templated), cookie) => {
                let user = self.user.as_ref().expect("a sample ends once");
                templated.write(user.cx, cookie, &mut bytes);
            }
        }
        let ask = RequestRef { bytes: &bytes, to_head, timeout_ns, begun_ns: start.at_ns };
        let polled = exchange.poll(cx, &mut connection.stream, &ask, &mut sink, arriving);
        sampler.scratch.set(bytes);
        polled
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
