//! The texts and the request of the last sample, which the next sample uses again if its texts are
//! equal.

use std::cell::{OnceCell, RefCell};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{CompileContext, Needs, RequestChange};
use swell_expr::{Context, Host};

use crate::compile::Spec;
use crate::failure::Failure;
use crate::files::Files;
use crate::request::{
    Request, RequestTemplate, RequestValues, TemplatedRequest, Texts, build, evaluate, texts,
};

/// Evaluated texts, and the request made from them.
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

    /// A request that was made by a template, as a whole.
    pub(crate) fn whole(spec: &Spec, cx: &mut Context, templated: &TemplatedRequest) -> Rc<Self> {
        let texts = templated.texts(spec, cx);
        Self::of(spec, cx.props.version(), texts, None)
    }
}

/// The request template of a sampler, built again after a change of the run's properties.
#[derive(Default)]
struct CachedTemplate {
    /// [`swell_expr::Properties::version`] at the last sample.
    version: Option<u64>,
    /// Empty: not tried since then. It takes a second sample: where a property changes with each,
    /// no template is worth making.
    template: OnceCell<Option<Rc<RequestTemplate>>>,
}

/// Makes the requests of a sampler. Most samplers make the same request repeatedly, even if their
/// texts contain variables.
pub(crate) struct RequestMaker {
    files: Arc<Files>,
    host: Arc<dyn Host>,
    /// Only a change of the run's properties can change this sampler's texts.
    depends_only_on_properties: bool,
    /// What the last sample was made of.
    last_request: RefCell<Option<Rc<CachedRequest>>>,
    /// Samples may be made by a template.
    may_have_template: bool,
    template: RefCell<CachedTemplate>,
}

impl RequestMaker {
    /// Makes requests as the plan says. `is_simple`: nothing stands between the request and its
    /// texts.
    pub(crate) fn new(spec: &Spec, needs: Needs, is_simple: bool, compile: &CompileContext) -> Self {
        let depends_only_on_properties = spec.is_settled();
        Self {
            files: compile.expr.shared.get("http files", Files::default),
            host: compile.host.clone(),
            depends_only_on_properties,
            last_request: RefCell::default(),
            may_have_template: is_simple && !depends_only_on_properties && allow_template(spec, needs),
            template: RefCell::default(),
        }
    }

    /// The outside world.
    pub(crate) fn host(&self) -> &dyn Host {
        &*self.host
    }

    /// The texts now, and the request of them: that of the last sample if they are the same.
    /// `templated`: where it does not go out as it is.
    pub(crate) fn cached_request(
        &self,
        spec: &Spec,
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
            Some(templated) => templated.texts(spec, cx),
            None => texts(spec, cx),
        };
        self.request_of_texts(spec, &mut last, version, texts)
    }

    fn request_of_texts(
        &self,
        spec: &Spec,
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
        let made = CachedRequest::of(spec, version, texts, request);
        last.insert(made).clone()
    }

    /// The coming request, made by a template.
    pub(crate) fn templated(&self, spec: &Spec, cx: &mut Context) -> Option<TemplatedRequest> {
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
            let make = |texts| CachedRequest::of(spec, version, texts, None).request.clone();
            RequestTemplate::new(spec, cx, make).map(Rc::new)
        });
        let template = made.clone()?;
        drop(kept);
        Some(TemplatedRequest::new(template, cx))
    }

    /// As [`Self::cached_request`], for a sampler with files, and for one that pre-processors have
    /// changed.
    pub(crate) async fn request_off_loop(
        &self,
        spec: &Spec,
        cx: &mut Context,
        changes: &[Rc<dyn RequestChange>],
    ) -> Rc<CachedRequest> {
        let mut texts = texts(spec, cx);
        for change in changes {
            let mut shown = texts.shown();
            change.apply(&mut shown, cx);
            texts.take_over(shown);
        }
        for part in texts.upload.iter_mut().flat_map(|upload| &mut upload.files) {
            let path = Path::new(&*part.path);
            let allowed = self.host.may_use(path);
            part.file = Some(self.files.get(self.host.find(path), allowed, self.host.file_limits()).await);
        }
        if changes.is_empty() {
            return self.request_of_texts(
                spec,
                &mut self.last_request.borrow_mut(),
                cx.props.version(),
                texts,
            );
        }
        // The last value of a settled sampler is valid for all its samples.
        CachedRequest::of(spec, cx.props.version(), texts, None)
    }
}

/// Whether samples may be made by a template, as far as the plan says.
fn allow_template(spec: &Spec, needs: Needs) -> bool {
    let settings = &spec.settings;
    // What such a sample shows is known without its request.
    let shows_little = !needs.request && settings.rename_sub_samples && settings.user_token.is_none();
    shows_little && spec.embedded.as_ref().is_none_or(|embedded| embedded.is_off())
}

/// The request of the first wanted.
fn request_of(spec: &Spec, evaluated: &RequestValues, last: Option<&Request>) -> Result<Request, Failure> {
    let url = evaluated.url.as_ref().map_err(Failure::malformed)?;
    url.check().map_err(|error| Failure::syntax(&error))?;
    build(evaluated, &spec.settings, url, &evaluated.texts.method, (false, last))
}
