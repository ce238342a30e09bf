//! One request with its response: a sample without redirects, or one of a chain of redirects
//! (`HTTPHC4Impl.sample`).

use std::rc::Rc;

use swell_api::SampleResult;
use swell_expr::Context;
use swell_net::now_ns;

use crate::exchange::Exchange;
use crate::request::{Request, RequestValues, set};
use crate::url::Url;

use super::collect::CollectedResponse;
use super::exchange::InFlight;
use super::{HttpSampler, HttpState};

/// What to request.
pub(super) struct ChainedRequest<'h> {
    pub(super) evaluated: &'h RequestValues,
    pub(super) url: Rc<Url>,
    pub(super) method: Rc<str>,
    /// It answers a redirect.
    pub(super) following: bool,
    /// The request, if it was made before.
    pub(super) request: Option<Rc<Request>>,
}

/// A sample, and what a redirect needs to know of it.
pub(super) struct SampleOutcome {
    pub(super) sample: Box<SampleResult>,
    pub(super) url: Rc<Url>,
    pub(super) method: Rc<str>,
    /// Where it redirects to.
    pub(super) redirect: Option<String>,
}

impl HttpSampler {
    /// Makes one request. None: the cache has the resource, and the properties say to report
    /// nothing.
    pub(super) async fn request_once(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        wanted: ChainedRequest<'_>,
    ) -> Option<SampleOutcome> {
        let url = wanted.url.clone();
        let method = wanted.method.clone();
        let evaluated = wanted.evaluated;
        let following = wanted.following;
        let set = &evaluated.texts.set;
        let limits = self.limits(cx, set).await;
        let prepared = limits.and_then(|limits| Ok((limits, self.prepare(wanted)?)));
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
        let (request, cookie) = self.add_headers(cx, state, request);
        if self.is_fresh(state, &request, cookie.as_deref()) {
            let sample = self.cached_sample(cx, &request, cookie.as_deref())?;
            return Some(SampleOutcome { sample: Box::new(sample), url, method, redirect: None });
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
        let mut in_flight = InFlight {
            first: request.clone(),
            request,
            cookie,
            collected: CollectedResponse::new(self.response_needs(set)).with_digest(set.flag(set::MD5)),
            done: Exchange::default(),
            start_ns: now_ns(),
            connected_ns: 0,
            handshake_ns: 0,
            auto: false,
            kept: false,
        };
        let mut result = self.send(state, &mut in_flight, limits).await;
        if (proxied || self.spec.auth.is_some()) && result.is_ok() && in_flight.is_auth_challenge() {
            result = Box::pin(self.answer_challenges(state, &mut in_flight, limits)).await;
        }
        if result.is_ok() && set.flag(set::AUTO).unwrap_or_else(|| self.spec.auto.get(cx)) {
            in_flight.auto = true;
            result = Box::pin(self.redirect_silently(cx, state, &mut in_flight, limits)).await;
        }
        Some(self.sample_from(cx, state, in_flight, result, method))
    }
}
