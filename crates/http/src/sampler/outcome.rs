//! One request with its response: a sample without redirects, or one in a chain of redirects
//! (`HTTPHC4Impl.sample`).

use std::rc::Rc;

use swell_api::SampleResult;

use crate::request::{Request, RequestValues};
use crate::url::Url;

/// The request to send.
pub(super) struct ChainedRequest<'h> {
    pub(super) evaluated: &'h RequestValues,
    pub(super) url: Rc<Url>,
    pub(super) method: Rc<str>,
    /// It answers a redirect.
    pub(super) following: bool,
    /// The request, if it was made before.
    pub(super) request: Option<Rc<Request>>,
}

/// A sample, and the data that a redirect needs.
pub(super) struct SampleOutcome {
    pub(super) sample: Box<SampleResult>,
    pub(super) url: Rc<Url>,
    pub(super) method: Rc<str>,
    /// Where it redirects to.
    pub(super) redirect: Option<String>,
}
