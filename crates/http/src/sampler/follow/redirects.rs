//! Redirects that JMeter follows, each with a sub-sample (`HTTPSamplerBase.followRedirects`).

use std::rc::Rc;

use swell_api::{Needs, SampleResult};
use swell_expr::Context;

use super::embedded::Pages;
use super::requests::Requests;
use crate::compile::Spec;
use crate::failure::Failure;
use crate::request::RequestValues;
use crate::sampler::outcome::{ChainedRequest, SampleOutcome};
use crate::sampler::result::{Parent, fail, sampler_data};
use crate::sampler::state::HttpState;
use crate::url::{MalformedUrl, Url, redirect_url, remove_slash_dot_dot};

/// Follows the redirects of a sampler, and loads the resources of pages on the way.
pub(crate) struct Redirects<'s, R> {
    pub(crate) pages: Pages<'s, R>,
}

impl<R: Requests> Redirects<'_, R> {
    /// Follows the redirects that start with `first`. The resources of each page on the way are
    /// siblings of its redirect.
    pub(crate) async fn follow(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        evaluated: &RequestValues,
        first: SampleOutcome,
        depth: u32,
    ) -> Box<SampleResult> {
        let Pages { spec, needs, requests } = self.pages;
        let settings = &spec.settings;
        let SampleOutcome { sample, mut url, mut method, mut redirect } = first;
        let origin = url.clone();
        let mut code = sample.code.clone();
        let mut keeps_body = true;
        let mut away = None;
        let mut chain = Parent::of(spec, cx, sample.clone());
        chain.add_counted(*sample);
        // What the last page and its resources came to.
        let mut page: Option<Box<SampleResult>> = None;
        let mut followed = 0;
        while let Some(location) = redirect.take() {
            if followed == settings.max_redirects {
                let last = page.take();
                let last =
                    last.as_deref().or(chain.total.sub_results.last()).expect("the first request exists");
                let mut failed = SampleResult { sub_results: Vec::new(), ..last.clone() };
                fail(&mut failed, &Failure::too_many_redirects(settings.max_redirects), needs);
                chain.add(failed);
                break;
            }
            followed += 1;
            let target = match target(spec, &url, &location) {
                Ok(target) => Rc::new(target),
                Err(error) => {
                    let last = chain.total.sub_results.last_mut().expect("the first request exists");
                    fail(last, &Failure::malformed(&error), needs);
                    break;
                }
            };
            let stays = settings.keeps_method() && matches!(&*code, "307" | "308");
            keeps_body &= stays;
            let keeps_method = stays || method.eq_ignore_ascii_case("HEAD");
            let next: Rc<str> = if keeps_method { method.clone() } else { "GET".into() };
            let said = if settings.rfc_redirects && !origin.is_same_origin(&target) {
                away.get_or_insert_with(|| evaluated.for_other_origin())
            } else {
                evaluated
            };
            let following = !keeps_body || settings.is_6 && &*next == "GET";
            let wanted =
                ChainedRequest { evaluated: said, url: target, method: next, following, request: None };
            // None: the cache has it, and the chain ends with the wanted before.
            let Some(sampled) = requests.request_once(cx, state, wanted).await else { break };
            (url, method, redirect) = (sampled.url, sampled.method, sampled.redirect);
            code = sampled.sample.code.clone();
            let mut sample = self.pages.page(cx, state, evaluated, sampled.sample, &url, depth).await;
            if sample.sub_results.is_empty() {
                page = None;
                chain.add(*sample);
            } else {
                for sub in std::mem::take(&mut sample.sub_results) {
                    chain.add(sub);
                }
                page = Some(sample);
            }
        }
        finish(needs, cx, chain.total, page.as_deref())
    }
}

fn target(spec: &Spec, base: &Url, location: &str) -> Result<Url, MalformedUrl> {
    let location =
        if spec.settings.remove_slash_dot_dot { remove_slash_dot_dot(location) } else { location.to_owned() };
    redirect_url(base, &location.replace(' ', "%20"))
}

/// The parent shows the last wanted, but for times, sizes, cookies and the first location.
fn finish(
    needs: Needs,
    cx: &Context,
    mut total: Box<SampleResult>,
    page: Option<&SampleResult>,
) -> Box<SampleResult> {
    let sample = &mut *total;
    let Some(last) = page.or(sample.sub_results.last()) else { return total };
    sample.url.clone_from(&last.url);
    sample.request_headers.clone_from(&last.request_headers);
    sample.body.clone_from(&last.body);
    sample.code.clone_from(&last.code);
    sample.success = last.success;
    sample.message.clone_from(&last.message);
    sample.data_type = last.data_type;
    sample.response_headers.clone_from(&last.response_headers);
    sample.content_type.clone_from(&last.content_type);
    sample.encoding.clone_from(&last.encoding);
    if let (Some(http), Some(last)) = (&mut sample.http, &last.http) {
        http.method.clone_from(&last.method);
        http.query.clone_from(&last.query);
    }
    total.label = cx.sampler_name.clone().into();
    if needs.request {
        total.sampler_data = Some(sampler_data(&total));
    }
    total
}
