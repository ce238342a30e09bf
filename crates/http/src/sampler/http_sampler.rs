//! The sampler: its parts, and the order of steps in a sample (`HTTPSamplerBase.sample`,
//! `HTTPHC4Impl.sample`).

use std::num::NonZeroI64;
use std::rc::Rc;

use swell_api::{CompileContext, RequestChange, SampleResult, SamplerFuture, SamplerInput, User};
use swell_connect::NameCache;
use swell_expr::{Context, Thrown};
use swell_net::PromptReads;
use swell_trace::{CacheNote, Exchange};

use crate::compile::{Flag, Spec};
use crate::events::EventReader;
use crate::failure::Failure;
use crate::request::{Request, RequestValues};
use crate::set;
use crate::url::Url;

use super::collect::CollectedResponse;
use super::exchange::{InFlight, Sender, WireTrace};
use super::fast_path::FastPathConfig;
use super::follow::{Challenges, Pages, Redirects, Requests, Resource, SilentRedirects, resources_of};
use super::limits::ends_after;
use super::local::LocalFiles;
use super::outcome::{ChainedRequest, SampleOutcome};
use super::prepare::{self, Authorizer, CachedRequest, RequestMaker};
use super::result::{SampleMaker, show_unsent, without_url};
use super::state::{HttpState, SampleUser};

/// A sampler, shared by the users of a worker. Each call passes its parts what they need from the
/// plan.
pub(super) struct HttpSampler {
    pub(super) spec: Spec,
    /// Functions that something else answers are called before a request is sent
    /// ([`Spec::call_ahead`]).
    pub(super) calls_ahead: bool,
    /// Samples may take the [`super::fast_path`].
    pub(super) fast_path: Option<FastPathConfig>,
    pub(super) requests: RequestMaker,
    authorizer: Authorizer,
    pub(super) sender: Sender,
    pub(super) samples: SampleMaker,
}

impl HttpSampler {
    pub(super) fn new(input: &SamplerInput<'_>, compile: &CompileContext) -> Self {
        let spec = Spec::new(input, compile);
        let calls_ahead = spec.has_late_calls();
        let mut needs = input.needs;
        // A page that fails with its resources names their URLs.
        needs.details |= spec.embedded.is_some();
        let names = compile.expr.shared.get("host addresses", || {
            NameCache::with_ttl(compile.props.get("sun.net.inetaddr.ttl").as_deref())
        });
        // Requests of a trace are reported on the general path.
        let fast_path = FastPathConfig::of(&spec).filter(|_| !compile.traced);
        let is_simple = fast_path.is_some() && !calls_ahead;
        Self {
            calls_ahead,
            fast_path,
            requests: RequestMaker::new(&spec, needs, is_simple, compile),
            authorizer: Authorizer::default(),
            sender: Sender::new(&spec, names),
            samples: SampleMaker::new(&spec, needs, compile),
            spec,
        }
    }

    /// A sample begins.
    #[inline]
    pub(super) fn begin<'a>(&self, user: &'a mut User) -> SampleUser<'a> {
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
        state.was_not_processed = false;
        SampleUser { cx, state, intended_ns }
    }

    /// A sample with an individual request: pre-processors change it, or it sends files.
    pub(super) fn sample_changed<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        let mut changes = user.request_changes();
        let user = self.begin(user);
        if let Some(lasting) = user.state.changed_headers(self.spec.header_manager) {
            changes.insert(0, lasting);
        }
        Box::pin(self.run(user, None, changes))
    }

    /// A sample of any kind. `cached`: texts and request, where files and changes have no part in
    /// them.
    pub(super) async fn run(
        &self,
        user: SampleUser<'_>,
        cached: Option<Rc<CachedRequest>>,
        changes: Vec<Rc<dyn RequestChange>>,
    ) -> Option<Box<SampleResult>> {
        let _prompt = PromptReads::begin();
        let cached = if let Some(cached) = cached {
            cached
        } else {
            let cached = Box::pin(self.requests.request_off_loop(&self.spec, user.cx, &changes)).await;
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
    pub(super) fn ended(&self, user: &SampleUser<'_>, sample: &mut SampleResult, local: bool) {
        if (local || !self.spec.settings.rename_sub_samples) && !sample.label.is_empty() {
            sample.label = user.cx.sampler_name.clone().into();
        }
        if !matches!(self.spec.events, Flag::Is(false)) {
            self.samples.add_events(sample, &self.spec);
        }
        sample.timing.intended_ns = user.intended_ns;
    }

    /// A function threw: the sample fails, without a name if the URL is missing, too.
    fn threw(&self, cx: &Context, cached: &CachedRequest, thrown: &Thrown) -> Box<SampleResult> {
        let failure = Failure::new(thrown.class, thrown.message.clone());
        match &cached.evaluated.url {
            Ok(url) if !cached.evaluated.texts.url_threw => {
                self.samples
                    .failed_early(
                        &self.spec,
                        cx,
                        &failure,
                        url.clone(),
                        cached.evaluated.texts.method.clone(),
                        None,
                    )
                    .sample
            }
            _ => Box::new(without_url(&failure, self.samples.needs)),
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
            Err(error) => return Some(Box::new(without_url(&Failure::malformed(error), self.samples.needs))),
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
            let files = LocalFiles {
                spec: &self.spec,
                host: self.requests.host(),
                sender: &self.sender,
                samples: &self.samples,
            };
            return Some(Box::pin(files.sample(state, wanted)).await);
        }
        self.request_once(cx, state, wanted).await
    }

    /// There is a redirect to follow, or a page may have resources.
    pub(super) fn has_follow_up(
        &self,
        cx: &mut Context,
        evaluated: &RequestValues,
        first: &SampleOutcome,
    ) -> bool {
        resources_of(&self.spec, evaluated).is_some()
            || first.redirect.is_some() && self.follows(cx, evaluated)
    }

    /// Whether redirects are followed, each as a separate sample.
    fn follows(&self, cx: &mut Context, evaluated: &RequestValues) -> bool {
        evaluated.texts.set.flag(set::FOLLOW).unwrap_or_else(|| self.spec.follow.get(cx))
    }

    /// Makes a sample again on a new connection. `begun_ns`: its time begins with the first
    /// attempt.
    pub(super) async fn repeat(
        &self,
        user: SampleUser<'_>,
        cached: Rc<CachedRequest>,
        begun_ns: i64,
    ) -> Option<Box<SampleResult>> {
        let mut sample = self.run(user, Some(cached), Vec::new()).await?;
        sample.timing.start_ns = begun_ns;
        if let Some(first) = sample.sub_results.first_mut() {
            first.timing.start_ns = begun_ns;
        }
        Some(sample)
    }

    /// What a redirect or a page leads to.
    pub(super) async fn follow_up(
        &self,
        user: SampleUser<'_>,
        cached: Rc<CachedRequest>,
        first: SampleOutcome,
    ) -> Option<Box<SampleResult>> {
        let _prompt = PromptReads::follow();
        let mut sample = self.processed(user.cx, user.state, &cached.evaluated, first, 0).await;
        self.ended(&user, &mut sample, false);
        Some(sample)
    }

    /// A sample with its redirects and with the resources of its page. `depth`: pages around it.
    async fn processed(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        evaluated: &RequestValues,
        first: SampleOutcome,
        depth: u32,
    ) -> Box<SampleResult> {
        let pages = Pages { spec: &self.spec, needs: self.samples.needs, requests: self };
        if first.redirect.is_some() && self.follows(cx, evaluated) {
            return Redirects { pages }.follow(cx, state, evaluated, first, depth).await;
        }
        let SampleOutcome { sample, url, .. } = first;
        pages.page(cx, state, evaluated, sample, &url, depth).await
    }

    /// The sample of a request that cannot be made.
    #[cold]
    fn unsent(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        failure: &Failure,
        (url, method): (Rc<Url>, Rc<str>),
        evaluated: &RequestValues,
        following: bool,
    ) -> SampleOutcome {
        let spec = &self.spec;
        let needs = self.samples.needs;
        let cookie = prepare::cookie_of_failure(spec, needs, cx, state, failure, &url, evaluated);
        let mut failed = self.samples.failed_early(spec, cx, failure, url, method, cookie);
        if needs.details && failure.is_after_body() {
            show_unsent(spec, &mut failed, failure, evaluated, following);
        }
        failed
    }
}

/// Reports that nothing was sent because the stored response is still fresh.
fn note_fresh(cx: &Context, request: &Request, start_ns: i64) {
    if let Some(trace) = &cx.trace {
        trace.exchanges().borrow_mut().push(Exchange {
            method: request.method.to_string(),
            url: request.url.as_str().to_owned(),
            sample_start_ns: start_ns,
            cache: Some(CacheNote::Fresh),
            ..Exchange::default()
        });
    }
}

impl Requests for HttpSampler {
    async fn request_once(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        wanted: ChainedRequest<'_>,
    ) -> Option<SampleOutcome> {
        let spec = &self.spec;
        let url = wanted.url.clone();
        let method = wanted.method.clone();
        let evaluated = wanted.evaluated;
        let following = wanted.following;
        let set = &evaluated.texts.set;
        let limits = prepare::limits(spec, self.sender.names(), cx, set).await;
        let prepared = limits.and_then(|limits| Ok((limits, prepare::prepare(spec, wanted)?)));
        let (limits, request) = match prepared {
            Ok(prepared) => prepared,
            Err(failure) => {
                return Some(self.unsent(cx, state, &failure, (url, method), evaluated, following));
            }
        };
        let (request, cookie) = prepare::add_headers(spec, cx, state, request);
        if prepare::is_fresh(spec, state, &request, cookie.as_deref()) {
            let sample = self.samples.cached_sample(spec, cx, &request, cookie.as_deref())?;
            note_fresh(cx, &request, sample.timing.start_ns);
            return Some(SampleOutcome { sample: Box::new(sample), url, method, redirect: None });
        }
        let proxied = request.target.proxy.is_some();
        let authorizes = spec.auth.is_some() || proxied || state.has_credentials();
        let request = match if authorizes {
            self.authorizer.authorize(spec, cx, state, request)
        } else {
            Ok(request)
        } {
            Ok(request) => request,
            Err(failure) => return Some(self.samples.failed_early(spec, cx, &failure, url, method, cookie)),
        };
        if spec.keys.is_some() {
            self.sender.choose_key(spec, cx, state);
        }
        if let Some(manager) = &spec.dns {
            manager.begin(state.names.get_or_insert_default(), cx);
        }
        let needs = self.samples.response_needs_with(set);
        let collected = CollectedResponse::new(needs).with_digest(set.flag(set::MD5));
        let mut in_flight = InFlight::new(request, cookie, collected);
        in_flight.recent = cx.recent.clone().filter(|recent| recent.borrow_mut().is_open(cx.iteration));
        in_flight.events =
            spec.events.get(cx).then(|| Box::new(EventReader::keeping(self.samples.events_kept(spec))));
        if let Some(trace) = cx.trace.as_deref() {
            let mut wire = Box::new(WireTrace::new(trace, spec, in_flight.start_ns));
            wire.not_sent(prepare::cookies_not_sent(spec, state, &url));
            in_flight.wire = Some(wire);
        }
        let mut result = self.sender.send(spec, state, &mut in_flight, limits).await;
        if (proxied || spec.auth.is_some()) && result.is_ok() && in_flight.is_auth_challenge() {
            let challenges = Challenges { spec, sender: &self.sender };
            result = Box::pin(challenges.answer(state, &mut in_flight, limits)).await;
        }
        if result.is_ok() && set.flag(set::AUTO).unwrap_or_else(|| spec.auto.get(cx)) {
            in_flight.auto = true;
            let redirects = SilentRedirects { spec, sender: &self.sender, authorizer: &self.authorizer };
            result = Box::pin(redirects.follow(cx, state, &mut in_flight, limits)).await;
        }
        Some(self.samples.sample_from(spec, cx, state, in_flight, result, method))
    }

    fn resource<'a>(
        &'a self,
        cx: &'a mut Context,
        state: &'a mut HttpState,
        evaluated: &'a RequestValues,
        url: Rc<Url>,
        depth: u32,
    ) -> Resource<'a> {
        Box::pin(async move {
            let wanted =
                ChainedRequest { evaluated, url, method: "GET".into(), following: false, request: None };
            let first = self.one(cx, state, wanted).await?;
            Some(self.processed(cx, state, evaluated, first, depth).await)
        })
    }
}
