//! What the last sample was made of, which the next is made of too as long as its texts are the
//! same.

use std::cell::OnceCell;
use std::rc::Rc;

use swell_expr::Context;

use crate::compile::Spec;
use crate::failure::Failure;
use crate::request::{
    Request, RequestTemplate, RequestValues, TemplatedRequest, Texts, build, evaluate, texts,
};
use crate::sampler::HttpSampler;

/// Texts, and the request that they make.
pub(crate) struct CachedRequest {
    /// [`swell_expr::Properties::version`] at the time.
    pub(crate) version: u64,
    pub(crate) evaluated: RequestValues,
    /// None where no request can be made of them.
    pub(crate) request: Option<Rc<Request>>,
}

impl CachedRequest {
    /// The request, where it is known that there is one.
    pub(crate) fn request(&self) -> &Rc<Request> {
        self.request.as_ref().expect("it existed when the sample began")
    }

    /// `last`: a request of the same sampler, of which this one takes over what is the same.
    pub(crate) fn of(spec: &Spec, version: u64, texts: Texts, last: Option<&Request>) -> Rc<Self> {
        let evaluated = evaluate(texts);
        let request =
            if evaluated.local { None } else { request_of(spec, &evaluated, last).ok().map(Rc::new) };
        Rc::new(Self { version, evaluated, request })
    }
}

impl HttpSampler {
    /// The texts now, and the request of them: that of the last sample if they are the same.
    /// `templated`: where it does not go out as it is.
    pub(crate) fn cached_request(
        &self,
        cx: &mut Context,
        templated: Option<&TemplatedRequest>,
    ) -> Rc<CachedRequest> {
        let mut last = self.last_request.borrow_mut();
        let version = cx.props.version();
        if let Some(made) =
            last.as_ref().filter(|made| self.depends_only_on_properties && made.version == version)
        {
            return made.clone();
        }
        let texts = match templated.filter(|templated| templated.has_calls()) {
            Some(templated) => templated.texts(&self.spec, cx),
            None => texts(&self.spec, cx),
        };
        self.request_of_texts(&mut last, version, texts)
    }

    pub(crate) fn request_of_texts(
        &self,
        last: &mut Option<Rc<CachedRequest>>,
        version: u64,
        texts: Texts,
    ) -> Rc<CachedRequest> {
        let same =
            last.as_ref().filter(|made| !self.depends_only_on_properties && made.evaluated.texts == texts);
        if let Some(made) = same {
            return made.clone();
        }
        let request = last.as_ref().and_then(|made| made.request.as_deref());
        let made = CachedRequest::of(&self.spec, version, texts, request);
        last.insert(made).clone()
    }
}

/// The request template of a sampler, built again after a change of the run's properties.
#[derive(Default)]
pub(crate) struct CachedTemplate {
    /// [`swell_expr::Properties::version`] at the last sample.
    version: Option<u64>,
    /// Empty: not tried since then. It takes a second sample: where a property changes with each,
    /// no template is worth making.
    template: OnceCell<Option<Rc<RequestTemplate>>>,
}

impl HttpSampler {
    /// Whether samples may be made by a template, as far as the plan says.
    pub(crate) fn may_have_template(&self) -> bool {
        let settings = &self.spec.settings;
        // What such a sample shows is known without its request.
        let shows_little =
            !self.needs.request && settings.rename_sub_samples && settings.user_token.is_none();
        self.fast_path.is_some()
            && shows_little
            && !self.depends_only_on_properties
            && !self.calls_ahead
            && self.spec.embedded.as_ref().is_none_or(|embedded| embedded.is_off())
    }

    /// The coming request, made by a template.
    pub(crate) fn templated(&self, cx: &mut Context) -> Option<TemplatedRequest> {
        if !self.may_have_template || cx.may_be_suspended() {
            return None;
        }
        let version = cx.props.version();
        let mut kept = self.template.borrow_mut();
        if kept.version != Some(version) {
            *kept = CachedTemplate { version: Some(version), template: OnceCell::new() };
            return None;
        }
        let made = kept.template.get_or_init(|| {
            let make = |texts| CachedRequest::of(&self.spec, version, texts, None).request.clone();
            RequestTemplate::new(&self.spec, cx, make).map(Rc::new)
        });
        let template = made.clone()?;
        drop(kept);
        Some(TemplatedRequest::new(template, cx))
    }

    /// A request that was made by a template, as a whole.
    pub(crate) fn whole(&self, cx: &mut Context, templated: &TemplatedRequest) -> Rc<CachedRequest> {
        let texts = templated.texts(&self.spec, cx);
        CachedRequest::of(&self.spec, cx.props.version(), texts, None)
    }
}

/// The request of the first wanted.
fn request_of(spec: &Spec, evaluated: &RequestValues, last: Option<&Request>) -> Result<Request, Failure> {
    let url = evaluated.url.as_ref().map_err(Failure::malformed)?;
    url.check().map_err(|error| Failure::syntax(&error))?;
    build(evaluated, &spec.settings, url, &evaluated.texts.method, (false, last))
}
