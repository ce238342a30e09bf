//! Debug Sampler (`DebugSampler`).

use swell_api::{SampleResult, Sampler, SamplerFuture, User};
use swell_plan::Element;

use crate::debug::{ListingOptions, PROPERTIES, SYSTEM, VARIABLES, sample};

pub(super) struct Debug {
    shown: ListingOptions,
}

impl Debug {
    pub(super) fn compile(element: &Element) -> Self {
        Self { shown: ListingOptions::of(element) }
    }

    fn run(&self, user: &User) -> SampleResult {
        let set = |name: &str| user.sampler_property(name).map(|text| text.eq_ignore_ascii_case("true"));
        sample(self.shown.with(set), None, &user.cx)
    }
}

impl Sampler for Debug {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(std::future::ready(Some(Box::new(self.run(user)))))
    }

    fn followed(&self) -> &'static [&'static str] {
        &[VARIABLES, PROPERTIES, SYSTEM]
    }
}
