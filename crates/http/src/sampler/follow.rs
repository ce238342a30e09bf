//! Redirects that JMeter follows by itself, each hop a sub-sample (`HTTPSamplerBase.followRedirects`).

use std::rc::Rc;

use swell_elements::{SampleResult, Text};
use swell_expr::Context;

use crate::failure::Failure;
use crate::request::Evaluated;
use crate::url::{Malformed, Url, redirect_url, remove_slash_dot_dot};

use super::hop::{Hop, Sampled};
use super::result::{fail, sampler_data};
use super::{HttpSampler, HttpState};

/// The parent and its sub-samples.
struct Chain {
    total: SampleResult,
    rename: bool,
}

impl Chain {
    fn label(&self, sample: &mut SampleResult) {
        if self.rename {
            let number = self.total.sub_results.len();
            sample.label = Text::from(format!("{}-{number}", self.total.label));
        }
    }

    /// A further hop: its sizes are added, and the parent ends when it ends.
    fn add(&mut self, mut sample: SampleResult) {
        let (total, timing) = (&mut self.total, sample.timing);
        if timing.end_ns >= total.timing.end_ns {
            total.timing.end_ns = timing.end_ns;
            total.timing.read_ns = timing.read_ns;
        }
        total.bytes += sample.bytes;
        total.sent_bytes += sample.sent_bytes;
        total.header_size += sample.header_size;
        total.body_size += sample.body_size;
        self.label(&mut sample);
        self.total.sub_results.push(sample);
    }
}

impl HttpSampler {
    /// Follows the redirects that start with `first`.
    pub(super) async fn follow(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        evaluated: &Evaluated,
        first: Sampled,
    ) -> SampleResult {
        let settings = &self.spec.settings;
        let mut chain =
            Chain { total: SampleResult::clone(&first.sample), rename: settings.rename_sub_samples };
        let Sampled { mut sample, mut url, mut method, mut redirect } = first;
        chain.label(&mut sample);
        chain.total.sub_results.push(*sample);
        let mut hops = 0;
        while let Some(location) = redirect.take() {
            if hops == settings.max_redirects {
                let last = chain.total.sub_results.last().expect("the first hop is there");
                let mut failed = SampleResult { sub_results: Vec::new(), ..last.clone() };
                fail(&mut failed, &Failure::too_many_redirects(settings.max_redirects), self.needs);
                chain.add(failed);
                break;
            }
            hops += 1;
            let target = match self.target(&url, &location) {
                Ok(target) => Rc::new(target),
                Err(error) => {
                    let last = chain.total.sub_results.last_mut().expect("the first hop is there");
                    fail(last, &Failure::malformed(&error), self.needs);
                    break;
                }
            };
            let next: Rc<str> =
                if method.eq_ignore_ascii_case("HEAD") { method.clone() } else { "GET".into() };
            let hop = Hop { evaluated, url: target, method: next, following: true, request: None };
            // None: the cache has it, and the chain ends with the hop before.
            let Some(sampled) = self.hop(cx, state, hop).await else { break };
            chain.add(*sampled.sample);
            (url, method, redirect) = (sampled.url, sampled.method, sampled.redirect);
        }
        self.finish(cx, chain.total)
    }

    fn target(&self, base: &Url, location: &str) -> Result<Url, Malformed> {
        let location = if self.spec.settings.remove_slash_dot_dot {
            remove_slash_dot_dot(location)
        } else {
            location.to_owned()
        };
        redirect_url(base, &location.replace(' ', "%20"))
    }

    /// The parent shows the last hop, but for times, sizes, cookies and the first location.
    fn finish(&self, cx: &Context, mut total: SampleResult) -> SampleResult {
        let Some(last) = total.sub_results.last() else { return total };
        total.url.clone_from(&last.url);
        total.request_headers.clone_from(&last.request_headers);
        total.body.clone_from(&last.body);
        total.code.clone_from(&last.code);
        total.success = last.success;
        total.message.clone_from(&last.message);
        total.data_type = last.data_type;
        total.response_headers.clone_from(&last.response_headers);
        total.content_type.clone_from(&last.content_type);
        total.encoding.clone_from(&last.encoding);
        if let (Some(http), Some(last)) = (&mut total.http, &last.http) {
            http.method.clone_from(&last.method);
            http.query.clone_from(&last.query);
        }
        total.label = cx.sampler_name.clone().into();
        if self.needs.request {
            total.sampler_data = sampler_data(&total);
        }
        total
    }
}
