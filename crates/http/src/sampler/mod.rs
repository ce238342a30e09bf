//! The HTTP Request sampler (`HTTPSamplerProxy` with JMeter's HttpClient4 implementation).

mod collect;
mod download_slots;
mod exchange;
mod fast_path;
mod follow;
mod http_sampler;
mod key_choice;
mod known_texts;
mod limits;
mod local;
mod outcome;
mod prepare;
mod result;
mod state;
mod upgrade;

use std::rc::Rc;

use swell_api::{CompileContext, ManagerChanges, RequestTexts, Sampler, SamplerFuture, SamplerInput, User};

use crate::compile::HttpVersion;
use crate::request::texts;
use fast_path::{FastPathRequest, FastPathStart};
use http_sampler::HttpSampler;
use state::HttpState;

pub use upgrade::{UpgradeScope, UpgradeTrace};

/// The sampler of an HTTP Request.
pub(crate) fn make(input: &SamplerInput<'_>, compile: &CompileContext) -> Rc<dyn Sampler> {
    Rc::new(HttpSampler::new(input, compile))
}

impl Sampler for HttpSampler {
    fn prepare(&self, user: &mut User) {
        let (cx, state) = user.parts(HttpState::default);
        state.reset_if_due(cx, &self.spec.settings);
        if self.spec.version != HttpVersion::Http1 {
            state.sessions.get_or_insert_with(|| exchange::sessions(self.spec.settings.http2_share));
        }
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

    fn reads_may_wait(&self) -> bool {
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
        let mut templated = self.requests.templated(&self.spec, user.cx);
        let start = match &templated {
            Some(templated) if templated.fits(user.cx) => {
                FastPathStart::templated(self, &mut user, templated)
            }
            _ => None,
        };
        if let Some(start) = start
            && let Some(templated) = templated.take()
        {
            return start.sample(self, user, FastPathRequest::Templated(templated));
        }
        let cached = self.requests.cached_request(&self.spec, user.cx, templated.as_ref());
        if self.calls_ahead {
            self.spec.call_ahead(user.cx);
        }
        if user.cx.thrown.is_none() {
            user.cx.act();
            if let Some(start) = FastPathStart::whole(self, &mut user, &cached) {
                return start.sample(self, user, FastPathRequest::Whole(cached));
            }
        }
        Box::pin(self.run(user, Some(cached), Vec::new()))
    }
}
