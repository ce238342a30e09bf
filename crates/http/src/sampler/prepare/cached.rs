//! What the last sample was made of, which the next is made of too as long as its texts are the same.

use std::cell::OnceCell;
use std::rc::Rc;

use swell_expr::Context;

use crate::compile::Spec;
use crate::failure::Failure;
use crate::request::{Evaluated, Mould, Moulded, Request, Texts, build, evaluate, texts};
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
    /// The texts now, and the request of them: that of the last sample if they are the same. `moulded`: where it does not go out as it is.
    pub(crate) fn cached_request(&self, cx: &mut Context, moulded: Option<&Moulded>) -> Rc<CachedRequest> {
        let mut last = self.last_request.borrow_mut();
        let version = cx.props.version();
        if let Some(made) =
            last.as_ref().filter(|made| self.depends_only_on_properties && made.version == version)
        {
            return made.clone();
        }
        let texts = match moulded.filter(|moulded| moulded.has_calls()) {
            Some(moulded) => moulded.texts(&self.spec, cx),
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
pub(crate) struct CachedMould {
    /// [`swell_expr::Properties::version`] at the last sample.
    version: Option<u64>,
    /// Empty: not tried since then. It takes a second sample: where a property changes with each, no mould is worth making.
    mould: OnceCell<Option<Rc<Mould>>>,
}

impl HttpSampler {
    /// Whether samples may be made by a mould, as far as the plan says.
    pub(crate) fn may_have_mould(&self) -> bool {
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

    /// The coming request, made by a mould.
    pub(crate) fn moulded(&self, cx: &mut Context) -> Option<Moulded> {
        if !self.may_have_mould || cx.may_be_suspended() {
            return None;
        }
        let version = cx.props.version();
        let mut kept = self.mould.borrow_mut();
        if kept.version != Some(version) {
            *kept = CachedMould { version: Some(version), mould: OnceCell::new() };
            return None;
        }
        let made = kept.mould.get_or_init(|| {
            let make = |texts| CachedRequest::of(&self.spec, version, texts, None).request.clone();
            Mould::new(&self.spec, cx, make).map(Rc::new)
        });
        let mould = made.clone()?;
        drop(kept);
        Some(Moulded::new(mould, cx))
    }

    /// A request that was made by a mould, as a whole.
    pub(crate) fn whole(&self, cx: &mut Context, moulded: &Moulded) -> Rc<CachedRequest> {
        let texts = moulded.texts(&self.spec, cx);
        CachedRequest::of(&self.spec, cx.props.version(), texts, None)
    }
}

/// The request of the first wanted.
fn request_of(spec: &Spec, evaluated: &Evaluated, last: Option<&Request>) -> Result<Request, Failure> {
    let url = evaluated.url.as_ref().map_err(Failure::malformed)?;
    url.check().map_err(|error| Failure::syntax(&error))?;
    build(evaluated, &spec.settings, url, &evaluated.texts.method, (false, last))
}
