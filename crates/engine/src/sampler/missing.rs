//! A sampler whose class is unsupported: every sample fails with a message.

use swell_api::{SampleResult, Sampler, SamplerFuture, Text, User};
use swell_plan::Element;

pub(super) struct Missing {
    message: Text,
}

impl Missing {
    pub(super) fn new(element: &Element) -> Self {
        Self { message: format!("`{}` is not supported", element.class).into() }
    }
}

impl Sampler for Missing {
    fn sample<'a>(&'a self, _user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async {
            let now_ns = swell_net::now_ns();
            let mut sample = SampleResult { message: self.message.clone(), ..SampleResult::default() };
            sample.timing.start_ns = now_ns;
            sample.timing.end_ns = now_ns;
            Some(Box::new(sample))
        })
    }
}
