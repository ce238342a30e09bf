//! Samples of requests that were not sent.

use std::rc::Rc;

use swell_api::{HttpDetails, SampleResult};
use swell_expr::Context;

use crate::failure::Failure;
use crate::request::{RequestValues, unsent};
use crate::sampler::HttpSampler;
use crate::sampler::chain::SampleOutcome;
use crate::url::Url;

use super::{fail, no_time};

impl HttpSampler {
    /// The sampler's name, or the URL (`SampleResult.isRenameSampleLabel`).
    pub(crate) fn label_of(&self, cx: &Context, url: &Url) -> swell_api::Text {
        if self.spec.settings.rename_sub_samples {
            cx.sampler_name.clone().into()
        } else {
            url.as_str().to_owned().into()
        }
    }

    pub(crate) fn failed_early(
        &self,
        cx: &Context,
        failure: &Failure,
        url: Rc<Url>,
        method: Rc<str>,
        cookie: Option<String>,
    ) -> SampleOutcome {
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
        SampleOutcome { sample: Box::new(sample), url, method, redirect: None }
    }

    /// The body, and the headers where HttpClient got as far as looking at them.
    pub(crate) fn show_unsent(
        &self,
        failed: &mut SampleOutcome,
        failure: &Failure,
        evaluated: &RequestValues,
        following: bool,
    ) {
        let url = &failed.url;
        let method = &failed.method;
        let (headers, body) = unsent(evaluated, &self.spec.settings, url, method, following);
        if *failure == Failure::transfer_encoding() {
            failed.sample.request_headers = headers;
        }
        if let Some(http) = &mut failed.sample.http {
            http.query = body.to_string();
        }
    }
}
