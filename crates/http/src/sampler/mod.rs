//! The HTTP Request sampler (`HTTPSamplerProxy` with JMeter's HttpClient4 implementation).

mod auto;
mod collect;
mod follow;
mod hop;
mod land;
mod result;
mod state;

use std::cell::Cell;
use std::mem;
use std::rc::Rc;
use std::sync::Arc;

use swell_elements::{Needs, SampleResult};
use swell_engine::{Compile, Registry, Sampler, SamplerFuture, SamplerInput, User};
use swell_expr::Context;
use swell_net::TlsConfig;

use crate::compile::Spec;
use crate::connection::Dns;
use crate::failure::Failure;
use crate::request::{Constants, Evaluated, Request, build, evaluate};
use hop::Hop;
use state::HttpState;

/// Puts the HTTP sampler into a registry.
pub fn register(registry: &mut Registry) {
    registry.samplers.insert("HTTPSamplerProxy", make);
    registry.sampler_configs.extend([
        "ConfigTestElement",
        "HeaderManager",
        "CookieManager",
        "CacheManager",
        "AuthManager",
        "DNSCacheManager",
        "KeystoreConfig",
    ]);
}

fn make(input: &SamplerInput<'_>, compile: &Compile) -> Rc<dyn Sampler> {
    Rc::new(HttpSampler::new(input, compile))
}

/// A sampler, shared by the users of a worker.
struct HttpSampler {
    spec: Spec,
    needs: Needs,
    dns: Arc<Dns>,
    /// Trusts all, as JMeter does; each user has sessions of its own.
    tls: TlsConfig,
    /// The texts of a sampler that never vary, and its request if one can be made.
    constant: Option<(Evaluated, Option<Rc<Request>>)>,
    /// A buffer to put requests together in.
    scratch: Cell<Vec<u8>>,
}

thread_local! {
    static TLS: std::cell::OnceCell<TlsConfig> = const { std::cell::OnceCell::new() };
}

impl HttpSampler {
    fn new(input: &SamplerInput<'_>, compile: &Compile) -> Self {
        let spec = Spec::new(input, compile);
        let constant = spec.is_constant().then(|| {
            let evaluated = evaluate(&spec, &mut Constants);
            let request = request_of(&spec, &evaluated).ok().map(Rc::new);
            (evaluated, request)
        });
        Self {
            needs: input.needs,
            dns: compile.expr.shared.get("http addresses", Dns::default),
            tls: TLS.with(|tls| tls.get_or_init(TlsConfig::trust_all).clone()),
            constant,
            scratch: Cell::default(),
            spec,
        }
    }

    async fn run(&self, user: &mut User) -> Option<SampleResult> {
        // The state is taken out so that it can be used beside the context. If the sample is cut, its connection goes
        // with it.
        let mut state = mem::take(user.state(HttpState::default));
        state.reset_if_due(&self.spec.settings);
        let mut sample = self.sample_with(&mut user.cx, &mut state).await;
        *user.state(HttpState::default) = state;
        if let Some(sample) = &mut sample {
            sample.timing.intended_ns = user.intended_ns;
        }
        sample
    }

    /// `HTTPSamplerBase.sample`.
    async fn sample_with(&self, cx: &mut Context, state: &mut HttpState) -> Option<SampleResult> {
        let varying;
        let (evaluated, request) = if let Some((evaluated, request)) = &self.constant {
            (evaluated, request.clone())
        } else {
            varying = evaluate(&self.spec, cx);
            (&varying, None)
        };
        let url = match &evaluated.url {
            Ok(url) => url.clone(),
            Err(error) => return Some(result::without_url(&Failure::malformed(error), self.needs)),
        };
        let hop = Hop { evaluated, url, method: evaluated.method.clone(), following: false, request };
        let first = self.hop(cx, state, hop).await?;
        if first.redirect.is_some() && self.spec.follow.get(cx) {
            return Some(self.follow(cx, state, evaluated, first).await);
        }
        Some(first.sample)
    }
}

/// The request of the first hop.
fn request_of(spec: &Spec, evaluated: &Evaluated) -> Result<Request, Failure> {
    let url = evaluated.url.as_ref().map_err(Failure::malformed)?;
    url.check().map_err(|error| Failure::syntax(&error))?;
    build(evaluated, &spec.settings, url, &evaluated.method, false)
}

impl Sampler for HttpSampler {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(self.run(user))
    }
}
