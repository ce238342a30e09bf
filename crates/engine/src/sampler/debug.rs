//! Debug Sampler (`DebugSampler`).

use swell_api::{SampleResult, Sampler, SamplerFuture, User};
use swell_expr::Context;
use swell_plan::Element;

use crate::debug::{Shown, sample};

pub(super) struct Debug {
    shown: Shown,
}

impl Debug {
    pub(super) fn compile(element: &Element) -> Self {
        Self { shown: Shown::of(element) }
    }

    fn run(&self, cx: &Context) -> SampleResult {
        sample(self.shown, None, cx)
    }
}

impl Sampler for Debug {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(std::future::ready(Some(Box::new(self.run(&user.cx)))))
    }
}
