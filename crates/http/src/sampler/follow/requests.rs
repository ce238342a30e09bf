//! Further requests of the sampler that follow from a response.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use swell_api::SampleResult;
use swell_expr::Context;

use crate::request::RequestValues;
use crate::sampler::outcome::{ChainedRequest, SampleOutcome};
use crate::sampler::state::HttpState;
use crate::url::Url;

/// The sample of a resource; `None` if it is cached and nothing is to be reported.
pub(crate) type Resource<'a> = Pin<Box<dyn Future<Output = Option<Box<SampleResult>>> + 'a>>;

/// The part of the sampler that redirects and pages use.
pub(crate) trait Requests {
    /// Makes one request. None: the cache has the resource, and the properties say to report
    /// nothing.
    fn request_once(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        wanted: ChainedRequest<'_>,
    ) -> impl Future<Output = Option<SampleOutcome>>;

    /// A resource of a page, with what follows it. `depth`: pages around it.
    fn resource<'a>(
        &'a self,
        cx: &'a mut Context,
        state: &'a mut HttpState,
        evaluated: &'a RequestValues,
        url: Rc<Url>,
        depth: u32,
    ) -> Resource<'a>;
}
