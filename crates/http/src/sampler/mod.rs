//! The HTTP Request sampler (`HTTPSamplerProxy` with JMeter's HttpClient4 implementation).

mod chain;
mod collect;
mod exchange;
mod follow;
mod prepare;
mod result;
mod state;

use std::cell::{Cell, RefCell};
use std::num::NonZeroI64;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{
    CompileContext, ManagerChanges, Needs, RequestChange, RequestTexts, SampleResult, Sampler, SamplerFuture,
    SamplerInput, User,
};
use swell_connect::{NameCache, TlsConfig};
use swell_expr::{Context, Host, Thrown};
use swell_net::now_ns;

use crate::compile::{Embedded, Spec};
use crate::failure::Failure;
use crate::files::Files;
use crate::request::set::{self, ScriptSettings};
use crate::request::{RequestValues, texts};
use chain::{ChainedRequest, SampleOutcome};
use collect::ResponseNeeds;
use exchange::{FastPath, FastPathConfig, FastPathRequest};
use prepare::{CachedRequest, CachedTemplate, SentCredentials, tls_of};
use state::HttpState;

const MS: i64 = 1_000_000;

/// The sampler of an HTTP Request.
pub(crate) fn make(input: &SamplerInput<'_>, compile: &CompileContext) -> Rc<dyn Sampler> {
    Rc::new(HttpSampler::new(input, compile))
}

/// A sampler, shared by the users of a worker.
struct HttpSampler {
    spec: Spec,
    needs: Needs,
    names: Arc<NameCache>,
    files: Arc<Files>,
    host: Arc<dyn Host>,
    /// Trusts all certificates, as JMeter does, unless the run limits them; each user has separate
    /// sessions.
    tls: TlsConfig,
    /// Only a change of the run's properties can change this sampler's texts.
    depends_only_on_properties: bool,
    response_needs: ResponseNeeds,
    /// The same with the resources of pages, where only a script can want them.
    needs_of_pages: Option<Box<ResponseNeeds>>,
    /// Functions that something else answers are called before a request is sent
    /// ([`Spec::call_ahead`]).
    calls_ahead: bool,
    /// Samples may take the [`FastPath`].
    fast_path: Option<FastPathConfig>,
    /// What the last sample was made of. Most samplers make the same request again and again,
    /// whatever their texts are written with.
    last_request: RefCell<Option<Rc<CachedRequest>>>,
    /// Samples may be made by a template.
    may_have_template: bool,
    template: RefCell<CachedTemplate>,
    /// A request, what was said with it, and the request with that.
    authorized: RefCell<Option<SentCredentials>>,
    /// A buffer to put requests together in.
    scratch: Cell<Vec<u8>>,
    /// A buffer to put URLs together in.
    text_scratch: Cell<String>,
}

/// What a sample sees of its user.
struct SampleUser<'a> {
    cx: &'a mut Context,
    state: &'a mut HttpState,
    intended_ns: i64,
}

impl HttpSampler {
    fn new(input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        let spec = Spec::new(input, compile);
        let depends_only_on_properties = spec.is_settled();
        let calls_ahead = spec.has_late_calls();
        let mut needs = input.needs;
        // A page that fails with its resources names their URLs.
        needs.details |= spec.embedded.is_some();
        let only_if_set = spec.embedded.as_ref().is_some_and(|embedded| embedded.is_off());
        let pages = spec.embedded.is_some() && !only_if_set;
        let response_needs = |pages| ResponseNeeds::of(&spec, needs, pages, compile.bodies());
        let needs_of_pages = only_if_set.then(|| Box::new(response_needs(true)));
        let mut sampler = Self {
            needs,
            names: compile.expr.shared.get("host addresses", || {
                NameCache::with_ttl(compile.props.get("sun.net.inetaddr.ttl").as_deref())
            }),
            files: compile.expr.shared.get("http files", Files::default),
            host: compile.host.clone(),
            tls: tls_of(&spec.settings.tls_limits, &spec.roots),
            depends_only_on_properties,
            calls_ahead,
            response_needs: response_needs(pages),
            needs_of_pages,
            fast_path: FastPathConfig::of(&spec),
            last_request: RefCell::default(),
            authorized: RefCell::default(),
            scratch: Cell::default(),
            text_scratch: Cell::default(),
            may_have_template: false,
            template: RefCell::default(),
            spec,
        };
        sampler.may_have_template = sampler.may_have_template();
        sampler
    }

    /// A sample begins.
    #[inline]
    fn begin<'a>(&self, user: &'a mut User) -> SampleUser<'a> {
        let intended_ns = user.intended_ns;
        let interrupt_at_ns =
            (user.interrupt_at_ns != i64::MAX).then_some(user.interrupt_at_ns).and_then(NonZeroI64::new);
        let (cx, state) = user.parts(HttpState::default);
        state.reset_if_due(cx, &self.spec.settings);
        state.interrupt_at_ns = interrupt_at_ns;
        if let Some(limit_ms) = self.spec.settings.total_timeout_ms {
            state.over_at_ns = ends_after(limit_ms);
        }
        state.resources_left = None;
        SampleUser { cx, state, intended_ns }
    }

    /// A sample with an individual request: pre-processors change it, or it sends files.
    fn sample_changed<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        let mut changes = user.request_changes();
        let user = self.begin(user);
        if let Some(lasting) = user.state.changed_headers(self.spec.header_manager) {
            changes.insert(0, lasting);
        }
        Box::pin(self.run(user, None, changes))
    }

    /// A sample of any kind. `cached`: texts and request, where files and changes have no part in
    /// them.
    async fn run(
        &self,
        user: SampleUser<'_>,
        cached: Option<Rc<CachedRequest>>,
        changes: Vec<Rc<dyn RequestChange>>,
    ) -> Option<Box<SampleResult>> {
        let cached = if let Some(cached) = cached {
            cached
        } else {
            let cached = Box::pin(self.request_off_loop(user.cx, &changes)).await;
            if self.calls_ahead {
                self.spec.call_ahead(user.cx);
            }
            user.cx.act();
            cached
        };
        let mut sample = self.sample_with(user.cx, user.state, &cached).await;
        if let Some(sample) = &mut sample {
            self.ended(&user, sample, cached.evaluated.local);
        }
        sample
    }

    /// The last touch of a sample, which may be called as its URL until then, and so what is under
    /// it.
    fn ended(&self, user: &SampleUser<'_>, sample: &mut SampleResult, local: bool) {
        if (local || !self.spec.settings.rename_sub_samples) && !sample.label.is_empty() {
            sample.label = user.cx.sampler_name.clone().into();
        }
        sample.timing.intended_ns = user.intended_ns;
    }

    /// A function threw: the sample fails, without a name if the URL is missing, too.
    fn threw(&self, cx: &Context, cached: &CachedRequest, thrown: &Thrown) -> Box<SampleResult> {
        let failure = Failure::new(thrown.class, thrown.message.clone());
        match &cached.evaluated.url {
            Ok(url) if !cached.evaluated.texts.url_threw => {
                self.failed_early(cx, &failure, url.clone(), cached.evaluated.texts.method.clone(), None)
                    .sample
            }
            _ => Box::new(result::without_url(&failure, self.needs)),
        }
    }

    /// `HTTPSamplerBase.sample`.
    async fn sample_with(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        cached: &CachedRequest,
    ) -> Option<Box<SampleResult>> {
        let evaluated = &cached.evaluated;
        let request = cached.request.clone();
        if let Some(thrown) = cx.thrown.take() {
            return Some(self.threw(cx, cached, &thrown));
        }
        let url = match &evaluated.url {
            Ok(url) => url.clone(),
            Err(error) => return Some(Box::new(result::without_url(&Failure::malformed(error), self.needs))),
        };
        let wanted = ChainedRequest {
            evaluated,
            url,
            method: evaluated.texts.method.clone(),
            following: false,
            request,
        };
        let first = self.one(cx, state, wanted).await?;
        if self.has_follow_up(cx, evaluated, &first) {
            // Boxed, as everything that few samples need: it would make the future of every sample
            // large.
            return Some(Box::pin(self.processed(cx, state, evaluated, first, 0)).await);
        }
        Some(first.sample)
    }

    /// One request, or a local file.
    async fn one(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        wanted: ChainedRequest<'_>,
    ) -> Option<SampleOutcome> {
        if wanted.evaluated.local {
            return Some(Box::pin(self.local(state, wanted)).await);
        }
        self.request_once(cx, state, wanted).await
    }

    /// There is a redirect to follow, or a page may have resources.
    fn has_follow_up(&self, cx: &mut Context, evaluated: &RequestValues, first: &SampleOutcome) -> bool {
        self.resources(evaluated).is_some() || first.redirect.is_some() && self.follows(cx, evaluated)
    }

    /// Whether redirects are followed, each as a separate sample.
    fn follows(&self, cx: &mut Context, evaluated: &RequestValues) -> bool {
        evaluated.texts.set.flag(set::FOLLOW).unwrap_or_else(|| self.spec.follow.get(cx))
    }

    /// What is said of the resources of pages, where they may be wanted.
    fn resources(&self, evaluated: &RequestValues) -> Option<&Embedded> {
        let set = evaluated.texts.set.flag(set::RESOURCES);
        self.spec.embedded.as_deref().filter(|embedded| set == Some(true) || !embedded.is_off())
    }

    /// What is kept of a response.
    fn response_needs(&self, set: &ScriptSettings) -> &ResponseNeeds {
        let wants_pages = || set.flag(set::RESOURCES) == Some(true);
        self.needs_of_pages.as_deref().filter(|_| wants_pages()).unwrap_or(&self.response_needs)
    }
}

/// The instant that many milliseconds from now.
fn ends_after(limit_ms: i64) -> Option<NonZeroI64> {
    NonZeroI64::new(now_ns().saturating_add(limit_ms.saturating_mul(MS)))
}

impl Sampler for HttpSampler {
    fn prepare(&self, user: &mut User) {
        user.state(HttpState::default);
    }

    fn request(&self, user: &mut User) -> Option<RequestTexts> {
        let (cx, state) = user.parts(HttpState::default);
        state.reset_if_due(cx, &self.spec.settings);
        let mut shown = texts(&self.spec, cx).shown();
        let manager = self.spec.cookies.as_ref();
        shown.cookies = manager.map(|manager| state.jar(manager).shown(&manager.cookies, cx));
        shown.header_managers = self.spec.headers.len();
        if let Some(changed) = state.changed_headers(self.spec.header_manager) {
            changed.apply(&mut shown, cx);
        }
        Some(shown)
    }

    fn change_managers(&self, user: &mut User, changes: ManagerChanges) {
        let (_, state) = user.parts(HttpState::default);
        if let (Some(manager), Some(cookies)) = (&self.spec.cookies, changes.cookies) {
            state.jar(manager).edit(&cookies);
        }
        if let (Some(manager), Some(headers)) = (self.spec.header_manager, changes.headers) {
            state.change_headers(manager, headers);
        }
    }

    fn names_sample_again(&self) -> bool {
        true
    }

    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        if self.spec.upload.is_some() || user.has_request_changes() {
            return self.sample_changed(user);
        }
        let mut user = self.begin(user);
        if let Some(lasting) = user.state.changed_headers(self.spec.header_manager) {
            return Box::pin(self.run(user, None, vec![lasting]));
        }
        let mut templated = self.templated(user.cx);
        let start = match &templated {
            Some(templated) if templated.fits(user.cx) => self.start_templated(&mut user, templated),
            _ => None,
        };
        if let Some(start) = start
            && let Some(templated) = templated.take()
        {
            return Box::pin(FastPath::new(self, user, FastPathRequest::Templated(templated), start));
        }
        let cached = self.cached_request(user.cx, templated.as_ref());
        if self.calls_ahead {
            self.spec.call_ahead(user.cx);
        }
        if user.cx.thrown.is_none() {
            user.cx.act();
            if let Some(start) = self.start(&mut user, &cached) {
                return Box::pin(FastPath::new(self, user, FastPathRequest::Whole(cached), start));
            }
        }
        Box::pin(self.run(user, Some(cached), Vec::new()))
    }
}
