//! One request with its response: a sample without redirects, or one hop of several (`HTTPHC4Impl.sample`).

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::Poll;

use swell_api::{HttpDetails, SampleResult};
use swell_connect::{ConnectParams, PooledConnection, open};
use swell_expr::{Context, Template};
use swell_net::{now_ns, sleep_until};

use crate::cache::Validators;
use crate::compile::CachedMode;
use crate::cookies::Origin;
use crate::exchange::{Exchange, ExchangeError, exchange};
use crate::failure::Failure;
use crate::request::{Evaluated, Request, build, unsent, unsent_cookies};
use crate::url::Url;

use super::collect::Collected;
use super::result::{describe, fail, no_time, sampler_data};
use super::upload::send_with_files;
use super::{HttpSampler, HttpState};

pub(super) const MS: i64 = 1_000_000;

/// What to request.
pub(super) struct Hop<'h> {
    pub(super) evaluated: &'h Evaluated,
    pub(super) url: Rc<Url>,
    pub(super) method: Rc<str>,
    /// It answers a redirect.
    pub(super) following: bool,
    /// The request, if it was made before.
    pub(super) request: Option<Rc<Request>>,
}

/// A sample, and what a redirect needs to know of it.
pub(super) struct Sampled {
    pub(super) sample: Box<SampleResult>,
    pub(super) url: Rc<Url>,
    pub(super) method: Rc<str>,
    /// Where it redirects to.
    pub(super) redirect: Option<String>,
}

/// Limits of an exchange.
#[derive(Clone, Copy, Default)]
pub(super) struct Limits {
    connect_ns: Option<i64>,
    response_ns: Option<i64>,
    source: Option<IpAddr>,
}

/// An exchange on its way into a sample.
pub(super) struct Flight<'w> {
    /// The request that was made first.
    pub(super) first: Rc<Request>,
    /// The request that was made last.
    pub(super) request: Rc<Request>,
    /// The `Cookie` header that the Cookie Manager gave.
    pub(super) cookie: Option<String>,
    pub(super) collected: Collected<'w>,
    pub(super) done: Exchange,
    pub(super) start_ns: i64,
    pub(super) connected_ns: i64,
    /// How long the TLS handshake took; 0 without one.
    pub(super) handshake_ns: i64,
    /// HttpClient follows redirects by itself.
    pub(super) auto: bool,
}

impl Flight<'_> {
    /// The site or a proxy asks for credentials.
    pub(super) fn asks_who(&self) -> bool {
        self.done.facts.is_some_and(|facts| matches!(facts.status, 401 | 407))
    }
}

impl HttpSampler {
    /// Makes one request. None: the cache has the resource, and the properties say to report nothing.
    pub(super) async fn hop(&self, cx: &mut Context, state: &mut HttpState, hop: Hop<'_>) -> Option<Sampled> {
        let (url, method) = (hop.url.clone(), hop.method.clone());
        let (evaluated, following) = (hop.evaluated, hop.following);
        let limits = self.limits(cx).await;
        let prepared = limits.and_then(|limits| Ok((limits, self.prepare(hop)?)));
        let (limits, request) = match prepared {
            Ok(prepared) => prepared,
            Err(failure) => {
                let cookie = self.cookie_of_failure(cx, state, &failure, &url, evaluated);
                let mut failed = self.failed_early(cx, &failure, url, method, cookie);
                if self.needs.details && failure.is_after_body() {
                    self.show_unsent(&mut failed, &failure, evaluated, following);
                }
                return Some(failed);
            }
        };
        let (request, cookie) = self.dress(cx, state, request);
        if self.is_fresh(state, &request, cookie.as_deref()) {
            let sample = self.cached_sample(cx, &request, cookie.as_deref())?;
            return Some(Sampled { sample: Box::new(sample), url, method, redirect: None });
        }
        let proxied = request.target.proxy.is_some();
        let authorizes = self.spec.auth.is_some() || proxied || state.has_credentials();
        let request = match if authorizes { self.authorize(cx, state, request) } else { Ok(request) } {
            Ok(request) => request,
            Err(failure) => return Some(self.failed_early(cx, &failure, url, method, cookie)),
        };
        if self.spec.keys.is_some() {
            self.choose_key(cx, state);
        }
        if let Some(manager) = &self.spec.dns {
            manager.begin(state.names.get_or_insert_default(), cx);
        }
        let mut flight = Flight {
            first: request.clone(),
            request,
            cookie,
            collected: Collected::new(&self.wants),
            done: Exchange::default(),
            start_ns: now_ns(),
            connected_ns: 0,
            handshake_ns: 0,
            auto: false,
        };
        let mut result = self.fly(state, &mut flight, limits).await;
        if (proxied || self.spec.auth.is_some()) && result.is_ok() && flight.asks_who() {
            result = Box::pin(self.answer_challenges(state, &mut flight, limits)).await;
        }
        if result.is_ok() && self.spec.auto.get(cx) {
            flight.auto = true;
            result = Box::pin(self.redirect_silently(cx, state, &mut flight, limits)).await;
        }
        Some(self.land(cx, state, flight, result, method))
    }

    /// How long the request may take, and from where it goes.
    async fn limits(&self, cx: &mut Context) -> Result<Limits, Failure> {
        let from_here = self.spec.source.constant() == Some("") && self.spec.settings.local_address.is_none();
        let source = if from_here { None } else { Box::pin(self.source(cx)).await? };
        Ok(Limits {
            connect_ns: millis(&self.spec.connect_timeout, cx).map(|ms| ms * MS),
            response_ns: millis(&self.spec.response_timeout, cx).map(|ms| ms * MS),
            source,
        })
    }

    /// The request without validators and cookies.
    fn prepare(&self, hop: Hop<'_>) -> Result<Rc<Request>, Failure> {
        if let Some(request) = hop.request {
            return Ok(request);
        }
        hop.url.check().map_err(|error| Failure::syntax(&error))?;
        if self.spec.cookies.is_some() && hop.url.host().is_empty() {
            return Err(Failure::blank_host());
        }
        let request = build(hop.evaluated, &self.spec.settings, &hop.url, &hop.method, hop.following)?;
        Ok(Rc::new(request))
    }

    /// Adds validators and cookies.
    fn dress(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        mut request: Rc<Request>,
    ) -> (Rc<Request>, Option<String>) {
        if let Some(manager) = &self.spec.cache {
            let headers = names_and_values(&request.headers[..request.own], None);
            let found = state.cache(manager).validators(request.url.as_str(), &headers);
            if let Some(validators) = found.filter(|v| *v != Validators::default()) {
                request = Rc::new(request.conditional(&validators));
            }
        }
        let cookie = self.cookie(cx, state, &request.url);
        (request, cookie)
    }

    /// What the Cookie Manager has for a URL.
    pub(super) fn cookie(&self, cx: &mut Context, state: &mut HttpState, url: &Url) -> Option<String> {
        let manager = self.spec.cookies.as_ref()?;
        state.jar(manager).header(&origin_of(url), &manager.cookies, manager.policy, cx)
    }

    /// JMeter looks cookies up before it makes the body, and shows them where the body, or what comes after, fails.
    fn cookie_of_failure(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        failure: &Failure,
        url: &Url,
        evaluated: &Evaluated,
    ) -> Option<String> {
        let looked_up = self.needs.details && !failure.is_before_cookies();
        let found = if looked_up { self.cookie(cx, state, url) } else { return None };
        found.or_else(|| Some(unsent_cookies(evaluated, url)))
    }

    fn is_fresh(&self, state: &mut HttpState, request: &Request, cookie: Option<&str>) -> bool {
        let Some(manager) = self.spec.cache.as_ref().filter(|_| &*request.method == "GET") else {
            return false;
        };
        let headers = names_and_values(&request.headers[..request.own], cookie);
        state.cache(manager).is_fresh(request.url.as_str(), &headers, now_ns() / MS)
    }

    fn cached_sample(&self, cx: &Context, request: &Request, cookie: Option<&str>) -> Option<SampleResult> {
        let CachedMode::Sample(code, message) = &self.spec.settings.cached_mode else { return None };
        let mut sample = SampleResult {
            label: self.label_of(cx, &request.url),
            code: code.clone().into(),
            message: message.clone().into(),
            success: true,
            timing: no_time(),
            ..SampleResult::default()
        };
        describe(&mut sample, request, cookie, self.needs);
        if self.needs.request {
            sample.sampler_data = Some(sampler_data(&sample));
        }
        Some(sample)
    }

    /// The sampler's name, or the URL (`SampleResult.isRenameSampleLabel`).
    pub(super) fn label_of(&self, cx: &Context, url: &Url) -> swell_api::Text {
        if self.spec.settings.rename_sub_samples {
            cx.sampler_name.clone().into()
        } else {
            url.as_str().to_owned().into()
        }
    }

    pub(super) fn failed_early(
        &self,
        cx: &Context,
        failure: &Failure,
        url: Rc<Url>,
        method: Rc<str>,
        cookie: Option<String>,
    ) -> Sampled {
        let mut sample = SampleResult {
            label: self.label_of(cx, &url),
            timing: no_time(),
            url: self.needs.details.then(|| url.as_str().to_owned().into()),
            ..SampleResult::default()
        };
        if self.needs.details {
            sample.http = Some(Box::new(HttpDetails {
                method: method.clone().into(),
                cookies: cookie.unwrap_or_default(),
                ..HttpDetails::default()
            }));
        }
        fail(&mut sample, failure, self.needs);
        Sampled { sample: Box::new(sample), url, method, redirect: None }
    }

    /// The body, and the headers where HttpClient got as far as looking at them.
    fn show_unsent(&self, failed: &mut Sampled, failure: &Failure, evaluated: &Evaluated, following: bool) {
        let (url, method) = (&failed.url, &failed.method);
        let (headers, body) = unsent(evaluated, &self.spec.settings, url, method, following);
        if *failure == Failure::transfer_encoding() {
            failed.sample.request_headers = headers;
        }
        if let Some(http) = &mut failed.sample.http {
            http.query = body.to_string();
        }
    }

    /// Sends the request and takes in the response, again where that is allowed.
    pub(super) async fn fly(
        &self,
        state: &mut HttpState,
        flight: &mut Flight<'_>,
        limits: Limits,
    ) -> Result<(), Failure> {
        let retries = self.spec.settings.retries;
        let mut left = retries.count;
        loop {
            let result = self.fly_once(state, flight, limits).await;
            let Err(failure) = &result else { return result };
            let sent = flight.done.sent > 0;
            let allowed = left > 0 && flight.done.facts.is_none() && !state.is_interrupted();
            if !allowed || !retries.allow(failure, &flight.request.method, sent) {
                return result;
            }
            left -= 1;
            flight.collected = flight.collected.anew();
        }
    }

    async fn fly_once(
        &self,
        state: &mut HttpState,
        flight: &mut Flight<'_>,
        limits: Limits,
    ) -> Result<(), Failure> {
        let request = flight.request.clone();
        let settings = &self.spec.settings;
        flight.done = Exchange::default();
        if state.is_over() {
            return Err(state.why_it_ends(settings));
        }
        let idle = state.pool.take(&request.target, &settings.idle, flight.start_ns);
        let mut connection = match idle {
            Some(connection) => connection,
            None => Box::pin(self.connect(state, flight, limits)).await?,
        };
        let to_head = &*request.method == "HEAD";
        let (sink, done) = (&mut flight.collected, &mut flight.done);
        let mut dressed = Vec::new();
        if let Some(cookie) = &flight.cookie {
            dressed = self.scratch.take();
            dressed.clear();
            request.with_cookie_into(cookie, &mut dressed);
        }
        let mut bytes = if flight.cookie.is_some() { &dressed } else { &*request.bytes };
        let mut ahead = 0;
        let ends_at_ns = state.ends_at_ns();
        if ends_at_ns.is_some() {
            connection.stream.set_limit(ends_at_ns);
        }
        if !request.files.is_empty() {
            (ahead, bytes) = Box::pin(send_with_files(&mut connection.stream, &request, bytes)).await?;
        }
        let result = exchange(&mut connection.stream, bytes, to_head, limits.response_ns, sink, done).await;
        if ends_at_ns.is_some() {
            connection.stream.set_limit(None);
        }
        if flight.cookie.is_some() {
            self.scratch.set(dressed);
        }
        done.sent += ahead;
        if done.reusable && !request.closes {
            let keep_alive_ms = done.facts.and_then(|facts| facts.keep_alive_ms);
            state.pool.put(connection, keep_alive_ms, &settings.idle, done.read_ns);
        }
        result.map_err(|error| match error {
            ExchangeError::Io(_) if state.is_interrupted() => state.why_it_ends(settings),
            error => Failure::broken(error, &request),
        })
    }

    async fn connect(
        &self,
        state: &mut HttpState,
        flight: &mut Flight<'_>,
        limits: Limits,
    ) -> Result<PooledConnection, Failure> {
        let (request, settings, ends_at_ns) = (&flight.request, &self.spec.settings, state.ends_at_ns());
        let timeout_ns = state.until_interrupt(limits.connect_ns);
        let new = || {
            if self.spec.settings.shared_sessions { self.tls.clone() } else { self.tls.with_new_sessions() }
        };
        let tls = request.target.secure.then(|| &*state.tls.get_or_insert_with(new));
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
            agent: self.spec.settings.user_agent,
            sent: sent.as_deref(),
            routes: self.spec.routes.as_ref(),
        };
        let names = state.names.as_deref_mut().filter(|_| self.spec.dns.is_some());
        let opened = open(&params, &self.names, names);
        let opened = match ends_at_ns {
            None => opened.await.map_err(Failure::from),
            Some(at_ns) => match before(at_ns, opened).await {
                Some(opened) => opened.map_err(Failure::from),
                None => Err(Failure::interrupted()),
            },
        };
        let made = match (opened, &state.key) {
            (_, Some(key)) if key.was_missed() => Err(key.failure()),
            (made, _) => made,
        };
        // JMeter ends the connect time also where connecting failed.
        flight.connected_ns = now_ns();
        let made =
            made.map_err(|error| if state.is_interrupted() { state.why_it_ends(settings) } else { error })?;
        flight.handshake_ns = made.handshake_ns;
        Ok(PooledConnection::new(made.stream, flight.request.target.clone(), flight.connected_ns))
    }
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

fn millis(template: &Template, cx: &mut Context) -> Option<i64> {
    if template.constant() == Some("") {
        return None;
    }
    template.eval(cx).trim().parse::<i64>().ok().filter(|ms| *ms > 0)
}

pub(super) fn origin_of(url: &Url) -> Origin<'_> {
    Origin::new(url.host(), url.path(), url.is_secure())
}

pub(super) fn names_and_values<'a>(
    lines: &'a [crate::request::Line],
    cookie: Option<&'a str>,
) -> Vec<(&'a str, &'a str)> {
    let plan = lines.iter().map(|(name, value)| (&**name, &**value));
    plan.chain(cookie.map(|value| ("Cookie", value))).collect()
}
