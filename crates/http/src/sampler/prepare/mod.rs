//! Before a request is sent: what it consists of, how long it may take, and whether the cache
//! answers it.

mod authorize;
mod cached;
mod client_key;
mod files;
mod source;
mod tls;

use std::rc::Rc;

use swell_api::SampleResult;
use swell_expr::{Context, Template};
use swell_net::now_ns;

use crate::cache::Validators;
use crate::compile::CachedMode;
use crate::cookies::Origin;
use crate::failure::Failure;
use crate::request::set::{self, ScriptSettings};
use crate::request::{Request, RequestValues, TemplatedRequest, build, unsent_cookies};
use crate::url::Url;

use super::chain::ChainedRequest;
use super::exchange::Limits;
use super::result::{describe, no_time, sampler_data};
use super::{HttpSampler, HttpState, MS};
pub(crate) use authorize::{SentCredentials, has_authorization, own_authorization};
pub(crate) use cached::{CachedRequest, CachedTemplate};
pub(crate) use client_key::KeyChoice;
pub(crate) use tls::tls_of;

impl HttpSampler {
    /// How long the request may take, and from where it goes.
    pub(crate) async fn limits(&self, cx: &mut Context, set: &ScriptSettings) -> Result<Limits, Failure> {
        let from_here = self.spec.source.constant() == Some("")
            && set.text(set::SOURCE).is_none()
            && self.spec.settings.local_address.is_none();
        let source = if from_here { None } else { Box::pin(self.source(cx, set)).await? };
        let spec = &self.spec;
        Ok(Limits {
            connect_ns: millis(set.text(set::CONNECT_TIMEOUT), &spec.connect_timeout, cx),
            response_ns: millis(set.text(set::RESPONSE_TIMEOUT), &spec.response_timeout, cx),
            source,
        })
    }

    /// The request without validators and cookies.
    pub(crate) fn prepare(&self, wanted: ChainedRequest<'_>) -> Result<Rc<Request>, Failure> {
        if let Some(request) = wanted.request {
            return Ok(request);
        }
        wanted.url.check().map_err(|error| Failure::syntax(&error))?;
        if self.spec.cookies.is_some() && wanted.url.host().is_empty() {
            return Err(Failure::blank_host());
        }
        let request = build(
            wanted.evaluated,
            &self.spec.settings,
            &wanted.url,
            &wanted.method,
            (wanted.following, None),
        )?;
        Ok(Rc::new(request))
    }

    /// Adds validators and cookies.
    pub(crate) fn add_headers(
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
    pub(crate) fn cookie(&self, cx: &mut Context, state: &mut HttpState, url: &Url) -> Option<String> {
        let manager = self.spec.cookies.as_ref()?;
        state.jar(manager).header(&origin_of(url), &manager.cookies, manager.policy, cx)
    }

    /// What it has for the request of a template.
    pub(crate) fn cookie_of_template(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        templated: &TemplatedRequest,
    ) -> Option<String> {
        let manager = self.spec.cookies.as_ref()?;
        let jar = state.jar(manager);
        if jar.is_empty() {
            return None;
        }
        templated.with_origin(cx, |origin, cx| jar.header(origin, &manager.cookies, manager.policy, cx))
    }

    /// JMeter looks cookies up before it makes the body, and shows them where the body, or what
    /// comes after, fails.
    pub(crate) fn cookie_of_failure(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        failure: &Failure,
        url: &Url,
        evaluated: &RequestValues,
    ) -> Option<String> {
        let looked_up = self.needs.details && !failure.is_before_cookies();
        let found = if looked_up { self.cookie(cx, state, url) } else { return None };
        found.or_else(|| Some(unsent_cookies(evaluated, &self.spec.settings, url)))
    }

    pub(crate) fn is_fresh(&self, state: &mut HttpState, request: &Request, cookie: Option<&str>) -> bool {
        let Some(manager) = self.spec.cache.as_ref().filter(|_| &*request.method == "GET") else {
            return false;
        };
        let headers = names_and_values(&request.headers[..request.own], cookie);
        state.cache(manager).is_fresh(request.url.as_str(), &headers, now_ns() / MS)
    }

    pub(crate) fn cached_sample(
        &self,
        cx: &Context,
        request: &Request,
        cookie: Option<&str>,
    ) -> Option<SampleResult> {
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
}

/// A time in milliseconds as nanoseconds.
fn millis(set: Option<&str>, template: &Template, cx: &mut Context) -> Option<i64> {
    if set.is_none() && template.constant() == Some("") {
        return None;
    }
    let text = set.map_or_else(|| template.eval(cx), Into::into);
    text.trim().parse::<i64>().ok().filter(|ms| *ms > 0).map(|ms| ms.saturating_mul(MS))
}

pub(crate) fn origin_of(url: &Url) -> Origin<'_> {
    Origin::new(url.host(), url.path(), url.is_secure())
}

pub(crate) fn names_and_values<'a>(
    lines: &'a [crate::request::Line],
    cookie: Option<&'a str>,
) -> Vec<(&'a str, &'a str)> {
    let plan = lines.iter().map(|(name, value)| (&**name, &**value));
    plan.chain(cookie.map(|value| ("Cookie", value))).collect()
}
