//! A sample with sub-samples (`SampleResult.addSubResult`).

use std::rc::Rc;

use swell_api::{SampleResult, Text};
use swell_expr::Context;

use crate::compile::Spec;

/// A sample that other samples are added to.
pub(crate) struct Parent {
    pub(crate) total: Box<SampleResult>,
    /// Sub-samples are called after it (`subresults.disable_renaming`).
    rename: bool,
    /// The engine gives its name to samples and the first level under them only, as JMeter does.
    thread: Rc<str>,
}

impl Parent {
    /// A sample of that sampler.
    pub(crate) fn of(spec: &Spec, cx: &Context, total: Box<SampleResult>) -> Self {
        Self { total, rename: spec.settings.rename_sub_samples, thread: cx.user.thread_name.clone() }
    }

    /// A sample that is in the sums already.
    pub(crate) fn add_counted(&mut self, mut sample: SampleResult) {
        if self.rename {
            sample.label = Text::from(format!("{}-{}", self.total.label, self.total.sub_results.len()));
        }
        self.total.sub_results.push(sample);
    }

    /// A further sample: its sizes are added, and the parent ends when it ends.
    pub(crate) fn add(&mut self, mut sample: SampleResult) {
        let total = &mut self.total;
        let timing = sample.timing;
        total.timing.extend_to(&timing);
        total.add_received(&sample);
        total.sent_bytes += sample.sent_bytes;
        total.header_size += sample.header_size;
        total.body_size += sample.body_size;
        sample.thread_name = Text::Shared(self.thread.clone());
        self.add_counted(sample);
    }
}
