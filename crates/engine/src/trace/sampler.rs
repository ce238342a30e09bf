//! A sampler that reports.

use std::rc::Rc;

use swell_api::{ManagerChanges, RequestTexts, Sampler, SamplerFuture, User};
use swell_trace::{ElementRef, Role};

use super::{action, sample};

/// A sampler that reports what it did. `reads`: variables that its texts and those of config
/// elements in its scope refer to.
pub(crate) struct TracedSampler {
    pub(crate) sampler: Rc<dyn Sampler>,
    pub(crate) element: ElementRef,
    pub(crate) reads: Vec<String>,
}

impl TracedSampler {
    fn note_reads(&self, user: &mut User) {
        let cx = &mut user.cx;
        let read = self.reads.iter().map(|name| (&**name, cx.vars.get(name).map(ToString::to_string)));
        if let Some(trace) = &mut cx.trace {
            trace.reads(read);
        }
    }
}

impl Sampler for TracedSampler {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move {
            self.note_reads(user);
            let before = action::begin(&mut user.cx, &self.element, Role::Sampler);
            let result = self.sampler.sample(user).await;
            action::end(&mut user.cx, &before);
            if let Some(trace) = &mut user.cx.trace {
                match &result {
                    None => trace.no_sample(),
                    // No listener hears of it.
                    Some(ignored) if ignored.ignore => {
                        let whole = sample::of(ignored, trace);
                        trace.sample(whole);
                    }
                    Some(_) => {}
                }
            }
            result
        })
    }

    fn prepare(&self, user: &mut User) {
        self.sampler.prepare(user);
    }

    fn request(&self, user: &mut User) -> Option<RequestTexts> {
        self.sampler.request(user)
    }

    fn change_managers(&self, user: &mut User, changes: ManagerChanges) {
        self.sampler.change_managers(user, changes);
    }

    fn shows_properties(&self) -> bool {
        self.sampler.shows_properties()
    }

    fn followed(&self) -> &'static [&'static str] {
        self.sampler.followed()
    }

    fn names_sample_again(&self) -> bool {
        self.sampler.names_sample_again()
    }
}
