//! One request with its response: a sample without redirects, or one hop of several (`HTTPHC4Impl.sample`).

use std::net::IpAddr;
use std::rc::Rc;

use swell_elements::SampleResult;
use swell_expr::{Context, Template};
use swell_net::now_ns;

use crate::cache::Validators;
use crate::coding;
use crate::compile::CachedMode;
use crate::connection::{Broken, Connection, Exchange, Opened, exchange, open};
use crate::cookies::{self, Origin, Policy};
use crate::failure::Failure;
use crate::request::{Evaluated, Request, build};
use crate::url::Url;

use super::collect::{Collected, Wants};
use super::result::{code_text, describe, fail, no_time, sampler_data, set_type};
use super::{HttpSampler, HttpState};

const MS: i64 = 1_000_000;

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
    pub(super) sample: SampleResult,
    pub(super) url: Rc<Url>,
    pub(super) method: Rc<str>,
    /// Where it redirects to.
    pub(super) redirect: Option<String>,
}

/// Limits of an exchange.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    connect_ns: Option<i64>,
    response_ns: Option<i64>,
    source: Option<IpAddr>,
}

/// An exchange on its way into a sample.
pub(super) struct Flight {
    /// The request that was made last.
    pub(super) request: Rc<Request>,
    /// The `Cookie` header that the Cookie Manager gave.
    pub(super) cookie: Option<String>,
    pub(super) collected: Collected,
    pub(super) done: Exchange,
    pub(super) start_ns: i64,
    pub(super) connected_ns: i64,
}

impl HttpSampler {
    /// Makes one request. None: the cache has the resource, and the properties say to report nothing.
    pub(super) async fn hop(&self, cx: &mut Context, state: &mut HttpState, hop: Hop<'_>) -> Option<Sampled> {
        let (url, method) = (hop.url.clone(), hop.method.clone());
        let prepared = match self.prepare(cx, hop).await {
            Ok(prepared) => prepared,
            Err(failure) => return Some(self.failed_early(cx, &failure, url, method)),
        };
        let (request, limits) = prepared;
        let (request, cookie) = match self.dress(cx, state, request) {
            Ok(dressed) => dressed,
            Err(failure) => return Some(self.failed_early(cx, &failure, url, method)),
        };
        if self.is_fresh(state, &request, cookie.as_deref()) {
            let sample = self.cached_sample(cx, &request, cookie.as_deref())?;
            return Some(Sampled { sample, url, method, redirect: None });
        }
        let wants = self.wants();
        let mut flight = Flight {
            request,
            cookie,
            collected: Collected::new(wants),
            done: Exchange::default(),
            start_ns: now_ns(),
            connected_ns: 0,
        };
        let mut result = self.fly(state, &mut flight, limits).await;
        if result.is_ok() && self.spec.auto.get(cx) {
            result = self.redirect_silently(state, &mut flight, limits).await;
        }
        Some(self.land(cx, state, flight, result, method))
    }

    pub(super) fn wants(&self) -> Wants {
        let needs = self.needs;
        Wants {
            body: needs.body,
            head_text: needs.response_headers,
            content_type: needs.body || needs.response_headers || needs.details,
            cookies: self.spec.cookies.as_ref().is_some_and(|manager| manager.policy != Policy::Ignore),
            cache: self.spec.cache.is_some(),
            limit: self.spec.settings.max_stored_bytes,
        }
    }

    /// The request, and how long it may take.
    async fn prepare(&self, cx: &mut Context, hop: Hop<'_>) -> Result<(Rc<Request>, Limits), Failure> {
        let source = self.source(cx).await?;
        let limits = Limits {
            connect_ns: millis(&self.spec.connect_timeout, cx).map(|ms| ms * MS),
            response_ns: millis(&self.spec.response_timeout, cx).map(|ms| ms * MS),
            source,
        };
        if let Some(request) = hop.request {
            return Ok((request, limits));
        }
        hop.url.check().map_err(|error| Failure::syntax(&error))?;
        if self.spec.cookies.is_some() && hop.url.host().is_empty() {
            return Err(Failure::blank_host());
        }
        let request = build(hop.evaluated, &self.spec.settings, &hop.url, &hop.method, hop.following)?;
        Ok((Rc::new(request), limits))
    }

    /// `HTTPSampler.ipSource`.
    async fn source(&self, cx: &mut Context) -> Result<Option<IpAddr>, Failure> {
        if self.spec.source.constant() == Some("") {
            return Ok(None);
        }
        let text = self.spec.source.eval_value(cx);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let addresses = self.dns.resolve(text.trim(), 0).await?;
        Ok(addresses.first().map(std::net::SocketAddr::ip))
    }

    /// Adds validators and cookies.
    fn dress(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        mut request: Rc<Request>,
    ) -> Result<(Rc<Request>, Option<String>), Failure> {
        if let Some(manager) = &self.spec.cache {
            let headers = names_and_values(&request.headers[..request.own], None);
            let found = state.cache(manager).validators(request.url.as_str(), &headers);
            if let Some(validators) = found.filter(|v| *v != Validators::default()) {
                request = Rc::new(request.conditional(&validators));
            }
        }
        let Some(manager) = &self.spec.cookies else { return Ok((request, None)) };
        if request.url.host().is_empty() {
            return Err(Failure::blank_host());
        }
        let origin = origin_of(&request.url);
        let cookie = state.jar(manager).header(&origin, &manager.cookies, manager.policy, cx);
        Ok((request, cookie))
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
            sample.sampler_data = sampler_data(&sample);
        }
        Some(sample)
    }

    /// The sampler's name, or the URL (`SampleResult.isRenameSampleLabel`).
    fn label_of(&self, cx: &Context, url: &Url) -> swell_elements::Text {
        if self.spec.settings.rename_sub_samples {
            cx.sampler_name.clone().into()
        } else {
            url.as_str().to_owned().into()
        }
    }

    fn failed_early(&self, cx: &Context, failure: &Failure, url: Rc<Url>, method: Rc<str>) -> Sampled {
        let mut sample = SampleResult {
            label: self.label_of(cx, &url),
            timing: no_time(),
            url: self.needs.details.then(|| url.as_str().to_owned().into()),
            ..SampleResult::default()
        };
        if self.needs.details {
            let details = swell_elements::HttpDetails { method: method.clone().into(), ..Default::default() };
            sample.http = Some(Box::new(details));
        }
        fail(&mut sample, failure, self.needs);
        Sampled { sample, url, method, redirect: None }
    }

    /// Sends the request and takes in the response.
    pub(super) async fn fly(
        &self,
        state: &mut HttpState,
        flight: &mut Flight,
        limits: Limits,
    ) -> Result<(), Failure> {
        let request = flight.request.clone();
        let settings = &self.spec.settings;
        let idle = state.pool.take(&request.target, settings, flight.start_ns);
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.connect(state, flight, limits).await?,
        };
        let to_head = &*request.method == "HEAD";
        flight.done = Exchange::default();
        let (sink, done) = (&mut flight.collected, &mut flight.done);
        let result = if let Some(cookie) = &flight.cookie {
            let mut bytes = self.scratch.take();
            bytes.clear();
            request.with_cookie_into(cookie, &mut bytes);
            let sent =
                exchange(&mut connection.stream, &bytes, to_head, limits.response_ns, sink, done).await;
            self.scratch.set(bytes);
            sent
        } else {
            exchange(&mut connection.stream, &request.bytes, to_head, limits.response_ns, sink, done).await
        };
        if done.reusable && !request.closes {
            let keep_alive_ms = done.facts.and_then(|facts| facts.keep_alive_ms);
            state.pool.put(connection, keep_alive_ms, settings, done.read_ns);
        }
        result.map_err(|error| match error {
            Broken::Io(error) => Failure::exchange(&error),
            Broken::Wire(error) => {
                let host = format!("{}:{}", request.url.host(), request.target.port);
                Failure::wire(&error, &host)
            }
        })
    }

    async fn connect(
        &self,
        state: &mut HttpState,
        flight: &mut Flight,
        limits: Limits,
    ) -> Result<Connection, Failure> {
        let request = &flight.request;
        let tls =
            request.target.secure.then(|| &*state.tls.get_or_insert_with(|| self.tls.with_new_sessions()));
        let how = Opened {
            target: &request.target,
            host: request.url.host(),
            source: limits.source,
            timeout_ns: limits.connect_ns,
            tls,
        };
        let stream = open(&how, &self.dns).await;
        // JMeter ends the connect time also where connecting failed.
        flight.connected_ns = now_ns();
        Ok(Connection::new(stream?, flight.request.target.clone(), flight.connected_ns))
    }

    /// Makes a sample of what came.
    fn land(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        mut flight: Flight,
        result: Result<(), Failure>,
        method: Rc<str>,
    ) -> Sampled {
        let url = flight.request.url.clone();
        let mut sample = self.measured(cx, &flight);
        describe(&mut sample, &flight.request, flight.cookie.as_deref(), self.needs);
        if let Some(http) = &mut sample.http {
            // HttpClient's own redirects do not change the method that JMeter shows.
            http.method = method.clone().into();
        }
        if self.needs.request {
            sample.request_headers = flight.request.headers_text();
            sample.sampler_data = sampler_data(&sample);
        }
        let landed = result.and_then(|()| self.take_in(cx, state, &mut sample, &mut flight, &method));
        let redirect = match landed {
            Ok(redirect) => redirect,
            Err(failure) => {
                undo(&mut sample);
                fail(&mut sample, &failure, self.needs);
                None
            }
        };
        if let (Some(http), Some(location)) = (&mut sample.http, &redirect) {
            http.redirect_location.clone_from(location);
        }
        Sampled { sample, url, method, redirect }
    }

    /// Times and sizes.
    fn measured(&self, cx: &Context, flight: &Flight) -> SampleResult {
        let done = &flight.done;
        let now = if done.end_ns == 0 { now_ns() } else { done.end_ns };
        let header_size = done.facts.map_or(0, |facts| facts.header_size);
        let mut sample =
            SampleResult { label: self.label_of(cx, &flight.request.url), ..SampleResult::default() };
        sample.timing.start_ns = flight.start_ns;
        sample.timing.end_ns = now;
        sample.timing.read_ns = done.read_ns.max(now);
        sample.timing.connected_ns = flight.connected_ns;
        sample.timing.first_byte_ns = if done.facts.is_some() { done.first_byte_ns } else { 0 };
        sample.bytes = done.received;
        sample.sent_bytes = done.sent;
        sample.header_size = header_size;
        sample.body_size = done.received.saturating_sub(header_size);
        sample
    }

    /// Fills in the response; the location if it is a redirect.
    fn take_in(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        sample: &mut SampleResult,
        flight: &mut Flight,
        method: &str,
    ) -> Result<Option<String>, Failure> {
        let status = flight.done.facts.expect("the exchange succeeded").status;
        let collected = &mut flight.collected;
        if self.needs.body {
            let body = std::mem::take(&mut collected.body);
            sample.body = coding::decode(body, &collected.codings, self.spec.settings.max_stored_bytes)?;
            if self.spec.md5.get(cx) {
                sample.body = md5_hex(&sample.body);
            }
        }
        sample.response_headers = std::mem::take(&mut collected.head_text);
        set_type(sample, collected.content_type.take());
        sample.code = code_text(status);
        sample.message = collected.message.clone();
        sample.success = (200..=399).contains(&status);
        let redirect = match status {
            301 | 302 | 303 | 308 => true,
            307 => matches!(method, "GET" | "HEAD"),
            _ => false,
        };
        let location = collected.locations.take().map(|(_, last)| last);
        if redirect && location.is_none() {
            return Err(Failure::no_location(method, &flight.request.url));
        }
        self.save_cookies(cx, state, flight);
        self.save_cache(state, sample, flight, method)?;
        Ok(location.filter(|_| redirect))
    }

    fn save_cookies(&self, cx: &mut Context, state: &mut HttpState, flight: &Flight) {
        let Some(manager) = self.spec.cookies.as_ref().filter(|_| !flight.collected.set_cookies.is_empty())
        else {
            return;
        };
        let settings = &self.spec.settings;
        let origin = origin_of(&flight.request.url);
        let now_ms = now_ns() / MS;
        for header in &flight.collected.set_cookies {
            let parsed = cookies::parse(header, &origin, manager.policy, now_ms);
            let allowed = parsed.filter(|c| !settings.check_cookies || origin.may_set(&c.domain));
            let Some(cookie) = allowed else { continue };
            let variable = settings
                .save_cookies
                .as_ref()
                .map(|prefix| (format!("{prefix}{}", cookie.name), cookie.value.clone()));
            let stored =
                state.jar(manager).add(cookie, &manager.cookies, settings.delete_empty_cookies, now_ms);
            if let Some((name, value)) = variable.filter(|_| stored) {
                cx.vars.put(&name, value);
            }
        }
    }

    fn save_cache(
        &self,
        state: &mut HttpState,
        sample: &SampleResult,
        flight: &mut Flight,
        method: &str,
    ) -> Result<(), Failure> {
        let (Some(manager), Some(response)) = (&self.spec.cache, flight.collected.cache.take()) else {
            return Ok(());
        };
        let code: &str = &sample.code;
        let methods = &self.spec.settings.cacheable_methods;
        let cacheable = methods.iter().any(|m| m.eq_ignore_ascii_case(method))
            && (("200"..="299").contains(&code) || code == "304");
        if !cacheable {
            return Ok(());
        }
        let request = &flight.request;
        let headers = names_and_values(&request.headers, None);
        let headers: Vec<_> =
            headers.into_iter().filter(|(name, _)| !name.eq_ignore_ascii_case("Cookie")).collect();
        state
            .cache(manager)
            .save(request.url.as_str(), &headers, &response, manager.use_expires, now_ns() / MS)
            .map_err(Failure::number)
    }
}

/// A sample that failed has the size of its error text, and sent nothing.
fn undo(sample: &mut SampleResult) {
    (sample.bytes, sample.sent_bytes, sample.header_size, sample.body_size) = (0, 0, 0, 0);
    sample.encoding = swell_elements::Text::EMPTY;
}

fn millis(template: &Template, cx: &mut Context) -> Option<i64> {
    if template.constant() == Some("") {
        return None;
    }
    template.eval(cx).trim().parse::<i64>().ok().filter(|ms| *ms > 0)
}

fn origin_of(url: &Url) -> Origin<'_> {
    Origin::new(url.host(), url.path(), url.is_secure())
}

fn names_and_values<'a>(
    lines: &'a [crate::request::Line],
    cookie: Option<&'a str>,
) -> Vec<(&'a str, &'a str)> {
    let plan = lines.iter().map(|(name, value)| (&**name, &**value));
    plan.chain(cookie.map(|value| ("Cookie", value))).collect()
}

fn md5_hex(body: &[u8]) -> Vec<u8> {
    use md5::{Digest, Md5};
    let digest = Md5::digest(body);
    digest.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
}
