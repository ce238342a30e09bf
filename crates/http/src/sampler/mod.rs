//! The HTTP Request sampler (`HTTPSamplerProxy` with JMeter's HttpClient4 implementation).

mod auth;
mod auto;
mod client_key;
mod collect;
mod direct;
mod embedded;
mod follow;
mod hop;
mod land;
mod local;
mod parallel;
mod parent;
mod result;
mod source;
mod state;
mod upload;

use std::cell::{Cell, RefCell};
use std::num::NonZeroI64;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{
    Compile, Needs, RequestChange, RequestTexts, SampleResult, Sampler, SamplerFuture, SamplerInput, User,
};
use swell_connect::{NameCache, TlsConfig};
use swell_expr::{Context, Host, Thrown};
use swell_net::now_ns;

use crate::compile::{Roots, Spec};
use crate::failure::Failure;
use crate::files::Files;
use crate::request::{Evaluated, Request, Texts, build, evaluate, texts};
use collect::Wants;
use direct::{Direct, Way};
use hop::{Hop, MS, Sampled};
use state::HttpState;

/// The sampler of an HTTP Request.
pub(crate) fn make(input: &SamplerInput<'_>, compile: &Compile) -> Rc<dyn Sampler> {
    Rc::new(HttpSampler::new(input, compile))
}

/// A sampler, shared by the users of a worker.
struct HttpSampler {
    spec: Spec,
    needs: Needs,
    names: Arc<NameCache>,
    files: Arc<Files>,
    host: Arc<dyn Host>,
    /// Trusts all, as JMeter does, unless the run says whom; each user has sessions of its own.
    tls: TlsConfig,
    /// Only a change of the run's properties can change this sampler's texts.
    settled: bool,
    wants: Wants,
    /// Samples may be [`Direct`] ones.
    way: Option<Way>,
    /// What the last sample was made of. Most samplers make the same request again and again, whatever their texts are
    /// written with.
    made: RefCell<Option<Rc<Made>>>,
    /// A request, what was said with it, and the request with that.
    authorized: RefCell<Option<auth::Said>>,
    /// A buffer to put requests together in.
    scratch: Cell<Vec<u8>>,
}

/// What a sample sees of its user.
struct Parts<'a> {
    cx: &'a mut Context,
    state: &'a mut HttpState,
    intended_ns: i64,
}

/// Texts, and the request that they make.
struct Made {
    /// [`swell_expr::Properties::version`] at the time.
    version: u64,
    texts: Texts,
    evaluated: Evaluated,
    /// None where no request can be made of them.
    request: Option<Rc<Request>>,
}

impl Made {
    fn of(spec: &Spec, version: u64, texts: Texts) -> Rc<Self> {
        let evaluated = evaluate(texts.clone());
        let request = if evaluated.local { None } else { request_of(spec, &evaluated).ok().map(Rc::new) };
        Rc::new(Self { version, texts, evaluated, request })
    }
}

thread_local! {
    /// What TLS is limited to, and the configuration for it: there is one as a rule.
    static TLS: RefCell<Vec<([String; 2], Roots, TlsConfig)>> = const { RefCell::new(Vec::new()) };
}

/// The configuration of a worker, with all sessions of its own. What cannot be had is left out, which the run says.
fn tls_of(limits: &[String; 2], roots: &Roots) -> TlsConfig {
    TLS.with_borrow_mut(|known| {
        if let Some((.., config)) = known.iter().find(|(of, by, _)| of == limits && by == roots) {
            return config.clone();
        }
        let [versions, suites] =
            limits.each_ref().map(|names| names.split_ascii_whitespace().collect::<Vec<_>>());
        let limited = TlsConfig::trust_all_with(&versions, &suites);
        let config = limited.unwrap_or_else(TlsConfig::trust_all);
        let config = match roots {
            Some(roots) => config.with_roots(roots).expect("they were tried when they were read"),
            None => config,
        };
        known.push((limits.clone(), roots.clone(), config.clone()));
        config
    })
}

impl HttpSampler {
    fn new(input: &SamplerInput<'_>, compile: &Compile) -> Self {
        let spec = Spec::new(input, compile);
        let settled = spec.is_settled();
        let mut needs = input.needs;
        // A page that fails with its resources names their URLs.
        needs.details |= spec.embedded.is_some();
        Self {
            needs,
            names: compile.expr.shared.get("host addresses", NameCache::default),
            files: compile.expr.shared.get("http files", Files::default),
            host: compile.host.clone(),
            tls: tls_of(&spec.settings.tls_limits, &spec.roots),
            settled,
            wants: Wants::of(&spec, needs, compile.bodies()),
            way: Way::of(&spec),
            made: RefCell::default(),
            authorized: RefCell::default(),
            scratch: Cell::default(),
            spec,
        }
    }

    /// A sample of any kind. `made`: texts and request, where files and changes have no part in them.
    async fn run(
        &self,
        user: Parts<'_>,
        made: Option<Rc<Made>>,
        changes: Vec<Box<dyn RequestChange>>,
    ) -> Option<Box<SampleResult>> {
        let made = match made {
            Some(made) => made,
            None => Box::pin(self.made_aside(user.cx, &changes)).await,
        };
        let mut sample = self.sample_with(user.cx, user.state, &made).await;
        if let Some(sample) = &mut sample {
            self.ended(&user, sample, made.evaluated.local);
        }
        sample
    }

    /// The last touch of a sample, which may be called as its URL until then, and so what is under it.
    fn ended(&self, user: &Parts<'_>, sample: &mut SampleResult, local: bool) {
        if (local || !self.spec.settings.rename_sub_samples) && !sample.label.is_empty() {
            sample.label = user.cx.sampler_name.clone().into();
        }
        sample.timing.intended_ns = user.intended_ns;
    }

    /// The texts now, and the request of them: that of the last sample if they are the same.
    fn made(&self, cx: &mut Context) -> Rc<Made> {
        let mut last = self.made.borrow_mut();
        let version = cx.props.version();
        if let Some(made) = last.as_ref().filter(|made| self.settled && made.version == version) {
            return made.clone();
        }
        let texts = texts(&self.spec, cx);
        self.made_of(&mut last, version, texts)
    }

    fn made_of(&self, last: &mut Option<Rc<Made>>, version: u64, texts: Texts) -> Rc<Made> {
        match last.as_ref().filter(|made| !self.settled && made.texts == texts) {
            Some(made) => made.clone(),
            None => last.insert(Made::of(&self.spec, version, texts)).clone(),
        }
    }

    /// A function threw: the sample fails, without a name where there is no URL either.
    fn threw(&self, cx: &Context, made: &Made, thrown: &Thrown) -> Box<SampleResult> {
        let failure = Failure::new(thrown.class, thrown.message.clone());
        match &made.evaluated.url {
            Ok(url) if !made.texts.url_threw => {
                self.failed_early(cx, &failure, url.clone(), made.evaluated.method.clone(), None).sample
            }
            _ => Box::new(result::without_url(&failure, self.needs)),
        }
    }

    /// `HTTPSamplerBase.sample`.
    async fn sample_with(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        made: &Made,
    ) -> Option<Box<SampleResult>> {
        let (evaluated, request) = (&made.evaluated, made.request.clone());
        if let Some(thrown) = cx.thrown.take() {
            return Some(self.threw(cx, made, &thrown));
        }
        let url = match &evaluated.url {
            Ok(url) => url.clone(),
            Err(error) => return Some(Box::new(result::without_url(&Failure::malformed(error), self.needs))),
        };
        let hop = Hop { evaluated, url, method: evaluated.method.clone(), following: false, request };
        let first = self.one(cx, state, hop).await?;
        if self.goes_on(cx, &first) {
            // Boxed, as everything that few samples need: it would make the future of every sample large.
            return Some(Box::pin(self.processed(cx, state, evaluated, first, 0)).await);
        }
        Some(first.sample)
    }

    /// One request, or a local file.
    async fn one(&self, cx: &mut Context, state: &mut HttpState, hop: Hop<'_>) -> Option<Sampled> {
        if hop.evaluated.local {
            return Some(Box::pin(self.local(state, hop)).await);
        }
        self.hop(cx, state, hop).await
    }

    /// There is a redirect to follow, or a page may have resources.
    fn goes_on(&self, cx: &mut Context, first: &Sampled) -> bool {
        self.spec.embedded.is_some() || first.redirect.is_some() && self.spec.follow.get(cx)
    }
}

/// The request of the first hop.
fn request_of(spec: &Spec, evaluated: &Evaluated) -> Result<Request, Failure> {
    let url = evaluated.url.as_ref().map_err(Failure::malformed)?;
    url.check().map_err(|error| Failure::syntax(&error))?;
    build(evaluated, &spec.settings, url, &evaluated.method, false)
}

/// When so many milliseconds from now are over.
fn ends_after(limit_ms: i64) -> Option<NonZeroI64> {
    NonZeroI64::new(now_ns().saturating_add(limit_ms.saturating_mul(MS)))
}

impl Sampler for HttpSampler {
    fn prepare(&self, user: &mut User) {
        user.state(HttpState::default);
    }

    fn request(&self, user: &mut User) -> Option<RequestTexts> {
        Some(texts(&self.spec, &mut user.cx).shown())
    }

    fn names_sample_again(&self) -> bool {
        true
    }

    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        let intended_ns = user.intended_ns;
        let changes = user.take_request_changes();
        let interrupt_at_ns =
            (user.interrupt_at_ns != i64::MAX).then_some(user.interrupt_at_ns).and_then(NonZeroI64::new);
        let (cx, state) = user.parts(HttpState::default);
        state.reset_if_due(cx, &self.spec.settings);
        state.interrupt_at_ns = interrupt_at_ns;
        if let Some(limit_ms) = self.spec.settings.total_timeout_ms {
            state.over_at_ns = ends_after(limit_ms);
        }
        let mut user = Parts { cx, state, intended_ns };
        let aside = self.spec.upload.is_some() || !changes.is_empty();
        let made = if aside { None } else { Some(self.made(user.cx)) };
        let can_start = user.cx.thrown.is_none();
        let start = made.as_ref().filter(|_| can_start).and_then(|made| self.start(&mut user, made));
        match (made, start) {
            (Some(made), Some(start)) => Box::pin(Direct::new(self, user, made, start)),
            (made, _) => Box::pin(self.run(user, made, changes)),
        }
    }
}
