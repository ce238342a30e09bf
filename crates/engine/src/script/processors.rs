//! JSR223 and BeanShell pre- and post-processors.

use std::rc::Rc;

use swell_api::{CompileContext, Needs, PostProcessor, SampleResult, Step, StepProgress, User};
use swell_expr::{Context, ElementKind};
use swell_plan::Node;

use super::sample_bindings::Samples;
use super::source::Source;

struct Before(Source);

/// The pre-processor of an element; none if its script is not understood.
pub(crate) fn pre_processor(
    node: &Node,
    kind: ElementKind,
    compile: &CompileContext,
) -> Option<Rc<dyn Step>> {
    let source = Source::compile(&node.element, kind, compile)?;
    Some(Rc::new(Before(source)))
}

impl Step for Before {
    fn run<'a>(&'a self, user: &'a mut User, _sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        run(&self.0, &mut user.cx, &mut Samples::default());
        StepProgress::Done(())
    }
}

/// Runs a script and ignores its value.
fn run(source: &Source, cx: &mut Context, stage: &mut Samples<'_>) {
    if let Err(exception) = source.run(Vec::new(), cx, stage) {
        source.log(&exception, cx);
    }
}

struct After(Source);

/// The post-processor of an element; none if its script is not understood.
pub(crate) fn post_processor(
    node: &Node,
    kind: ElementKind,
    compile: &CompileContext,
) -> Option<Box<dyn PostProcessor>> {
    let source = Source::compile(&node.element, kind, compile)?;
    Some(Box::new(After(source)))
}

impl PostProcessor for After {
    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepProgress<'a> {
        run(&self.0, cx, &mut Samples { own: Some(sample), result: None });
        StepProgress::Done(())
    }
}
