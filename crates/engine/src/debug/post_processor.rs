//! Debug PostProcessor (`org.apache.jmeter.extractor.DebugPostProcessor`).

use swell_api::{CompileContext, Needs, PostProcessor, SampleResult, StepProgress};
use swell_expr::{Context, Template};
use swell_plan::Node;

use super::sampler_properties::SamplerProperties;
use super::{ListingOptions, sample};

struct DebugPostProcessor {
    name: Template,
    shown: ListingOptions,
    sampler: Option<SamplerProperties>,
    /// Sub-samples are called after their parent (`subresults.disable_renaming`).
    rename: bool,
}

/// The post-processor of an element for one sampler. `defaults` are config elements whose
/// properties the sampler takes.
pub(crate) fn post_processor(
    node: &Node,
    sampler: &Node,
    defaults: &[&Node],
    compile: &CompileContext,
) -> Box<dyn PostProcessor> {
    let shows_sampler = node.element.flag("displaySamplerProperties", false);
    Box::new(DebugPostProcessor {
        name: compile.text(&node.element, "TestElement.name", node.element.name()),
        shown: ListingOptions::of(&node.element),
        sampler: shows_sampler.then(|| SamplerProperties::compile(sampler, defaults, compile)),
        rename: compile.renames_sub_samples(),
    })
}

impl PostProcessor for DebugPostProcessor {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn process<'a>(&'a self, cx: &'a mut Context, parent: &'a mut SampleResult) -> StepProgress<'a> {
        let properties = self.sampler.as_ref().map(|sampler| sampler.now(cx));
        let mut sub = sample(self.shown, properties, cx);
        sub.label = if self.rename {
            format!("{}-{}", parent.label, parent.sub_results.len()).into()
        } else {
            self.name.eval(cx).into_owned().into()
        };
        sub.thread_name = parent.thread_name.clone();
        (sub.group_threads, sub.all_threads) = (parent.group_threads, parent.all_threads);
        // `SampleResult.addSubResult`: it lies within its parent.
        parent.timing.end_ns = parent.timing.end_ns.max(sub.timing.end_ns);
        parent.bytes += sub.bytes;
        parent.body_size += sub.body_size;
        parent.sub_results.push(sub);
        StepProgress::Done(())
    }
}
