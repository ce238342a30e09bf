//! What the last sample was made of, which the next is made of too as long as its texts are the same.

use std::rc::Rc;

use swell_expr::Context;

use crate::compile::Spec;
use crate::failure::Failure;
use crate::request::{Evaluated, Request, Texts, build, evaluate, texts};
use crate::sampler::HttpSampler;

/// Texts, and the request that they make.
pub(crate) struct CachedRequest {
    /// [`swell_expr::Properties::version`] at the time.
    pub(crate) version: u64,
    pub(crate) evaluated: Evaluated,
    /// None where no request can be made of them.
    pub(crate) request: Option<Rc<Request>>,
}

impl CachedRequest {
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
    pub(crate) fn cached_request(&self, cx: &mut Context) -> Rc<CachedRequest> {
        let mut last = self.last_request.borrow_mut();
        let version = cx.props.version();
        if let Some(made) =
            last.as_ref().filter(|made| self.depends_only_on_properties && made.version == version)
        {
            return made.clone();
        }
        let texts = texts(&self.spec, cx);
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

/// The request of the first wanted.
fn request_of(spec: &Spec, evaluated: &Evaluated, last: Option<&Request>) -> Result<Request, Failure> {
    let url = evaluated.url.as_ref().map_err(Failure::malformed)?;
    url.check().map_err(|error| Failure::syntax(&error))?;
    build(evaluated, &spec.settings, url, &evaluated.texts.method, (false, last))
}
