//! Makes the samples of a sampler. This file has samples of requests that were not sent.

use std::cell::Cell;
use std::rc::Rc;

use swell_api::{CompileContext, HttpDetails, Needs, SampleResult, Text};
use swell_expr::Context;

use crate::compile::{CachedMode, Spec};
use crate::failure::Failure;
use crate::request::{Request, RequestValues, unsent};
use crate::sampler::collect::ResponseNeeds;
use crate::sampler::outcome::SampleOutcome;
use crate::set::{self, ScriptSettings};
use crate::url::Url;

use super::fields::{describe, fail, no_time, sampler_data};

/// Makes the samples of a sampler.
pub(crate) struct SampleMaker {
    /// What the readers of samples need.
    pub(crate) needs: Needs,
    response_needs: ResponseNeeds,
    /// The same with the resources of pages, where only a script can want them.
    needs_of_pages: Option<Box<ResponseNeeds>>,
    /// A buffer to put URLs together in.
    pub(super) text_scratch: Cell<String>,
}

impl SampleMaker {
    /// Makes samples as the plan says.
    pub(crate) fn new(spec: &Spec, needs: Needs, compile: &CompileContext) -> Self {
        let only_if_set = spec.embedded.as_ref().is_some_and(|embedded| embedded.is_off());
        let pages = spec.embedded.is_some() && !only_if_set;
        let response_needs = |pages| ResponseNeeds::of(spec, needs, pages, compile.bodies());
        Self {
            needs,
            response_needs: response_needs(pages),
            needs_of_pages: only_if_set.then(|| Box::new(response_needs(true))),
            text_scratch: Cell::default(),
        }
    }

    /// What is kept of a response.
    pub(crate) fn response_needs(&self) -> &ResponseNeeds {
        &self.response_needs
    }

    /// What is kept where a script may have changed that.
    pub(crate) fn response_needs_with(&self, set: &ScriptSettings) -> &ResponseNeeds {
        let wants_pages = || set.flag(set::RESOURCES) == Some(true);
        self.needs_of_pages.as_deref().filter(|_| wants_pages()).unwrap_or(&self.response_needs)
    }

    pub(crate) fn cached_sample(
        &self,
        spec: &Spec,
        cx: &Context,
        request: &Request,
        cookie: Option<&str>,
    ) -> Option<SampleResult> {
        let CachedMode::Sample(code, message) = &spec.settings.cached_mode else { return None };
        let mut sample = SampleResult {
            label: label_of(spec, cx, &request.url),
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

    /// The sample of a request that cannot be sent.
    pub(crate) fn failed_early(
        &self,
        spec: &Spec,
        cx: &Context,
        failure: &Failure,
        url: Rc<Url>,
        method: Rc<str>,
        cookie: Option<String>,
    ) -> SampleOutcome {
        let mut sample = SampleResult {
            label: label_of(spec, cx, &url),
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
}

/// The sampler's name, or the URL (`SampleResult.isRenameSampleLabel`).
pub(super) fn label_of(spec: &Spec, cx: &Context, url: &Url) -> Text {
    if spec.settings.rename_sub_samples {
        cx.sampler_name.clone().into()
    } else {
        url.as_str().to_owned().into()
    }
}

/// The body, and the headers where HttpClient got as far as looking at them.
pub(crate) fn show_unsent(
    spec: &Spec,
    failed: &mut SampleOutcome,
    failure: &Failure,
    evaluated: &RequestValues,
    following: bool,
) {
    let url = &failed.url;
    let method = &failed.method;
    let (headers, body) = unsent(evaluated, &spec.settings, url, method, following);
    if *failure == Failure::transfer_encoding() {
        failed.sample.request_headers = headers;
    }
    if let Some(http) = &mut failed.sample.http {
        http.query = body.to_string();
    }
}
