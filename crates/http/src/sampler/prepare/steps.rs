//! The steps before a request is sent.

use std::rc::Rc;

use swell_api::Needs;
use swell_connect::NameCache;
use swell_expr::Context;
use swell_net::now_ns;

use crate::cache::Validators;
use crate::compile::Spec;
use crate::cookies::Origin;
use crate::failure::Failure;
use crate::request::{Request, RequestValues, TemplatedRequest, build, unsent_cookies};
use crate::set::{self, ScriptSettings};
use crate::url::Url;

use super::source::source;
use crate::sampler::limits::{Limits, MS, millis};
use crate::sampler::outcome::ChainedRequest;
use crate::sampler::state::HttpState;

/// How long the request may take, and from where it goes.
pub(crate) async fn limits(
    spec: &Spec,
    names: &NameCache,
    cx: &mut Context,
    set: &ScriptSettings,
) -> Result<Limits, Failure> {
    let from_here = spec.source.constant() == Some("")
        && set.text(set::SOURCE).is_none()
        && spec.settings.local_address.is_none();
    let source = if from_here { None } else { Box::pin(source(spec, names, cx, set)).await? };
    Ok(Limits {
        connect_ns: millis(set.text(set::CONNECT_TIMEOUT), &spec.connect_timeout, cx),
        response_ns: millis(set.text(set::RESPONSE_TIMEOUT), &spec.response_timeout, cx),
        source,
    })
}

/// The request without validators and cookies.
pub(crate) fn prepare(spec: &Spec, wanted: ChainedRequest<'_>) -> Result<Rc<Request>, Failure> {
    if let Some(request) = wanted.request {
        return Ok(request);
    }
    wanted.url.check().map_err(|error| Failure::syntax(&error))?;
    if spec.cookies.is_some() && wanted.url.host().is_empty() {
        return Err(Failure::blank_host());
    }
    let request =
        build(wanted.evaluated, &spec.settings, &wanted.url, &wanted.method, (wanted.following, None))?;
    Ok(Rc::new(request))
}

/// Adds validators and cookies.
pub(crate) fn add_headers(
    spec: &Spec,
    cx: &mut Context,
    state: &mut HttpState,
    mut request: Rc<Request>,
) -> (Rc<Request>, Option<String>) {
    if let Some(manager) = &spec.cache {
        let headers = names_and_values(&request.headers[..request.own], None);
        let found = state.cache(manager).validators(request.url.as_str(), &headers);
        if let Some(validators) = found.filter(|v| *v != Validators::default()) {
            request = Rc::new(request.conditional(&validators));
        }
    }
    let cookie = cookie(spec, cx, state, &request.url);
    (request, cookie)
}

/// What the Cookie Manager has for a URL.
pub(crate) fn cookie(spec: &Spec, cx: &mut Context, state: &mut HttpState, url: &Url) -> Option<String> {
    let manager = spec.cookies.as_ref()?;
    state.jar(manager).header(&origin_of(url), &manager.cookies, manager.policy, cx)
}

/// Cookies that it keeps back from a URL, with the reason, for traces.
pub(crate) fn cookies_not_sent(spec: &Spec, state: &mut HttpState, url: &Url) -> Vec<(String, String)> {
    let Some(manager) = spec.cookies.as_ref() else { return Vec::new() };
    state.jar(manager).not_sent(&origin_of(url), manager.policy)
}

/// What it has for the request of a template.
pub(crate) fn cookie_of_template(
    spec: &Spec,
    cx: &mut Context,
    state: &mut HttpState,
    templated: &TemplatedRequest,
) -> Option<String> {
    let manager = spec.cookies.as_ref()?;
    let jar = state.jar(manager);
    if jar.is_empty() {
        return None;
    }
    templated.with_origin(cx, |origin, cx| jar.header(origin, &manager.cookies, manager.policy, cx))
}

/// JMeter looks cookies up before it makes the body, and shows them where the body, or what
/// comes after, fails.
pub(crate) fn cookie_of_failure(
    spec: &Spec,
    needs: Needs,
    cx: &mut Context,
    state: &mut HttpState,
    failure: &Failure,
    url: &Url,
    evaluated: &RequestValues,
) -> Option<String> {
    let looked_up = needs.details && !failure.is_before_cookies();
    let found = if looked_up { cookie(spec, cx, state, url) } else { return None };
    found.or_else(|| Some(unsent_cookies(evaluated, &spec.settings, url)))
}

pub(crate) fn is_fresh(spec: &Spec, state: &mut HttpState, request: &Request, cookie: Option<&str>) -> bool {
    let Some(manager) = spec.cache.as_ref().filter(|_| &*request.method == "GET") else {
        return false;
    };
    let headers = names_and_values(&request.headers[..request.own], cookie);
    state.cache(manager).is_fresh(request.url.as_str(), &headers, now_ns() / MS)
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
